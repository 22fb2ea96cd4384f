//! Whether the object of an image exists and has its length, which an upload and a look-up answer
//! for; and the way back for one that is lost.

use bytes::Bytes;

use super::row::{NewImage, StoredImage};
use super::table;
use super::{Images, ImagesError, IngestError};
use crate::db::DatabaseError;
use crate::storage::{ObjectName, StorageError, StorageKind};
use crate::text::image_hash::ImageHash;

impl Images {
    /// The image that these source bytes became, by their SHA-256, if its object exists and has its
    /// length.
    ///
    /// # Errors
    /// When the database or storage fails.
    pub async fn find_stored(&self, digest: [u8; 32]) -> Result<Option<StoredImage>, ImagesError> {
        let owner = self
            .0
            .database
            .read(move |look| table::find_source(look, &digest));
        let Some(hash) = owner.await? else {
            return Ok(None);
        };
        let mut image = self.whole(hash).await?;
        if image.is_none() {
            // It may have been moved or stored again in this moment.
            let _turn = self.0.hashes.turn(hash).await;
            image = self.whole(hash).await?;
        }
        Ok(image)
    }

    /// The image, if it has a row and an object of its length.
    async fn whole(&self, hash: ImageHash) -> Result<Option<StoredImage>, ImagesError> {
        let row = self.0.database.read(move |look| table::find(look, hash));
        let Some(image) = row.await? else {
            return Ok(None);
        };
        let place = self.0.storage.at(image.place)?;
        let size = place.size(ObjectName::image(hash)).await?;
        Ok((size == Some(image.size)).then_some(image))
    }

    /// Stores an image again, under its name, where it has a row and its object is lost. `None` where
    /// there is no such image, or nothing to restore.
    ///
    /// # Errors
    /// [`IngestError::Duplicate`] where the source belonged to a lost image, and these bytes are those of
    /// another one that is there.
    pub(super) async fn restore(
        &self,
        new: &NewImage,
        webp: &Bytes,
    ) -> Result<Option<StoredImage>, IngestError> {
        // Both differ after a change of the quality, where these bytes are another image already.
        let (source, sha256) = (new.source_digest, new.sha256);
        let owners = self.0.database.read(move |look| {
            let by_bytes = table::find_source(look, &sha256)?;
            Ok((table::find_source(look, &source)?, by_bytes))
        });
        let (by_source, by_bytes) = owners.await?;
        let Some(hash) = by_bytes.or(by_source) else {
            return Ok(None);
        };
        let _turn = self.0.hashes.turn(hash).await;
        if let Some(image) = self.whole(hash).await? {
            let is_another = by_source.is_some_and(|lost| lost != hash);
            return if is_another {
                Err(IngestError::Duplicate(image))
            } else {
                Ok(None)
            };
        }
        let row = self.0.database.read(move |look| table::find(look, hash));
        let Some(mut image) = row.await? else {
            return Ok(None);
        };
        // Narrower copies may have been made of what was wrong.
        let place = self.0.storage.at(image.place)?;
        place.remove_renditions(hash).await?;
        self.0.renditions.forget(hash);
        self.put_whole(image.place, hash, webp.clone()).await?;
        (image.size, image.width, image.height) =
            (new.image.size, new.image.width, new.image.height);
        let mut new = new.clone();
        new.image = image;
        let written = self.0.database.write(move |transaction| {
            table::renew(transaction, &new)?;
            Ok::<_, DatabaseError>(table::aliases(transaction, hash)?)
        });
        let aliases = written.await?;
        tracing::warn!(%hash, "an image whose object was lost is stored again");
        self.0.cache.forget(hash, &aliases);
        self.changed();
        Ok(Some(image))
    }

    /// Stores an object, and checks that it is there with all of its bytes.
    pub(super) async fn put_whole(
        &self,
        place: StorageKind,
        hash: ImageHash,
        webp: Bytes,
    ) -> Result<(), StorageError> {
        let (place, name) = (self.0.storage.at(place)?, ObjectName::image(hash));
        let size = webp.len() as u64;
        place.put(name, webp).await?;
        match place.size(name).await? {
            Some(there) if there == size => Ok(()),
            None => Err(StorageError::Missing(name.to_string())),
            Some(there) => Err(StorageError::Failed(crate::detail!(
                "{name} has {there} bytes where {size} were stored",
                name = name.to_string()
            ))),
        }
    }
}
