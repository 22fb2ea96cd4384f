//! Images: received, converted to WebP, listed, searched, served and deleted.
//!
//! A row in the database is what makes an image exist; objects in storage and
//! renditions follow it.

pub mod fault;
pub mod link;
pub mod window;

use std::path::Path;
use std::sync::Arc;

use tokio::sync::{Notify, RwLock, broadcast};

use crate::clock::Clock;
use crate::db::{Database, DatabaseError};
use crate::error::BoxError;
use crate::error::message::Message;
use crate::sentence_is_message;
use crate::state::{State, StateReader};
use crate::storage::{Storage, StorageError, StorageKind, StorageSettings, TrashFolder};
use crate::text::image_hash::ImageHash;

mod albums;
mod cache;
pub(crate) mod classes;
mod helpers;
mod import_image;
mod incoming;
mod ingest;
mod keyed_lock;
mod listing;
mod make_rendition;
mod moving;
pub(crate) mod names;
mod previews;
mod removal;
pub(crate) mod removals;
mod renditions;
pub(crate) mod row;
mod search;
mod serving;
mod settings;
mod stored_object;
pub(crate) mod table;
mod trash;
pub(crate) mod trash_table;

pub(crate) use trash::remove_deleted;

pub use crate::storage::WIDTHS;
pub use classes::{ImageClass, NoOrientation, Orientation};
pub use import_image::Imported;
pub use incoming::Incoming;
pub use listing::Page;
pub use moving::MoveReport;
pub use row::{ListedImage, StoredImage};
pub use search::{FoundImages, HashPrefix, ImageDetails, ImageSearch, NoPrefix};
pub use serving::{Body, Served};
pub use settings::{Delivery, ImagesSettings};
pub use trash::{Deletion, Trash};
pub use trash_table::DeletedImage;

use porchlight_convert::ConvertError;

/// How many added images are kept for a slow receiver, which learns how many more there were.
const ADDED_KEPT: usize = 64;

/// The images of one data folder; cheap to clone.
#[derive(Clone)]
pub struct Images(Arc<Inner>);

struct Inner {
    database: Database,
    storage: Storage,
    /// Where new images go. Held while one is stored, so that a move can wait
    /// for uploads that started before it.
    new_in: RwLock<Destination>,
    /// One move at a time.
    moving: tokio::sync::Mutex<()>,
    move_mark: moving::MoveMark,
    settings: parking_lot::RwLock<Arc<ImagesSettings>>,
    clock: Clock,
    incoming: incoming::IncomingFolder,
    helpers: helpers::Helpers,
    /// Two uploads of the same bytes: the second waits for the outcome of the
    /// first.
    sources: keyed_lock::KeyedLock<[u8; 32]>,
    /// Held, by image, while its objects in storage change.
    hashes: keyed_lock::KeyedLock<ImageHash>,
    /// Held, by image and width, while a rendition is made.
    rendition_locks: keyed_lock::KeyedLock<(ImageHash, u32)>,
    cache: cache::Cache,
    renditions: renditions::Renditions,
    removals_wanted: Notify,
    previews_wanted: Notify,
    changes: State<u64>,
    added: broadcast::Sender<ImageHash>,
    trash: TrashFolder,
    /// The trash has changed, or how long it is kept.
    trash_changed: Notify,
}

/// Where new images go.
#[derive(Debug, Clone, Copy)]
struct Destination {
    /// By the settings.
    settings: StorageKind,
    /// Where all images are being moved to.
    moving: Option<StorageKind>,
}

impl Destination {
    fn place(self) -> StorageKind {
        self.moving.unwrap_or(self.settings)
    }
}

/// Why an upload did not become an image.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// These bytes, or this image, are stored already.
    #[error("the picture is stored already, as {}", .0.hash)]
    Duplicate(StoredImage),
    /// More bytes or pixels than the limits allow.
    #[error("the picture is too large")]
    TooLarge,
    /// Not of a supported format.
    #[error("not a picture of a format that can be read")]
    Unsupported,
    /// Recognised, but it does not decode.
    #[error("the picture is broken: {0}")]
    Invalid(String),
    /// The disk or the object store is full.
    #[error("there is no room left: {0}")]
    StorageFull(#[source] BoxError),
    /// The disk or the object store failed.
    #[error("{0}")]
    Storage(#[source] BoxError),
    /// The encoder failed on a valid image.
    #[error(transparent)]
    Failed(ConvertError),
}

impl From<ConvertError> for IngestError {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::TooLarge => Self::TooLarge,
            ConvertError::Unsupported => Self::Unsupported,
            ConvertError::Invalid(why) => Self::Invalid(why),
            ConvertError::OutOfMemory | ConvertError::Internal(_) => Self::Failed(error),
        }
    }
}

impl From<StorageError> for IngestError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Full(why) => Self::StorageFull(why.to_string().into()),
            other => Self::Storage(other.into()),
        }
    }
}

impl From<DatabaseError> for IngestError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Full(_) => Self::StorageFull(error.into()),
            other => Self::Storage(other.into()),
        }
    }
}

impl From<ImagesError> for IngestError {
    fn from(error: ImagesError) -> Self {
        match error {
            ImagesError::Database(error) => error.into(),
            ImagesError::Storage(error) => error.into(),
            other => Self::Storage(other.into()),
        }
    }
}

