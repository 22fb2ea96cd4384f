//! Journey 2, from the upload to the row: source digest, duplicate?, convert,
//! hash, store, commit. The row is the commit point.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use porchlight_api::ImageHash;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;

use super::convert::{self, ConvertError, ConvertOptions, Converted};
use super::incoming::{Incoming, Source};
use super::table::{self, NewImage, StoredImage};
use super::{Images, IngestError};
use crate::database::DatabaseError;
use crate::storage::ObjectName;
use crate::to_the_end::to_the_end;

/// How much of a local file is read at once.
const CHUNK: usize = 256 * 1024;

impl Images {
    /// Begins an upload.
    ///
    /// # Errors
    /// When its file cannot be made.
    pub async fn begin(&self) -> Result<Incoming, IngestError> {
        self.0
            .incoming
            .begin(self.0.settings.max_upload_bytes)
            .await
    }

    /// Makes an image of an upload that has come in whole.
    ///
    /// # Errors
    /// See [`IngestError`]; nothing is stored then.
    pub async fn ingest(&self, incoming: Incoming) -> Result<StoredImage, IngestError> {
        let source = incoming.finish().await?;
        let images = self.clone();
        // A client that gives up and comes again finds the picture there,
        // instead of having it converted twice.
        to_the_end(async move { images.ingest_source(source).await }).await
    }

    async fn ingest_source(&self, source: Source) -> Result<StoredImage, IngestError> {
        let digest = source.digest;
        let _turn = self.0.sources.turn(digest).await;
        if let Some(hash) = self.find_source(digest).await? {
            return Err(IngestError::Duplicate(hash));
        }
        let (source_size, source) = (source.size, Arc::new(source));
        let converted = self.convert(source).await?;
        let sha256: [u8; 32] = Sha256::digest(&converted.webp).into();
        let new = NewImage {
            image: StoredImage {
                hash: ImageHash::of_sha256(&sha256),
                size: converted.webp.len() as u64,
                width: converted.width,
                height: converted.height,
                created_at: self.0.clock.now(),
            },
            sha256,
            frames: converted.frames,
            source_digest: digest,
            source_size,
            source_format: converted.format.name(),
        };
        self.store(new, converted.webp.into()).await
    }

    /// Makes an image of a file on this machine.
    ///
    /// # Errors
    /// See [`IngestError`]; the file itself is only read.
    pub async fn ingest_file(&self, path: &Path) -> Result<StoredImage, IngestError> {
        let unreadable =
            |error: std::io::Error| IngestError::Unreadable(format!("{}: {error}", path.display()));
        let mut file = tokio::fs::File::open(path).await.map_err(unreadable)?;
        if !file.metadata().await.map_err(unreadable)?.is_file() {
            return Err(IngestError::NotAFile);
        }
        let mut incoming = self.begin().await?;
        loop {
            let mut chunk = bytes::BytesMut::with_capacity(CHUNK);
            if file.read_buf(&mut chunk).await.map_err(unreadable)? == 0 {
                return self.ingest(incoming).await;
            }
            incoming.write(&chunk.freeze()).await?;
        }
    }

    /// The image that these source bytes became, by their SHA-256.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_source(&self, digest: [u8; 32]) -> Result<Option<ImageHash>, DatabaseError> {
        self.0
            .database
            .read(move |connection| table::find_source(connection, &digest))
            .await
    }

    async fn convert(&self, source: Arc<Source>) -> Result<Converted, IngestError> {
        let options = self.convert_options();
        let header = Arc::clone(&source);
        // The header is looked at first, to know what to take from the budget.
        let reading = source.size;
        let inspection = self
            .0
            .workshop
            .work(reading, move || convert::inspect(&read(&header)?, &options))
            .await?;
        let options = self.convert_options();
        let convert = move || convert::convert(&read(&source)?, &options);
        Ok(self.0.workshop.work(inspection.memory, convert).await?)
    }

    pub(super) fn convert_options(&self) -> ConvertOptions {
        ConvertOptions {
            quality: u8::try_from(self.0.settings.quality).unwrap_or(100),
            max_pixels: self.0.settings.max_pixels,
            max_animation_pixels: self.0.settings.max_animation_pixels,
            apart: self.0.settings.apart.clone(),
        }
    }

    async fn store(&self, new: NewImage, webp: Bytes) -> Result<StoredImage, IngestError> {
        let hash = new.image.hash;
        let turn = self.0.hashes.turn(hash).await;
        let digest = new.source_digest;
        // Announced first, so that an object without a row is found and removed
        // by the next start, whatever happens between here and the commit.
        let there_already = self
            .0
            .database
            .write(move |transaction| -> Result<bool, DatabaseError> {
                if table::find(transaction, hash)?.is_some() {
                    table::add_source(transaction, &digest, hash)?;
                    return Ok(true);
                }
                table::add_removal(transaction, hash)?;
                Ok(false)
            })
            .await?;
        if there_already {
            return Err(IngestError::Duplicate(hash));
        }
        let image = new.image;
        let stored = async {
            self.0.storage.put(ObjectName::image(hash), webp).await?;
            self.0
                .database
                .write(move |transaction| -> Result<(), DatabaseError> {
                    table::insert(transaction, &new)?;
                    Ok(table::drop_removal(transaction, hash)?)
                })
                .await?;
            Ok::<_, IngestError>(())
        };
        let stored = stored.await;
        drop(turn);
        match stored {
            Ok(()) => {
                self.changed();
                Ok(image)
            }
            Err(error) => {
                self.0.removals_wanted.notify_one();
                Err(error)
            }
        }
    }
}

fn read(source: &Source) -> Result<Vec<u8>, ConvertError> {
    source
        .file
        .read()
        .map_err(|error| ConvertError::Internal(format!("an upload cannot be read back: {error}")))
}
