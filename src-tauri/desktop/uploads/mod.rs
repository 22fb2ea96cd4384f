//! Pictures that the owner drops on the window, chooses in a dialog or pastes.
//!
//! They go through the upload queue to the target of the settings, whether or not the window that
//! took them is still open. What is still waiting when the process ends continues at its next
//! start.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use porchlight_api::ImageHash;
use porchlight_api::state::State;
use porchlight_api::window::{Upload, UploadState, UploadTrouble};
use porchlight_app::host::Host;
use porchlight_app::settings::app::AppLanguage;
use porchlight_companion::added_files::{AddedEvent, AddedFiles};
use porchlight_companion::picgo::Picture;
use tauri::async_runtime;
use tauri::{AppHandle, Emitter as _};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::handoff::Taken;
use super::host_of;
use super::i18n::{Words, words, words_in};

mod asked;
mod controls;
mod dropped;
mod many;
mod new;
mod rows;

use new::{New, gather, state_of};
use rows::Rows;

/// What an image is called that was copied out of a program.
const PASTED: &str = "clipboard.png";
/// The page is updated at most this often.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// A long list costs more to send, so it is sent less often.
const TELL_EVERY_PER_ROW: Duration = Duration::from_micros(100);
/// The time limit for looking through what was dropped just before the app quits.
const TAKING_LIMIT: Duration = Duration::from_secs(10);

/// The uploads of this run; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Uploads(Arc<Shared>);

/// Where the queue is, once it is open.
type Source = Box<dyn Fn() -> Option<AddedFiles> + Send + Sync>;

#[derive(Default)]
struct Shared {
    rows: Mutex<Rows>,
    /// What did not come into the queue, by the number of its row: a retry adds it again.
    not_queued: Mutex<HashMap<u32, NotQueued>>,
    /// Held while rows join the queue and the list: what happens to them comes after that.
    joining: tokio::sync::Mutex<()>,
    /// What is on its way into the queue.
    taking: TaskTracker,
    source: OnceLock<Source>,
    app: OnceLock<AppHandle>,
    changed: State<()>,
}

/// A picture that did not come into the queue.
struct NotQueued {
    picture: Picture,
    /// The list that it was handed over in.
    list: Option<Arc<Taken>>,
}

/// Removes a list once none of its pictures is left out of the queue; otherwise the next start
/// takes it again.
fn settle(list: Option<Arc<Taken>>) {
    if let Some(list) = list.and_then(Arc::into_inner) {
        list.are_queued();
    }
}

impl Uploads {
    /// Continues what the run before left waiting, and updates the page, beside the window. Must
    /// be called on a tokio runtime.
    pub(super) fn begin(&self, beside: &mut JoinSet<()>, app: &AppHandle) {
        let host = host_of(app);
        // It starts once.
        let _ = self.0.app.set(app.clone());
        let of = host.clone();
        let source: Source = Box::new(move || of.services().added_files().files());
        let _ = self.0.source.set(source);
        beside.spawn(follow(self.clone(), host));
        beside.spawn(tell(self.clone(), app.clone()));
    }

    /// Takes pictures, and the files in folders, into the queue; the numbers of their rows. Those
    /// that could not be stored are shown as failed. [`Self::all_taken`] waits for it from this
    /// call on.
    pub(super) fn take(&self, pictures: Vec<Picture>) -> impl Future<Output = Vec<u32>> + use<> {
        self.take_from(None, pictures)
    }

    /// The same once the owner has confirmed many files; none, where `confirm` says no.
    pub(super) fn take_confirmed<C, F>(
        &self,
        pictures: Vec<Picture>,
        confirm: C,
    ) -> impl Future<Output = Vec<u32>> + use<C, F>
    where
        C: FnOnce(usize) -> F,
        F: Future<Output = bool>,
    {
        let uploads = self.clone();
        let counting = self.0.taking.token();
        async move {
            if let Some(count) = many::many(&pictures).await {
                // An open question must not hold up quitting.
                drop(counting);
                if !confirm(count).await {
                    return Vec::new();
                }
                return uploads.take(pictures).await;
            }
            let joined = uploads.join(None, pictures).await;
            drop(counting);
            joined
        }
    }

    /// The same for those of a list, which is removed when all of them are in the queue.
    pub(super) fn take_from(
        &self,
        list: Option<Arc<Taken>>,
        pictures: Vec<Picture>,
    ) -> impl Future<Output = Vec<u32>> + use<> {
        let uploads = self.clone();
        let take = async move { uploads.join(list, pictures).await };
        self.0.taking.track_future(take)
    }

