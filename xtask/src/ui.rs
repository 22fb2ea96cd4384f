//! The window's packages and its build, which the desktop app carries inside.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::shell::{Failure, Result, checkout, npm, run};

/// Where the lock file is copied to once its packages are installed. `npm ci`
/// removes the folder first, so a half-finished one has no copy.
const STAMP: &str = "node_modules/.installed-from.json";

/// Where the page is built to.
const PAGE: &str = "dist";

/// The digests of what the page was built from, and of the page.
const PAGE_STAMP: &str = "node_modules/.page-built-from";

/// What the page is not made of: packages, which the lock file stands for, itself, and tests.
const NOT_PAGE: [&str; 3] = ["node_modules", PAGE, "tests"];

/// `npm ci`, where the packages are not those of the lock file yet.
pub(crate) fn install() -> Result<()> {
    install_in(&folder())
}

/// The same in another folder that has a lock file.
pub(crate) fn install_in(folder: &Path) -> Result<()> {
    if is_installed(folder) {
        return Ok(());
    }
    // Install scripts would run as this user. No package needs one: a test checks this.
    run(npm()
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(folder))?;
    fs::copy(folder.join("package-lock.json"), folder.join(STAMP)).map_err(|error| {
        Failure::new(format!(
            "{} was not written: {error}.",
            folder.join(STAMP).display()
        ))
    })?;
    Ok(())
}

/// Builds the page into `ui/dist`, unless it is built from the same files already. Cargo would
/// link the app again for a new page.
pub(crate) fn build() -> Result<()> {
    let ui = folder();
    let unreadable = |error| Failure::new(format!("{} is not readable: {error}.", ui.display()));
    let stamp = || {
        Ok(format!(
            "{:x} {:x}",
            digest(&ui, &NOT_PAGE)?,
            digest(&ui.join(PAGE), &[])?
        ))
    };
    let built = fs::read_to_string(ui.join(PAGE_STAMP)).ok();
    if built.is_some() && built == stamp().ok() {
        return Ok(());
    }
    script(&["run", "build"])?;
    fs::write(ui.join(PAGE_STAMP), stamp().map_err(unreadable)?).map_err(unreadable)
}

/// A digest of the names and contents of the files in a folder and below it, without the entries
/// of the folder that `left_out` names.
fn digest(folder: &Path, left_out: &[&str]) -> std::io::Result<u64> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut hasher = DefaultHasher::new();
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        if left_out.iter().any(|out| name == *out) {
            continue;
        }
        name.hash(&mut hasher);
        if entry.file_type()?.is_dir() {
            digest(&path, &[])?.hash(&mut hasher);
        } else {
            fs::read(&path)?.hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}

/// Runs npm in `ui/` with these words.
pub(crate) fn script(words: &[&str]) -> Result<()> {
    run(npm().args(words).current_dir(folder()))
}

fn folder() -> PathBuf {
    checkout().join("ui")
}

fn is_installed(ui: &Path) -> bool {
    match (
        fs::read(ui.join("package-lock.json")),
        fs::read(ui.join(STAMP)),
    ) {
        (Ok(lock), Ok(stamp)) => lock == stamp,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_package_needs_a_script_when_it_is_installed() {
        let others = ["bench/sharp", "xtask/workflows"].map(|path| checkout().join(path));
        for folder in others.into_iter().chain([folder()]) {
            let lock = fs::read_to_string(folder.join("package-lock.json")).expect("a lock file");
            assert!(!lock.contains("hasInstallScript"), "{}", folder.display());
        }
    }

    #[test]
    fn a_changed_source_changes_the_digest_and_packages_and_tests_do_not() {
        let ui = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let file = ui.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        };
        let digest = || digest(ui.path(), &NOT_PAGE).expect("readable");
        write("src/deep/page.ts", "one");
        let first = digest();
        assert_eq!(digest(), first);

        for other in ["node_modules/x.js", "dist/index.html", "tests/x.test.ts"] {
            write(other, "anything");
            assert_eq!(digest(), first, "{other}");
        }
        write("src/deep/page.ts", "two");
        let second = digest();
        assert_ne!(second, first);
        write("src/deep/new.ts", "");
        assert_ne!(digest(), second);
    }

    #[test]
    fn packages_are_installed_again_when_the_lock_file_changes_or_they_are_gone() {
        let ui = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| fs::write(ui.path().join(name), text).expect("written");
        write("package-lock.json", "{}");
        assert!(!is_installed(ui.path()), "never installed");

        fs::create_dir(ui.path().join("node_modules")).expect("a folder");
        assert!(!is_installed(ui.path()), "a half-finished install");

        write(STAMP, "{}");
        assert!(is_installed(ui.path()));

        write("package-lock.json", "{\"changed\":true}");
        assert!(!is_installed(ui.path()), "the lock file has changed");
    }
}
