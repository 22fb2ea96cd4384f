//! Pictures that the owner drops on the window or chooses in a dialog.
//!
//! They go straight into the service of this process, two at a time, whether
//! or not the window that took them is still open.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use porchlight_api::window::{Upload, UploadState, UploadTrouble};
use porchlight_core::images::IngestError;
use tauri::async_runtime;
use tauri::{AppHandle, Emitter as _};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::host_of;
use super::links::link_to;

mod asked;
mod dropped;
mod queue;

use dropped::Dropped;
use queue::{Job, Queue};

const AT_ONCE: usize = 2;
/// The page is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// A long list is dearer to tell, so it is told less often.
const TELL_EVERY_PER_ROW: Duration = Duration::from_micros(100);

/// The uploads of this run; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Uploads(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Notify,
    changed: watch::Sender<()>,
}

impl Uploads {
    /// Begins to work and to tell the page of it, beside the window. Must be
    /// called on a tokio runtime.
    pub(super) fn begin(&self, beside: &mut JoinSet<()>, app: &AppHandle) {
        for _ in 0..AT_ONCE {
            beside.spawn(work(self.clone(), app.clone()));
        }
        beside.spawn(tell(self.clone(), app.clone()));
    }

    /// Takes files, and the files in folders, into the queue.
    pub(super) async fn add(&self, paths: Vec<PathBuf>) {
        let found = match async_runtime::spawn_blocking(|| dropped::gather(paths)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(%error, "what was dropped could not be looked through");
                return;
            }
        };
        {
            let mut queue = self.queue();
            for one in found {
                match one {
                    Dropped::File(path, size) => {
                        let name = file_name(&path);
                        queue.add(path, name, size);
                    }
                    Dropped::Not(path, trouble) => {
                        queue.add_finished(file_name(&path), UploadState::Failed { trouble });
                    }
                }
            }
        }
        self.changed();
        self.0.work.notify_waiters();
    }

    /// The rows of the window's list, oldest first.
    pub(super) fn rows(&self) -> Vec<Upload> {
        self.queue().rows().to_vec()
    }

    /// Takes the finished rows off the list.
    pub(super) fn clear(&self) {
        self.queue().clear();
        self.changed();
    }

    /// The next file, as soon as there is one.
    async fn next(&self) -> Job {
        loop {
            // Listening begins before looking: what comes between is not missed.
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

    fn finish(&self, id: u32, end: UploadState) {
        self.queue().finish(id, end);
        self.changed();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.0.changed.send_replace(());
    }
}

async fn work(uploads: Uploads, app: AppHandle) {
    loop {
        let job = uploads.next().await;
        let host = host_of(&app);
        let end = match host.service().images().ingest_file(&job.path).await {
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
                tracing::warn!(file = %job.path.display(), %error, "a file was not stored");
                UploadState::Failed {
                    trouble: trouble(&error),
                }
            }
        };
        uploads.finish(job.id, end);
    }
}

async fn tell(uploads: Uploads, app: AppHandle) {
    let mut changed = uploads.0.changed.subscribe();
    while changed.changed().await.is_ok() {
        let rows = uploads.rows();
        if let Err(error) = app.emit("uploads-changed", &rows) {
            tracing::warn!(%error, "the window could not be told of the uploads");
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
