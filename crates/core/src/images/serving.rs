//! Journey 4: the bytes of an image, from memory, from a file, or from the
//! object store.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use porchlight_api::ImageHash;

use super::cache::{Kept, LARGEST};
use super::table::{self, StoredImage};
use super::{Images, ImagesError, convert};
use crate::database::DatabaseError;
use crate::storage::{ByteStream, ObjectName, StorageError};

/// An image that is there, ready to be read.
#[derive(Debug, Clone)]
pub struct Served {
    /// Its row.
    pub image: StoredImage,
    bytes: Option<Bytes>,
    images: ImagesHandle,
}

/// Some or all bytes of an image.
pub enum Body {
    /// In memory.
    Whole(Bytes),
    /// As they come.
    Stream(ByteStream),
}

#[derive(Clone)]
struct ImagesHandle(Images);

impl std::fmt::Debug for ImagesHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Images")
    }
}

impl Served {
    /// The bytes in `range`, which must lie within the image's size.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn body(&self, range: Range<u64>) -> Result<Body, ImagesError> {
        if let Some(bytes) = &self.bytes {
            let range = range.start as usize..range.end as usize;
            return Ok(Body::Whole(bytes.slice(range)));
        }
        let name = ObjectName::image(self.image.hash);
        let inner = &self.images.0.0;
        Ok(Body::Stream(inner.storage.stream(name, range).await?))
    }
}

impl Images {
    /// The row of an image; `None` when there is no such image.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, hash: ImageHash) -> Result<Option<StoredImage>, DatabaseError> {
        if let Some(kept) = self.0.cache.get(hash) {
            return Ok(Some(kept.image));
        }
        let moment = self.0.cache.moment();
        let found = self
            .0
            .database
            .read(move |connection| table::find(connection, hash))
            .await?;
        if let Some(image) = found {
            self.0
                .cache
                .keep(moment, Arc::new(Kept { image, bytes: None }));
        }
        Ok(found)
    }

    /// An image, ready to be read; `None` when there is no such image.
    ///
    /// # Errors
    /// When the database or storage fails.
    pub async fn open_image(&self, hash: ImageHash) -> Result<Option<Served>, ImagesError> {
        let kept = self.0.cache.get(hash);
        if let Some(kept) = &kept
            && (kept.bytes.is_some() || kept.image.size > LARGEST)
        {
            return Ok(Some(self.served(kept)));
        }
        let moment = self.0.cache.moment();
        let image = match kept {
            Some(kept) => Some(kept.image),
            None => {
                self.0
                    .database
                    .read(move |connection| table::find(connection, hash))
                    .await?
            }
        };
        let Some(image) = image else { return Ok(None) };
        let bytes = if image.size > LARGEST {
            None
        } else {
            Some(self.0.storage.get(ObjectName::image(hash)).await?)
        };
        let kept = Arc::new(Kept { image, bytes });
        self.0.cache.keep(moment, Arc::clone(&kept));
        Ok(Some(self.served(&kept)))
    }

    fn served(&self, kept: &Kept) -> Served {
        Served {
            image: kept.image,
            bytes: kept.bytes.clone(),
            images: ImagesHandle(self.clone()),
        }
    }

    /// A narrower copy, made once and kept; the image itself where it is no
    /// wider than that. `None` when there is no such image.
    ///
    /// # Errors
    /// When the database or storage fails, or the copy cannot be made.
    pub async fn narrowed(
        &self,
        hash: ImageHash,
        width: u32,
    ) -> Result<Option<Bytes>, ImagesError> {
        let Some(image) = self.find(hash).await? else {
            return Ok(None);
        };
        if image.width <= width {
            return Ok(Some(self.0.storage.get(ObjectName::image(hash)).await?));
        }
        let name = ObjectName::rendition(hash, width);
        match self.0.storage.get(name).await {
            Err(StorageError::Missing(_)) => {}
            kept => return Ok(Some(kept?)),
        }
        // However many ask at once, one makes it, and no delete comes between.
        let _turn = self.0.hashes.turn(hash).await;
        match self.0.storage.get(name).await {
            Err(StorageError::Missing(_)) => {}
            kept => return Ok(Some(kept?)),
        }
        if self.find(hash).await?.is_none() {
            return Ok(None);
        }
        let original = self.0.storage.get(ObjectName::image(hash)).await?;
        let failed = |error| ImagesError::Narrowing(hash, error);
        let options = self.convert_options();
        let memory = convert::inspect(&original, &options)
            .map_err(|error| failed(error.to_string()))?
            .memory;
        let whole = original.clone();
        let narrow = move || convert::narrow(&whole, width, options.quality);
        let narrower = self
            .0
            .workshop
            .work(memory, narrow)
            .await
            .map_err(|error| failed(error.to_string()))?
            .map_or(original, Bytes::from);
        self.0.storage.put(name, narrower.clone()).await?;
        Ok(Some(narrower))
    }
}
