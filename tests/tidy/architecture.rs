//! The paths that `ARCHITECTURE.md` sends a reader to.

use super::{read, root};

/// The paths in backquotes; `{a,b}` in one stands for both.
fn paths(text: &str) -> Vec<String> {
    let folders = ["crates/", "src-tauri/", "ui/", "tests/", "xtask/", "docs/"];
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|text| folders.iter().any(|folder| text.starts_with(folder)));
    let variants = paths.flat_map(|path| {
        let Some((before, rest)) = path.split_once('{') else {
            return vec![path.to_owned()];
        };
        let (names, after) = rest.split_once('}').expect("the end of the names");
        let variant = |name| format!("{before}{name}{after}");
        names.split(',').map(variant).collect()
    });
    variants.collect()
}

#[test]
fn the_paths_that_the_architecture_names_exist() {
    let paths = paths(&read(&root().join("ARCHITECTURE.md")));
    assert!(paths.len() > 40, "{paths:?}");
    for path in paths {
        assert!(root().join(&path).exists(), "{path} does not exist");
    }
}

#[test]
fn the_architecture_counts_the_files_of_each_data_flow_and_stays_short() {
    let text = read(&root().join("ARCHITECTURE.md"));
    assert!(text.lines().count() <= 120);
    let flows = text
        .lines()
        .skip_while(|line| *line != "| flow | way | files |")
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let counted = flows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (count, files) = cells[2].split_once(": ").expect("a count and files");
        assert_eq!(count.parse(), Ok(paths(files).len()), "{}", cells[0]);
    });
    assert_eq!(counted.count(), 5);
}
