//! Whether the object of an image exists and matches its row, which an upload and a look-up
//! answer for; and the way back for one that is lost or rotten.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use porchlight_api::{ImageHash, Message};
use sha2::{Digest as _, Sha256};

use super::table::{self, NewImage, StoredImage};
use super::{Images, ImagesError, IngestError, removals, stored_again};
use crate::database::DatabaseError;
use crate::storage::StorageKind;
use crate::storage::{ObjectName, StorageError};

/// The images whose bytes were read and compared in this run.
#[derive(Default)]
pub(super) struct Verified(Mutex<HashSet<ImageHash>>);

impl Verified {
    /// So many are remembered; then it begins again.
    const MOST: usize = 100_000;

    fn has(&self, hash: ImageHash) -> bool {
        let verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verified.contains(&hash)
    }

    fn set(&self, hash: ImageHash) {
        let mut verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if verified.len() >= Self::MOST {
            verified.clear();
        }
        verified.insert(hash);
    }

    pub(super) fn forget(&self, hash: ImageHash) {
        let mut verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verified.remove(&hash);
    }
}

/// When the bytes of an object are read and compared with its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Never: only its existence and its length are checked.
    Length,
    /// If that was not done in this run. Its existence and its length are checked each time.
    OncePerRun,
    /// Now.
    Now,
}

impl Images {
    /// The image that these source bytes became, by their SHA-256, if its object exists, has its length
    /// and, as far as `verify` demands it, its bytes.
    ///
    /// # Errors
    /// When the database or storage fails.
    pub async fn find_stored(
        &self,
        digest: [u8; 32],
        verify: Verify,
    ) -> Result<Option<StoredImage>, ImagesError> {
        let owner = self
            .0
            .database
            .read(move |look| table::find_source(look, &digest));
        let Some(hash) = owner.await? else {
            return Ok(None);
        };
        let mut image = self.sound(hash, verify).await?;
        if image.is_none() {
            // It may have been moved or stored again in this moment.
            let _turn = self.0.hashes.turn(hash).await;
            image = self.sound(hash, verify).await?;
        }
        Ok(image)
    }

    /// The image, if it has a row and an object that matches it.
    async fn sound(
        &self,
        hash: ImageHash,
        verify: Verify,
    ) -> Result<Option<StoredImage>, ImagesError> {
        let row = self.0.database.read(move |look| {
            let image = table::find(look, hash)?;
            Ok(image.zip(table::sha256_of(look, hash)?))
        });
        let Some((image, sha256)) = row.await? else {
            return Ok(None);
        };
        let (place, name) = (self.0.storage.at(image.place)?, ObjectName::image(hash));
        if place.size(name).await? != Some(image.size) {
            self.0.verified.forget(hash);
            return Ok(None);
        }
        let is_enough = match verify {
            Verify::Length => true,
            Verify::OncePerRun => self.0.verified.has(hash),
            Verify::Now => false,
        };
        if is_enough {
            return Ok(Some(image));
        }
        // In parts: some images are large, and many may be asked for at once.
        let mut digest = Sha256::new();
        let mut parts = match place.stream(name, 0..image.size).await {
            Err(StorageError::Missing(_)) => return Ok(None),
            parts => parts?,
        };
        while let Some(part) = parts.try_next().await.map_err(unreadable)? {
            digest.update(&part);
        }
        let is_sound = digest.finalize()[..] == sha256;
        if is_sound {
            self.0.verified.set(hash);
        } else {
            self.0.verified.forget(hash);
        }
        Ok(is_sound.then_some(image))
    }

    /// Stores an image again, under its name, where it has a row and no object that matches it.
    /// `None` where there is no such image, or nothing to restore.
    pub(super) async fn restore(
        &self,
        new: &NewImage,
        webp: &Bytes,
    ) -> Result<Option<StoredImage>, IngestError> {
        loop {
            let digests = (new.source_digest, new.sha256);
            let owner = self
                .0
                .database
                .read(move |look| stored_again::owner(look, digests));
            let Some(hash) = owner.await? else {
                return Ok(None);
            };
            let _turn = self.0.hashes.turn(hash).await;
            if self.sound(hash, Verify::OncePerRun).await?.is_some() {
                return Ok(None);
            }
            let row = self.0.database.read(move |look| table::find(look, hash));
            let Some(image) = row.await? else { continue };
            if !self.gives_way(hash, new.sha256).await? {
                return self.put_again(image, new.clone(), webp).await.map(Some);
            }
        }
    }

    /// Whether another image has these stored bytes, as after a change of the quality. The lost one
    /// is a second name of it then.
    async fn gives_way(&self, lost: ImageHash, sha256: [u8; 32]) -> Result<bool, IngestError> {
        let merged = self.0.database.write(move |transaction| {
            let Some(image) = table::find(transaction, lost)? else {
                return Ok(None);
            };
            let aliases = table::aliases(transaction, lost)?;
            let is_merged = stored_again::merge(transaction, lost, &sha256)?;
            if is_merged {
                removals::add(transaction, lost, image.place)?;
            }
            Ok::<_, DatabaseError>(is_merged.then_some(aliases))
        });
        let Some(aliases) = merged.await? else {
            return Ok(false);
        };
        tracing::warn!(%lost, "a lost image is a second name of another one now");
        self.forget_bytes(lost, &aliases);
        self.0.renditions.forget(lost);
        self.0.removals_wanted.notify_one();
        Ok(true)
    }

    /// Puts the object in its place, without the narrower copies that may have been made of a
    /// rotten one, and then its data in the row. The caller holds the lock of its hash.
    async fn put_again(
        &self,
        mut image: StoredImage,
        mut new: NewImage,
        webp: &Bytes,
    ) -> Result<StoredImage, IngestError> {
        let hash = image.hash;
        let place = self.0.storage.at(image.place)?;
        place.remove_renditions(hash).await?;
        self.0.renditions.forget(hash);
        self.put_whole(image.place, hash, webp.clone()).await?;
        (image.size, image.width, image.height) =
            (new.image.size, new.image.width, new.image.height);
        new.image = image;
        let written = self.0.database.write(move |transaction| {
            stored_again::renew(transaction, &new)?;
            Ok::<_, DatabaseError>(table::aliases(transaction, hash)?)
        });
        let aliases = written.await?;
        tracing::warn!(%hash, "an image whose object was lost or wrong is stored again");
        self.forget_bytes(hash, &aliases);
        Ok(image)
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
            Some(there) => Err(StorageError::Failed(Message::SizeDiffers {
                name: name.to_string().into(),
                there: there.into(),
                size: size.into(),
            })),
        }
    }

    /// What is kept in memory of an image, under all its names, is not valid any more.
    fn forget_bytes(&self, hash: ImageHash, aliases: &[ImageHash]) {
        self.0.verified.forget(hash);
        self.0.cache.forget(hash, aliases);
        self.changed();
    }
}

fn unreadable(error: std::io::Error) -> StorageError {
    StorageError::Failed(error.into())
}
