//! The upload queue after a restore of the service's data: uploaded images may no longer be stored.
//! A file beside the upload queue records this until the upload queue is opened next, since another
//! process may have it open during the restore.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::Connection;

use super::{FILE, durably, watched};
use crate::files::private_files;

/// Holds a [`Lost`] as JSON.
const NOTE: &str = "outbox.lost.json";

/// Hashes of images that the service has lost; `None` where all may be lost.
type Lost = Option<Vec<String>>;

/// Whether there is an upload queue in this folder of state.
#[must_use]
pub fn is_in(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Makes the next [`UploadQueue::open`](super::UploadQueue::open) in `folder` remove the uploads that the
/// service has `lost`, given by hash; with `None`, all uploads with a hash. Those files are found
/// again and the service is queried.
///
/// # Errors
/// When the folder cannot be written to.
pub fn look_up_again(folder: &Path, lost: Option<Vec<String>>) -> io::Result<()> {
    let note = folder.join(NOTE);
    let lost = match read(&note)? {
        None => lost,
        // Of a restore before this one.
        Some(before) => before
            .zip(lost)
            .map(|(before, lost)| [before, lost].concat()),
    };
    private_files::write(&note, &serde_json::to_vec(&lost)?)
}

/// Applies the note, and removes it. Must be called with the lock held.
pub(super) fn apply_note(folder: &Path, connection: &mut Connection) -> io::Result<()> {
    let note = folder.join(NOTE);
    let Some(lost) = read(&note)? else {
        return Ok(());
    };
    // On the disk before the note goes.
    durably(connection, |transaction| {
        watched::look_up_again(transaction, lost.as_deref())
    })
    .map_err(io::Error::other)?;
    fs::remove_file(note)
}

/// The content of the note, where there is one. An unreadable one means that all may be lost.
fn read(note: &Path) -> io::Result<Option<Lost>> {
    match fs::read(note) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text).unwrap_or_default())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
