//! Which images there are: pages, count, and one by chance.

use rand::RngExt as _;

use super::Images;
use super::table::{self, StoredImage};
use crate::database::DatabaseError;

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
                // One look at the database, so that the total fits the page.
                let look = connection.unchecked_transaction()?;
                Ok(Page {
                    images: table::page(&look, offset, limit)?,
                    total: table::count(&look)?,
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

    /// An image by chance, each as likely as any other; `None` when there is
    /// none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn random(&self) -> Result<Option<StoredImage>, DatabaseError> {
        self.0
            .database
            .read(|connection| {
                let look = connection.unchecked_transaction()?;
                match table::count(&look)? {
                    0 => Ok(None),
                    count => table::in_slot(&look, rand::rng().random_range(0..count)),
                }
            })
            .await
    }
}
