//! Renditions of images: made once, kept in storage, deleted with the image.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use porchlight_convert::ConvertError;
use porchlight_convert::helper::Task;
use sha2::{Digest as _, Sha256};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::cache::CachedObject;
use super::helpers::Picture;
use super::row::StoredImage;
use super::serving::Served;
use super::table;
use super::{Images, ImagesError};
use crate::state::detach::run_to_completion;
use crate::storage::{ObjectName, StorageError, StorageKind};
use crate::text::image_hash::ImageHash;

/// How long a reader waits for a worker that makes a rendition.
const READER_WAITS: Duration = Duration::from_secs(2);

impl Images {
    /// A rendition for a reader; the image itself when it is no wider than that or, temporarily,
    /// while too many other renditions are being made ([`Served::is_stand_in`]). `None` when there
    /// is no such image.
    ///
    /// # Errors
    /// When the database or storage fails, or the rendition cannot be made.
    pub async fn open_rendition(
        &self,
        hash: ImageHash,
        width: u32,
    ) -> Result<Option<Served>, ImagesError> {
        let until = Instant::now() + READER_WAITS;
        self.rendition(hash, width, Some(until)).await
    }

    /// A rendition for the owner, who waits until it can be made; the image
    /// itself only where it is no wider than that.
    ///
    /// # Errors
    /// Those of [`Images::open_rendition`].
    pub async fn open_rendition_for_owner(
        &self,
        hash: ImageHash,
        width: u32,
    ) -> Result<Option<Served>, ImagesError> {
        self.rendition(hash, width, None).await
    }

    /// If the rendition has to be made, waits for a worker `until` then.
    pub(super) async fn rendition(
        &self,
        hash: ImageHash,
        width: u32,
        until: Option<Instant>,
    ) -> Result<Option<Served>, ImagesError> {
        let Some(mut original) = self.open_image(hash).await? else {
            return Ok(None);
        };
        let image = *original.image();
        if image.width <= width {
            return Ok(Some(original));
        }
        // Requested by an alias, it is the same rendition.
        let hash = image.hash;
        let name = ObjectName::rendition(hash, width);
        if let Some(copy) = self.existing(name, image).await? {
            return Ok(Some(copy));
        }
        // Concurrent requests share one conversion. Both waits end when the reader disconnects, and
        // no copy is made then. A conversion that has started runs to completion; otherwise
        // impatient readers would restart it again and again.
        let turn = self.0.rendition_locks.turn((hash, width)).await;
        if let Some(copy) = self.existing(name, image).await? {
            return Ok(Some(copy));
        }
        let Some(place) = self.0.helpers.rendition_permit(until).await else {
            original.is_stand_in = true;
            return Ok(Some(original));
        };
        let images = self.clone();
        run_to_completion(async move {
            let _turn = turn;
            images.make(name, image, place).await
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
            self.copy_is_used(&kept);
            return Ok(Some(self.served(moment, kept)));
        }
        let Some(size) = self.0.storage.at(image.place)?.size(name).await? else {
            return Ok(None);
        };
        let kept = Arc::new(CachedObject {
            name,
            image,
            size,
            bytes: None,
        });
        self.copy_is_used(&kept);
        self.0.cache.keep(moment, Arc::clone(&kept));
        Ok(Some(self.served(moment, kept)))
    }

    async fn make(
        &self,
        name: ObjectName,
        image: StoredImage,
        place: OwnedSemaphorePermit,
    ) -> Result<Option<Served>, ImagesError> {
        let ObjectName {
            hash,
            width: Some(width),
        } = name
        else {
            return Ok(None);
        };
        tracing::debug!(%name, "making a rendition");
        let Some(original) = self.original(image).await? else {
            return Ok(None);
        };
        let task = Task::Narrow {
            width,
            quality: self.convert_options().quality,
        };
        let work = self.0.helpers.run(&task, Picture::Bytes(original.clone()));
        let (_, copy) = work
            .await
            .map_err(|why| ImagesError::Rendition(hash, why))?;
        let whole = original.clone();
        let digest = tokio::task::spawn_blocking(move || <[u8; 32]>::from(Sha256::digest(&whole)));
        let made_of = digest.await.map_err(|error| {
            ImagesError::Rendition(hash, ConvertError::Internal(error.to_string()))
        })?;
        // A rendition that is no smaller than the image is replaced by the
        // image.
        let copy = if copy.is_empty() {
            original
        } else {
            Bytes::from(copy)
        };
        drop(place);
        let _turn = self.0.hashes.turn(hash).await;
        // Where the image is now: it may have been moved in between. A delete from here on removes
        // its renditions after this turn, and evicts older content from the cache.
        let moment = self.0.cache.moment();
        let row = self.0.database.read(move |look| {
            let image = table::find(look, hash)?;
            Ok(image.zip(table::sha256_of(look, hash)?))
        });
        let Some((image, sha256)) = row.await? else {
            return Ok(None);
        };
        let size = copy.len() as u64;
        let kept = |bytes| {
            Arc::new(CachedObject {
                name,
                image,
                size,
                bytes,
            })
        };
        // Waiting requests get it from memory: the file may be evicted before
        // it is opened.
        let mut made = self.served(moment, kept(Some(copy.clone())));
        if made_of != sha256 {
            // A copy of a rotten file would outlast it.
            made.is_stand_in = true;
            return Ok(Some(made));
        }
        if image.place == StorageKind::Disk && !self.0.renditions.has_room_for(size) {
            return Ok(Some(made));
        }
        match self.0.storage.at(image.place)?.put(name, copy).await {
            Ok(()) => {
                let kept = kept(None);
                self.copy_is_used(&kept);
                self.0.cache.keep(moment, kept);
            }
            // It is made again the next time; this reader still gets it.
            Err(error) => {
                tracing::warn!(%name, %error, "a rendition could not be stored");
                made.is_stored = false;
            }
        }
        Ok(Some(made))
    }

    /// The bytes of an image, wherever it is by now; `None` when it was deleted.
    async fn original(&self, image: StoredImage) -> Result<Option<Bytes>, ImagesError> {
        let name = ObjectName::image(image.hash);
        match self.0.storage.at(image.place)?.get(name).await {
            Err(StorageError::Missing(what)) => match self.row(image.hash).await? {
                None => Ok(None),
                Some(now) if now.place == image.place => Err(StorageError::Missing(what).into()),
                Some(now) => Ok(Some(self.0.storage.at(now.place)?.get(name).await?)),
            },
            original => Ok(Some(original?)),
        }
    }

    async fn row(&self, hash: ImageHash) -> Result<Option<StoredImage>, ImagesError> {
        let row = self.0.database.read(move |look| table::find(look, hash));
        Ok(row.await?)
    }

    /// Records a use of a rendition, where those are tracked.
    fn copy_is_used(&self, kept: &CachedObject) {
        if kept.image.place != StorageKind::Disk {
            return;
        }
        let now = self.0.clock.now();
        let name = kept.name;
        if self.0.renditions.used(name, kept.size, now) {
            let disk = self.0.storage.disk().clone();
            tokio::spawn(async move {
                if let Err(error) = disk.touch(name, now).await {
                    tracing::debug!(%name, %error, "its last use could not be recorded");
                }
            });
        }
    }
}
