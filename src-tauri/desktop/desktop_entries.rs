//! The app's entries on the desktop around it: in its menu of applications, in the menu that file
//! managers have for pictures, and the one that starts the app at login. Each data folder has its
//! own. A package or the setup brings the first two for the platform's data folder.

use std::io;
use std::path::{Path, PathBuf};

use porchlight_service::detail;
use porchlight_service::error::message::Message;
use sha2::{Digest as _, Sha256};

#[cfg(target_os = "linux")]
mod freedesktop;
#[cfg(any(target_os = "macos", all(unix, test)))]
mod launch_agent;
#[cfg(windows)]
mod registry;

#[cfg(target_os = "linux")]
pub(super) use freedesktop::Entries;
#[cfg(target_os = "macos")]
pub(super) use launch_agent::Entries;
#[cfg(windows)]
pub(super) use registry::Entries;

/// What file managers offer for pictures, in English and Chinese.
#[cfg(not(target_os = "macos"))]
const UPLOAD: [&str; 2] = ["Upload with Porchlight", "用 Porchlight 上传"];

/// Bytes of a fingerprint, two digits each.
const FINGERPRINT_BYTES: usize = 8;

/// This system has no such entries.
fn not_here() -> Message {
    detail!("there are no such entries on this system")
}

/// The program or the data folder has a name that no entry can hold.
fn unwritable(path: &Path) -> Message {
    detail!(
        "{} has a name that cannot stand in an entry",
        path.display()
    )
}

/// A file or a key of the registry was not written or removed.
fn not_changed(entry: impl AsRef<Path>, why: io::Error) -> Message {
    let entry = entry.as_ref().display();
    detail!("the entry {entry} cannot be changed: {why}")
}

/// Distinguishes the app of one data folder from that of another, in the names of its entries and on
/// the session bus: sixteen digits that are the same in every build.
pub(super) fn fingerprint(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    hex::encode(&digest[..FINGERPRINT_BYTES])
}

/// The data folder where it is not the platform's, and what the names of its entries end with.
fn named(data_folder: &Path) -> (Option<PathBuf>, String) {
    let usual = porchlight_service::files::data_dir::place(None);
    if usual
        .is_ok_and(|usual| porchlight_service::files::data_dir::full_path(&usual) == data_folder)
    {
        return (None, String::new());
    }
    let suffix = format!("-{}", fingerprint(data_folder));
    (Some(data_folder.to_owned()), suffix)
}

/// Brings the entries of this data folder up to date. Writes files and
/// may wait for other programs.
pub(super) fn renew(data_folder: &Path) {
    let Ok(entries) = Entries::of(data_folder) else {
        return;
    };
    match entries.renew() {
        Ok(false) => {}
        Ok(true) => {
            tracing::info!("the entries on this desktop are brought up to date");
            entries.notify_file_managers();
        }
        Err(error) => tracing::warn!("{error}"),
    }
}

/// Without the file, also where it was missing already.
#[cfg(unix)]
fn remove(place: PathBuf) -> Result<(), Message> {
    match std::fs::remove_file(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(not_changed(&place, error)),
        _ => Ok(()),
    }
}

/// A file that appears whole.
#[cfg(unix)]
fn write(place: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    let folder = place.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    porchlight_service::files::private_files::write(place, bytes)?;
    // As any other entry: there is no secret in it.
    fs::set_permissions(place, fs::Permissions::from_mode(0o644))
}

fn utf8(path: &Path) -> Result<&str, Message> {
    let text = path
        .to_str()
        .filter(|text| !text.contains(char::is_control));
    text.ok_or_else(|| unwritable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// macOS has no words for a file manager.
    #[cfg(not(target_os = "macos"))]
    #[test]
    fn the_setup_has_the_words_and_addresses_of_the_app() {
        let setup = include_str!("../../packaging/windows/porchlight.nsi");
        let [english, chinese] = UPLOAD;
        for line in [
            format!("LangString Upload ${{LANG_ENGLISH}} \"{english}\""),
            format!("LangString Upload ${{LANG_SIMPCHINESE}} \"{chinese}\""),
            format!("!define WEBVIEW \"{}\"", crate::desktop::dialogs::WEBVIEW),
        ] {
            assert!(setup.lines().any(|written| written == line), "{line}");
        }
    }

    #[test]
    fn a_fingerprint_is_a_prefix_of_the_sha_256_of_the_path() {
        // printf /srv/light | sha256sum
        assert_eq!(fingerprint(Path::new("/srv/light")), "70a1a8f959b1bb8f");
        assert_ne!(
            fingerprint(Path::new("/srv/light")),
            fingerprint(Path::new("/srv/lamp"))
        );
    }
}
