//! What is done with a data folder also beside the process that serves it.

use std::path::{Path, PathBuf};

use crate::clock::Clock;
use crate::db::{DatabaseError, OpenDatabaseError};
use crate::edge::publishing::record_take_over;
use crate::presence::Devices;
use crate::schema::{self, database_file};
use crate::tokens::Tokens;

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
    let database = schema::open_beside(&file).await?;
    let recorded = record_take_over(&database).await;
    database.close().await;
    Ok(recorded?)
}

impl Tokens {
    /// The tokens of a data folder beside the process that serves it, if any.
    ///
    /// An existing database is used as it is and never migrated, since an older
    /// service may be using it.
    ///
    /// # Errors
    /// When the database cannot be opened, or is that of an older version; the
    /// sentence names the file.
    pub async fn open_beside(data_folder: &Path) -> Result<Self, OpenDatabaseError> {
        let database = schema::open_beside(&database_file(data_folder)).await?;
        Ok(Self::new(database, Clock::system()))
    }
}

impl Devices {
    /// The devices of a data folder beside the process that serves it, if any.
    ///
    /// # Errors
    /// As for [`Tokens::open_beside`].
    pub async fn open_beside(data_folder: &Path) -> Result<Self, OpenDatabaseError> {
        let database = schema::open_beside(&database_file(data_folder)).await?;
        let tokens = Tokens::new(database.clone(), Clock::system());
        Ok(Self::new(database, tokens))
    }
}
