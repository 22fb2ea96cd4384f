//! The window's packages and its build, which the desktop app carries inside.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Failure, Result, checkout, npm, run};

/// Where the lock file is copied to once its packages are installed. `npm ci`
/// removes the folder first, so a half-finished one has no copy.
const STAMP: &str = "node_modules/.installed-from.json";

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

/// Builds the page into `ui/dist`.
pub(crate) fn build() -> Result<()> {
    script(&["run", "build"])
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
        for folder in [folder(), checkout().join("bench").join("sharp")] {
            let lock = fs::read_to_string(folder.join("package-lock.json")).expect("a lock file");
            assert!(!lock.contains("hasInstallScript"), "{}", folder.display());
        }
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
