//! Uploads that the owner asks for outside of the window: what is on the
//! clipboard, and files that a second start hands over. What came of them is
//! said by a notification, and their links are on the clipboard.

use std::path::PathBuf;

use porchlight_api::window::{Upload, UploadState};
use porchlight_companion::clipboard;
use porchlight_companion::picgo::Picture;
use tauri::{AppHandle, Manager as _};

use super::notifications::{Notice, Notices};
use super::uploads::Uploads;
use super::{host_of, links};

/// Uploads the picture, or the files, on the clipboard. Returns at once.
pub(super) fn upload_from_clipboard(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        // Reading waits for the program that owns the clipboard.
        match tauri::async_runtime::spawn_blocking(clipboard::pictures).await {
            Ok(Ok(pictures)) => upload(&app, pictures).await,
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

/// Uploads these files. Returns at once.
pub(super) fn upload_files(app: &AppHandle, paths: Vec<PathBuf>) {
    let app = app.clone();
    let pictures = paths.into_iter().map(Picture::File).collect();
    tauri::async_runtime::spawn(async move { upload(&app, pictures).await });
}

async fn upload(app: &AppHandle, pictures: Vec<Picture>) {
    let uploads = app.state::<Uploads>().inner().clone();
    let ended = uploads.bring(pictures).await;
    let host = host_of(app);
    let links: Vec<String> = ended
        .iter()
        .filter_map(hash)
        .map(|hash| links::filled(&host, hash))
        .collect();
    let copied = !links.is_empty() && links::copy(app, &links.join("\n"));
    app.state::<Notices>().tell(Notice::Asked { ended, copied });
}

fn hash(upload: &Upload) -> Option<porchlight_api::ImageHash> {
    match upload.progress {
        UploadState::Done { hash, .. } | UploadState::Duplicate { hash, .. } => Some(hash),
        _ => None,
    }
}
