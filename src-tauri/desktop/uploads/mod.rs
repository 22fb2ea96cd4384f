//! Pictures that the owner drops on the window, chooses in a dialog or pastes.
//!
//! They go through the upload queue to the target of the settings, whether or not the window that
//! took them is still open. What is still waiting when the process ends continues at its next
//! start.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use porchlight_api::window::{Upload, UploadState, UploadTrouble};
use porchlight_api::{ImageHash, Message};
use porchlight_app::host::Host;
use porchlight_app::settings::app::AppLanguage;
use porchlight_companion::added_files::{AddedEvent, AddedFiles, NewFile};
use porchlight_companion::clipboard;
use porchlight_companion::picgo::Picture;
use tauri::async_runtime;
use tauri::{AppHandle, Emitter as _};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::host_of;
use super::i18n::{Words, with, words, words_in};

mod asked;
mod dropped;
mod rows;

use dropped::Dropped;
use rows::Rows;

/// What an image is called that was copied out of a program.
const PASTED: &str = "clipboard.png";
/// The page is updated at most this often.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// A long list costs more to send, so it is sent less often.
const TELL_EVERY_PER_ROW: Duration = Duration::from_micros(100);

/// The uploads of this run; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Uploads(Arc<Shared>);

/// Where the queue is, once it is open.
type Source = Box<dyn Fn() -> Option<AddedFiles> + Send + Sync>;

#[derive(Default)]
struct Shared {
    rows: Mutex<Rows>,
    /// Held while rows join the queue and the list: what happens to them comes after that.
    joining: tokio::sync::Mutex<()>,
    source: OnceLock<Source>,
    app: OnceLock<AppHandle>,
    changed: watch::Sender<()>,
}

/// A file that is to be added, and its row.
struct New {
    file: NewFile,
    name: String,
    progress: UploadState,
}

impl New {
    fn waiting(file: PathBuf, bytes: u64, name: String) -> Self {
        let failed = false;
        Self {
            file: NewFile {
                file,
                bytes,
                failed,
            },
            name,
            progress: UploadState::Waiting { why: None },
        }
    }

