//! Sites of strangers: the examples that three themes have on npm, as `themes.sh` unpacks them. They are scanned, adopted and put back.

use std::fs;
use std::path::Path;

use crate::{Fixture, files_below, without_hashes};

/// The folders of the examples, the pictures in their posts that are in them, and how many there are.
const EXAMPLES: [(&str, u64, u64); 3] = [
    ("create-docusaurus/templates/shared", 4, 4),
    ("astro-accelerator", 1, 1),
    ("hexo-theme-a4", 18, 6),
];

fn copy(from: &Path, to: &Path) {
    for file in crate::harness::files::below(from) {
        let target = to.join(file.strip_prefix(from).expect("a file in it"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("folders");
        fs::copy(&file, target).expect("a copy");
    }
}

#[tokio::test]
#[ignore = "npm packages that are not installed otherwise: cargo xtask verify --only blogs"]
async fn the_examples_of_themes_are_adopted_and_put_back_to_the_byte() {
    let unpacked = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blog/themes.sh");
    let ended = std::process::Command::new(script)
        .arg(unpacked.path())
        .status();
    assert!(
        ended.expect("a script").success(),
        "the themes cannot be had from npm"
    );
    let themes = unpacked.path();
    for (example, references, pictures) in EXAMPLES {
        let fixture = Fixture::new();
        copy(&themes.join(example), &fixture.blog());
        let before = fixture.files();
        let adopted = fixture.adopt(&[]).await;
        let counts = [&adopted["references"], &adopted["uploaded"]];
        assert_eq!(counts, [references, pictures], "{example}: {adopted}");
        let after = files_below(&fixture.blog());
        let mut changed = 0;
        for (file, was) in &before {
            let is = &after[file];
            if is == was {
                continue;
            }
            changed += 1;
            // Only lines with a new address differ.
            let [was, is] = [was, is].map(|bytes| String::from_utf8(bytes.clone()).expect("text"));
            assert_eq!(was.lines().count(), is.lines().count(), "{file:?}");
            for (was, is) in was.lines().zip(is.lines()).filter(|(was, is)| was != is) {
                assert!(
                    without_hashes(is).contains("URL"),
                    "{file:?}: {was} became {is}"
                );
            }
        }
        assert_eq!(adopted["posts"], changed);
        let (code, undone) = fixture.json(&["undo"]).await;
        assert_eq!(code, 0, "{undone}");
        assert!(before == fixture.files(), "{example}: a byte is left over");
    }
}
