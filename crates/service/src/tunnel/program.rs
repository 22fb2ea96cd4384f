//! Where the tunnel's program is: the file that the owner chose, or what is
//! found by its name.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::message::Message;

/// Where programs are installed outside of the system's packages. A desktop
/// session often does not have these in its `PATH`, while a terminal does.
#[cfg(unix)]
const USUAL: [&str; 8] = [
    "/usr/local/bin",
    "/usr/bin",
    "/snap/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/run/current-system/sw/bin",
    "/nix/var/nix/profiles/default/bin",
];
#[cfg(not(unix))]
const USUAL: [&str; 0] = [];

/// The same within the owner's own folder.
#[cfg(unix)]
const OWN: [&str; 5] = [
    ".local/bin",
    "bin",
    ".cargo/bin",
    "go/bin",
    ".nix-profile/bin",
];
#[cfg(not(unix))]
const OWN: [&str; 3] = [
    "AppData/Local/Microsoft/WinGet/Links",
    "scoop/shims",
    ".cargo/bin",
];

/// Whether this file can be started.
///
/// # Errors
/// When it cannot, with the reason.
pub fn startable(file: &Path) -> Result<(), Message> {
    let path = file.display();
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(crate::detail!("there is no file {path}"))
        }
        Err(error) => Err(crate::detail!("{path} cannot be looked at: {error}")),
        Ok(found) if found.is_dir() => Err(crate::detail!(
            "{path} is a folder: choose the program in it"
        )),
        Ok(_) => match which::which(file) {
            Ok(_) => Ok(()),
            Err(_) => Err(crate::detail!(
                "{path} may not be started: it is not marked as a program (chmod +x)"
            )),
        },
    }
}

/// The program of this name, or at this path.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let here = env::current_dir().unwrap_or_default();
    let places = places(&path, env::home_dir().as_deref());
    which::which_in(name, Some(places), here).ok()
}

/// Where to search: the session's `PATH`, then the owner's own folders, then
/// the system's.
fn places(path: &OsStr, home: Option<&Path>) -> OsString {
    let own = home
        .into_iter()
        .flat_map(|home| OWN.iter().map(move |place| home.join(place)));
    let usual = USUAL.iter().map(PathBuf::from);
    // An empty one would mean the working directory.
    let error = env::split_paths(path).filter(|place| !place.as_os_str().is_empty());
    let all = error.chain(own).chain(usual);
    // A home folder with a colon in its name cannot be among them.
    env::join_paths(all).unwrap_or_else(|_| path.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_sessions_path_is_searched_first_and_the_owners_folders_next() {
        let places = places(OsStr::new("/one::/two"), Some(Path::new("/home/mia")));
        let places: Vec<PathBuf> = env::split_paths(&places).collect();
        assert!(places.iter().all(|place| place.is_absolute()), "{places:?}");
        let at = |place: &str| places.iter().position(|one| one == Path::new(place));
        let order = ["/one", "/two", "/home/mia/.local/bin", "/usr/local/bin"].map(at);
        assert!(order.is_sorted() && order.iter().all(Option::is_some));
        for place in ["/home/mia/bin", "/home/mia/.cargo/bin", "/snap/bin"] {
            assert!(at(place).is_some(), "{place}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_started_is_rejected_with_a_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cloudflared");
        let why = |file: &Path| startable(file).map_err(|why| why.to_string());
        let error = why(&file).expect_err("nothing there");
        assert!(error.starts_with("there is no file /"), "{error}");
        let error = why(folder.path()).expect_err("a folder");
        assert!(error.contains("is a folder"), "{error}");
        fs::write(&file, "#!/bin/sh\n").expect("to write");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a mode");
        let error = why(&file).expect_err("no program");
        assert!(error.contains("chmod +x"), "{error}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
        assert_eq!(why(&file), Ok(()));
    }
}
