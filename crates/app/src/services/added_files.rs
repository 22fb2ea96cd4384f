//! The files that the owner adds one by one, in the window or from another program.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use porchlight_companion::added_files::{AddedEvent, AddedFiles, EventSink, Uploading};
use porchlight_companion::upload_queue::OpenUploadQueueError;
use tokio::sync::mpsc;

use crate::services::upload_target::UploadTarget;

/// What happens to added files, in order.
pub type AddedEvents = mpsc::UnboundedReceiver<(i64, AddedEvent)>;

/// Added files, and their uploads.
pub struct RunningUploads {
    files: Mutex<Option<AddedFiles>>,
    uploading: Mutex<Option<Uploading>>,
    say: EventSink,
    events: Mutex<Option<AddedEvents>>,
}

impl Default for RunningUploads {
    fn default() -> Self {
        let (say, events) = mpsc::unbounded_channel();
        Self {
            files: Mutex::default(),
            uploading: Mutex::default(),
            say,
            events: Mutex::new(Some(events)),
        }
    }
}

impl RunningUploads {
    /// The files; `None` where their queue cannot be opened, which the log says.
    pub fn files(&self) -> Option<AddedFiles> {
        self.files.lock().clone()
    }

    /// What happens to them, for the first caller.
    pub fn take_events(&self) -> Option<AddedEvents> {
        self.events.lock().take()
    }

    pub(super) fn is_running(&self) -> bool {
        self.uploading.lock().is_some()
    }

    /// Uploads them to this target from now on. Without one they wait.
    pub(super) async fn start(&self, folder: &Path, target: Option<&UploadTarget>) {
        self.stop().await;
        let files = match self.open(folder).await {
            Ok(files) => files,
            Err(error) => {
                tracing::error!(%error, "no file can be added");
                return;
            }
        };
        let Some(target) = target else {
            return;
        };
        let address = Arc::clone(&target.address);
        let uploading = files.start(target.client.clone(), address, self.say.clone());
        *self.uploading.lock() = Some(uploading);
    }

    async fn open(&self, folder: &Path) -> Result<AddedFiles, OpenUploadQueueError> {
        if let Some(files) = self.files() {
            return Ok(files);
        }
        let files = AddedFiles::open(folder).await?;
        *self.files.lock() = Some(files.clone());
        // Nothing follows them in a process without a window.
        let _ = self.say.send((0, AddedEvent::Opened));
        Ok(files)
    }

    /// Stops; uploads in progress continue at the next start.
    pub(super) async fn stop(&self) {
        let uploading = self.uploading.lock().take();
        if let Some(uploading) = uploading {
            uploading.stop().await;
        }
    }
}
