//! The list of images: pages, count, and a random one.

use rusqlite::Connection;

use super::Images;
use super::classes::{self, ImageClass};
use super::table::{self, ListedImage};
use crate::database::DatabaseError;
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
                let Some(album) = album else {
                    return Ok(Page {
                        images: table::page(&snapshot, offset, limit)?,
                        total: table::count(&snapshot)?,
                    });
                };
                Ok(Page {
                    images: table::page_of_album(&snapshot, &album, offset, limit)?,
                    total: ImageClass {
                        orientation: None,
                        album: Some(album),
                    }
                    .count(&snapshot)?,
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
        let key = seed.map_or_else(rand::random, classes::key_of);
        self.0
            .database
            .read(move |connection| {
                let snapshot = connection.unchecked_transaction()?;
                match class.draw(&snapshot, key)? {
                    Some(id) => table::numbered(&snapshot, id),
                    None => Ok(None),
                }
            })
            .await
    }
}
