//! From the upload to the row: source digest, duplicate?, convert, hash, store,
//! commit. The row is the commit point.

use bytes::Bytes;
use porchlight_convert::helper::{Done, Task};
use porchlight_convert::{ConvertError, ConvertOptions};
use rusqlite::Transaction;
use sha2::{Digest as _, Sha256};

use super::helpers::Picture;
use super::incoming::{Incoming, Source};
use super::row::{NewImage, StoredImage};
use super::table;
use super::{Images, IngestError, removals};
use crate::db::DatabaseError;
use crate::state::detach::run_to_completion;
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

impl Images {
    /// Starts an upload.
    ///
    /// # Errors
    /// When its file cannot be made.
    pub async fn start_upload(&self) -> Result<Incoming, IngestError> {
        self.0
            .incoming
            .start(self.settings().max_upload_bytes)
            .await
    }

    /// Makes an image of a complete upload.
    ///
    /// # Errors
    /// See [`IngestError`]; nothing is stored then.
    pub async fn ingest(&self, incoming: Incoming) -> Result<StoredImage, IngestError> {
        let source = incoming.finish().await?;
        let images = self.clone();
        // A client that gives up and retries finds the image stored, instead of
        // having it converted twice.
        run_to_completion(async move { images.ingest_source(source).await }).await
    }

    async fn ingest_source(&self, source: Source) -> Result<StoredImage, IngestError> {
        let digest = source.digest;
        let _turn = self.0.sources.turn(digest).await;
        if let Some(image) = self.find_stored(digest).await? {
            return Err(IngestError::Duplicate(image));
        }
        let (mut new, webp) = self.made_of(source).await?;
        if let Some(image) = self.restore(&new, &webp).await? {
            return Ok(image);
        }
        // Another half of the checksum, should an imported image have been
        // given the first as its name.
        let (first, second) = new.sha256.split_at(16);
        for half in [first, second].map(|half| half.try_into().unwrap_or_default()) {
            new.image.hash = ImageHash::from_bytes(half);
            match self.store(new.clone(), webp.clone(), false).await? {
                StoreOutcome::Stored => {
                    // There may be no subscriber.
                    let _ = self.0.added.send(new.image.hash);
                    return Ok(new.image);
                }
                StoreOutcome::Known(image) => return Err(IngestError::Duplicate(image)),
                StoreOutcome::NameTaken => {}
            }
        }
        Err(IngestError::Storage(
            "both names of the picture are other images' names".into(),
        ))
    }

    /// The row and the bytes of the image that a source becomes.
    pub(super) async fn made_of(
        &self,
        mut source: Source,
    ) -> Result<(NewImage, Bytes), IngestError> {
        let (source_digest, source_size) = (source.digest, source.size);
        let (name, album) = (source.name.take(), source.album.take());
        let task = Task::Convert(self.convert_options());
        let picture = Picture::File(source.file.path());
        let (done, webp) = self.0.helpers.run(&task, picture).await?;
        let Done::Converted {
            width,
            height,
            frames,
            format,
            preview,
        } = done
        else {
            return Err(ConvertError::Internal("another answer".into()).into());
        };
        let sha256: [u8; 32] = Sha256::digest(&webp).into();
        let new = NewImage {
            image: StoredImage {
                hash: ImageHash::of_sha256(&sha256),
                size: webp.len() as u64,
                width,
                height,
                created_at: self.0.clock.now(),
                // Decided when it is stored.
                place: StorageKind::default(),
            },
            sha256,
            frames,
            source_digest,
            source_size,
            source_format: format.name().into(),
            name,
            preview: Some(preview),
            album,
        };
        Ok((new, webp.into()))
    }

    pub(super) fn convert_options(&self) -> ConvertOptions {
        let settings = self.settings();
        ConvertOptions {
            quality: u8::try_from(settings.quality).unwrap_or(100),
            max_side: u32::try_from(settings.max_side).unwrap_or(u32::MAX),
            max_pixels: settings.max_pixels,
            max_animation_pixels: settings.max_animation_pixels,
        }
    }

    /// Stores an image under the name that `new` has. Where the image exists
    /// already it gets this name as an alias, if that is `wanted`.
    pub(super) async fn store(
        &self,
        mut new: NewImage,
        webp: Bytes,
        wanted: bool,
    ) -> Result<StoreOutcome, IngestError> {
        let new_in = self.0.new_in.read().await;
        let (hash, place) = (new.image.hash, new_in.place());
        new.image.place = place;
        let turn = self.0.hashes.turn(hash).await;
        let digests = (new.source_digest, new.sha256);
        let there_already = self
            .0
            .database
            .write(move |transaction| {
                let known = known(transaction, hash, digests, wanted)?;
                if let Some(StoreOutcome::Known(owner)) = known {
                    table::add_source(transaction, &digests.0, owner.hash)?;
                }
                Ok::<_, DatabaseError>(known)
            })
            .await?;
        if let Some(outcome) = there_already {
            return Ok(outcome);
        }
        let stored = async {
            self.put_whole(place, hash, webp).await?;
            let outcome = self.0.database.write(move |transaction| {
                // Another source may have become the same image in between.
                if let Some(outcome) = known(transaction, hash, digests, wanted)? {
                    return Ok(outcome);
                }
                table::insert(transaction, &new)?;
                removals::take_out(transaction, hash, place)?;
                Ok::<_, DatabaseError>(StoreOutcome::Stored)
            });
            Ok::<_, IngestError>(outcome.await?)
        };
        let stored = stored.await;
        if let Ok(StoreOutcome::Stored) = stored
            && let Err(error) = self.0.trash.remove(hash).await
        {
            tracing::warn!(%hash, %error, "its copy in the trash is removed later");
        }
        drop(turn);
        if let Ok(StoreOutcome::Stored) = stored {
            self.changed();
        }
        stored
    }
}

/// The outcome of storing an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreOutcome {
    Stored,
    /// The image exists already.
    Known(StoredImage),
    /// Another image has the name.
    NameTaken,
}

/// Why there is nothing to store; `None` where there is. An image that exists
/// gets the name as an alias, if that is wanted and no other image has it.
fn known(
    transaction: &Transaction<'_>,
    name: ImageHash,
    digests: ([u8; 32], [u8; 32]),
    wanted: bool,
) -> rusqlite::Result<Option<StoreOutcome>> {
    let named = table::named(transaction, name)?;
    let owner = match table::owner(transaction, digests)? {
        Some(hash) => table::find(transaction, hash)?,
        None => None,
    };
    Ok(match (owner, named) {
        (Some(owner), None) => {
            if wanted {
                table::add_alias(transaction, name, owner.hash)?;
            }
            Some(StoreOutcome::Known(owner))
        }
        (Some(owner), Some(named)) if wanted && named.hash != owner.hash => {
            Some(StoreOutcome::NameTaken)
        }
        (Some(owner), Some(_)) => Some(StoreOutcome::Known(owner)),
        (None, Some(_)) => Some(StoreOutcome::NameTaken),
        (None, None) => None,
    })
}
