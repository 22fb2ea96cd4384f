//! The instance file: the address of the service of a data folder and a token for uploads, for other
//! commands on this machine. It is beside the lock, for as long as the process serves.
//!
//! Only its owner can read the file, and the token is valid for this run alone: a
//! file left by a killed process contains no valid token.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use crate::files::{data_dir, private_file};
use crate::http::client::Endpoint;

/// What is in the file.
// No `Debug`: it holds a token.
#[derive(Serialize, Deserialize)]
struct Instance {
    pid: u32,
    address: String,
    /// May upload pictures, and nothing else.
    token: String,
}

/// Why no instance was found.
#[derive(Debug, thiserror::Error)]
pub enum NotFound {
    #[error(
        "no Porchlight serves {0}: start the tray app or `porchlight serve`, \
         or name a service with --api"
    )]
    NotServed(PathBuf),
    /// A process does, and has not written its address yet.
    #[error("the Porchlight that serves {0} is not up yet: try again in a moment")]
    NotUpYet(PathBuf),
}

fn place(folder: &Path) -> PathBuf {
    folder.join("running.json")
}

/// Records that this process, which has the folder's lock, listens at `address` and accepts uploads
/// with `token`.
///
/// # Errors
/// When the folder cannot be written to.
pub fn announce(folder: &Path, address: &str, token: &SecretString) -> io::Result<()> {
    let whereabouts = Instance {
        pid: std::process::id(),
        address: address.to_owned(),
        token: token.expose_secret().to_owned(),
    };
    private_file::write(
        &place(folder),
        &(serde_json::to_string(&whereabouts)? + "\n"),
    )
}

/// Removes it; also one that a killed process has left. Must be called
/// with the folder's lock held.
pub fn withdraw(folder: &Path) {
    if let Err(error) = fs::remove_file(place(folder))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "{} cannot be removed", place(folder).display());
    }
}

/// The process that serves the folder now.
///
/// # Errors
/// When no process does. A file that a killed process has left names a port that
/// another program may have by now, so the lock decides.
pub fn find(folder: &Path) -> Result<Endpoint, NotFound> {
    let not_served = || NotFound::NotServed(folder.to_owned());
    let holder = data_dir::holder(folder).ok_or_else(not_served)?;
    fs::read(place(folder))
        .ok()
        .and_then(|text| serde_json::from_slice::<Instance>(&text).ok())
        .filter(|instance| holder.is_none_or(|pid| pid == instance.pid.to_string()))
        .map(|instance| Endpoint {
            base: instance.address,
            token: instance.token.into(),
        })
        .ok_or_else(|| NotFound::NotUpYet(folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_only_while_the_folder_is_held() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        assert!(matches!(find(folder), Err(NotFound::NotServed(_))));
        let held = data_dir::lock(folder).expect("the lock");
        assert!(matches!(find(folder), Err(NotFound::NotUpYet(_))));
        let target = Endpoint {
            base: "http://127.0.0.1:1".to_owned(),
            token: "a-token".to_owned().into(),
        };
        announce(folder, &target.base, &target.token).expect("written");
        assert_eq!(find(folder).expect("found"), target);
        drop(held);
        assert!(
            matches!(find(folder), Err(NotFound::NotServed(_))),
            "a killed process leaves the file"
        );
        let _held = data_dir::lock(folder).expect("the lock");
        withdraw(folder);
        assert!(matches!(find(folder), Err(NotFound::NotUpYet(_))));
    }

    #[cfg(unix)]
    #[test]
    fn an_instance_file_of_another_process_is_ignored() {
        let folder = tempfile::tempdir().expect("a folder");
        let _held = data_dir::lock(folder.path()).expect("the lock");
        let instance = r#"{"pid":1,"address":"http://127.0.0.1:1","token":"a-token"}"#;
        fs::write(place(folder.path()), instance).expect("a file");
        assert!(matches!(find(folder.path()), Err(NotFound::NotUpYet(_))));
    }
}
