//! Where WebP files live: in the data folder, or in an object store.
//!
//! The rows of the database say which images there are; storage only keeps
//! and gives back bytes under an [`ObjectName`].

use std::fmt;
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use porchlight_api::ImageHash;

use crate::settings::{StorageKind, StorageSettings};

mod disk;
mod s3;

pub(crate) use disk::{holds_images, sweep};

/// One of the two places; cheap to clone.
#[derive(Clone)]
pub(crate) enum Storage {
    Disk(disk::Disk),
    S3(s3::S3),
}

/// What a stored object is called: an image, or a narrower copy of one.
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

/// The bytes of an object, or a part of them, as they come.
pub(crate) type ByteStream = BoxStream<'static, std::io::Result<Bytes>>;

/// Why storage did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The disk or the object store is full.
    #[error("there is no room left: {0}")]
    Full(String),
    /// No such object, although its row says so.
    #[error("{0} is missing")]
    Missing(String),
    /// Anything else, with what was tried.
    #[error("{0}")]
    Failed(String),
}

/// Why storage could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum OpenStorageError {
    /// The image folder cannot be made or written.
    #[error("the folder {0} cannot be used ({1}): check that it may be written")]
    Folder(std::path::PathBuf, std::io::Error),
    /// The settings do not describe an object store.
    #[error("storage.kind is \"s3\", but {0}")]
    Settings(String),
}

impl Storage {
    pub(crate) fn open(
        data_folder: &Path,
        settings: &StorageSettings,
    ) -> Result<Self, OpenStorageError> {
        match settings.kind {
            StorageKind::Disk => disk::Disk::open(data_folder).map(Self::Disk),
            StorageKind::S3 => s3::S3::open(settings).map(Self::S3),
        }
    }

    /// Keeps `bytes` under `name`. When it returns, they are there to stay.
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

    /// A part of an object, as it comes.
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
        match self {
            Self::Disk(disk) => disk.remove(hash).await,
            Self::S3(s3) => s3.remove(hash).await,
        }
    }
}
