//! What was pasted and has no file: it is one of the data folder until it is uploaded.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::private_files::{self, sync_folder};
use crate::uploads::queue::{AddedFile, NewFile};

/// The folder of what was pasted, in the data folder.
const FOLDER: &str = "pasted";
/// How many failed files are kept; the oldest are forgotten when the queue is opened.
const FAILED_KEPT: usize = 2_000;
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
        // The file may be there though its name could not be forced to the disk.
        private_files::write(&file, bytes).inspect_err(|_| self.forget_or_log(&file))?;
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
    ///
    /// # Errors
    /// When it is still there.
    pub(super) fn forget(&self, file: &Path) -> io::Result<()> {
        if !self.is_one(file) {
            return Ok(());
        }
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The same; an error is logged.
    pub(super) fn forget_or_log(&self, file: &Path) {
        if let Err(error) = self.forget(file) {
            tracing::warn!(%error, "what was pasted cannot be removed");
        }
    }

    /// Compares them with the rows.
    pub(super) fn sort_out(&self, rows: &[AddedFile]) -> Sorted {
        let mut sorted = Sorted::default();
        // By name: the data folder may have been moved.
        let mut wanted = HashSet::new();
        let failed = rows.iter().rev().filter(|row| row.trouble.is_some());
        let superfluous: HashSet<i64> = failed.skip(FAILED_KEPT).map(|row| row.id).collect();
        for row in rows {
            let name = row.file.file_name().unwrap_or_default();
            let here = self.0.join(name);
            let exists = |file: &Path| file.try_exists().unwrap_or(true);
            if name.is_empty() || superfluous.contains(&row.id) {
                self.forget_or_log(&row.file);
                sorted.gone.push(row.id);
            } else if self.is_one(&row.file) && !exists(&row.file) {
                sorted.gone.push(row.id);
            } else {
                if is_in_such_a_folder(&row.file) && here.is_file() && !exists(&row.file) {
                    sorted.moved.push((row.id, here));
                }
                wanted.insert(name);
            }
        }
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(UNFINISHED) {
                self.forget_or_log(&entry.path());
            } else if !wanted.contains(name.as_os_str()) {
                sorted.unlisted.push(NewFile {
                    file: entry.path(),
                    bytes: entry.metadata().map_or(0, |about| about.len()),
                    trouble: None,
                });
            }
        }
        sorted
    }
}

/// Whether a file is one of what was pasted, in this data folder or where that was before.
fn is_in_such_a_folder(file: &Path) -> bool {
    file.parent().and_then(Path::file_name) == Some(OsStr::new(FOLDER))
}

/// How the files and the rows of the queue differ.
#[derive(Default)]
pub(super) struct Sorted {
    /// The rows whose file is gone, since it was uploaded or cancelled and the row was not removed;
    /// those that cannot be retried; and the oldest that failed.
    pub(super) gone: Vec<i64>,
    /// The rows whose file is in this data folder, which was moved.
    pub(super) moved: Vec<(i64, PathBuf)>,
    /// The files without a row: the process ended before there was one, or the queue was lost.
    pub(super) unlisted: Vec<NewFile>,
}

#[cfg(test)]
mod tests {
    use crate::uploads::window::UploadTrouble;

    use super::*;

    #[test]
    fn of_too_many_that_failed_the_oldest_are_forgotten_with_their_files() {
        let data = tempfile::tempdir().expect("a folder");
        let pasted = Pasted::of(data.path()).expect("a folder");
        let [oldest, next] = [(); 2].map(|()| pasted.keep(b"1").expect("room"));
        let row = |(id, file): (i64, PathBuf)| AddedFile {
            id,
            file,
            bytes: 1,
            trouble: Some(UploadTrouble::Broken),
        };
        let rest = (0..FAILED_KEPT - 1).map(|n| data.path().join(n.to_string()));
        let files = [oldest.clone(), next.clone()].into_iter().chain(rest);
        let rows: Vec<AddedFile> = (1..).zip(files).map(row).collect();
        let sorted = pasted.sort_out(&rows);
        assert_eq!((sorted.gone, sorted.unlisted), (vec![1], Vec::new()));
        assert!(!oldest.exists() && next.exists());
    }
}
