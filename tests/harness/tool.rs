//! Programs that `cargo xtask test` puts into the user's cache folder.

use std::path::PathBuf;

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
