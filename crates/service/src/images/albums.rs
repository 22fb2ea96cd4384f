//! Albums: an image is in one at most. The owner puts images in and renames albums; an upload can name
//! the one of a new image. Readers who know its name get its list and random images of it.

use rusqlite::Transaction;

use super::Images;
use crate::db::DatabaseError;
use crate::db::query::Query as _;
use crate::text::image_hash::ImageHash;

impl Images {
    /// Puts these images in an album, or takes them out of theirs. Those that do not exist are left
    /// out. The name is one that [`crate::text::album`] has cleaned.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn put_in_album(
        &self,
        hashes: Vec<ImageHash>,
        album: Option<String>,
    ) -> Result<(), DatabaseError> {
        let put = self.0.database.write(move |transaction| {
            for hash in hashes {
                put(transaction, hash, album.as_deref())?;
            }
            Ok::<_, DatabaseError>(())
        });
        put.await?;
        self.changed();
        Ok(())
    }

    /// Renames an album on all of its images. Where the other name is in use, both become one.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn rename_album(&self, from: String, to: String) -> Result<(), DatabaseError> {
        let renamed = self.0.database.write(move |transaction| {
            let images: Vec<[u8; 16]> = transaction.all(
                "SELECT hash FROM image WHERE album = ?1 ORDER BY newest, hash",
                [from],
                |row| row.get(0),
            )?;
            for hash in images {
                put(transaction, ImageHash::from_bytes(hash), Some(&to))?;
            }
            Ok::<_, DatabaseError>(())
        });
        renamed.await?;
        self.changed();
        Ok(())
    }

    /// The names of all albums, in their order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn albums(&self) -> Result<Vec<String>, DatabaseError> {
        self.0
            .database
            .read(|connection| {
                connection.all(
                    "SELECT DISTINCT album FROM image WHERE album IS NOT NULL ORDER BY album",
                    [],
                    |row| row.get(0),
                )
            })
            .await
    }
}

fn put(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    album: Option<&str>,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "UPDATE image SET album = ?2 WHERE hash = ?1 AND album IS NOT ?2",
            (hash, album),
        )
        .map(drop)
}
