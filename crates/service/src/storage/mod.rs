//! Storage of WebP files: in the data folder, in an object store, or at the Worker.
//!
//! The rows of the database define which images exist, and in which of these places each is;
//! storage only stores and returns bytes under an [`ObjectName`].

pub mod window;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use parking_lot::RwLock;

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::into_message;
use crate::text::image_hash::ImageHash;

mod disk;
mod edge_day;
mod remote;
mod self_test;
mod settings;
mod trash;

pub use crate::text::image_hash::WIDTHS;
pub(crate) use disk::{holds_images, sweep};
pub use edge_day::EdgeDay;
pub use remote::prove_edge;
pub(crate) use remote::{EdgeCounts, EdgeStore, SyncError};
pub use self_test::test_store;
pub use settings::{EdgeSettings, StorageKind, StorageSettings};
pub(crate) use trash::{Taken, TrashFolder};

/// All places; cheap to clone.
#[derive(Clone)]
pub(crate) struct Storage {
    disk: disk::Disk,
    /// Those that the settings describe. Clones share them.
    remote: Arc<RwLock<RemoteStores>>,
}

type RemoteStores = Vec<(StorageKind, remote::RemoteStore)>;

/// One of the places; cheap to clone.
#[derive(Clone)]
pub(crate) enum ObjectPlace {
    Disk(disk::Disk),
    Remote(remote::RemoteStore),
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
    /// The object store answers, and does not do what was tried with this object.
    Refused(Message),
    /// Anything else, with what was tried.
    Failed(Message),
}

impl From<&StorageError> for Message {
    fn from(error: &StorageError) -> Self {
        match error {
            StorageError::Full(why) => {
                crate::detail!("there is no room left: {why}")
            }
            StorageError::Missing(name) => {
                let name = name.as_str();
                crate::detail!("{name} is missing")
            }
            StorageError::Refused(why) | StorageError::Failed(why) => why.clone(),
        }
    }
}

into_message!(StorageError);

/// A folder of storage cannot be made or written.
pub(crate) fn unusable(folder: &Path, why: &std::io::Error) -> Message {
    let folder = folder.display();
    crate::detail!("the folder {folder} cannot be used ({why}): check that it may be written")
}

/// The settings do not describe an object store.
fn undescribed(why: &dyn std::fmt::Display) -> Message {
    let why = crate::detail!("`storage.kind` wants an object store, but {why}").into();
    Message::Settings { why }
}

/// So many images are in a store that the settings do not describe.
pub(crate) fn elsewhere(kind: StorageKind, count: u64) -> Message {
    let why = match kind {
        StorageKind::Edge => crate::detail!(
            "{count} of the images are at the Worker, but `edge.url` and `edge.secret` do not say where: set them; `porchlight storage move --to disk` brings the images back"
        ),
        _ => crate::detail!(
            "{count} of the images are in an object store, but `storage.endpoint`, `storage.bucket`, `storage.access_key` and `storage.secret_key` do not say where: set them; `porchlight storage move --to disk` brings the images back"
        ),
    };
    Message::Settings { why: why.into() }
}

impl Storage {
    pub(crate) fn open(data_folder: &Path, settings: &StorageSettings) -> Result<Self, Message> {
        Ok(Self {
            disk: disk::Disk::open(data_folder)?,
            remote: Arc::new(RwLock::new(remote(settings)?)),
        })
    }

    /// Storage beside the process that serves it: nothing is created or
    /// removed.
    pub(crate) fn beside(data_folder: &Path, settings: &StorageSettings) -> Result<Self, Message> {
        Ok(Self {
            disk: disk::Disk::beside(data_folder),
            remote: Arc::new(RwLock::new(remote(settings)?)),
        })
    }

    /// The disk, for what is done there alone.
    pub(crate) fn disk(&self) -> &disk::Disk {
        &self.disk
    }

    /// One of the places.
    pub(crate) fn at(&self, kind: StorageKind) -> Result<ObjectPlace, StorageError> {
        if kind == StorageKind::Disk {
            return Ok(ObjectPlace::Disk(self.disk.clone()));
        }
        let remote = self.remote.read();
        let mut described = remote.iter().filter(|(known, _)| *known == kind);
        let (_, store) = described.next().ok_or(StorageError::Failed(crate::detail!(
            "the settings describe no object store"
        )))?;
        Ok(ObjectPlace::Remote(store.clone()))
    }

    /// Uses the stores that these settings describe from now on. What is being read or written goes
    /// on where it is.
    ///
    /// # Errors
    /// What the settings lack; the stores stay what they were.
    pub(crate) fn follow(&self, settings: &StorageSettings) -> Result<(), Message> {
        let stores = remote(settings)?;
        *self.remote.write() = stores;
        Ok(())
    }
}

/// The stores of the settings, also where new images go elsewhere: those of before may be in them.
fn remote(settings: &StorageSettings) -> Result<RemoteStores, Message> {
    let used = StorageKind::REMOTE.into_iter();
    let used = used.filter(|kind| settings.uses(*kind));
    let open = |kind| Ok((kind, remote::RemoteStore::open(settings, kind)?));
    used.map(open).collect()
}

impl ObjectPlace {
    /// Everything that is in storage now.
    pub(crate) async fn look_through(&self) -> Result<Vec<ListedObject>, StorageError> {
        match self {
            Self::Disk(disk) => disk.look_through().await,
            Self::Remote(store) => store.look_through().await,
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
            Self::Remote(store) => store.set_aside(name, file).await,
        }
    }

    /// Stores `bytes` under `name`, durably.
    pub(crate) async fn put(&self, name: ObjectName, bytes: Bytes) -> Result<(), StorageError> {
        match self {
            Self::Disk(disk) => disk.put(name, bytes).await,
            Self::Remote(store) => store.put(name, bytes).await,
        }
    }

    /// How many bytes an object has; `None` when it is not there.
    pub(crate) async fn size(&self, name: ObjectName) -> Result<Option<u64>, StorageError> {
        match self {
            Self::Disk(disk) => disk.size(name).await,
            Self::Remote(store) => store.size(name).await,
        }
    }

    /// All bytes of an object.
    pub(crate) async fn get(&self, name: ObjectName) -> Result<Bytes, StorageError> {
        match self {
            Self::Disk(disk) => disk.get(name).await,
            Self::Remote(store) => store.get(name).await,
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
            Self::Remote(store) => store.stream(name, range).await,
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
            Self::Remote(store) => store.remove_all(names).await,
        }
    }
}
