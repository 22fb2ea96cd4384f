//! Each bound that `docs/reliability.md` promises has its test.

use std::collections::BTreeSet;

use super::{read, root, written};

/// The document with the table of inputs, and the first line of that.
const BOUNDS: (&str, &str) = ("docs/reliability.md", "| input | bound | answered | test |");

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

#[test]
fn every_bound_that_is_promised_names_tests_that_exist() {
    let folders = ["bench", "crates", "src-tauri", "tests", "xtask"];
    let files = folders
        .iter()
        .flat_map(|name| written(&root().join(name), &[".rs"]));
    let tests: BTreeSet<String> = files.flat_map(|file| tests_of(&read(&file))).collect();
    let wrong = untested(&read(&root().join(BOUNDS.0)), &tests);
    assert!(
        wrong.is_empty(),
        "{}: no test of its bound: {wrong:#?}",
        BOUNDS.0
    );
}

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