    /// Waits until all that was taken is in the queue, for ten seconds at most.
    pub(super) async fn all_taken(&self) {
        self.0.taking.close();
        if timeout(TAKING_LIMIT, self.0.taking.wait()).await.is_err() {
            tracing::error!("some of the files that were dropped last were not added");
        }
    }

    async fn join(&self, list: Option<Arc<Taken>>, pictures: Vec<Picture>) -> Vec<u32> {
        let (files, words) = (self.files(), self.words());
        let found = async_runtime::spawn_blocking({
            let files = files.clone();
            move || gather(pictures, files.as_ref(), words)
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
                    new.push(New::left_out(rest.len(), words));
                }
                vec![None; new.len()]
            }
        };
        let mut rows = self.0.rows.lock();
        let mut not_queued = self.0.not_queued.lock();
        let joined = new.into_iter().zip(ids).map(|(new, id)| {
            let no_queue = Some(UploadTrouble::Storage).filter(|_| id.is_none());
            let id = id.map_or_else(|| rows.spare_id(), number);
            if let Some(picture) = new
                .picture
                .filter(|_| no_queue.is_some() || new.is_not_kept)
            {
                let list = list.clone();
                not_queued.insert(id, NotQueued { picture, list });
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
    pub(super) fn rows(&self) -> Vec<Upload> {
        self.0.rows.lock().all().to_vec()
    }

    /// The row of this number.
    pub(super) fn row(&self, id: u32) -> Option<Upload> {
        self.0.rows.lock().get(id).cloned()
    }

    /// Lists what the run before left.
    async fn resume(&self) {
        let Some(files) = self.files() else {
            return;
        };
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

    /// Shows what happened to an upload; `hash_here` is the hash of a picture of this service.
    fn hear(&self, id: i64, event: AddedEvent, hash_here: impl Fn(&str) -> Option<ImageHash>) {
        let id = number(id);
        let progress = match event {
            AddedEvent::Working { permille, bytes } => {
                if self.0.rows.lock().progress(id, permille, bytes) {
                    self.changed();
                }
                return;
            }
            // Not about one upload.
            AddedEvent::Opened => return,
            AddedEvent::Waits { why } => UploadState::Waiting { why },
            AddedEvent::Stored {
                hash,
                address,
                bytes,
            } => UploadState::Done {
                hash: hash_here(&hash),
                url: address,
                stored: bytes,
            },
            AddedEvent::AlreadyThere { hash, address } => UploadState::Duplicate {
                hash: hash_here(&hash),
                url: address,
            },
            AddedEvent::Failed(trouble) => UploadState::Failed { trouble },
        };
        self.0.rows.lock().set(id, progress);
        self.changed();
    }

    fn files(&self) -> Option<AddedFiles> {
        self.0.source.get().and_then(|source| source())
    }

    /// The words of the app; before it has started those of the system.
    fn words(&self) -> &'static Words {
        match self.0.app.get() {
            Some(app) => words(&host_of(app)),
            None => words_in(AppLanguage::System),
        }
    }

    fn changed(&self) {
        self.0.changed.set(());
    }
}

/// Follows what happens to the uploads, until the app ends.
async fn follow(uploads: Uploads, host: Host) {
    let Some(mut events) = host.services().added_files().take_events() else {
        return;
    };
    while let Some((id, event)) = events.recv().await {
        if event == AddedEvent::Opened {
            uploads.resume().await;
        }
        // Its row may be about to join.
        drop(uploads.0.joining.lock().await);
        uploads.hear(id, event, |hash| hash_here(&host, hash));
    }
}

/// The hash of a picture that was uploaded to this service, and not to another.
fn hash_here(host: &Host, hash: &str) -> Option<ImageHash> {
    let settings = host.settings();
    let is_here = settings.presence.target_url.is_none() || settings.presence.token.is_none();
    is_here.then(|| hash.parse().ok()).flatten()
}

async fn tell(uploads: Uploads, app: AppHandle) {
    let mut changed = uploads.0.changed.reader();
    while changed.changed().await.is_ok() {
        let rows = uploads.rows();
        if let Err(error) = app.emit("uploads-changed", &rows) {
            tracing::warn!(%error, "the window could not be notified of the uploads");
        }
        let length = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        tokio::time::sleep(TELL_EVERY.max(TELL_EVERY_PER_ROW * length)).await;
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
