//! Files that the owner adds one by one: dropped, chosen, pasted, or handed over by another program.
//! They go through the upload queue to the target of the settings, as watched files do. Journey 5
//! without a folder.
//!
//! `upload` sends one of them, and `pasted` keeps what has no file yet.

mod pasted;
mod upload;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use porchlight_api::Message;
use porchlight_api::client::Client;
use porchlight_api::window::UploadTrouble;
use tokio::sync::{Mutex, Notify, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::link::Address;
use crate::upload_queue::dispatcher::Dispatcher;
use crate::upload_queue::{OpenUploadQueueError, UploadQueue, UploadQueueError};
use pasted::Pasted;
use upload::Uploader;

pub use crate::upload_queue::{AddedFile, NewFile};

/// What happens to an added file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddedEvent {
    /// It is under way.
    Working {
        /// How far it has come, from 0 to 1,000.
        permille: u16,
        /// Its size; `None` where that is not known yet.
        bytes: Option<u64>,
    },
    /// It is retried later by itself.
    Waits {
        /// Why.
        why: Message,
    },
    /// The service has stored it.
    Stored {
        /// Its hash there.
        hash: String,
        /// Its address.
        address: String,
        /// Its size there, when that is known.
        bytes: Option<u64>,
    },
    /// The service had it before.
    AlreadyThere {
        /// Its hash there.
        hash: String,
        /// Its address.
        address: String,
    },
    /// It did not become an image; it can be retried.
    Failed(UploadTrouble),
}

/// Receives what happens to the file of this number.
pub type EventSink = mpsc::UnboundedSender<(i64, AddedEvent)>;

/// The added files of one data folder; clones are the same ones.
#[derive(Clone)]
pub struct AddedFiles {
    queue: UploadQueue,
    pasted: Pasted,
    work: Arc<Notify>,
    now: Arc<Notify>,
}

/// Why files were not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The queue.
    #[error(transparent)]
    Queue(#[from] UploadQueueError),
    /// The folder of what was pasted.
    #[error("what was pasted cannot be kept: {0}")]
    Pasted(#[from] io::Error),
}

impl AddedFiles {
    /// Opens those of a data folder. What an earlier run left waiting is waiting still. Only one
    /// process may do this at a time.
    ///
    /// # Errors
    /// See [`OpenUploadQueueError`].
    pub async fn open(folder: &Path) -> Result<Self, OpenUploadQueueError> {
        let queue = UploadQueue::open_for_added(folder).await?;
        let unusable = |cause| OpenUploadQueueError::Unusable {
            folder: folder.to_owned(),
            cause,
        };
        let pasted = Pasted::of(folder).map_err(unusable)?;
        let waiting = queue.resume_added().await;
        let waiting = waiting.map_err(|error| unusable(io::Error::other(error)))?;
        for gone in pasted.sort_out(&waiting) {
            let forgotten = queue.added_is_done(gone).await;
            forgotten.map_err(|error| unusable(io::Error::other(error)))?;
        }
        Ok(Self {
            queue,
            pasted,
            work: Arc::default(),
            now: Arc::default(),
        })
    }

    /// All of them, oldest first.
    ///
    /// # Errors
    /// When the queue cannot be read.
    pub async fn all(&self) -> Result<Vec<AddedFile>, UploadQueueError> {
        self.queue.all_added().await
    }

    /// Keeps what was pasted in a file, which is to be added next. Blocks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        self.pasted.keep(bytes)
    }

    /// Whether a file is one of what was pasted.
    #[must_use]
    pub fn is_pasted(&self, file: &Path) -> bool {
        self.pasted.is_one(file)
    }

    /// Adds files in this order; their numbers, which grow. They are on the disk when this returns.
    ///
    /// # Errors
    /// When that cannot be; none is added then.
    pub async fn add(&self, files: Vec<NewFile>) -> Result<Vec<i64>, AddError> {
        if files.iter().any(|new| self.is_pasted(&new.file)) {
            let pasted = self.pasted.clone();
            let synced = tokio::task::spawn_blocking(move || pasted.sync()).await;
            synced.map_err(io::Error::other)??;
        }
        let ids = self.queue.add(files).await?;
        self.work.notify_one();
        Ok(ids)
    }

    /// Retries those of these that failed; which those are.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn retry(&self, ids: Vec<i64>) -> Result<Vec<i64>, UploadQueueError> {
        let again = self.queue.retry_added(ids).await?;
        self.try_now();
        Ok(again)
    }

    /// Forgets those of these that failed.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn dismiss(&self, ids: Vec<i64>) -> Result<(), UploadQueueError> {
        for file in self.queue.dismiss_added(ids).await? {
            self.pasted.forget(&file);
        }
        Ok(())
    }

    /// Forgets those of these that wait; which those are.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn cancel(&self, ids: Vec<i64>) -> Result<Vec<i64>, UploadQueueError> {
        let mut gone = Vec::new();
        for (id, file) in self.queue.cancel_added(ids).await? {
            self.pasted.forget(&file);
            gone.push(id);
        }
        self.work.notify_one();
        Ok(gone)
    }

    /// Ends the pause after a failure, if there is one.
    pub fn try_now(&self) {
        self.now.notify_one();
    }

    /// Starts to upload them, to this service. Must be called on a tokio runtime, and not before
    /// the last one has stopped.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn start(
        &self,
        client: Client,
        address: Address,
        events: EventSink,
    ) -> Result<Uploading, UploadQueueError> {
        self.queue.release_added().await?;
        let stop = CancellationToken::new();
        let (keep, paused) = watch::channel(false);
        let dispatcher = Dispatcher {
            rows: Arc::new(Uploader {
                client,
                address,
                queue: self.queue.clone(),
                pasted: self.pasted.clone(),
                events,
                is_waiting: Default::default(),
            }),
            work: Arc::clone(&self.work),
            now: Arc::clone(&self.now),
            paused,
            stop: stop.clone(),
        };
        let task = tokio::spawn(async move {
            dispatcher.run().await;
            drop(keep);
        });
        Ok(Uploading {
            stop,
            task: Mutex::new(Some(task)),
        })
    }
}

/// Uploads added files until it is stopped. Dropping it stops at once.
#[derive(Debug)]
pub struct Uploading {
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Uploading {
    /// Stops; uploads in progress have three seconds to finish, and wait otherwise. A second call
    /// does nothing.
    pub async fn stop(&self) {
        self.stop.cancel();
        if let Some(task) = self.task.lock().await.take()
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the task of the added files failed");
        }
    }
}

impl Drop for Uploading {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
