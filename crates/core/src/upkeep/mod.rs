//! Looking after a data folder: checking it, mending it, backing it up and
//! bringing a backup back.
//!
//! All of it works from the data folder alone, so that it can run beside the
//! process that serves the folder (`check`, `backup`) or while none does.

use std::path::{Path, PathBuf};

use crate::database::{DatabaseError, OpenDatabaseError};
use crate::storage::{OpenStorageError, StorageError};

mod archive;
mod backup;
mod check;
mod fault;
mod repair;
mod replaced;
mod restore;
mod rows;
mod tokens;

pub use backup::{BackupOptions, BackupReport, backup};
pub use check::check;
pub use fault::{Fault, Problem, Report};
pub use repair::repair;
pub use replaced::{forget_readers, lost_images};
pub use restore::{RestoreReport, Unpacked, unpack};
pub use tokens::NewToken;

/// Called with the number of images done, and of all.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Send + Sync);

/// Why it was not done. Each sentence names what is wrong.
#[derive(Debug, thiserror::Error)]
pub enum UpkeepError {
    /// No database, so no data folder.
    #[error("there is no Porchlight in {0} yet")]
    NothingThere(PathBuf),
    /// The database does not open.
    #[error(transparent)]
    Open(#[from] OpenDatabaseError),
    /// A query failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// Storage cannot be set up.
    #[error(transparent)]
    OpenStorage(#[from] OpenStorageError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A file or a folder.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// The file of a backup is there already.
    #[error("{0} is there already: choose another name, or say --force")]
    Exists(PathBuf),
    /// The folder to restore to holds something.
    #[error("{0} is not empty, there is {1}: a backup is only restored to an empty folder")]
    NotEmpty(PathBuf, String),
    /// A backup that is not whole, or no backup at all.
    #[error("{0} is no backup that can be restored: {1}; nothing was restored")]
    Refused(PathBuf, String),
}

impl UpkeepError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File(path, error)
    }
}

/// The database of a data folder, which must be there.
fn database_of(data_folder: &Path) -> Result<PathBuf, UpkeepError> {
    let file = crate::database_file(data_folder);
    if file.is_file() {
        Ok(file)
    } else {
        Err(UpkeepError::NothingThere(data_folder.to_owned()))
    }
}

/// Runs what takes the processor or the disk for long on a thread for that.
async fn on_a_worker<R: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<R, UpkeepError> + Send + 'static,
) -> Result<R, UpkeepError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(UpkeepError::File(
            path.to_owned(),
            std::io::Error::other(error),
        )),
    }
}
