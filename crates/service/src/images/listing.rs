//! The list of images: pages, count, and a random one.

use rusqlite::Connection;

use super::Images;
use super::classes::{self, ImageClass};
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
                let Some(album) = album else {
                    return Ok(Page {
                        images: table::page(&snapshot, offset, limit)?,
                        total: table::count(&snapshot)?,
                    });
                };
                page_of_album(&snapshot, &album, offset, limit)
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

fn page_of_album(
    connection: &Connection,
    album: &str,
    offset: u64,
    limit: u32,
) -> rusqlite::Result<Page> {
    let class = ImageClass {
        orientation: None,
        album: Some(album.to_owned()),
    };
    let total = class.count(connection)?;
    // SQLite would read each image of the album to find nothing after them.
    let images = match offset < total {
        true => table::page_of_album(connection, album, offset, limit)?,
        false => Vec::new(),
    };
    Ok(Page { images, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There are no images here to look through.
    #[test]
    fn a_page_after_an_album_looks_at_none_of_its_images() {
        let connection = Connection::open_in_memory().expect("a database");
        let places = "CREATE TABLE image_place (class, place, image);
            INSERT INTO image_place VALUES ('*/cats', 0, 7), ('*/cats', 1, NULL), ('*/cats', 2, 8);";
        connection.execute_batch(places).expect("places");
        for offset in [2, 9_000_000_000_000] {
            let page = page_of_album(&connection, "cats", offset, 10).expect("a page");
            assert_eq!((page.images.len(), page.total), (0, 2));
        }
        let error = page_of_album(&connection, "cats", 1, 10).expect_err("no images");
        assert!(
            error.to_string().contains("no such table: image"),
            "{error}"
        );
    }
}
