//! What the window, the clipboard and the page have to do with uploads: those that the owner asks
//! for outside of the window, the links and the notification once they are over, and the events of
//! the page.

use std::sync::Arc;
use std::time::Duration;

use porchlight_service::uploads::UploadFile;
use porchlight_service::uploads::clipboard;
use porchlight_service::uploads::handed;
use porchlight_service::uploads::window::{CopiedLinks, Upload};
use tauri::{AppHandle, Emitter as _, Manager as _};
use tokio::task::JoinSet;

use super::i18n::{with, words};
use super::notifications::{Notice, Notices};
use super::window::WindowPage;
use super::{Folder, host_of, links, notifications};

/// The endings that file dialogs and Explorer offer; what a file holds decides later.
pub(super) const ENDINGS: [&str; 17] = [
    "jpg", "jpeg", "jfif", "png", "apng", "gif", "webp", "heic", "heif", "avif", "jxl", "svg",
    "bmp", "tif", "tiff", "ico", "qoi",
];

/// The page is updated at most this often.
const SEND_EVERY: Duration = Duration::from_millis(100);
/// A long list costs more to send, so it is sent less often.
const SEND_EVERY_PER_ROW: Duration = Duration::from_micros(100);

/// Updates the page beside the window. Must be called on a tokio runtime.
pub(super) fn begin(beside: &mut JoinSet<()>, app: &AppHandle) {
    let host = host_of(app);
    let uploads = host.uploads().clone();
    let left_out = move |count| with(words(&host).more_files, count);
    uploads.name_left_out(Arc::new(left_out));
    let (page, mut changed) = (app.clone(), uploads.changes());
    beside.spawn(async move {
        while changed.changed().await.is_ok() {
            let rows = uploads.rows().await;
            if let Err(error) = page.emit("uploads-changed", &rows) {
                tracing::warn!(%error, "the window could not be notified of the uploads");
            }
            let length = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            tokio::time::sleep(SEND_EVERY.max(SEND_EVERY_PER_ROW * length)).await;
        }
    });
}

/// Waits for the end of all of these uploads, and copies their links. Returns at once.
pub(super) fn copy_when_over(app: &AppHandle, ids: Vec<u32>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut ended = host_of(&app).uploads().ended(ids).await;
        if !ended.is_empty() {
            // As they were added, not as they were finished.
            ended.sort_by_key(|upload| upload.id);
            finish(&app, ended).await;
        }
    });
}

async fn finish(app: &AppHandle, ended: Vec<Upload>) {
    let host = host_of(app);
    let links = links::links_of_uploads(&host, &ended).await;
    let kind = host.address_kind();
    let copied = !links.is_empty() && links::copy(app, &links.join("\n"));
    if copied {
        let count = u32::try_from(links.len()).unwrap_or(u32::MAX);
        if let Err(error) = app.emit("links-copied", CopiedLinks { count, kind }) {
            tracing::warn!(%error, "the window could not be notified of copied links");
        }
    }
    let copied = copied.then_some(kind);
    app.state::<Notices>().send(Notice::Asked { ended, copied });
}

/// Uploads the picture, or the files, on the clipboard. Returns at once.
pub(super) fn upload_from_clipboard(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        // Reading waits for the program that owns the clipboard.
        match tauri::async_runtime::spawn_blocking(clipboard::pictures).await {
            Ok(Ok(pictures)) => {
                let ids = host_of(&app).uploads().take(pictures).await;
                copy_when_over(&app, ids);
            }
            Ok(Err(why)) => {
                tracing::info!("nothing was uploaded: {why}");
                if host_of(&app).settings().app.notifications {
                    notifications::show(&app, |words| words.no_picture_copied, WindowPage::Images);
                }
            }
            Err(error) => {
                tracing::error!(%error, "reading the clipboard broke off");
                notifications::show(&app, |words| words.clipboard_unread, WindowPage::Images);
            }
        }
    });
}

/// Uploads what starts with `--upload` have handed over. Returns at once.
pub(super) fn upload_handed(app: &AppHandle) {
    let mut taken = handed::take(&app.state::<Folder>().0);
    if taken.broken {
        notifications::show(app, |words| words.handed_unread, WindowPage::Images);
    }
    let files = std::mem::take(&mut taken.files);
    if files.is_empty() {
        return taken.are_queued();
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let files = files.into_iter().map(UploadFile::File).collect();
        let uploads = host_of(&app).uploads().clone();
        let ids = uploads.take_from(Some(Arc::new(taken)), files).await;
        copy_when_over(&app, ids);
    });
}