    fn failed(file: PathBuf, name: String, trouble: UploadTrouble) -> Self {
        let (bytes, failed) = (0, true);
        Self {
            file: NewFile {
                file,
                bytes,
                failed,
            },
            name,
            progress: UploadState::Failed { trouble },
        }
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

    /// Takes files, and the files in folders, into the queue.
    pub(super) async fn add(&self, paths: Vec<PathBuf>) {
        self.take(paths.into_iter().map(Picture::File).collect())
            .await;
    }

    /// Takes what is on the clipboard, an image or files, into the queue.
    ///
    /// # Errors
    /// Why there is nothing to take.
    pub(super) async fn paste(&self) -> Result<(), Message> {
        // The program that owns the clipboard may take its time.
        let pictures = async_runtime::spawn_blocking(clipboard::pictures).await;
        let pictures = pictures.map_err(Message::text)??;
        self.take(pictures).await;
        Ok(())
    }

    /// Takes pictures, and the files in folders, into the queue; the numbers of their rows. Those
    /// that could not be stored are shown as failed.
    pub(super) async fn take(&self, pictures: Vec<Picture>) -> Vec<u32> {
        self.try_to_take(pictures).await.0
    }

    /// The same, and whether all of them are in the queue, on the disk.
    pub(super) async fn try_to_take(&self, pictures: Vec<Picture>) -> (Vec<u32>, bool) {
        let (files, words) = (self.files(), self.words());
        let found = async_runtime::spawn_blocking({
            let files = files.clone();
            move || gather(pictures, files.as_ref(), words)
        });
        let found = found.await.inspect_err(|error| {
            tracing::error!(%error, "the files could not be looked through");
        });
        let were_found = found.is_ok();
        let new = found.unwrap_or_default();
        let _joining = self.0.joining.lock().await;
        let wanted = new.iter().map(|new| new.file.clone()).collect();
        let ids = match &files {
            Some(files) => files.add(wanted).await.map_err(|error| error.to_string()),
            None => Err("the upload queue is not open".to_owned()),
        };
        let are_queued = were_found && ids.is_ok();
        let ids = match ids {
            Ok(ids) => ids.into_iter().map(Some).collect(),
            Err(why) => {
                tracing::error!("files were not added: {why}");
                vec![None; new.len()]
            }
        };
        let mut rows = self.0.rows.lock();
        let joined = new.into_iter().zip(ids).map(|(new, id)| {
            let trouble = UploadTrouble::Storage;
            let row = Upload {
                id: id.map_or_else(|| rows.spare_id(), number),
                name: new.name,
                size: new.file.bytes,
                progress: match id {
                    Some(_) => new.progress,
                    None => UploadState::Failed { trouble },
                },
            };
            let id = row.id;
            rows.insert(row);
            id
        });
        let joined = joined.collect();
        drop(rows);
        self.changed();
        (joined, are_queued)
    }

    /// Tries a failed one again, or with `None` all of them.
    pub(super) async fn retry(&self, id: Option<u32>) {
        let _joining = self.0.joining.lock().await;
        let failed = self.0.rows.lock().failed(id);
        let Some(files) = self.files().filter(|_| !failed.is_empty()) else {
            return;
        };
        match files
            .retry(failed.into_iter().map(i64::from).collect())
            .await
        {
            Ok(again) => {
                let mut rows = self.0.rows.lock();
                for id in again {
                    rows.set(number(id), UploadState::Waiting { why: None });
                }
            }
            Err(error) => tracing::error!(%error, "uploads cannot be retried"),
        }
        self.changed();
    }

    /// Takes one that waits out of the queue and off the list, or with `None` all of them.
    ///
    /// # Errors
    /// When they stay in the queue.
    pub(super) async fn cancel(&self, id: Option<u32>) -> Result<(), Message> {
        let _joining = self.0.joining.lock().await;
        let waiting = self.0.rows.lock().waiting(id);
        let Some(files) = self.files().filter(|_| !waiting.is_empty()) else {
            return Ok(());
        };
        let waiting = waiting.into_iter().map(i64::from).collect();
        // What is under way by now goes on, as its row will show.
        let gone = files.cancel(waiting).await?;
        let gone = gone.into_iter().map(number).collect();
        self.0.rows.lock().remove(&gone);
        self.changed();
        Ok(())
    }

    /// The rows of the window's list, oldest first.
    pub(super) fn rows(&self) -> Vec<Upload> {
        self.0.rows.lock().all().to_vec()
    }

    /// Takes the finished rows off the list.
    pub(super) async fn clear(&self) {
        let failed = {
            let mut rows = self.0.rows.lock();
            let failed = rows.failed(None);
            rows.clear();
            failed
        };
        self.changed();
        if let Some(files) = self.files().filter(|_| !failed.is_empty()) {
            let failed = failed.into_iter().map(i64::from).collect();
            if let Err(error) = files.dismiss(failed).await {
                tracing::warn!(%error, "failed uploads stay in the queue until the next start");
            }
        }
    }

    /// Lists what the run before left waiting.
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
                        progress: UploadState::Waiting { why: None },
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
            AddedEvent::Waits { why } => UploadState::Waiting { why: Some(why) },
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
        self.0.changed.send_replace(());
    }
}

/// What the pictures are, with the files in folders. Reads and writes the disk, and blocks.
fn gather(pictures: Vec<Picture>, files: Option<&AddedFiles>, words: &Words) -> Vec<New> {
    let (mut paths, mut new) = (Vec::new(), Vec::new());
    for picture in pictures {
        match picture {
            Picture::File(path) => paths.push(path),
            Picture::Bytes(bytes) => {
                let name = PASTED.to_owned();
                match files.map(|files| files.keep(&bytes)) {
                    Some(Ok(path)) => new.push(New::waiting(path, bytes.len() as u64, name)),
                    Some(Err(error)) => {
                        tracing::error!(%error, "what was pasted cannot be kept");
                        new.push(New::failed(PathBuf::new(), name, UploadTrouble::Storage));
                    }
                    None => new.push(New::failed(PathBuf::new(), name, UploadTrouble::Storage)),
                }
            }
        }
    }
    new.extend(dropped::gather(paths).into_iter().map(|one| match one {
        Dropped::File(path, size) => {
            let name = file_name(&path);
            New::waiting(path, size, name)
        }
        Dropped::Not(path, trouble) => {
            let name = file_name(&path);
            New::failed(path, name, trouble)
        }
        Dropped::Rest(count) => New::failed(
            PathBuf::new(),
            with(words.more_files, count),
            UploadTrouble::TooMany,
        ),
    }));
    new
}

/// Follows what happens to the uploads, until the app ends.
async fn follow(uploads: Uploads, host: Host) {
    let Some(mut events) = host.services().added_files().take_events() else {
        return;
    };
    uploads.resume().await;
    while let Some((id, event)) = events.recv().await {
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
    let mut changed = uploads.0.changed.subscribe();
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
