//! Storage of WebP files: in the data folder, or in an object store.
//!
//! The rows of the database define which images exist, and in which of the two places each is;
//! storage only stores and returns bytes under an [`ObjectName`].

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use porchlight_api::{ImageHash, Message, Timestamp, into_message};

mod disk;
mod s3;
mod self_test;
mod settings;

pub(crate) use disk::{holds_images, sweep};
pub(crate) use s3::{Document, Documents};
pub use self_test::test_store;
pub(crate) use settings::IMAGES;
pub use settings::{StorageKind, StorageSettings};

/// The widths of renditions, in pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];

/// Both places; cheap to clone.
#[derive(Clone)]
pub(crate) struct Storage {
    disk: disk::Disk,
    /// `None` where the settings describe no object store.
    s3: Option<s3::S3>,
}

/// One of the two places; cheap to clone.
#[derive(Clone)]
pub(crate) enum ObjectPlace {
    Disk(disk::Disk),
    S3(s3::S3),
}

/// The name of a stored object: an image, or a rendition of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ObjectName {
    pub(crate) hash: ImageHash,
    /// The width of a rendition; `None` for the image itself.
    pub(crate) width: Option<u32>,
}

impl ObjectName {
    pub(crate) fn image(hash: ImageHash) -> Self {
        Self { hash, width: None }
    }

    pub(crate) fn rendition(hash: ImageHash, width: u32) -> Self {
        Self {
            hash,
            width: Some(width),
        }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width {
            None => write!(f, "{}.webp", self.hash),
            Some(width) => write!(f, "{}.w{width}.webp", self.hash),
        }
    }
}

impl ObjectName {
    /// Parses a name in its canonical form.
    fn parse(text: &str) -> Option<Self> {
        let stem = text.strip_suffix(".webp")?;
        let name = match stem.split_once(".w") {
            None => Self::image(stem.parse().ok()?),
            Some((hash, width)) => {
                let width = width.parse().ok()?;
                WIDTHS
                    .contains(&width)
                    .then_some(Self::rendition(hash.parse().ok()?, width))?
            }
        };
        (name.to_string() == text).then_some(name)
    }
}

/// An entry of a listing of storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListedObject {
    /// An object in its place, and when it was last written.
    Object(ObjectName, Option<Timestamp>),
    /// A WebP file among the images whose name is no object's name, or which
    /// is not where that name belongs.
    Stray(PathBuf),
    /// Anything else: not the service's own.
    Foreign,
}

/// The bytes of an object, or a part of them, as a stream.
pub(crate) type ByteStream = BoxStream<'static, std::io::Result<Bytes>>;

/// Why a storage operation failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum StorageError {
    /// The disk or the object store is full.
    Full(Message),
    /// No such object, although its row exists.
    Missing(String),
    /// Anything else, with what was tried.
    Failed(Message),
}

impl From<&StorageError> for Message {
    fn from(error: &StorageError) -> Self {
        match error {
            StorageError::Full(why) => {
                let why = why.clone().into();
                Self::NoRoom { why }
            }
            StorageError::Missing(name) => {
                let name = name.as_str().into();
                Self::ObjectMissing { name }
            }
            StorageError::Failed(why) => why.clone(),
        }
    }
}

into_message!(StorageError);

/// Why storage could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum OpenStorageError {
    /// The image folder cannot be made or written.
    Folder(std::path::PathBuf, std::io::Error),
    /// The settings do not describe an object store.
    Settings(Message),
    /// Images are in an object store that the settings do not describe.
    Elsewhere(u64),
}

impl From<&OpenStorageError> for Message {
    fn from(error: &OpenStorageError) -> Self {
        match error {
            OpenStorageError::Folder(folder, why) => Self::FolderUnusable {
                folder: folder.into(),
                why: why.into(),
            },
            OpenStorageError::Settings(why) => {
                let why = why.clone().into();
                Self::StoreUndescribed { why }
            }
            OpenStorageError::Elsewhere(count) => {
                let count = (*count).into();
                Self::ImagesElsewhere { count }
            }
        }
    }
}

into_message!(OpenStorageError);

impl OpenStorageError {
    /// Whether changing the settings can fix it.
    #[must_use]
    pub fn is_about_settings(&self) -> bool {
        matches!(self, Self::Settings(_) | Self::Elsewhere(_))
    }
}

impl Storage {
    pub(crate) fn open(
        data_folder: &Path,
        settings: &StorageSettings,
    ) -> Result<Self, OpenStorageError> {
        Ok(Self {
            disk: disk::Disk::open(data_folder)?,
            s3: s3(settings)?,
        })
    }

