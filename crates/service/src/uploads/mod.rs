//! Uploads: files that the owner drops on the window, chooses, pastes or hands over from another
//! program; those of watched folders; and those of editors.
//!
//! All go through one queue, the table `upload` of `porchlight.db`, whether or not the window that took
//! them is still open: `table` has its rows, `worker` uploads what waits, `added` and `watch::upload` one
//! row of each kind, `send` one source. What waits when the process ends continues at its next start. An
//! editor waits for the address in its answer, so its pictures go first (`awaited`).
//!
//! `client` is another program: `porchlight upload`, which sends over HTTP.

mod added;
pub(crate) mod awaited;
pub mod client;
pub mod clipboard;
mod controls;
mod gather;
pub mod handed;
pub(crate) mod kind;
mod list;
mod named;
mod opened;
mod pasted;
pub mod picgo;
mod send;
pub(crate) mod table;
pub mod watch;
pub mod window;
mod worker;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parking_lot::Mutex;
use rusqlite::{Connection, Transaction};
use tokio::sync::{Notify, broadcast};
use tokio_util::task::TaskTracker;

use self::handed::HandedFiles;
pub use self::named::file_named;
use self::pasted::Pasted;
pub use self::send::OwnImages;
pub use self::table::SetAside;
use self::table::{Counts, QueuedFile};
use self::watch::WatchOutcome;
use self::watch::settings::AfterUpload;
use self::window::{Upload, WatchStatus};
use self::worker::Worker;
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::state::background::Background;
use crate::state::{State, StateReader};

/// How many outcomes are kept for a slow receiver.
const OUTCOMES_KEPT: usize = 64;

/// What a row is called that counts files that were left out.
pub type LeftOutName = Arc<dyn Fn(usize) -> String + Send + Sync>;

/// What the owner or an editor wants to upload.
#[derive(Debug, Clone)]
pub enum UploadFile {
    File(PathBuf),
    Bytes(Bytes),
    /// Bytes in a file of the data folder, which is removed when they are uploaded.
    Kept(PathBuf),
}

/// The uploads of a process; cheap to clone.
#[derive(Clone)]
pub struct Uploads(Arc<Shared>);

struct Shared {
    database: Database,
    own: OwnImages,
    pasted: Pasted,
    live: Mutex<Live>,
    /// What did not come into the queue, by the number of its row: a retry adds it again.
    not_queued: Mutex<BTreeMap<u32, NotQueued>>,
    /// What is on its way into the queue.
    taking: TaskTracker,
    left_out: OnceLock<LeftOutName>,
    /// Added files that have failed.
    failed: AtomicU64,
    changed: State<()>,
    /// Notified when there is something new to upload.
    work: Notify,
    /// Notified when the owner requests a retry.
    now: Notify,
    /// The watched folders as the owner wrote them, in the order of `watched`.
    folders: Mutex<Vec<PathBuf>>,
    watched: State<WatchStatus>,
    after: Mutex<AfterUpload>,
    outcomes: broadcast::Sender<WatchOutcome>,
    worker: Background,
    /// Whether folders were watched before: what was put away then is under its name again.
    has_watched: AtomicBool,
}

/// What only this process knows of the rows.
#[derive(Default)]
struct Live {
    /// Uploads in progress, which cannot be cancelled.
    under_way: BTreeMap<i64, UnderWay>,
    /// Why others were not uploaded yet.
    why: HashMap<i64, Message>,
}

/// An upload in progress.
struct UnderWay {
    /// From 0 to 1,000.
    permille: u16,
    bytes: u64,
    /// Its name, if it is of a watched folder.
    watched: Option<String>,
}

impl UnderWay {
    fn of(row: &QueuedFile) -> Self {
        Self {
            permille: 0,
            bytes: row.file_version.bytes,
            watched: row.folder.is_some().then(|| file_name(&row.file)),
        }
    }
}

/// A file that did not come into the queue.
struct NotQueued {
    row: Upload,
    /// `None` for files that were left out: they are only counted.
    source: Option<UploadFile>,
    /// The lists that it was handed over in.
    list: Option<Arc<HandedFiles>>,
}

