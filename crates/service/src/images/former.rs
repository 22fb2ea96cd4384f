//! All that the database has of an image that is none any more, and the way back.

use rusqlite::Transaction;

use super::table::{self, NewImage};
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// A former image, from the trash.
pub(crate) struct FormerImage {
    /// Its row, with its first source.
    pub(crate) image: NewImage,
    /// The digests of all its sources.
    pub(crate) sources: Vec<[u8; 32]>,
    /// Its other names.
    pub(crate) aliases: Vec<ImageHash>,
}

impl FormerImage {
    /// Makes it an image again whose object is in this place; whether it could be: an image that is
    /// here keeps its name and its bytes.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) fn put_back(
        mut self,
        transaction: &Transaction<'_>,
        place: StorageKind,
    ) -> rusqlite::Result<bool> {
        let hash = self.image.image.hash;
        if table::named(transaction, hash)?.is_some()
            || table::find_source(transaction, &self.image.sha256)?.is_some()
        {
            return Ok(false);
        }
        self.image.image.place = place;
        table::insert(transaction, &self.image)?;
        for source in &self.sources {
            table::add_source(transaction, source, hash)?;
        }
        for alias in self.aliases {
            if table::named(transaction, alias)?.is_none() {
                table::add_alias(transaction, alias, hash)?;
            }
        }
        Ok(true)
    }
}
