//! What was pasted, or came from an editor, and has no file of its owner: it is one of the data folder
//! until it is uploaded.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Transaction;

use super::table::{self, AddedFile, FAILED_LISTED, NewFile, State};
use crate::files::private_files::{self, sync_folder};

/// The folder of what was pasted, in the data folder.
const FOLDER: &str = "pasted";
/// How the name of a file begins until all of it is written.
const UNFINISHED: &[u8] = b".";

/// The files of what was pasted.
#[derive(Debug, Clone)]
pub(super) struct Pasted(PathBuf);

impl Pasted {
    /// Those of this data folder.
    pub(super) fn of(data: &Path) -> Self {
        Self(data.join(FOLDER))
    }

    /// Keeps these bytes in a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        let file = self.new_file()?;
        // The file may be there though its name could not be forced to the disk.
        private_files::write(&file, bytes).inspect_err(|_| {
            self.forget(&file);
        })?;
        Ok(file)
    }

    /// Where a new one goes.
    ///
    /// # Errors
    /// When there is no folder for it.
    pub(super) fn new_file(&self) -> io::Result<PathBuf> {
        if !self.0.is_dir() {
            private_files::make_folder(&self.0)?;
            self.0.parent().map_or(Ok(()), sync_folder)?;
        }
        let name = format!("pasted-{}", hex::encode(rand::random::<[u8; 8]>()));
        Ok(self.0.join(name))
    }

    /// Forces the names of all of them to the disk.
    ///
    /// # Errors
    /// When the system cannot.
    pub(super) fn sync(&self) -> io::Result<()> {
        match self.0.is_dir() {
            true => sync_folder(&self.0),
            false => Ok(()),
        }
    }

    pub(super) fn is_one(&self, file: &Path) -> bool {
        file.parent() == Some(&self.0)
    }

    /// Removes one that is wanted no more; any other file is left alone. Whether it is gone; otherwise
    /// the log says why.
    pub(super) fn forget(&self, file: &Path) -> bool {
        let removed = match self.is_one(file).then(|| fs::remove_file(file)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        removed
            .inspect_err(|error| tracing::error!(%error, "what was pasted cannot be removed"))
            .is_ok()
    }

    /// Brings the rows in line with the files. Removes rows that are done; those whose file is gone,
    /// since it was uploaded or cancelled and the row was not removed; and the oldest that failed, with
    /// their files. Corrects those whose file is in this data folder, which was moved. Adds the files
    /// without a row: the process ended before there was one, or the database was lost.
    pub(super) fn sort_out(&self, change: &Transaction<'_>) -> rusqlite::Result<()> {
        let done = table::added_in(change, State::Done, None)?;
        let failed = table::added_in(change, State::Failed, None)?;
        let waiting = table::added_in(change, State::Waiting, None)?;
        let too_many = failed.len().saturating_sub(FAILED_LISTED);
        let (superfluous, failed) = failed.split_at(too_many);
        let mut gone: Vec<i64> = Vec::new();
        for row in done.iter().chain(superfluous) {
            self.forget(&row.file);
            gone.push(row.id);
        }
        // By name: the data folder may have been moved.
        let mut wanted = HashSet::new();
        for AddedFile { id, file, .. } in failed.iter().chain(&waiting) {
            let name = file.file_name().unwrap_or_default();
            let here = self.0.join(name);
            let exists = |file: &Path| file.try_exists().unwrap_or(true);
            if self.is_one(file) && !exists(file) {
                gone.push(*id);
                continue;
            }
            if is_in_such_a_folder(file) && here.is_file() && !exists(file) {
                table::move_to(change, *id, &here)?;
            }
            wanted.insert(name);
        }
        table::forget(change, &gone)?;
        let mut unlisted = Vec::new();
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(UNFINISHED) {
                self.forget(&entry.path());
            } else if !wanted.contains(name.as_os_str()) {
                unlisted.push(NewFile {
                    file: entry.path(),
                    bytes: entry.metadata().map_or(0, |about| about.len()),
                    trouble: None,
                });
            }
        }
        table::add(change, &unlisted, false).map(drop)
    }
}

/// Whether a file is one of what was pasted, in this data folder or where that was before.
fn is_in_such_a_folder(file: &Path) -> bool {
    file.parent().and_then(Path::file_name) == Some(OsStr::new(FOLDER))
}
