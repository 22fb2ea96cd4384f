//! Uploads that the owner asks for outside of the window: what is on the
//! clipboard, and files that a second start hands over. What came of them is
//! said by a notification, and their links are on the clipboard.

use std::io;
use std::path::PathBuf;

use porchlight_api::window::{Upload, UploadState};
use porchlight_companion::clipboard;
use porchlight_companion::picgo::Picture;
use tauri::{AppHandle, Manager as _};
use tempfile::TempDir;

use super::notices::{Notice, Notices};
use super::uploads::Uploads;
use super::{host_of, links};

/// What the queue calls an image that had no name.
const NAMELESS: &str = "clipboard.png";

/// Uploads the picture, or the files, on the clipboard. Returns at once.
pub(super) fn upload_from_clipboard(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        // Reading waits for the program that owns the clipboard.
        let read = tauri::async_runtime::spawn_blocking(|| {
            clipboard::pictures().map(|pictures| as_files(pictures).map_err(|e| e.to_string()))
        });
        match read.await {
            Ok(Ok(Ok(files))) => {
                upload(&app, files.paths).await;
                // Kept until the last one was read.
                drop(files.folder);
            }
            Ok(Ok(Err(why))) => tracing::error!("what is on the clipboard has no place: {why}"),
            Ok(Err(why)) => {
                tracing::info!("nothing was uploaded: {why}");
                app.state::<Notices>().tell(Notice::NothingCopied);
            }
            Err(error) => tracing::error!(%error, "reading the clipboard broke off"),
        }
    });
}

/// Uploads these files. Returns at once.
pub(super) fn upload_files(app: &AppHandle, paths: Vec<PathBuf>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move { upload(&app, paths).await });
}

async fn upload(app: &AppHandle, paths: Vec<PathBuf>) {
    let uploads = app.state::<Uploads>().inner().clone();
    let ended = uploads.bring(paths).await;
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

/// Pictures as files, some of them in a folder of their own.
struct Files {
    paths: Vec<PathBuf>,
    folder: Option<TempDir>,
}

/// Writes what is no file yet into one.
fn as_files(pictures: Vec<Picture>) -> io::Result<Files> {
    let mut files = Files {
        paths: Vec::new(),
        folder: None,
    };
    for picture in pictures {
        match picture {
            Picture::File(path) => files.paths.push(path),
            Picture::Bytes(bytes) => {
                let folder = tempfile::tempdir()?;
                let path = folder.path().join(NAMELESS);
                std::fs::write(&path, bytes)?;
                files.paths.push(path);
                // The clipboard holds one image at most.
                files.folder = Some(folder);
            }
        }
    }
    Ok(files)
}
