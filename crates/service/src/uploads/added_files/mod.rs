//! Files that the owner adds one by one: dropped, chosen, pasted, or handed over by another program.
//! They go through the upload queue to the target of the settings, as watched files do.
//!
//! `upload` sends one of them, and `pasted` keeps what has no file yet.

mod pasted;
mod upload;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::state::State;
use crate::uploads::window::UploadState;
use tokio::sync::{Mutex, Notify, mpsc};

use crate::state::background::Background;
use crate::uploads::queue::dispatcher::Dispatcher;
use crate::uploads::queue::{OpenUploadQueueError, UploadQueue, UploadQueueError};
use crate::uploads::target::Target;
use crate::uploads::upload::sender::Sender;
use pasted::{Pasted, Sorted};
use upload::Uploader;

pub use crate::uploads::queue::{AddedFile, NewFile};

/// How far the file of this number has come, and its size where that has become known.
pub type UploadEvent = (i64, UploadState, Option<u64>);
pub type EventSink = mpsc::UnboundedSender<UploadEvent>;

/// The numbers of the files whose upload is in progress. They cannot be cancelled.
type UnderWay = Arc<Mutex<HashSet<i64>>>;

/// The added files of one data folder; clones are the same ones.
#[derive(Clone)]
pub struct AddedFiles {
    queue: UploadQueue,
    pasted: Pasted,
    under_way: UnderWay,
    work: Arc<Notify>,
    now: Arc<Notify>,
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
        let failed = |error: UploadQueueError| unusable(io::Error::other(error));
        let rows = queue.all_added().await.map_err(failed)?;
        let Sorted {
            gone,
            moved,
            unlisted,
        } = pasted.sort_out(&rows);
        queue.forget_added(gone).await.map_err(failed)?;
        for (id, file) in moved {
            queue.move_added(id, file).await.map_err(failed)?;
        }
        queue.add(unlisted).await.map_err(failed)?;
        Ok(Self {
            queue,
            pasted,
            under_way: Arc::default(),
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

    /// Removes a file of [`Self::keep`] that was not added. Blocks.
    pub fn discard(&self, file: &Path) {
        self.pasted.forget_or_log(file);
    }

    #[must_use]
    pub fn is_pasted(&self, file: &Path) -> bool {
        self.pasted.is_one(file)
    }

    /// Adds files in this order; their numbers, which grow. They are on the disk when this returns.
    ///
    /// # Errors
    /// When that cannot be; none is added then.
    pub async fn add(&self, files: Vec<NewFile>) -> Result<Vec<i64>, UploadQueueError> {
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
        self.forget(ids, |row| row.trouble.is_some())
            .await
            .map(drop)
    }

    /// Forgets those of these that wait; which those are.
    ///
    /// # Errors
    /// When the queue cannot be written.
    pub async fn cancel(&self, ids: Vec<i64>) -> Result<Vec<i64>, UploadQueueError> {
        let gone = self.forget(ids, |row| row.trouble.is_none()).await?;
        self.work.notify_one();
        Ok(gone)
    }

    async fn forget(
        &self,
        ids: Vec<i64>,
        is_of_those: impl Fn(&AddedFile) -> bool,
    ) -> Result<Vec<i64>, UploadQueueError> {
        // Held until the rows are gone: none of them begins meanwhile.
        let under_way = self.under_way.lock().await;
        let mut rows = self.queue.all_added().await?;
        rows.retain(|row| {
            is_of_those(row) && ids.contains(&row.id) && !under_way.contains(&row.id)
        });
        // The files first: one without a row is queued again at the next start.
        rows.retain(|row| {
            let forgotten = self.pasted.forget(&row.file);
            forgotten
                .inspect_err(|error| tracing::error!(%error, "what was pasted cannot be removed"))
                .is_ok()
        });
        if let Err(error) = self.pasted.sync() {
            tracing::warn!(%error, "a power cut may bring cancelled uploads back");
        }
        let gone: Vec<i64> = rows.iter().map(|row| row.id).collect();
        self.queue.forget_added(gone.clone()).await?;
        Ok(gone)
    }

    /// Ends the pause after a failure, if there is one.
    pub fn try_now(&self) {
        self.now.notify_one();
    }

    /// Starts to upload them, to this target. Must be called on a tokio runtime, and not before
    /// the last one has stopped.
    pub fn start(&self, target: Target, events: EventSink) -> Uploading {
        let keep = State::new(false);
        let paused = keep.reader();
        let uploader = Uploader {
            sender: Sender::new(target),
            queue: self.queue.clone(),
            pasted: self.pasted.clone(),
            under_way: Arc::clone(&self.under_way),
            events: events.clone(),
            is_waiting: Default::default(),
        };
        let (work, now) = (Arc::clone(&self.work), Arc::clone(&self.now));
        let under_way = Arc::clone(&self.under_way);
        let task = Background::default();
        task.spawn(|stop| async move {
            let dispatcher = Dispatcher {
                rows: Arc::new(uploader),
                work,
                now,
                paused,
                stop,
            };
            dispatcher.run().await;
            drop(keep);
            for id in under_way.lock().await.drain() {
                // At the very end there is no receiver any more.
                let _ = events.send((id, UploadState::Waiting { why: None }, None));
            }
        });
        Uploading(task)
    }
}

/// Uploads added files until it is stopped. Dropping it stops at once.
#[derive(Debug)]
pub struct Uploading(Background);

impl Uploading {
    /// Stops; uploads in progress have three seconds to finish, and wait otherwise. A second call
    /// does nothing.
    pub async fn stop(&self) {
        self.0.stop().await;
    }
}
