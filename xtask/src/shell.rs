//! The checkout, and running other programs in it: each is printed before it runs, and a failure
//! names it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

/// `npm`, which is a script of another name on Windows.
pub(crate) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// The top folder of the checkout that this program was built from.
pub(crate) fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder in the checkout")
}

/// Porchlight's own folder in the user's cache folder, where the tests look for it, too.
pub(crate) fn cache() -> Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    cache_of(named, std::env::home_dir()).context("this user has no home")
}

fn cache_of(named: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    // The specification of this folder requires a relative one to be ignored.
    let cache = named.filter(|folder| folder.is_absolute());
    let cache = cache.or_else(|| Some(home?.join(".cache")));
    Some(cache?.join("porchlight"))
}

/// Runs programs in the checkout; they find those first that [`crate::setup`] installed.
pub(crate) fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    sh.change_dir(checkout());
    let tools = cache()?.join("tools");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![tools.join("bin")];
    folders.extend(std::env::split_paths(&path));
    // Debian keeps nginx and sshd where only root's `PATH` goes.
    folders.push(PathBuf::from("/usr/sbin"));
    folders.push(tools.join("openssh-server/usr/sbin"));
    sh.set_var("PATH", std::env::join_paths(folders)?);
    Ok(sh)
}

/// So many tests at a time for each processor, since those from outside wait most of the time.
pub(crate) fn test_threads(for_each: usize) -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (processors * for_each).to_string()
}

/// Cargo with these words.
pub(crate) fn cargo<'a>(sh: &'a Shell, words: &str) -> Cmd<'a> {
    without_this_package(cmd!(sh, "cargo")).args(words.split_whitespace())
}

/// Removes the variables with which cargo describes this package to `cargo xtask`: a nested cargo would
/// use them and rebuild what is built already.
pub(crate) fn without_this_package(command: Cmd<'_>) -> Cmd<'_> {
    let of_this = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    };
    let names = std::env::vars_os().map(|(name, _)| name).filter(of_this);
    names.fold(command, Cmd::env_remove)
}

/// Where a program of this name is on `PATH`, if anywhere.
pub(crate) fn program(sh: &Shell, name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&sh.var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

/// The files below a folder, in order; folders that tools fill are left out.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut entries = entries.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for path in entries.iter().map(fs::DirEntry::path) {
        let filled = ["dist", "node_modules", "target"].map(OsStr::new);
        if !path.is_dir() {
            files.push(path);
        } else if path.file_name().is_none_or(|name| !filled.contains(&name)) {
            files.extend(files_below(&path)?);
        }
    }
    Ok(files)
}

/// Whether a file's name has one of these endings.
pub(crate) fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension()
        .is_some_and(|own| endings.iter().any(|ending| own == *ending))
}

/// Makes a folder new and empty.
pub(crate) fn make_new(sh: &Shell, folder: &Path) -> Result<()> {
    sh.remove_path(folder)?;
    sh.create_dir(folder)?;
    Ok(())
}

/// Asks on a terminal whether to continue; Enter means yes. Without a terminal,
/// or with `yes`, it continues without asking.
pub(crate) fn agreed(question: &str, yes: bool) -> Result<bool> {
    if yes || !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    print!("{question} [Y/n] ");
    std::io::stdout().flush()?;
    let mut reply = String::new();
    std::io::stdin().read_line(&mut reply)?;
    Ok(is_yes(&reply))
}

/// Whether a typed answer means yes. An empty line does; the end of input,
/// which has not even a line, does not.
fn is_yes(reply: &str) -> bool {
    reply.ends_with('\n') && matches!(reply.trim().to_lowercase().as_str(), "" | "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_folder_is_the_users_own() {
        let of = |named: &str| cache_of(Some(named.into()), Some("/home/a".into()));
        assert_eq!(of("/c"), Some(PathBuf::from("/c/porchlight")));
        assert_eq!(of("c"), Some(PathBuf::from("/home/a/.cache/porchlight")));
        assert_eq!(cache_of(None, None), None);
    }

    #[test]
    fn enter_and_y_mean_yes_and_anything_else_means_no() {
        for reply in ["\n", "y\n", "Yes\r\n"] {
            assert!(is_yes(reply), "{reply:?}");
        }
        for reply in ["", "n\n", "no\n", "perhaps\n"] {
            assert!(!is_yes(reply), "{reply:?}");
        }
    }
}
