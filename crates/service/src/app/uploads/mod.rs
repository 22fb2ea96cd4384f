//! Files that the owner drops on the window, chooses in a dialog, pastes, or hands over from another
//! program; and the images that they delete.
//!
//! Files go through the upload queue to the target of the settings, whether or not the window that
//! took them is still open. What is still waiting when the process ends continues at its next
//! start.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::gather::{New, gather, many, state_of};
use self::handed::HandedFiles;
use self::rows::{Rows, is_finished};
use crate::state::{State, StateReader};
use crate::uploads::added_files::{AddedFiles, EventSink, UploadEvent, Uploading};
use crate::uploads::queue::OpenUploadQueueError;
use crate::uploads::target::Target;
use crate::uploads::upload::UploadFile;
use crate::uploads::window::{Upload, UploadState, UploadTrouble};

mod controls;
mod gather;
pub mod handed;
mod rows;

/// What an image is called that was copied out of a program.
const PASTED: &str = "clipboard.png";
/// The time limit for looking through what was dropped just before the app quits.
const TAKING_LIMIT: Duration = Duration::from_secs(10);

/// What a row is called that counts files that were left out.
pub type LeftOutName = Arc<dyn Fn(usize) -> String + Send + Sync>;

/// The uploads of a process; cheap to clone.
#[derive(Clone)]
pub struct Uploads(Arc<Shared>);

struct Shared {
    rows: Mutex<Rows>,
    /// What did not come into the queue, by the number of its row: a retry adds it again.
    not_queued: Mutex<HashMap<u32, NotQueued>>,
    /// Held while rows join the queue and the list: what happens to them comes after that.
    joining: tokio::sync::Mutex<()>,
    /// What is on its way into the queue.
    taking: TaskTracker,
    /// The queue, once it is open.
    files: Mutex<Option<AddedFiles>>,
    uploading: Mutex<Option<Uploading>>,
    events: EventSink,
    /// Until they are followed.
    received: Mutex<Option<mpsc::UnboundedReceiver<UploadEvent>>>,
    left_out: OnceLock<LeftOutName>,
    changed: State<()>,
}

/// A file that did not come into the queue.
struct NotQueued {
    source: UploadFile,
    /// The lists that it was handed over in.
    list: Option<Arc<HandedFiles>>,
}

/// Removes the lists once none of their files is left out of the queue; otherwise the next start
/// takes them again.
fn settle(list: Option<Arc<HandedFiles>>) {
    if let Some(list) = list.and_then(Arc::into_inner) {
        list.are_queued();
    }
}

impl Default for Uploads {
    fn default() -> Self {
        let (events, received) = mpsc::unbounded_channel();
        Self(Arc::new(Shared {
            rows: Mutex::default(),
            not_queued: Mutex::default(),
            joining: tokio::sync::Mutex::default(),
            taking: TaskTracker::new(),
            files: Mutex::default(),
            uploading: Mutex::default(),
            events,
            received: Mutex::new(Some(received)),
            left_out: OnceLock::new(),
            changed: State::default(),
        }))
    }
}

impl Uploads {
    /// Has rows that count files that were left out be called this.
    pub fn name_left_out(&self, name: LeftOutName) {
        // There is one window.
        let _ = self.0.left_out.set(name);
    }

    /// Shows on the rows what happens to the uploads, until `stop`. The first call counts. Must be
    /// made on a tokio runtime.
    pub(crate) fn follow(&self, stop: CancellationToken) {
        let Some(mut received) = self.0.received.lock().take() else {
            return;
        };
        let uploads = self.clone();
        let follow = async move {
            while let Some(event) = received.recv().await {
                // Its row may be about to join.
                drop(uploads.0.joining.lock().await);
                uploads.follow_event(event);
            }
        };
        tokio::spawn(stop.run_until_cancelled_owned(follow));
    }

