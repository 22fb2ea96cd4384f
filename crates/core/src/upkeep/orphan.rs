//! Objects without a row: given back to the image whose bytes they are, made an image again where a
//! copy of the database has its row or their name is their checksum, and set aside otherwise.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use porchlight_api::{ImageHash, Timestamp};
use porchlight_convert::{SourceFormat, Stored};
use rusqlite::OptionalExtension as _;

use super::UpkeepError;
use super::check;
use super::repair::{Mending, moved};
use crate::database::Database;
use crate::fault::{Fault, Problem};
use crate::images::TakeBack;
use crate::images::table::{self, NewImage, StoredImage};
use crate::storage::StorageKind;
use crate::storage::{ObjectName, Storage, StorageError, TrashFolder};

const BACK: &str = "an image that was missing has these bytes and is back";

/// Takes back an object that a run before this one announced and that no row has: this database may
/// be a copy from the moment between. The caller holds the lock of its hash and serves the folder.
pub(crate) fn taking_back(folder: &Path, storage: Storage, database: Database) -> TakeBack {
    let mending = Arc::new(Mending {
        folder: folder.to_owned(),
        storage,
        trash: TrashFolder::of(folder),
        database,
        served: true,
    });
    Box::new(move |hash, place| {
        let mending = Arc::clone(&mending);
        Box::pin(async move {
            let taken = mending.announced(hash, place).await;
            if let Some(problem) = taken.map_err(|error| StorageError::Failed(error.into()))? {
                let mended = problem.mended.unwrap_or_default();
                tracing::warn!("{}, and was announced: {mended}", problem.fault);
            }
            Ok(())
        })
    })
}

impl Mending {
    /// Takes back an announced object whose image is not sound. Where this database is an earlier
    /// state, its upload may have been answered.
    pub(super) async fn announced(
        &self,
        hash: ImageHash,
        place: StorageKind,
    ) -> Result<Option<Problem>, UpkeepError> {
        if let Some(row) = self.row(hash).await?
            && check::verify(&self.storage, row).await?.is_ok()
        {
            return Ok(None);
        }
        if self.storage.at(place).is_err() {
            return Ok(None);
        }
        let mended = self.orphan(hash, place, None).await?;
        Ok(mended.map(|mended| Problem {
            fault: Fault::Orphan(hash, place, None),
            mended: Some(mended),
        }))
    }

    /// Gives an object without a row back to an image, makes it one, or sets it aside; what was
    /// done, or `None` where it is gone.
    pub(super) async fn orphan(
        &self,
        hash: ImageHash,
        place: StorageKind,
        written: Option<Timestamp>,
    ) -> Result<Option<String>, UpkeepError> {
        let name = ObjectName::image(hash);
        let bytes = match self.storage.at(place)?.get(name).await {
            Ok(bytes) => bytes,
            Err(StorageError::Missing(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let sha256 = super::digest(bytes.clone()).await?;
        // Of another image the caller does not hold the lock.
        let may_change = |owner| !self.served || owner == hash;
        if self.put_back(&bytes, sha256, may_change).await? {
            self.set_aside(name, place).await?;
            return Ok(Some(BACK.to_owned()));
        }
        if let Some(mut new) = self.proves_itself(hash, sha256, &bytes, written).await? {
            new.image.place = place;
            self.write(move |transaction| table::insert(transaction, &new))
                .await?;
            return Ok(Some(
                "its name is its checksum: it is an image again".to_owned(),
            ));
        }
        let file = self.set_aside(name, place).await?;
        Ok(Some(moved(file.as_deref())))
    }

    pub(super) async fn stray(&self, path: &Path) -> Result<String, UpkeepError> {
        let bytes = std::fs::read(path).map_err(UpkeepError::file(path))?;
        let bytes = Bytes::from(bytes);
        let sha256 = super::digest(bytes.clone()).await?;
        let is_back = self.put_back(&bytes, sha256, |_| true).await?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = self.place_for(&name)?;
        porchlight_api::files::rename(path, &file).map_err(UpkeepError::file(path))?;
        Ok(if is_back {
            BACK.to_owned()
        } else {
            moved(Some(&file))
        })
    }

    /// Where an image with these bytes has a row and no right file: puts them
    /// in its place.
    async fn put_back(
        &self,
        bytes: &Bytes,
        sha256: [u8; 32],
        may_change: impl Fn(ImageHash) -> bool,
    ) -> Result<bool, UpkeepError> {
        let owner = self
            .database
            .read(move |connection| {
                let query = "SELECT hash FROM image WHERE sha256 = ?1";
                connection
                    .query_row(query, [sha256], |row| row.get(0).map(ImageHash::from_bytes))
                    .optional()
            })
            .await?;
        let Some(hash) = owner.filter(|owner| may_change(*owner)) else {
            return Ok(false);
        };
        let Some(row) = self.row(hash).await? else {
            return Ok(false);
        };
        match check::verify(&self.storage, row).await? {
            Ok(_) | Err(Fault::Size(..)) => return Ok(false),
            Err(_) => {}
        }
        let name = ObjectName::image(hash);
        self.set_aside(name, row.place).await?;
        self.storage.at(row.place)?.put(name, bytes.clone()).await?;
        Ok(true)
    }

    /// The row of a WebP whose name is its checksum and that no other image has.
    async fn proves_itself(
        &self,
        hash: ImageHash,
        sha256: [u8; 32],
        bytes: &[u8],
        written: Option<Timestamp>,
    ) -> Result<Option<NewImage>, UpkeepError> {
        let known = self
            .database
            .read(move |connection| {
                let known = table::find_source(connection, &sha256)?.is_some();
                Ok(known || table::named(connection, hash)?.is_some())
            })
            .await?;
        if ImageHash::of_sha256(&sha256) != hash || known {
            return Ok(None);
        }
        let size = bytes.len() as u64;
        Ok(Stored::of(bytes).map(|stored| NewImage {
            image: StoredImage {
                hash,
                size,
                width: stored.width,
                height: stored.height,
                created_at: written.unwrap_or_else(Timestamp::now),
                place: StorageKind::Disk,
            },
            sha256,
            frames: stored.frames,
            source_digest: sha256,
            source_size: size,
            source_format: SourceFormat::WebP.name().into(),
            name: None,
            // The service makes it.
            preview: None,
            album: None,
        }))
    }
}
