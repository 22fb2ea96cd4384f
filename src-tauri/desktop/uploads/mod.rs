//! Pictures that the owner drops on the window, chooses in a dialog or pastes.
//!
//! They go straight into the service of this process, as many at once as it
//! converts, whether or not the window that took them is still open. What is still
//! waiting when the process ends continues at its next start.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use porchlight_api::window::{Upload, UploadState, UploadTrouble};
use porchlight_app::settings::app::AppLanguage;
use porchlight_companion::clipboard;
use porchlight_companion::picgo::Picture;
use porchlight_core::images::{Images, IngestError, Progress, ProgressSink, StoredImage};
use tauri::async_runtime;
use tauri::{AppHandle, Emitter as _};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::host_of;
use super::i18n::{Words, with, words, words_in};
use super::links::link_to;

mod asked;
mod dropped;
mod group_commit;
mod journal;
mod progress;
mod queue;

use dropped::Dropped;
use journal::Waiting;
use queue::{Job, Queue};

/// Two at least: one is read while the other is converted.
const AT_ONCE_AT_LEAST: usize = 2;
/// What an image is called that was copied out of a program.
const PASTED: &str = "clipboard.png";
/// The page is updated at most this often.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// A long list costs more to send, so it is sent less often.
const TELL_EVERY_PER_ROW: Duration = Duration::from_micros(100);

/// The uploads of this run; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Uploads(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Locked after the queue, never before it.
    waiting: Mutex<Option<Waiting>>,
    work: Notify,
    app: OnceLock<AppHandle>,
    changed: watch::Sender<()>,
}

impl Uploads {
    /// Continues what the run before left waiting, and starts to work and to update
    /// the page, beside the window. Must be called on a tokio runtime.
    pub(super) fn begin(&self, beside: &mut JoinSet<()>, app: &AppHandle) {
        self.take_up(host_of(app).folder());
        // It starts once.
        let _ = self.0.app.set(app.clone());
        // The service converts one picture a core.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores.max(AT_ONCE_AT_LEAST) {
            beside.spawn(work(self.clone(), app.clone()));
        }
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
    /// Why there is nothing to take, in words.
    pub(super) async fn paste(&self) -> Result<(), String> {
        // The program that owns the clipboard may take its time.
        let pictures = async_runtime::spawn_blocking(clipboard::pictures).await;
        let pictures = pictures.map_err(|error| error.to_string())??;
        self.take(pictures).await;
        Ok(())
    }

    /// Takes pictures, and the files in folders, into the queue; the numbers of
    /// their rows.
    async fn take(&self, pictures: Vec<Picture>) -> Vec<u32> {
        let uploads = self.clone();
        let taken = async_runtime::spawn_blocking(move || uploads.take_now(pictures)).await;
        let ids = taken.unwrap_or_else(|error| {
            tracing::error!(%error, "the files could not be looked through");
            Vec::new()
        });
        self.there_is_work();
        ids
    }

    /// The same; reads and writes the disk, and blocks.
    fn take_now(&self, pictures: Vec<Picture>) -> Vec<u32> {
        let (mut paths, mut pasted) = (Vec::new(), Vec::new());
        for picture in pictures {
            match picture {
                Picture::File(path) => paths.push(path),
                Picture::Bytes(bytes) => {
                    let size = bytes.len() as u64;
                    pasted.push((self.keep(Picture::Bytes(bytes)), size));
                }
            }
        }
        let found = dropped::gather(paths);
        // No upload starts until all of them are written. They are forced to the disk without
        // the lock of the queue.
        let mut queue = self.queue();
        let (mut ids, mut waiting) = (Vec::new(), Vec::new());
        let mut add = |queue: &mut Queue, picture: Picture, name, size| {
            let id = queue.add(picture.clone(), name, size);
            waiting.push(Job { id, picture });
            id
        };
        for (picture, size) in pasted {
            ids.push(add(&mut queue, picture, PASTED.to_owned(), size));
        }
        ids.extend(found.into_iter().map(|one| match one {
            Dropped::File(path, size) => {
                let name = file_name(&path);
                add(&mut queue, Picture::File(path), name, size)
            }
            Dropped::Not(path, trouble) => {
                let name = file_name(&path);
                let end = UploadState::Failed { trouble };
                queue.add_failed(Picture::File(path), name, end)
            }
            Dropped::Rest(count) => {
                let name = with(self.words().more_files, count);
                let trouble = UploadTrouble::TooMany;
                queue.add_left_out(name, UploadState::Failed { trouble })
            }
        }));
        self.of_waiting(|list| list.join(&waiting));
        drop(queue);
        self.force();
        ids
    }

    /// Forces what waits to the disk, so that a power cut leaves it waiting.
    /// Blocks.
    fn force(&self) {
        let forcing = self.of_waiting(|list| list.forcing());
        let forced = forcing.map_or(Ok(false), |forcing| forcing.force());
        if let Err(error) = forced {
            tracing::warn!(%error, "what waits to be uploaded may not outlive a power cut");
        }
    }