impl Uploads {
    /// Those of a data folder, whose database this is. Nothing is uploaded before [`Self::start`].
    pub(crate) fn new(database: Database, own: OwnImages, data_folder: &Path) -> Self {
        Self(Arc::new(Shared {
            database,
            own,
            pasted: Pasted::of(data_folder),
            live: Mutex::default(),
            not_queued: Mutex::default(),
            taking: TaskTracker::new(),
            left_out: OnceLock::new(),
            failed: AtomicU64::default(),
            changed: State::default(),
            work: Notify::new(),
            now: Notify::new(),
            folders: Mutex::default(),
            watched: State::default(),
            after: Mutex::default(),
            outcomes: broadcast::Sender::new(OUTCOMES_KEPT),
            worker: Background::default(),
            has_watched: AtomicBool::default(),
        }))
    }

    /// Compares what the run before left with the files, and uploads what waits from now on. Must be
    /// called once, on a tokio runtime.
    pub(crate) async fn start(&self) {
        let pasted = self.0.pasted.clone();
        if let Err(error) = self.write(move |change| pasted.sort_out(change)).await {
            tracing::error!(%error, "what waits to be uploaded cannot be compared with its files");
        }
        let worker = Worker::new(self.clone());
        self.0.worker.spawn(|stop| worker.run(stop));
    }

    /// Stops; uploads in progress have three seconds to finish, and continue at the next start
    /// otherwise.
    pub(crate) async fn stop(&self) {
        self.0.worker.stop().await;
    }

    /// Ends the pause after a failure, if there is one.
    pub fn try_now(&self) {
        self.0.now.notify_one();
    }

    /// Where uploads are stored.
    pub(crate) fn own(&self) -> &OwnImages {
        &self.0.own
    }

    /// Follows every change of the rows from now on.
    #[must_use]
    pub fn changes(&self) -> StateReader<()> {
        self.0.changed.reader()
    }

    /// How many added files have failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        let not_queued = self.0.not_queued.lock().len() as u64;
        self.0.failed.load(Ordering::Relaxed) + not_queued
    }

    fn changed(&self) {
        self.0.changed.set(());
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.0.database.read(work).await
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let write = |change: &Transaction<'_>| work(change).map_err(DatabaseError::from);
        self.0.database.write(write).await
    }

    /// The numbers of the rows whose upload is in progress.
    fn in_progress(&self) -> Vec<i64> {
        self.0.live.lock().under_way.keys().copied().collect()
    }

    /// How far the upload of an added file has come. It never goes back.
    fn progress(&self, id: i64, permille: u16, bytes: u64) {
        let mut live = self.0.live.lock();
        let Some(row) = live.under_way.get_mut(&id) else {
            return;
        };
        let is_new = permille > row.permille || bytes != row.bytes || permille == 0;
        (row.permille, row.bytes) = (permille.max(row.permille), bytes);
        drop(live);
        if is_new {
            self.changed();
        }
    }

    /// Shows what waits and what is under way.
    fn show(&self, counts: Counts) {
        let live = self.0.live.lock();
        let names = live.under_way.values().filter_map(|it| it.watched.clone());
        let names = names.collect();
        drop(live);
        self.0.watched.update(|status| {
            status.waiting = counts.waiting;
            status.set_aside = counts.set_aside;
            status.under_way = names;
        });
        let before = self.0.failed.swap(counts.added_failed, Ordering::Relaxed);
        if before != counts.added_failed {
            self.changed();
        }
    }

    /// Shows why nothing goes out; `None` when something does. Logged once, however often it occurs.
    fn trouble(&self, why: Option<Message>) {
        let now = why.clone();
        let before = self
            .0
            .watched
            .update(|status| std::mem::replace(&mut status.trouble, now));
        match (before, why) {
            (None, Some(why)) => tracing::warn!("uploads wait: {why}"),
            (Some(_), None) => tracing::info!("uploads continue"),
            _ => {}
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests;
