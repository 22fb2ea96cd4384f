//! The bytes of an image, from memory, from a file, or from the
//! object store.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;

use super::cache::{CachedObject, LARGEST};
use super::row::StoredImage;
use super::table;
use super::{Images, ImagesError};
use crate::db::DatabaseError;
use crate::storage::{ByteStream, ObjectName, StorageError};
use crate::text::image_hash::ImageHash;

/// An image, or a rendition of one, ready to be read. Nothing of it has been
/// read yet unless it was in memory.
#[derive(Clone)]
pub struct Served {
    kept: Arc<CachedObject>,
    images: Images,
    /// From before its row was read. What is read is cached only if nothing was
    /// deleted since: it could be this.
    moment: u64,
    pub(super) is_stored: bool,
    pub(super) is_stand_in: bool,
}

/// Some or all bytes of an image.
pub enum Body {
    /// In memory.
    Whole(Bytes),
    /// As they come.
    Stream(ByteStream),
}

impl Served {
    /// The image's row.
    #[must_use]
    pub fn image(&self) -> &StoredImage {
        &self.kept.image
    }

    /// The width of a rendition; `None` for the image itself.
    #[must_use]
    pub fn width(&self) -> Option<u32> {
        self.kept.name.width
    }

    /// Whether it is in storage, where readers can be sent to. A rendition that
    /// could not be kept is only here.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// Whether it is the original instead of a rendition that could not be made in time: a later
    /// request may get the rendition.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.is_stand_in
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.kept.size
    }

    /// The bytes in `range`, which must be within the size.
    ///
    /// # Errors
    /// When storage fails; [`ImagesError::Gone`] when the image has been
    /// deleted in this moment.
    pub async fn body(&self, range: Range<u64>) -> Result<Body, ImagesError> {
        let missing = match self.read(range.clone()).await {
            Err(StorageError::Missing(what)) => what,
            read => return Ok(read?),
        };
        // Moved to the other storage, evicted or deleted since its row was
        // read.
        let (images, name) = (&self.images, self.kept.name);
        images.0.cache.forget(name.hash, &[]);
        let again = match name.width {
            None => images.open_image(name.hash).await?,
            // The original would have another size than was announced.
            Some(width) => images.rendition(name.hash, width, None).await?,
        };
        let again = again.ok_or(ImagesError::Gone(name.hash))?;
        if again.size() != self.size() {
            return Err(StorageError::Missing(missing).into());
        }
        Ok(again.read(range).await?)
    }

    async fn read(&self, range: Range<u64>) -> Result<Body, StorageError> {
        let inner = &self.images.0;
        let name = self.kept.name;
        if let Some(bytes) = &self.kept.bytes {
            return Ok(Body::Whole(part(bytes, range)));
        }
        let place = inner.storage.at(self.kept.image.place)?;
        if self.kept.size > LARGEST {
            return Ok(Body::Stream(place.stream(name, range).await?));
        }
        let bytes = place.get(name).await?;
        let (there, size) = (bytes.len() as u64, self.kept.size);
        if there != size {
            return Err(StorageError::Failed(crate::detail!(
                "{name} has {there} bytes where {size} were stored",
                name = name.to_string()
            )));
        }
        let kept = CachedObject {
            bytes: Some(bytes.clone()),
            ..(*self.kept).clone()
        };
        inner.cache.keep(self.moment, Arc::new(kept));
        Ok(Body::Whole(part(&bytes, range)))
    }
}

fn part(bytes: &Bytes, range: Range<u64>) -> Bytes {
    bytes.slice(range.start as usize..range.end as usize)
}

impl Body {
    /// All of it, for those who need it in one piece.
    ///
    /// # Errors
    /// When storage fails on the way.
    pub async fn whole(self) -> Result<Bytes, StorageError> {
        match self {
            Self::Whole(bytes) => Ok(bytes),
            Self::Stream(stream) => {
                let parts: Vec<Bytes> = stream
                    .try_collect()
                    .await
                    .map_err(|error| StorageError::Failed(error.into()))?;
                Ok(parts.concat().into())
            }
        }
    }
}

impl Images {
    /// The row of the image of this name; `None` when there is no such image.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, hash: ImageHash) -> Result<Option<StoredImage>, DatabaseError> {
        Ok(self.open_image(hash).await?.map(|served| *served.image()))
    }

    /// The image of this name or alias, ready to be read; `None` when there is no such image.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open_image(&self, hash: ImageHash) -> Result<Option<Served>, DatabaseError> {
        let moment = self.0.cache.moment();
        let name = ObjectName::image(hash);
        if let Some(kept) = self.0.cache.get(name) {
            // By an alias: the bytes are cached under its own name.
            let own = (kept.name != name).then(|| self.0.cache.get(kept.name));
            return Ok(Some(self.served(moment, own.flatten().unwrap_or(kept))));
        }
        let row = self
            .0
            .database
            .read(move |connection| table::named(connection, hash))
            .await?;
        let Some(image) = row else { return Ok(None) };
        let kept = Arc::new(CachedObject {
            name: ObjectName::image(image.hash),
            image,
            size: image.size,
            bytes: None,
        });
        self.0.cache.keep_as(name, moment, Arc::clone(&kept));
        Ok(Some(self.served(moment, kept)))
    }

    /// `moment` is from before its row was read.
    pub(super) fn served(&self, moment: u64, kept: Arc<CachedObject>) -> Served {
        Served {
            kept,
            moment,
            images: self.clone(),
            is_stored: true,
            is_stand_in: false,
        }
    }
}
