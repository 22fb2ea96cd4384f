//! The table of inputs in `docs/reliability.md`: each row names the tests of its limits, and each
//! of these must exist in the checkout.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Failure, Result, checkout};

/// The file of the table, and its first line.
const DOCUMENT: &str = "docs/reliability.md";
const HEAD: &str = "| input | bound | answered | test |";
/// Where Rust code is.
const SOURCES: [&str; 5] = ["bench", "crates", "src-tauri", "tests", "xtask"];

/// Fails, naming each, when a row has no test or one that does not exist.
pub(super) fn check() -> Result<()> {
    let document = checkout().join(DOCUMENT);
    let text = read(&document)?;
    let mut tests = BTreeSet::new();
    for folder in SOURCES {
        for file in rust_files(&checkout().join(folder))? {
            tests.extend(test_names(&read(&file)?));
        }
    }
    let rows = rows(&text);
    let wrong = untested(&rows, &tests);
    if rows.is_empty() {
        return Err(Failure::new(format!("{DOCUMENT} has no table `{HEAD}`.")));
    }
    if !wrong.is_empty() {
        return Err(Failure::new(format!(
            "Bounds in {DOCUMENT} without their tests:\n  {}",
            wrong.join("\n  ")
        )));
    }
    println!("    Each of {} inputs has tests of its bounds.", rows.len());
    Ok(())
}

/// The rows of the tables that start like this, each with its cells.
fn rows(document: &str) -> Vec<Vec<&str>> {
    let mut in_table = false;
    let mut rows = Vec::new();
    for line in document.lines() {
        in_table = line.trim() == HEAD || in_table && line.starts_with('|');
        if in_table && line.trim() != HEAD && !line.starts_with("|--") {
            rows.push(
                line.trim()
                    .trim_matches('|')
                    .split('|')
                    .map(str::trim)
                    .collect(),
            );
        }
    }
    rows
}

/// The rows whose last cell names no test, or one that is not among these.
fn untested(rows: &[Vec<&str>], tests: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let (Some(input), Some(named)) = (row.first(), row.get(3)) else {
            wrong.push(format!("a row without four cells: {row:?}"));
            continue;
        };
        let mut named = named.split('`').skip(1).step_by(2).peekable();
        if named.peek().is_none() {
            wrong.push(format!("{input}: no test is named"));
        }
        let missing = named.filter(|name| !tests.contains(*name));
        wrong.extend(missing.map(|name| format!("{input}: there is no test `{name}`")));
    }
    wrong
}

/// The functions after a `#[test]` or `#[tokio::test]`.
fn test_names(source: &str) -> Vec<String> {
    let mut is_test = false;
    let mut names = Vec::new();
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((_, rest)) = line.split_once("fn ")
            && !line.starts_with("//")
        {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            if std::mem::take(&mut is_test) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// The Rust files below a folder.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}.", folder.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("{} was not read: {error}.", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/// Not a test.\nfn helps() {}\n\n#[test]\n#[cfg(unix)]\n\
        fn holds_a_bound() {}\n\n    #[tokio::test(flavor = \"multi_thread\")]\n\
        \x20   async fn holds_another() {\n        // fn in_words\n    }\n";

    #[test]
    fn only_functions_marked_as_tests_are_tests() {
        assert_eq!(test_names(SOURCE), ["holds_a_bound", "holds_another"]);
    }

    #[test]
    fn a_row_without_an_existing_test_is_named() {
        let document = format!(
            "| other | table |\n|---|---|\n| a | b |\n\n{HEAD}\n|---|---|---|---|\n\
             | good | 1 | 413 | `holds_a_bound`, `holds_another` |\n\
             | none | 1 | 413 | by hand |\n| gone | 1 | 413 | `holds_a_bound`, `helps` |\n\nText.\n\
             | after | it |\n"
        );
        let tests: BTreeSet<String> = test_names(SOURCE).into_iter().collect();
        let rows = rows(&document);
        assert_eq!(rows.len(), 3);
        assert_eq!(
            untested(&rows, &tests),
            ["none: no test is named", "gone: there is no test `helps`"]
        );
    }
}