/// Reading or deleting failed inside; the cause is for the log.
#[derive(Debug, thiserror::Error)]
pub enum ImagesError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// It was deleted while it was being read.
    #[error("{0} was deleted in this moment")]
    Gone(ImageHash),
    /// A rendition could not be made.
    #[error("no narrower copy of {0} could be made: {1}")]
    Rendition(ImageHash, #[source] ConvertError),
}

sentence_is_message!(ImagesError);

/// Whether these settings say where each stored image is. Images are counted only where the settings
/// describe no such store: a million rows take their time.
///
/// # Errors
/// How many images are where; or when the database fails.
pub(crate) async fn all_are_reachable(
    database: &Database,
    settings: &StorageSettings,
) -> Result<(), Message> {
    for kind in StorageKind::REMOTE {
        if settings.uses(kind) {
            continue;
        }
        let count = database.read(move |look| table::count_in(look, kind)).await;
        match count? {
            0 => {}
            count => return Err(crate::storage::elsewhere(kind, count)),
        }
    }
    Ok(())
}

impl Images {
    pub(crate) fn open(
        data_folder: &Path,
        database: Database,
        storage: Storage,
        new_in: StorageKind,
        settings: ImagesSettings,
        clock: Clock,
    ) -> Result<Self, Message> {
        let incoming = incoming::IncomingFolder::open(data_folder)
            .map_err(|error| crate::storage::unusable(&data_folder.join("incoming"), &error))?;
        Ok(Self(Arc::new(Inner {
            database,
            storage,
            new_in: RwLock::new(Destination {
                settings: new_in,
                moving: None,
            }),
            moving: tokio::sync::Mutex::default(),
            move_mark: moving::MoveMark::in_folder(data_folder),
            renditions: renditions::Renditions::within(settings.rendition_cache_bytes),
            helpers: helpers::Helpers::new(settings.helper.clone().or_else(helpers::this_program)),
            settings: parking_lot::RwLock::new(Arc::new(settings)),
            clock,
            incoming,
            sources: keyed_lock::KeyedLock::new(),
            hashes: keyed_lock::KeyedLock::new(),
            rendition_locks: keyed_lock::KeyedLock::new(),
            cache: cache::Cache::new(),
            removals_wanted: Notify::new(),
            previews_wanted: Notify::new(),
            changes: State::new(0),
            added: broadcast::Sender::new(ADDED_KEPT),
            trash: TrashFolder::of(data_folder),
            trash_changed: Notify::new(),
        })))
    }

    /// The settings of images.
    #[must_use]
    pub fn settings(&self) -> Arc<ImagesSettings> {
        Arc::clone(&self.0.settings.read())
    }

    /// Applies these settings from now on.
    pub fn follow(&self, wanted: ImagesSettings) {
        self.0.renditions.keep_within(wanted.rendition_cache_bytes);
        *self.0.settings.write() = Arc::new(wanted);
        self.0.trash_changed.notify_one();
    }

    /// Stores images where these settings want them from now on. Those of before stay where they are.
    ///
    /// # Errors
    /// When the settings lack something, or no longer say where stored images are; storage stays what
    /// it was then.
    pub async fn follow_storage(&self, wanted: &StorageSettings) -> Result<(), Message> {
        // Waits for those who are storing an image where they went until now.
        let mut new_in = self.0.new_in.write().await;
        all_are_reachable(&self.0.database, wanted).await?;
        self.0.storage.follow(wanted)?;
        new_in.settings = wanted.kind;
        drop(new_in);
        self.0.removals_wanted.notify_one();
        self.changed();
        Ok(())
    }

    pub(crate) fn database(&self) -> &Database {
        &self.0.database
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.0.storage
    }

    /// Holds off uploads, deletions and moves of this image.
    pub(crate) async fn hold(&self, hash: ImageHash) -> impl Sized + use<> {
        self.0.hashes.turn(hash).await
    }

    /// The row or the object of this image was changed beside it; these are its other names.
    pub(crate) fn was_repaired(&self, hash: ImageHash, aliases: &[ImageHash]) {
        self.0.cache.forget(hash, aliases);
        self.0.renditions.forget(hash);
        self.0.previews_wanted.notify_one();
        self.changed();
    }

    /// How many images are made at once: as many as there are helper processes, one for each core and
    /// four at most.
    #[must_use]
    pub fn converted_at_once(&self) -> usize {
        self.0.helpers.at_once()
    }

    /// No image is made as long as these are held.
    #[cfg(test)]
    pub(crate) async fn hold_conversions(&self) -> Vec<tokio::sync::OwnedSemaphorePermit> {
        let mut held = Vec::new();
        for _ in 0..self.converted_at_once() {
            held.push(self.0.helpers.busy().await);
        }
        held
    }

    /// Counts up with every image that is added or removed, and when images were moved.
    #[must_use]
    pub fn changes(&self) -> StateReader<u64> {
        self.0.changes.reader()
    }

    /// Receives each image that is uploaded from now on; those that are imported are none of them.
    #[must_use]
    pub fn added(&self) -> broadcast::Receiver<ImageHash> {
        self.0.added.subscribe()
    }

    fn changed(&self) {
        self.0.changes.update(|count| *count += 1);
    }
}
