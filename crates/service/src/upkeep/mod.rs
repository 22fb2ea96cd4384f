//! Checks, repairs, backs up and restores a data folder.
//!
//! All of it works from the data folder alone, so that it can run beside the
//! process that serves the folder (`check`, `backup`) or while none does.

pub mod beside;
pub mod import;

use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::db::{DatabaseError, OpenDatabaseError};
use crate::error::message::Message;
use crate::into_message;
use crate::storage::{OpenStorageError, StorageError};

mod archive;
mod authority;
mod backup;
mod before_repair;
mod check;
mod orphan;
mod repair;
mod replaced;
mod report;
mod restore;
mod rows;
mod unpack;

pub use crate::images::fault::{Fault, Problem};
pub use crate::state::progress::{Cancelled, Progress};
pub use authority::Authority;
pub use backup::{BackupOptions, BackupReport, backup};
pub use before_repair::copies as copies_before_repairs;
pub use check::check;
pub use repair::repair;
pub use replaced::{forget_readers, lost_images};
pub use report::CheckReport;
pub use restore::{RestoreReport, Unpacked, unpack};

/// Why it was not done. Each sentence names what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum UpkeepError {
    /// No database, so no data folder.
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
    File(PathBuf, std::io::Error),
    /// The file of a backup is there already.
    Exists(PathBuf),
    /// The folder to restore to holds something.
    NotEmpty(PathBuf, String),
    /// A backup that is not whole, or no backup at all.
    Refused(PathBuf, Message),
    /// It was cancelled.
    Cancelled,
}

impl From<Cancelled> for UpkeepError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<&UpkeepError> for Message {
    fn from(error: &UpkeepError) -> Self {
        match error {
            UpkeepError::NothingThere(folder) => {
                let folder = folder.into();
                Self::NothingThere { folder }
            }
            UpkeepError::Open(error) => error.into(),
            UpkeepError::Database(error) => error.into(),
            UpkeepError::OpenStorage(error) => error.into(),
            UpkeepError::Storage(error) => error.into(),
            UpkeepError::File(path, error) => Self::about(path, error),
            UpkeepError::Exists(file) => {
                let file = file.into();
                Self::BackupExists { file }
            }
            UpkeepError::NotEmpty(folder, name) => Self::FolderNotEmpty {
                folder: folder.into(),
                name: name.as_str().into(),
            },
            UpkeepError::Refused(file, why) => Self::NoBackup {
                file: file.into(),
                why: why.clone().into(),
            },
            UpkeepError::Cancelled => Self::Cancelled,
        }
    }
}

into_message!(UpkeepError);

impl UpkeepError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File(path, error)
    }
}

/// The database of a data folder, which must be there.
fn database_of(data_folder: &Path) -> Result<PathBuf, UpkeepError> {
    let file = crate::schema::database_file(data_folder);
    if file.is_file() {
        Ok(file)
    } else {
        Err(UpkeepError::NothingThere(data_folder.to_owned()))
    }
}

/// The SHA-256 of the bytes, computed off the async threads.
async fn digest(bytes: Bytes) -> Result<[u8; 32], UpkeepError> {
    on_a_worker(Path::new("an image"), move || {
        Ok(Sha256::digest(&bytes).into())
    })
    .await
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
