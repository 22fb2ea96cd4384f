//! Watched folders: every image that is put there is uploaded once.
//!
//! `scanner` watches and scans one folder, `events` keeps the system's events, `ignored` and `attributes` decide
//! which files do not count, `stabilizer` when one is complete, and `folders` writes it to the
//! queue. The dispatcher of the upload queue schedules the uploads, `upload` performs one, and `after` puts its file
//! away, by way of a name of ours (`staged`).

mod after;
mod attributes;
mod events;
mod folders;
mod ignored;
mod scanner;
pub mod settings;
mod stabilizer;
mod staged;
mod status;
mod upload;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use events::FileEvents;
use folders::{Folders, Watched};
use scanner::Scanner;
use status::Status;
use tokio::sync::{Notify, mpsc};
use upload::Uploader;

use crate::error::message::Message;
use crate::sentence_is_message;
use crate::state::background::Background;
use crate::state::{State, StateReader};
use crate::text::image_hash::ImageHash;
use crate::uploads::queue::dispatcher::Dispatcher;
use crate::uploads::queue::{OpenUploadQueueError, SetAside, UploadQueue, UploadQueueError};
use crate::uploads::target::Target;
use crate::uploads::upload::sender::Sender;
use crate::uploads::watch::settings::WatchSettings;
use crate::uploads::window::WatchStatus;

/// How many chunks of found files are buffered.
const CHUNKS_AHEAD: usize = 4;

/// Called with the outcome of each file. Must not block.
pub type OutcomeSink = Arc<dyn Fn(WatchOutcome) + Send + Sync>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchOutcome {
    Uploaded {
        file: PathBuf,
        hash: ImageHash,
        already_there: bool,
    },
    /// It can never work as it is.
    SetAside { file: PathBuf, reason: Message },
    /// The file went before it was uploaded.
    Gone { file: PathBuf },
}

/// What is watched, and where images go.
#[derive(Clone)]
pub struct Order {
    pub settings: WatchSettings,
    pub target: Target,
    /// The folder of the upload queue. Nothing in it is uploaded.
    pub state: PathBuf,
    /// Called with the outcome of each file.
    pub report: OutcomeSink,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    UploadQueue(#[from] OpenUploadQueueError),
    /// What is in it.
    #[error(transparent)]
    Kept(#[from] UploadQueueError),
    /// The system gives no thread.
    #[error("there is no thread for it: {0}")]
    Thread(#[from] io::Error),
}

sentence_is_message!(StartError);

/// The watched folders of one queue. Dropping it stops at once; uploads in
/// progress are resumed at the next start.
pub struct Watch {
    queue: UploadQueue,
    status: Arc<Status>,
    paused: State<bool>,
    now: Arc<Notify>,
    tasks: Background,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Watch {
    /// Starts watching. Must be called on a tokio runtime. Folders that do not
    /// exist yet are waited for.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn start(order: Order) -> Result<Self, StartError> {
        let queue = UploadQueue::open(&order.state).await?;
        let settings = &order.settings;
        let places = without_those_inside(&settings.folders, settings.recursive);
        queue.resume(&places).await?;
        let status = Arc::new(Status::of(&places));
        let (events, work) = (Arc::new(FileEvents::default()), Arc::new(Notify::new()));
        let (found, findings) = mpsc::channel(CHUNKS_AHEAD);
        let mut watched = Vec::new();
        for (number, folder) in places.into_iter().enumerate() {
            let scanner = Scanner {
                number,
                folder: folder.clone(),
                recursive: settings.recursive,
                poll: settings.poll,
                own: vec![order.state.clone()],
                restore_names: true,
                leave_existing: !settings.existing && !queue.knows_folder(&folder).await?,
                events: Arc::clone(&events),
                found: found.clone(),
                status: Arc::clone(&status),
                work: Arc::clone(&work),
            };
            watched.push(Watched {
                folder,
                commands: scanner.start()?,
            });
        }
        let now = Arc::new(Notify::new());
        let paused = State::new(false);
        let is_paused = paused.reader();
        let uploader = Uploader {
            sender: Sender::new(order.target),
            queue: queue.clone(),
            after: settings.after,
            report: order.report,
            status: Arc::clone(&status),
        };
        let tasks = Background::default();
        tasks.spawn(|stop| {
            let folders = Folders {
                watched,
                events,
                found: findings,
                queue: queue.clone(),
                status: Arc::clone(&status),
                work: Arc::clone(&work),
                stop,
            };
            folders.run()
        });
        tasks.spawn(|stop| {
            let dispatcher = Dispatcher {
                rows: Arc::new(uploader),
                work,
                now: Arc::clone(&now),
                paused: is_paused,
                stop,
            };
            dispatcher.run()
        });
        Ok(Self {
            queue,
            status,
            paused,
            now,
            tasks,
        })
    }

    #[must_use]
    pub fn status(&self) -> StateReader<WatchStatus> {
        self.status.reader()
    }

    /// Pauses or resumes uploads. Files are still noticed.
    pub fn pause(&self, paused: bool) {
        self.paused.set(paused);
    }

    /// Ends the pause after a failure, if there is one.
    pub fn try_now(&self) {
        self.now.notify_one();
    }

    /// The files that were set aside, oldest first.
    ///
    /// # Errors
    /// When the upload queue cannot be read.
    pub async fn set_aside(&self) -> Result<Vec<SetAside>, UploadQueueError> {
        self.queue.all_set_aside().await
    }

    /// Retries one file that was set aside, or with `None` all of them; returns
    /// how many.
    ///
    /// # Errors
    /// When the upload queue cannot be written.
    pub async fn retry(&self, id: Option<i64>) -> Result<usize, UploadQueueError> {
        let retried = self.queue.retry(id).await?;
        self.try_now();
        Ok(retried)
    }

    /// Ignores one file that was set aside until it changes, or with `None` all
    /// of them; returns how many.
    ///
    /// # Errors
    /// When the upload queue cannot be written.
    pub async fn dismiss(&self, id: Option<i64>) -> Result<usize, UploadQueueError> {
        let dismissed = self.queue.dismiss(id).await?;
        self.try_now();
        Ok(dismissed)
    }

    /// Stops; uploads in progress have three seconds to finish. A second call
    /// does nothing.
    pub async fn stop(&self) {
        self.tasks.stop().await;
    }
}

/// A folder inside another one that is watched with its subfolders is watched
/// already.
fn without_those_inside(folders: &[PathBuf], recursive: bool) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let inside = recursive
            && folders
                .iter()
                .any(|above| folder != above && folder.starts_with(above));
        if !inside && !kept.contains(folder) {
            kept.push(folder.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests;
