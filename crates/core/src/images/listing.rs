//! The list of images: pages, count, and a random one.

use rand::RngExt as _;
use rusqlite::Connection;

use super::Images;
use super::table::{self, StoredImage};
use crate::database::DatabaseError;
use crate::storage::StorageKind;

/// A page of the list.
#[derive(Debug, Clone)]
pub struct Page {
    /// Newest first, then by hash.
    pub images: Vec<StoredImage>,
    /// Images in all.
    pub total: u64,
}

impl Images {
    /// Up to `limit` images after the first `offset`, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page(&self, offset: u64, limit: u32) -> Result<Page, DatabaseError> {
        self.0
            .database
            .read(move |connection| {
                // One snapshot of the database, so that the total fits the
                // page.
                let snapshot = connection.unchecked_transaction()?;
                Ok(Page {
                    images: table::page(&snapshot, offset, limit)?,
                    total: table::count(&snapshot)?,
                })
            })
            .await
    }

    /// How many images there are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count(&self) -> Result<u64, DatabaseError> {
        self.0.database.read(table::count).await
    }

    /// How many images are in this place.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_in(&self, place: StorageKind) -> Result<u64, DatabaseError> {
        let count = move |connection: &Connection| table::count_in(connection, place);
        self.0.database.read(count).await
    }

    /// A random image, each equally likely; `None` when there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn random(&self) -> Result<Option<StoredImage>, DatabaseError> {
        self.0
            .database
            .read(|connection| {
                let snapshot = connection.unchecked_transaction()?;
                match table::count(&snapshot)? {
                    0 => Ok(None),
                    count => table::in_slot(&snapshot, rand::rng().random_range(0..count)),
                }
            })
            .await
    }
}
