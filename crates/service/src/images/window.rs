//! Stored images.

use serde::{Deserialize, Serialize};

use crate::text::address::WebAddress;
use crate::text::image_hash::ImageHash;

/// A stored image, as the window shows it. Its pixels are at
/// `picture://localhost/<hash>?w=320`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// Its hash.
    #[cfg_attr(test, ts(type = "string"))]
    pub hash: ImageHash,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Stored bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub size: u64,
    /// Bytes of the file as it came.
    #[cfg_attr(test, ts(type = "number"))]
    pub source_size: u64,
    /// The format that it came in, such as `jpeg`.
    pub source_format: String,
    /// More than one frame.
    pub animated: bool,
    /// How often readers viewed it.
    #[cfg_attr(test, ts(type = "number"))]
    pub views: u64,
    /// Unix milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: i64,
    /// Its public address.
    pub url: String,
    /// What its file was called, or the owner calls it. It is the alternative text of its links.
    pub name: Option<String>,
    /// Its album.
    pub album: Option<String>,
    /// How many posts use it; `None` where that is not known of all folders of posts, or none is set.
    pub posts: Option<u32>,
}

/// Which images to find; criteria that are not given do not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageSearch {
    /// The prefix of the hash: hexadecimal digits. With a name, one of both suffices.
    pub hash: Option<String>,
    /// A part of the name, in any case.
    pub name: Option<String>,
    /// Stored at this time or later.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub from: Option<i64>,
    /// Stored before this time.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub to: Option<i64>,
    /// What comes first.
    pub order: ImageOrder,
    /// Only these.
    pub only: Option<ImageFilter>,
    /// Only those in this album.
    pub album: Option<String>,
}

/// The order of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ImageOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
    /// By name; those without one come last.
    Name,
    /// The one with the most stored bytes first.
    Largest,
    /// The most viewed first.
    Views,
}

/// Some of the images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ImageFilter {
    /// Those with more than one frame.
    Animated,
    /// Those without a name.
    Unnamed,
    /// Those that no reader viewed.
    Unseen,
    /// Those that no post uses.
    InNoPost,
}

/// The images of a day by the owner's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ImageDay {
    /// A time on that day, in Unix milliseconds: that of its newest image.
    #[cfg_attr(test, ts(type = "number"))]
    pub at: i64,
    /// How many there are.
    #[cfg_attr(test, ts(type = "number"))]
    pub count: u64,
}

/// A part of the images, in the wanted order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ImagePage {
    /// How many there are, of those that are wanted.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    /// Those from the wanted place on.
    pub images: Vec<Picture>,
}

/// What a copied link looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LinkForm {
    /// The one that the owner prefers, by `links.template`.
    Own,
    /// The address alone.
    Url,
    /// `![name](address)`
    Markdown,
    /// `<img src="address" alt="name">` with its size.
    Html,
    /// The same with all widths, of which a browser takes the one that fits.
    Responsive,
    /// `[img]address[/img]`
    Bbcode,
}

/// What a deletion did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Deletion {
    /// How many images were deleted.
    pub pictures: u32,
    /// Whether they can be put back.
    pub in_trash: bool,
}

/// A deleted image that can be put back. Its pixels are at `picture://localhost/trash-<hash>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DeletedPicture {
    /// Its hash.
    #[cfg_attr(test, ts(type = "string"))]
    pub hash: ImageHash,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Stored bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub size: u64,
    /// Its name.
    pub name: Option<String>,
    /// Its album.
    pub album: Option<String>,
    /// When it was stored, in Unix milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: i64,
    /// When it is removed from the trash, in Unix milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub until: i64,
}

/// A part of the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TrashPage {
    /// How many images are in it.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    /// Those that were deleted last come first.
    pub pictures: Vec<DeletedPicture>,
}

/// What all images take, at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PictureSpace {
    /// How many there are.
    #[cfg_attr(test, ts(type = "number"))]
    pub pictures: u64,
    /// Their size as they are stored, in bytes, without renditions.
    #[cfg_attr(test, ts(type = "number"))]
    pub stored: u64,
    /// The size of the files that they were made from, in bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub sources: u64,
}

/// How long an address leads here, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AddressKind {
    /// The owner's own: links that are made with it last.
    Permanent,
    /// A tunnel printed it: after its next start it is another one.
    Temporary,
    /// Only this machine or its network reaches it.
    Local,
}

impl AddressKind {
    /// The kind of an address that the owner chose.
    #[must_use]
    pub fn of_chosen(address: &WebAddress) -> Self {
        match address.is_local() {
            true => Self::Local,
            false => Self::Permanent,
        }
    }
}