    /// Storage beside the process that serves it: nothing is created or
    /// removed.
    pub(crate) fn beside(
        data_folder: &Path,
        settings: &StorageSettings,
    ) -> Result<Self, OpenStorageError> {
        Ok(Self {
            disk: disk::Disk::beside(data_folder),
            s3: s3(settings)?,
        })
    }

    /// The disk, for what is done there alone.
    pub(crate) fn disk(&self) -> &disk::Disk {
        &self.disk
    }

    /// One of the places.
    pub(crate) fn at(&self, kind: StorageKind) -> Result<ObjectPlace, StorageError> {
        let s3 = match kind {
            StorageKind::Disk => return Ok(ObjectPlace::Disk(self.disk.clone())),
            StorageKind::S3 => self.s3.clone().map(ObjectPlace::S3),
        };
        s3.ok_or(StorageError::Failed(Message::NoObjectStore))
    }

    /// Whether the settings describe an object store.
    pub(crate) fn has_an_object_store(&self) -> bool {
        self.s3.is_some()
    }

    /// Checks that the object store is configured, where `images` of the images
    /// are in it.
    pub(crate) fn must_reach(&self, images: u64) -> Result<(), OpenStorageError> {
        if images > 0 && self.s3.is_none() {
            return Err(OpenStorageError::Elsewhere(images));
        }
        Ok(())
    }
}

/// The object store of the settings, also where new images go to the disk:
/// those of before may be in it.
fn s3(settings: &StorageSettings) -> Result<Option<s3::S3>, OpenStorageError> {
    if settings.kind == StorageKind::S3 || settings.describe_a_store() {
        return s3::S3::open(settings).map(Some);
    }
    Ok(None)
}

impl ObjectPlace {
    /// Everything that is in storage now.
    pub(crate) async fn look_through(&self) -> Result<Vec<ListedObject>, StorageError> {
        match self {
            Self::Disk(disk) => disk.look_through().await,
            Self::S3(s3) => s3.look_through().await,
        }
    }

    /// Moves an object out of storage to `file` in the data folder; `false`
    /// when there is none.
    pub(crate) async fn set_aside(
        &self,
        name: ObjectName,
        file: PathBuf,
    ) -> Result<bool, StorageError> {
        match self {
            Self::Disk(disk) => disk.set_aside(name, file).await,
            Self::S3(s3) => s3.set_aside(name, file).await,
        }
    }

    /// Stores `bytes` under `name`, durably.
    pub(crate) async fn put(&self, name: ObjectName, bytes: Bytes) -> Result<(), StorageError> {
        match self {
            Self::Disk(disk) => disk.put(name, bytes).await,
            Self::S3(s3) => s3.put(name, bytes).await,
        }
    }

    /// How many bytes an object has; `None` when it is not there.
    pub(crate) async fn size(&self, name: ObjectName) -> Result<Option<u64>, StorageError> {
        match self {
            Self::Disk(disk) => disk.size(name).await,
            Self::S3(s3) => s3.size(name).await,
        }
    }

    /// All bytes of an object.
    pub(crate) async fn get(&self, name: ObjectName) -> Result<Bytes, StorageError> {
        match self {
            Self::Disk(disk) => disk.get(name).await,
            Self::S3(s3) => s3.get(name).await,
        }
    }

    /// A part of an object, as a stream.
    pub(crate) async fn stream(
        &self,
        name: ObjectName,
        range: Range<u64>,
    ) -> Result<ByteStream, StorageError> {
        match self {
            Self::Disk(disk) => disk.stream(name, range).await,
            Self::S3(s3) => s3.stream(name, range).await,
        }
    }

    /// Removes an image and its renditions; what is not there is no error.
    pub(crate) async fn remove(&self, hash: ImageHash) -> Result<(), StorageError> {
        self.remove_renditions(hash).await?;
        self.remove_all(&[ObjectName::image(hash)]).await
    }

    /// Removes the renditions of an image.
    pub(crate) async fn remove_renditions(&self, hash: ImageHash) -> Result<(), StorageError> {
        let renditions = WIDTHS.map(|width| ObjectName::rendition(hash, width));
        self.remove_all(&renditions).await
    }

    /// Removes objects of one folder.
    async fn remove_all(&self, names: &[ObjectName]) -> Result<(), StorageError> {
        match self {
            Self::Disk(disk) => disk.remove_all(names).await,
            Self::S3(s3) => s3.remove_all(names).await,
        }
    }
}