    /// The words of the app; before it has started those of the system.
    fn words(&self) -> &'static Words {
        match self.0.app.get() {
            Some(app) => words(&host_of(app)),
            None => words_in(AppLanguage::System),
        }
    }

    /// What was pasted, in a file where that can be.
    fn keep(&self, picture: Picture) -> Picture {
        let Picture::Bytes(bytes) = &picture else {
            return picture;
        };
        let folder = self.of_waiting(|list| list.folder());
        match folder.map(|folder| journal::keep(&folder, bytes)) {
            Some(Ok(path)) => Picture::File(path),
            Some(Err(error)) => {
                tracing::warn!(%error, "what was pasted cannot be kept for a next start");
                picture
            }
            None => picture,
        }
    }

    /// Takes up what the run before left waiting.
    fn take_up(&self, data: &Path) {
        let mut queue = self.queue();
        let begun = Waiting::begin(data, |path| {
            let size = std::fs::metadata(path).map_or(0, |facts| facts.len());
            let name = if Waiting::is_pasted(data, path) {
                PASTED.to_owned()
            } else {
                file_name(path)
            };
            queue.add(Picture::File(path.to_owned()), name, size)
        });
        match begun {
            Ok(waiting) => *self.waiting() = Some(waiting),
            Err(error) => {
                tracing::warn!(%error, "what waits to be uploaded cannot be written down");
            }
        }
    }

    /// Tries a failed one again, or with `None` all of them.
    pub(super) fn retry(&self, id: Option<u32>) {
        let mut queue = self.queue();
        let again = queue.retry(id);
        self.of_waiting(|list| list.join(&again));
        drop(queue);
        if !again.is_empty() {
            let uploads = self.clone();
            async_runtime::spawn_blocking(move || uploads.force());
            self.there_is_work();
        }
    }

    /// The rows of the window's list, oldest first.
    pub(super) fn rows(&self) -> Vec<Upload> {
        self.queue().rows().to_vec()
    }

    /// Takes the finished rows off the list.
    pub(super) fn clear(&self) {
        let mut queue = self.queue();
        let gone = queue.clear();
        self.of_waiting(|list| gone.iter().for_each(|picture| list.forget(picture)));
        drop(queue);
        self.changed();
    }

    /// The next file, as soon as there is one.
    async fn next(&self) -> Job {
        loop {
            // Subscribed before reading: a change in between is not missed.
            let woken = self.0.work.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            if let Some(job) = self.queue().take() {
                self.changed();
                return job;
            }
            woken.await;
        }
    }

    /// Receives the progress of an upload.
    fn hear(&self, id: u32) -> ProgressSink {
        let uploads = self.clone();
        Arc::new(move |stage| {
            let size = match stage {
                Progress::Read { of, .. } => Some(of),
                _ => None,
            };
            let permille = progress::permille(stage);
            if uploads.queue().progress(id, permille, size) {
                uploads.changed();
            }
        })
    }

    fn finish(&self, job: &Job, end: UploadState) {
        let failed = matches!(end, UploadState::Failed { .. });
        let mut queue = self.queue();
        queue.finish(job.id, end);
        self.of_waiting(|list| {
            list.end(job.id);
            // What failed can be tried again.
            if !failed {
                list.forget(&job.picture);
            }
        });
        drop(queue);
        self.changed();
    }

    fn of_waiting<R>(&self, ask: impl FnOnce(&mut Waiting) -> R) -> Option<R> {
        self.waiting().as_mut().map(ask)
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.waiting.lock()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock()
    }

    fn there_is_work(&self) {
        self.changed();
        self.0.work.notify_waiters();
    }

    fn changed(&self) {
        self.0.changed.send_replace(());
    }
}

async fn ingest(
    images: &Images,
    job: &Job,
    hear: ProgressSink,
) -> Result<StoredImage, IngestError> {
    match &job.picture {
        Picture::File(path) => images.ingest_file_reporting(path, hear).await,
        Picture::Bytes(bytes) => images.ingest_bytes(bytes, hear).await,
    }
}

async fn work(uploads: Uploads, app: AppHandle) {
    loop {
        let job = uploads.next().await;
        let host = host_of(&app);
        let hear = uploads.hear(job.id);
        let end = match ingest(host.service().images(), &job, hear).await {
            Ok(image) => UploadState::Done {
                hash: image.hash,
                url: link_to(&host, image.hash),
                stored: image.size,
            },
            Err(IngestError::Duplicate(hash)) => UploadState::Duplicate {
                hash,
                url: link_to(&host, hash),
            },
            Err(error) => {
                match &job.picture {
                    Picture::File(path) => {
                        tracing::warn!(file = %path.display(), %error, "a file was not stored");
                    }
                    Picture::Bytes(_) => tracing::warn!(%error, "what was pasted was not stored"),
                }
                UploadState::Failed {
                    trouble: trouble(&error),
                }
            }
        };
        uploads.finish(&job, end);
    }
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

fn trouble(error: &IngestError) -> UploadTrouble {
    match error {
        IngestError::TooLarge => UploadTrouble::TooLarge,
        IngestError::Unsupported => UploadTrouble::NotAPicture,
        IngestError::Invalid(_) => UploadTrouble::Broken,
        IngestError::Unreadable(_) => UploadTrouble::Unreadable,
        IngestError::NotAFile => UploadTrouble::NotAFile,
        IngestError::StorageFull(_) => UploadTrouble::StorageFull,
        _ => UploadTrouble::Storage,
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
