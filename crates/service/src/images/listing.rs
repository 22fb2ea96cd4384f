//! The list of images: pages, count, and a random one.

use rusqlite::Connection;

use super::Images;
use super::classes::ImageClass;
use super::row::ListedImage;
use super::table;
use crate::db::DatabaseError;
use crate::storage::StorageKind;

/// A page of the list.
#[derive(Debug, Clone)]
pub struct Page {
    /// Newest first, then by hash.
    pub images: Vec<ListedImage>,
    /// Images in all, or in the album.
    pub total: u64,
}

impl Images {
    /// Up to `limit` images after the first `offset`, newest first, of an album or of all.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page(
        &self,
        offset: u64,
        limit: u32,
        album: Option<String>,
    ) -> Result<Page, DatabaseError> {
        self.0
            .database
            .read(move |connection| {
                // One snapshot of the database, so that the total fits the
                // page.
                let snapshot = connection.unchecked_transaction()?;
                let class = ImageClass {
                    orientation: None,
                    album,
                };
                let total = class.count(&snapshot)?;
                // SQLite would count all images to find nothing after them.
                let images = match offset < total {
                    true => table::page(&snapshot, class.album.as_deref(), offset, limit)?,
                    false => Vec::new(),
                };
                Ok(Page { images, total })
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

    /// A random image of a class, each equally likely, or the one that a seed always draws; `None`
    /// when the class has none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn random(
        &self,
        class: ImageClass,
        seed: Option<&str>,
    ) -> Result<Option<ListedImage>, DatabaseError> {
        let seed = seed.map(str::to_owned);
        self.0
            .database
            .read(move |connection| {
                let snapshot = connection.unchecked_transaction()?;
                match seed {
                    Some(seed) => class.of_seed(&snapshot, &seed),
                    None => class.draw(&snapshot),
                }
            })
            .await
    }
}
