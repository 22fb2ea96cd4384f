//! The paths that `ARCHITECTURE.md` sends a reader to.

use super::{read, root};

/// `{a,b}` in a path stands for both.
#[test]
fn the_paths_that_the_architecture_names_exist() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let quoted = text.split('`').skip(1).step_by(2);
    let folders = ["crates/", "src-tauri/", "ui/", "tests/", "xtask/", "docs/"];
    let paths: Vec<&str> = quoted
        .filter(|text| folders.iter().any(|folder| text.starts_with(folder)))
        .collect();
    assert!(paths.len() > 40, "{paths:?}");
    for path in paths {
        let variants = match path.split_once('{').zip(path.split_once('}')) {
            Some(((before, _), (within, after))) => {
                let names = within.split_once('{').map_or("", |(_, names)| names);
                let variant = |name| format!("{before}{name}{after}");
                names.split(',').map(variant).collect()
            }
            None => vec![path.to_owned()],
        };
        for variant in variants {
            assert!(root().join(&variant).exists(), "{variant} does not exist");
        }
    }
}
