//! The step `files`: scripts parse, links between the documents lead somewhere, each bound that they
//! promise has its test, and the workflows are well formed (actionlint) and grant no more than
//! they need (zizmor). Nothing runs the workflows.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::build::packages;
use crate::documents;
use crate::setup::{Need, pip_programs, prepare};
use crate::shell::{checkout, files_below, has_ending, program};

/// The document with the table of inputs, and the first line of that.
const BOUNDS: (&str, &str) = ("docs/reliability.md", "| input | bound | answered | test |");

/// Takes the step.
pub(crate) fn check(sh: &Shell, yes: bool) -> Result<()> {
    scripts(sh)?;
    documents::check(sh)?;
    bounds(sh)?;
    workflows(sh, yes)
}

fn scripts(sh: &Shell) -> Result<()> {
    if program(sh, "bash").is_none() {
        println!("    Scripts were left out: there is no bash here.");
        return Ok(());
    }
    let mut scripts = vec![checkout().join(".ci/run")];
    for folder in ["scripts", "packaging"] {
        let mut files = files_below(&checkout().join(folder))?;
        // Those of packages have the names of their moments as endings.
        files.retain(|file| has_ending(file, &["sh", "postinst", "prerm", "postrm"]));
        scripts.extend(files);
    }
    for script in scripts {
        cmd!(sh, "bash -n {script}").quiet().run()?;
    }
    Ok(())
}

fn bounds(sh: &Shell) -> Result<()> {
    let mut tests = BTreeSet::new();
    for folder in ["bench", "crates", "src-tauri", "tests", "xtask"] {
        for file in files_below(&checkout().join(folder))? {
            if has_ending(&file, &["rs"]) {
                tests.extend(tests_of(&sh.read_file(&file)?));
            }
        }
    }
    let wrong = untested(&sh.read_file(BOUNDS.0)?, &tests);
    ensure!(
        wrong.is_empty(),
        "{}: no test of its bound: {}",
        BOUNDS.0,
        wrong.join("; ")
    );
    Ok(())
}

/// The rows of the table of inputs that name no test, or one that is not there.
fn untested(document: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let rows = document
        .lines()
        .skip_while(|line| *line != BOUNDS.1)
        .skip(2);
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
    let has_tests = |row: &&&str| {
        let cells: Vec<_> = row.trim_matches('|').split('|').collect();
        let named = cells.get(3).unwrap_or(&"").split('`').skip(1).step_by(2);
        let named: Vec<_> = named.collect();
        !named.is_empty() && named.iter().all(|name| tests.contains(*name))
    };
    match rows.is_empty() {
        true => vec!["there is no table".to_owned()],
        false => rows
            .iter()
            .filter(|row| !has_tests(row))
            .map(|row| (*row).to_owned())
            .collect(),
    }
}

/// The functions that a `#[test]` or `#[tokio::test]` stands before.
fn tests_of(source: &str) -> Vec<String> {
    let parts: Vec<&str> = source.split("fn ").collect();
    let names = parts.windows(2).filter_map(|pair| {
        let before = pair[0].rsplit(['}', ';']).next()?;
        let is_test = before.contains("#[test]") || before.contains("#[tokio::test");
        is_test.then_some(pair[1].split(['(', '<']).next()?.to_owned())
    });
    names.collect()
}

fn workflows(sh: &Shell, yes: bool) -> Result<()> {
    prepare(sh, &[Need::Workflows], yes)?;
    let zizmor = pip_programs("zizmor")?.join("zizmor");
    let lint = checkout().join("xtask/workflows");
    packages(sh, &lint)?;
    let workflows: &[PathBuf] = &sh.read_dir(".github/workflows")?;
    let script = lint.join("check.js");
    cmd!(sh, "node {script} {workflows...}").run()?;
    // Offline, it checks everything but whether an action has a known vulnerability.
    cmd!(
        sh,
        "{zizmor} --offline --no-progress --quiet {workflows...}"
    )
    .run()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_an_existing_test_is_named() {
        let source = "/// Not a test.\nfn helps() {}\n\n#[test]\n#[cfg(unix)]\n\
            fn holds_a_bound() {}\n\n    #[tokio::test(flavor = \"multi_thread\")]\n\
            \x20   async fn holds_another() {\n        // fn in_words\n    }\n";
        let tests: BTreeSet<String> = tests_of(source).into_iter().collect();
        assert!(
            tests.iter().eq(["holds_a_bound", "holds_another"]),
            "{tests:?}"
        );
        let document = format!(
            "| a | b |\n\n{}\n|---|---|---|---|\n\
             | good | 1 | 413 | `holds_a_bound`, `holds_another` |\n\
             | none | 1 | 413 | by hand |\n| gone | 1 | 413 | `holds_a_bound`, `helps` |\n\nText.\n",
            BOUNDS.1
        );
        let wrong = untested(&document, &tests);
        assert!(
            wrong[0].starts_with("| none") && wrong[1].starts_with("| gone"),
            "{wrong:?}"
        );
        assert_eq!(wrong.len(), 2);
    }
}
