//! What is done with a data folder also beside the process that serves it.

use std::path::Path;

use crate::clock::Clock;
use crate::edge::record_take_over;
use crate::error::message::Message;
use crate::presence::Devices;
use crate::schema::{self, database_file};
use crate::tokens::Tokens;

/// Has a data folder replace the service whose rows the Worker has: within a second where its own runs
/// and waits for that, otherwise at its next start.
///
/// # Errors
/// When the folder holds no database, or it cannot be opened or written.
pub async fn take_over_worker(data_folder: &Path) -> Result<(), Message> {
    let file = database_file(data_folder);
    if !file.is_file() {
        return Err(super::nothing_there(data_folder));
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
    pub async fn open_beside(data_folder: &Path) -> Result<Self, Message> {
        let database = schema::open_beside(&database_file(data_folder)).await?;
        Ok(Self::new(database, Clock::system()))
    }
}

impl Devices {
    /// The devices of a data folder beside the process that serves it, if any.
    ///
    /// # Errors
    /// As for [`Tokens::open_beside`].
    pub async fn open_beside(data_folder: &Path) -> Result<Self, Message> {
        let database = schema::open_beside(&database_file(data_folder)).await?;
        let tokens = Tokens::new(database.clone(), Clock::system());
        Ok(Self::new(database, tokens))
    }
}
