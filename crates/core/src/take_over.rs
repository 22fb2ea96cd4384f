//! Has a data folder take the snapshot in the store over, also beside the process that serves it.

use std::path::{Path, PathBuf};

use crate::database::{Database, DatabaseError, OpenDatabaseError};
use crate::publishing::record_take_over;
use crate::service::database_file;

/// Why the snapshot was not taken over.
#[derive(Debug, thiserror::Error)]
pub enum TakeOverError {
    /// The data folder holds no database.
    #[error("there is no Porchlight in {0} yet: run `porchlight serve` or the tray app first")]
    NothingThere(PathBuf),
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenDatabaseError),
    /// The database cannot be written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Has a data folder replace the snapshot in the store, whosever it is: within a second where its
/// service runs and waits for that, otherwise with the next change of its images or at its next
/// start.
///
/// # Errors
/// See [`TakeOverError`].
pub async fn take_over_snapshot(data_folder: &Path) -> Result<(), TakeOverError> {
    let file = database_file(data_folder);
    if !file.is_file() {
        return Err(TakeOverError::NothingThere(data_folder.to_owned()));
    }
    let database = Database::open_beside(&file).await?;
    let recorded = record_take_over(&database).await;
    database.close().await;
    Ok(recorded?)
}
