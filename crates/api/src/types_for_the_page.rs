//! Holds `ui/src/api/types.ts` to the types here.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::{ApiStat, window};

fn declarations() -> String {
    let config = Config::default();
    let mut text = String::from("// Made from crates/api by `cargo xtask types`. Do not edit.\n\n");
    for declaration in [
        ApiStat::decl(&config),
        window::Sharing::decl(&config),
        window::Light::decl(&config),
        window::Address::decl(&config),
        window::Picture::decl(&config),
        window::Home::decl(&config),
        window::UploadTrouble::decl(&config),
        window::UploadState::decl(&config),
        window::Upload::decl(&config),
    ] {
        text.push_str("export ");
        text.push_str(&declaration);
        text.push_str("\n\n");
    }
    text
}

/// `PORCHLIGHT_WRITE_TYPES=1` writes the file; otherwise a stale one fails.
#[test]
fn the_types_of_the_page_are_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/types.ts");
    let current = declarations();
    if std::env::var_os("PORCHLIGHT_WRITE_TYPES").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("make the folder");
        std::fs::write(&file, &current).expect("write the types");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        written, current,
        "ui/src/api/types.ts is stale: run `cargo xtask types`"
    );
}
