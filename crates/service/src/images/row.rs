//! What rows of the tables `image` and `trash` are made of, and how they are read.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porchlight_convert::Preview;
use rusqlite::Row;

use crate::clock::timestamp::Timestamp;
use crate::http::replies::{ImageItem, ItemDetails};
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// A stored image, as every part of the service knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredImage {
    /// Its public name, which is its object's, too.
    pub hash: ImageHash,
    /// Stored bytes.
    pub size: u64,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// When it was stored.
    pub created_at: Timestamp,
    /// Where its object is.
    pub place: StorageKind,
}

/// A stored image with all that lists show of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedImage {
    /// The image.
    pub image: StoredImage,
    /// Frames; 1 for a still.
    pub frames: u32,
    /// What is shown before it is loaded; `None` before that is made, and where it cannot be.
    pub preview: Option<Preview>,
    /// Its album.
    pub album: Option<String>,
}

impl ListedImage {
    /// As a list shows it, with or without details.
    #[must_use]
    pub fn item(&self, detailed: bool) -> ImageItem {
        let image = &self.image;
        ImageItem {
            hash: image.hash,
            content_type: "image/webp".to_owned(),
            created_at: image.created_at,
            details: detailed.then(|| ItemDetails {
                width: image.width,
                height: image.height,
                size: image.size,
                animated: self.frames > 1,
                color: self
                    .preview
                    .as_ref()
                    .map(|one| format!("#{:06x}", one.colour)),
                thumbhash: self.thumbhash(),
            }),
        }
    }

    /// Its ThumbHash in base64.
    #[must_use]
    pub fn thumbhash(&self) -> Option<String> {
        let preview = self.preview.as_ref();
        preview.map(|preview| BASE64_STANDARD.encode(&preview.thumbhash))
    }
}

/// What a new row is made of.
#[derive(Debug, Clone)]
pub(crate) struct NewImage {
    pub(crate) image: StoredImage,
    pub(crate) sha256: [u8; 32],
    pub(crate) frames: u32,
    pub(crate) source_digest: [u8; 32],
    pub(crate) source_size: u64,
    pub(crate) source_format: Cow<'static, str>,
    /// That of its file.
    pub(crate) name: Option<String>,
    pub(crate) preview: Option<Preview>,
    pub(crate) album: Option<String>,
}

/// A former image, from the trash.
pub(crate) struct FormerImage {
    /// Its row, with its first source.
    pub(crate) image: NewImage,
    /// The digests of all its sources.
    pub(crate) sources: Vec<[u8; 32]>,
    /// Its other names.
    pub(crate) aliases: Vec<ImageHash>,
}

/// The columns of a [`StoredImage`].
pub(super) const COLUMNS: &str =
    "image.hash, image.size, image.width, image.height, image.created_at, image.place";

/// The image of a row that starts with [`COLUMNS`].
pub(super) fn stored(row: &Row<'_>) -> rusqlite::Result<StoredImage> {
    Ok(StoredImage {
        hash: row.get(0)?,
        size: row.get::<_, i64>(1)?.unsigned_abs(),
        width: row.get(2)?,
        height: row.get(3)?,
        created_at: Timestamp::from_millis(row.get(4)?),
        place: row.get(5)?,
    })
}

/// The columns of a [`ListedImage`].
pub(super) const LISTED: &str = "image.hash, image.size, image.width, image.height, image.created_at, \
     image.place, image.frames, image.colour, image.thumbhash, image.album";

/// The image of a row that starts with [`LISTED`].
pub(super) fn listed(row: &Row<'_>) -> rusqlite::Result<ListedImage> {
    Ok(ListedImage {
        image: stored(row)?,
        frames: row.get(6)?,
        preview: preview(row, 7)?,
        album: row.get(9)?,
    })
}

/// The preview in a row's columns `colour` and `thumbhash`, the first of which this is.
pub(crate) fn preview(row: &Row<'_>, colour: usize) -> rusqlite::Result<Option<Preview>> {
    let thumbhash: Option<Vec<u8>> = row.get(colour + 1)?;
    let preview = row.get::<_, Option<u32>>(colour)?.zip(thumbhash);
    Ok(preview.map(|(colour, thumbhash)| Preview { colour, thumbhash }))
}
