//! What was pasted and has no file: it is one of the data folder until it is uploaded.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::upload_queue::AddedFile;

/// The folder of what was pasted, in the data folder.
const FOLDER: &str = "pasted";

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
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        sync_folder(data)?;
        Ok(Self(folder))
    }

    /// Keeps these bytes in a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        let mut file = tempfile::Builder::new()
            .prefix("pasted-")
            .tempfile_in(&self.0)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        let (_, path) = file.keep()?;
        Ok(path)
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

    /// Removes those that no row is about. The numbers of the rows whose file is gone: it was
    /// uploaded, and a power cut has lost the end of the row.
    pub(super) fn sort_out(&self, rows: &[AddedFile]) -> Vec<i64> {
        // By name: the data folder may have been moved.
        let wanted: HashSet<_> = rows.iter().filter_map(|row| row.file.file_name()).collect();
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.file_name().is_none_or(|name| !wanted.contains(name)) {
                self.forget(&path);
            }
        }
        let gone = rows.iter();
        gone.filter(|row| {
            self.is_one(&row.file) && row.file.try_exists().is_ok_and(|exists| !exists)
        })
        .map(|row| row.id)
        .collect()
    }
}

/// A name is on the disk once its folder is.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
