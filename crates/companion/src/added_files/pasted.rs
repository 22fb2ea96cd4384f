//! What was pasted and has no file: it is one of the data folder until it is uploaded.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::private_files::{self, sync_folder};
use crate::upload_queue::{AddedFile, NewFile};

/// The folder of what was pasted, in the data folder.
const FOLDER: &str = "pasted";
/// How the name of a file begins until all of it is written.
const UNFINISHED: &[u8] = b".";

/// The files of what was pasted.
#[derive(Debug, Clone)]
pub(super) struct Pasted(PathBuf);

impl Pasted {
    /// Those of this data folder.
    ///
    /// # Errors
    /// When their folder cannot be made.
    pub(super) fn of(data: &Path) -> io::Result<Self> {
        let folder = data.join(FOLDER);
        private_files::make_folder(&folder)?;
        sync_folder(data)?;
        Ok(Self(folder))
    }

    /// Keeps these bytes in a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        let name = format!("pasted-{}", hex::encode(rand::random::<[u8; 8]>()));
        let file = self.0.join(name);
        private_files::write(&file, bytes)?;
        Ok(file)
    }

    /// Forces the names of all of them to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        sync_folder(&self.0)
    }

    pub(super) fn is_one(&self, file: &Path) -> bool {
        file.parent() == Some(&self.0)
    }

    /// Removes one that is wanted no more; any other file is left alone.
    pub(super) fn forget(&self, file: &Path) {
        if !self.is_one(file) {
            return;
        }
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "what was pasted cannot be removed");
            }
            _ => {}
        }
    }

    /// Compares them with the rows.
    pub(super) fn sort_out(&self, rows: &[AddedFile]) -> Sorted {
        // By name: the data folder may have been moved.
        let wanted: HashSet<_> = rows.iter().filter_map(|row| row.file.file_name()).collect();
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
        let gone = rows.iter().filter(|row| {
            self.is_one(&row.file) && row.file.try_exists().is_ok_and(|exists| !exists)
        });
        Sorted {
            gone: gone.map(|row| row.id).collect(),
            unlisted,
        }
    }
}

/// How the files and the rows of the queue differ.
pub(super) struct Sorted {
    /// The rows whose file is gone: it was uploaded or cancelled, and the row was not removed.
    pub(super) gone: Vec<i64>,
    /// The files without a row: the process ended before there was one, or the queue was lost.
    pub(super) unlisted: Vec<NewFile>,
}