    /// Opens the queue of this data folder if that is not done, and lists what the run before left.
    ///
    /// # Errors
    /// See [`OpenUploadQueueError`].
    pub(crate) async fn open(&self, folder: &Path) -> Result<AddedFiles, OpenUploadQueueError> {
        if let Some(files) = self.files() {
            return Ok(files);
        }
        let files = AddedFiles::open(folder).await?;
        *self.0.files.lock() = Some(files.clone());
        self.resume(&files).await;
        Ok(files)
    }

    /// Uploads what waits to this target from now on. Nothing may be started at the same time.
    pub(crate) async fn start(&self, files: &AddedFiles, target: Target) {
        self.stop().await;
        let uploading = files.start(target, self.0.events.clone());
        *self.0.uploading.lock() = Some(uploading);
    }

    pub(crate) fn are_started(&self) -> bool {
        self.0.uploading.lock().is_some()
    }

    /// Stops; uploads in progress continue at the next start.
    pub(crate) async fn stop(&self) {
        let uploading = self.0.uploading.lock().take();
        if let Some(uploading) = uploading {
            uploading.stop().await;
        }
    }

    /// Follows every change of the rows from now on.
    #[must_use]
    pub fn changes(&self) -> StateReader<()> {
        self.0.changed.reader()
    }

    /// Takes images, and the files in folders, into the queue; the numbers of their rows. Those
    /// that could not be stored are shown as failed. [`Self::all_taken`] waits for it from this
    /// call on.
    pub fn take(&self, sources: Vec<UploadFile>) -> impl Future<Output = Vec<u32>> + use<> {
        self.take_from(None, sources)
    }

    /// The same once the owner has confirmed many files; none, where `confirm` returns no.
    pub fn take_confirmed<C, F>(
        &self,
        sources: Vec<UploadFile>,
        confirm: C,
    ) -> impl Future<Output = Vec<u32>> + use<C, F>
    where
        C: FnOnce(usize) -> F,
        F: Future<Output = bool>,
    {
        let uploads = self.clone();
        let counting = self.0.taking.token();
        async move {
            if let Some(count) = many(&sources).await {
                // An open question must not hold up quitting.
                drop(counting);
                if !confirm(count).await {
                    return Vec::new();
                }
                return uploads.take(sources).await;
            }
            let joined = uploads.join(None, sources).await;
            drop(counting);
            joined
        }
    }

    /// The same for those of a list, which is removed when all of them are in the queue.
    pub fn take_from(
        &self,
        list: Option<Arc<HandedFiles>>,
        sources: Vec<UploadFile>,
    ) -> impl Future<Output = Vec<u32>> + use<> {
        let uploads = self.clone();
        let take = async move { uploads.join(list, sources).await };
        self.0.taking.track_future(take)
    }

    /// Waits until all that was taken is in the queue, for ten seconds at most.
    pub async fn all_taken(&self) {
        self.0.taking.close();
        if timeout(TAKING_LIMIT, self.0.taking.wait()).await.is_err() {
            tracing::error!("some of the files that were dropped last were not added");
        }
    }

    async fn join(&self, list: Option<Arc<HandedFiles>>, sources: Vec<UploadFile>) -> Vec<u32> {
        let (files, left_out) = (self.files(), self.left_out_name());
        let found = tokio::task::spawn_blocking({
            let (files, left_out) = (files.clone(), Arc::clone(&left_out));
            move || gather(sources, files.as_ref(), &left_out)
        });
        let found = found.await.inspect_err(|error| {
            tracing::error!(%error, "the files could not be looked through");
        });
        let Ok(mut new) = found else {
            return Vec::new();
        };
        let _joining = self.0.joining.lock().await;
        let wanted = new.iter().map(|new| new.file.clone()).collect();
        let ids = match &files {
            Some(files) => files.add(wanted).await.map_err(|error| error.to_string()),
            None => Err("the upload queue is not open".to_owned()),
        };
        let ids = match ids {
            Ok(ids) => ids.into_iter().map(Some).collect(),
            Err(why) => {
                tracing::error!("files were not added: {why}");
                // Otherwise the next start would find and queue what the owner may clear.
                for files in files.iter() {
                    new.iter().for_each(|new| files.discard(&new.file.file));
                }
                // They are kept in memory, and only while they are listed.
                let rest = new.split_off(new.len().min(self.0.rows.lock().room_for_failed()));
                if !rest.is_empty() {
                    new.push(New::left_out(rest.len(), &left_out));
                }
                vec![None; new.len()]
            }
        };
        let mut rows = self.0.rows.lock();
        let mut not_queued = self.0.not_queued.lock();
        let joined = new.into_iter().zip(ids).map(|(new, id)| {
            let no_queue = Some(UploadTrouble::Storage).filter(|_| id.is_none());
            let id = id.map_or_else(|| rows.spare_id(), number);
            if let Some(source) = new.source.filter(|_| no_queue.is_some() || new.is_not_kept) {
                let list = list.clone();
                not_queued.insert(id, NotQueued { source, list });
            }
            rows.insert(Upload {
                id,
                name: new.name,
                size: new.file.bytes,
                progress: state_of(new.file.trouble.or(no_queue)),
            });
            id
        });
        let joined = joined.collect();
        not_queued.retain(|id, _| rows.get(*id).is_some());
        drop((rows, not_queued));
        self.changed();
        settle(list);
        joined
    }

