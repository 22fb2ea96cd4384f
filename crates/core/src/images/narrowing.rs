//! Narrower copies of images: made once, kept in storage, gone with the image.

use std::sync::Arc;

use bytes::Bytes;
use porchlight_api::ImageHash;

use super::cache::Kept;
use super::convert::{self, ConvertOptions};
use super::serving::Served;
use super::table::StoredImage;
use super::{Images, ImagesError};
use crate::storage::{ObjectName, StorageError};
use crate::to_the_end::to_the_end;

/// A stored image was within the limits of its day, whatever they are now.
const NO_LIMIT: u64 = u64::MAX;

impl Images {
    /// A narrower copy, ready to be read; the image itself where it is no wider
    /// than that. `None` when there is no such image.
    ///
    /// # Errors
    /// When the database or storage fails, or the copy cannot be made.
    pub async fn open_narrowed(
        &self,
        hash: ImageHash,
        width: u32,
    ) -> Result<Option<Served>, ImagesError> {
        let Some(original) = self.open_image(hash).await? else {
            return Ok(None);
        };
        let image = *original.image();
        if image.width <= width {
            return Ok(Some(original));
        }
        let name = ObjectName::rendition(hash, width);
        if let Some(copy) = self.existing(name, image).await? {
            return Ok(Some(copy));
        }
        // However many ask at once, one makes it. The others wait for their
        // turn and give that up with their connection; the one that makes it
        // does so to the end, or impatient readers would have it made again
        // and again.
        let turn = self.0.narrowings.turn((hash, width)).await;
        if let Some(copy) = self.existing(name, image).await? {
            return Ok(Some(copy));
        }
        let images = self.clone();
        to_the_end(async move {
            let _turn = turn;
            images.make(name, image).await
        })
        .await
    }

    async fn existing(
        &self,
        name: ObjectName,
        image: StoredImage,
    ) -> Result<Option<Served>, StorageError> {
        let moment = self.0.cache.moment();
        if let Some(kept) = self.0.cache.get(name) {
            return Ok(Some(self.served(kept)));
        }
        let Some(size) = self.0.storage.size(name).await? else {
            return Ok(None);
        };
        let kept = Arc::new(Kept {
            name,
            image,
            size,
            bytes: None,
        });
        self.0.cache.keep(moment, Arc::clone(&kept));
        Ok(Some(self.served(kept)))
    }

    async fn make(
        &self,
        name: ObjectName,
        image: StoredImage,
    ) -> Result<Option<Served>, ImagesError> {
        let ObjectName {
            hash,
            width: Some(width),
        } = name
        else {
            return Ok(None);
        };
        // Few at once: readers must not keep the owner's uploads waiting.
        let place = self.0.workshop.place_for_narrowing().await;
        let original = match self.0.storage.get(ObjectName::image(hash)).await {
            Err(StorageError::Missing(_)) if self.is_gone(hash).await? => return Ok(None),
            original => original?,
        };
        let failed = |error: convert::ConvertError| ImagesError::Narrowing(hash, error.to_string());
        let options = ConvertOptions {
            max_pixels: NO_LIMIT,
            max_animation_pixels: NO_LIMIT,
            ..self.convert_options()
        };
        let header = original.clone();
        let memory = self
            .0
            .workshop
            .work(0, move || convert::inspect(&header, &options))
            .await
            .map_err(failed)?
            .memory;
        let (whole, quality) = (original.clone(), self.convert_options().quality);
        let narrow = move || convert::narrow(&whole, width, quality);
        let copy = self.0.workshop.work(memory, narrow).await.map_err(failed)?;
        // A copy that is no smaller than the image is the image.
        let copy = copy.map_or(original, Bytes::from);
        drop(place);
        let _turn = self.0.hashes.turn(hash).await;
        // Whoever deletes the image from here on removes its copies after this
        // turn, and makes the cache forget what is of before.
        let moment = self.0.cache.moment();
        if self.is_gone(hash).await? {
            return Ok(None);
        }
        let size = copy.len() as u64;
        let kept = |bytes| {
            Arc::new(Kept {
                name,
                image,
                size,
                bytes,
            })
        };
        if let Err(error) = self.0.storage.put(name, copy.clone()).await {
            // It is made again the next time; this reader gets it all the same.
            tracing::warn!(%name, %error, "a narrower copy could not be kept");
            let mut served = self.served(kept(Some(copy)));
            served.is_stored = false;
            return Ok(Some(served));
        }
        let kept = kept(None);
        self.0.cache.keep(moment, Arc::clone(&kept));
        Ok(Some(self.served(kept)))
    }

    async fn is_gone(&self, hash: ImageHash) -> Result<bool, ImagesError> {
        let row = self
            .0
            .database
            .read(move |look| super::table::find(look, hash))
            .await?;
        Ok(row.is_none())
    }
}
