//! Objects without a row: an image again where their name is their checksum, given back to the image of
//! their name where that has lost its own, and set aside otherwise.

use bytes::Bytes;
use porchlight_convert::{SourceFormat, Stored};

use super::check;
use super::repair::{Repair, moved};
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::images::row::{NewImage, StoredImage};
use crate::images::table;
use crate::images::trash_table;
use crate::storage::{ObjectName, StorageError, StorageKind};
use crate::text::image_hash::ImageHash;

impl Repair {
    /// What was done with the object.
    pub(super) async fn orphan(
        &self,
        hash: ImageHash,
        place: StorageKind,
        written: Option<Timestamp>,
    ) -> Result<String, Message> {
        let name = ObjectName::image(hash);
        let bytes = match self.images.storage().at(place)?.get(name).await {
            Ok(bytes) => bytes,
            Err(StorageError::Missing(_)) => return Ok(moved(None)),
            Err(error) => return Err(error.into()),
        };
        let sha256 = super::digest(bytes.clone()).await?;
        if let Some(row) = self.row(hash).await? {
            let is_whole = check::verify(self.images.storage(), row).await?.is_ok();
            if is_whole && row.place == place {
                return Ok("it has become an image meanwhile".to_owned());
            }
            if row.sha256 == sha256 && !is_whole {
                self.write(move |transaction| table::put_in(transaction, hash, place))
                    .await?;
                self.images.was_repaired(hash, &[]);
                return Ok("an image that was missing has these bytes and is back".to_owned());
            }
        } else if let Some(mut new) = self.proves_itself(hash, sha256, &bytes, written).await? {
            new.image.place = place;
            self.write(move |transaction| table::insert(transaction, &new))
                .await?;
            self.images.was_repaired(hash, &[]);
            return Ok("its name is its checksum: it is an image again".to_owned());
        }
        let file = self.set_aside(name, place).await?;
        Ok(moved(file.as_deref()))
    }

    /// The row of a WebP whose name is its checksum and that no other image has, nor one in the trash.
    async fn proves_itself(
        &self,
        hash: ImageHash,
        sha256: [u8; 32],
        bytes: &Bytes,
        written: Option<Timestamp>,
    ) -> Result<Option<NewImage>, Message> {
        let known = self
            .images
            .database()
            .read(move |connection| {
                let known = table::find_source(connection, &sha256)?.is_some();
                // What its owner has deleted does not come back by itself.
                let deleted = trash_table::place_of(connection, hash)?.is_some();
                Ok(known || deleted || table::named(connection, hash)?.is_some())
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