    /// The rows of the window's list, oldest first.
    pub fn rows(&self) -> Vec<Upload> {
        self.0.rows.lock().all().to_vec()
    }

    pub fn row(&self, id: u32) -> Option<Upload> {
        self.0.rows.lock().get(id).cloned()
    }

    /// Waits until each of these has come to an end. A row that the owner took off the list
    /// meanwhile is left out.
    pub async fn ended(&self, mut waited_for: Vec<u32>) -> Vec<Upload> {
        // Subscribed before reading: a change in between is not missed.
        let mut changed = self.changes();
        let mut ended = Vec::new();
        let all = waited_for.clone();
        self.0.rows.lock().wait_for(&all);
        loop {
            self.take_out_ended(&mut waited_for, &mut ended);
            if waited_for.is_empty() || changed.changed().await.is_err() {
                self.0.rows.lock().are_over(&all);
                return ended;
            }
        }
    }

    /// Moves those that have come to an end.
    fn take_out_ended(&self, waited_for: &mut Vec<u32>, ended: &mut Vec<Upload>) {
        let rows = self.0.rows.lock();
        waited_for.retain(|id| {
            let Some(row) = rows.get(*id) else {
                return false;
            };
            let waits = !is_finished(row);
            if !waits {
                ended.push(row.clone());
            }
            waits
        });
    }

    /// Lists what the run before left.
    async fn resume(&self, files: &AddedFiles) {
        let _joining = self.0.joining.lock().await;
        match files.all().await {
            Ok(all) => {
                let mut rows = self.0.rows.lock();
                for one in all {
                    let name = if files.is_pasted(&one.file) {
                        PASTED.to_owned()
                    } else {
                        file_name(&one.file)
                    };
                    rows.insert(Upload {
                        id: number(one.id),
                        name,
                        size: one.bytes,
                        progress: state_of(one.trouble),
                    });
                }
            }
            Err(error) => tracing::error!(%error, "what waits to be uploaded cannot be listed"),
        }
        self.changed();
    }

    /// Shows what happened to an upload.
    fn follow_event(&self, (id, state, size): UploadEvent) {
        let (id, mut rows) = (number(id), self.0.rows.lock());
        if let UploadState::Working { permille } = state {
            if !rows.progress(id, permille, size) {
                return;
            }
        } else {
            rows.set(id, state);
        }
        drop(rows);
        self.changed();
    }

    /// The queue, once it is open.
    pub(crate) fn files(&self) -> Option<AddedFiles> {
        self.0.files.lock().clone()
    }

    fn left_out_name(&self) -> LeftOutName {
        let plain: fn(usize) -> String = |count| format!("+{count}");
        self.0
            .left_out
            .get()
            .map_or_else(|| Arc::new(plain), Arc::clone)
    }

    fn changed(&self) {
        self.0.changed.set(());
    }
}

/// The number of a row, which the page can hold.
fn number(id: i64) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests;
