//! What needs the data folder to itself, and so happens before the service opens: a restored backup
//! is put in place. The app prepares it while it serves, and restarts.
//!
//! A backup is unpacked and verified in a separate folder. The file `ready` in it marks it as
//! complete; `moved`, that the previous data has been moved aside. So the next start continues one
//! that was killed half-way.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::message::Message;
use crate::files::data_dir::{self};
use crate::files::{self, private_files};
use crate::upkeep;

/// Where a backup is unpacked, in the data folder.
pub(super) const FOLDER: &str = "restoring";
/// Holds the name of the folder for what was there before.
pub(super) const READY: &str = "ready";
const MOVED: &str = "moved";
/// What belongs to the database that is replaced.
const REPLACED: [&str; 9] = [
    "porchlight.db",
    "porchlight.db-wal",
    "porchlight.db-shm",
    "readers.json",
    "images",
    "trash",
    "renditions",
    "incoming",
    "set-aside",
];
/// What can be in a backup, the database last: until then nothing is served.
const BROUGHT: [&str; 4] = [
    "images",
    "settings.toml",
    "own-tokens.json",
    "porchlight.db",
];

/// A backup took the place of what was there.
pub struct Replaced {
    /// Where that is now.
    pub aside: PathBuf,
    /// What failed afterwards, in sentences. The log is not open yet.
    pub warnings: Vec<String>,
}

/// Puts a backup that is ready in its place.
///
/// # Errors
/// When the folder is served, or the disk fails. The next start goes on.
pub async fn put_backup_in_place(folder: &Path) -> Result<Option<Replaced>, Message> {
    if !folder.join(FOLDER).is_dir() {
        return Ok(None);
    }
    let _lock = data_dir::lock(folder)?;
    let Some(aside) = swap(folder)? else {
        return Ok(None);
    };
    let warnings = follow_up(folder, &aside).await;
    fs::remove_dir_all(folder.join(FOLDER))?;
    Ok(Some(Replaced { aside, warnings }))
}

/// Keeps the queue of uploads of this machine, and deletes the reader digests that were replaced.
/// Idempotent.
async fn follow_up(folder: &Path, aside: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Err(error) = upkeep::take_uploads(aside, folder).await {
        warnings.push(format!(
            "uploads that waited must be added again, and pictures of watched folders are all looked \
             up again: {error}"
        ));
    }
    if let Err(error) = upkeep::forget_readers(aside) {
        warnings.push(format!(
            "today's readers can still be identified with what is in {}: {error}",
            aside.display()
        ));
    }
    warnings
}

fn swap(folder: &Path) -> io::Result<Option<PathBuf>> {
    let from = folder.join(FOLDER);
    let (ready, moved) = (from.join(READY), from.join(MOVED));
    let name = match fs::read_to_string(&moved).or_else(|_| fs::read_to_string(&ready)) {
        Ok(name) => name,
        // It was unpacked, and not confirmed.
        Err(_) => return fs::remove_dir_all(&from).map(|()| None),
    };
    let aside = folder.join(name);
    private_files::make_folder(&aside)?;
    if !moved.exists() {
        let brought = BROUGHT.iter().filter(|name| from.join(name).exists());
        for name in REPLACED.iter().chain(brought) {
            let there = folder.join(name);
            if there.exists() {
                files::rename(there, aside.join(name))?;
            }
        }
        for copy in upkeep::copies_before_repairs(folder)? {
            if let Some(name) = copy.file_name() {
                files::rename(&copy, aside.join(name))?;
            }
        }
        sync(folder)?;
        sync(&aside)?;
        files::rename(&ready, &moved)?;
        sync(&from)?;
    }
    for name in BROUGHT {
        let brought = from.join(name);
        if brought.exists() {
            files::rename(brought, folder.join(name))?;
            sync(folder)?;
        }
    }
    Ok(Some(aside))
}

/// A rename is on the disk once its folder is.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
