//! Uploads that the owner asks for outside of the window: what is on the
//! clipboard, and files that a second start hands over.

use std::sync::Arc;

use porchlight_companion::clipboard;
use porchlight_companion::picgo::Picture;
use tauri::{AppHandle, Manager as _};

use super::notifications::{Notice, Notices};
use super::uploads::Uploads;
use super::{Folder, finished_uploads, handoff};

/// Uploads the picture, or the files, on the clipboard. Returns at once.
pub(super) fn upload_from_clipboard(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        // Reading waits for the program that owns the clipboard.
        match tauri::async_runtime::spawn_blocking(clipboard::pictures).await {
            Ok(Ok(pictures)) => {
                let uploads = app.state::<Uploads>().inner().clone();
                finished_uploads::copy_when_over(&app, uploads.take(pictures).await);
            }
            Ok(Err(why)) => {
                tracing::info!("nothing was uploaded: {why}");
                app.state::<Notices>().tell(Notice::NothingCopied);
            }
            Err(error) => {
                tracing::error!(%error, "reading the clipboard broke off");
                app.state::<Notices>().tell(Notice::ClipboardUnread);
            }
        }
    });
}

/// Uploads what starts with `--upload` have handed over. Returns at once.
pub(super) fn upload_handed(app: &AppHandle) {
    let mut taken = handoff::take(&app.state::<Folder>().0);
    if taken.broken {
        app.state::<Notices>().tell(Notice::HandedUnread);
    }
    let files = std::mem::take(&mut taken.files);
    if files.is_empty() {
        return taken.are_queued();
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let uploads = app.state::<Uploads>().inner().clone();
        let pictures = files.into_iter().map(Picture::File).collect();
        let ids = uploads.take_from(Some(Arc::new(taken)), pictures).await;
        finished_uploads::copy_when_over(&app, ids);
    });
}
