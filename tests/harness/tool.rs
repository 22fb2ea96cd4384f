//! Programs that `cargo xtask test` installs.

use std::path::{Path, PathBuf};

/// The program of this name: on `PATH`, or in the cache folder.
pub fn path(name: &str) -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let cached = cache.map(|cache| cache.join("porchlight/tools/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain(cached)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file());
    found.unwrap_or_else(|| {
        panic!("no `{name}` on PATH or in the cache folder; `cargo xtask test` installs it")
    })
}

/// workerd, which comes with the tests of the Worker (`cargo xtask test --only edge` installs it). Not the
/// script in `.bin`, which starts a process that would outlive the test.
pub fn workerd() -> String {
    let package = match std::env::consts::ARCH {
        "aarch64" => "workerd-linux-arm64",
        _ => "workerd-linux-64",
    };
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../edge/node_modules/@cloudflare"
    );
    let workerd = format!("{folder}/{package}/bin/workerd");
    let is_there = Path::new(&workerd).exists();
    assert!(is_there, "{workerd} is not installed");
    workerd
}
