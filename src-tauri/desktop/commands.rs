//! What the page may ask for: one command for each intention of the owner.
//! A command that fails says why in a sentence.

pub(super) mod care;
pub(super) mod editors;
pub(super) mod settings;
pub(super) mod tokens;

use porchlight_api::ImageHash;
use porchlight_api::window::{Home, Upload};
use porchlight_companion::presence::Pause;
use tauri::{AppHandle, State, WebviewWindow};
use tauri_plugin_clipboard_manager::ClipboardExt as _;
use tauri_plugin_dialog::DialogExt as _;
use tokio::sync::oneshot;

use super::changes::Changes;
use super::links::link_to;
use super::uploads::Uploads;
use super::words::words;
use crate::host::Host;

/// The endings that the file dialog offers; what a file holds decides later.
const ENDINGS: [&str; 9] = [
    "jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "jfif",
];

/// Everything on the first page.
#[tauri::command]
pub(super) async fn home(host: State<'_, Host>) -> Result<Home, String> {
    super::home::read(&host).await.map_err(sentence)
}

/// The queue, oldest first.
#[tauri::command]
pub(super) fn uploads(uploads: State<'_, Uploads>) -> Vec<Upload> {
    uploads.rows()
}

/// The owner's answer to whether what they are at is shared.
#[tauri::command]
pub(super) async fn share(
    share: bool,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), String> {
    host.answer_sharing(share).await.map_err(sentence)?;
    changes.tell();
    Ok(())
}

/// Stops heartbeats for now, or goes on with them.
#[tauri::command]
pub(super) fn pause(paused: bool, host: State<'_, Host>, changes: State<'_, Changes>) {
    if paused {
        host.pause(Pause::UntilResumed);
    } else {
        host.resume();
    }
    changes.tell();
}

/// Lets the owner choose pictures; those chosen join the queue.
#[tauri::command]
pub(super) async fn choose_pictures(
    window: WebviewWindow,
    uploads: State<'_, Uploads>,
) -> Result<(), String> {
    let (send, chosen) = oneshot::channel();
    window
        .dialog()
        .file()
        .set_parent(&window)
        .set_title(words().choose_pictures)
        .add_filter(words().pictures, &ENDINGS)
        .pick_files(move |files| {
            // The window may have been closed meanwhile.
            let _ = send.send(files);
        });
    let files = chosen.await.ok().flatten().unwrap_or_default();
    let paths = files
        .into_iter()
        .filter_map(|file| file.into_path().ok())
        .collect::<Vec<_>>();
    if !paths.is_empty() {
        uploads.add(paths).await;
    }
    Ok(())
}

/// Takes the finished uploads off the list.
#[tauri::command]
pub(super) fn clear_uploads(uploads: State<'_, Uploads>) {
    uploads.clear();
}

/// Puts a picture's public address on the clipboard.
#[tauri::command]
pub(super) fn copy_link(
    hash: ImageHash,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), String> {
    app.clipboard()
        .write_text(link_to(&host, hash))
        .map_err(sentence)
}

/// Puts the address of the service on the clipboard.
#[tauri::command]
pub(super) fn copy_address(host: State<'_, Host>, app: AppHandle) -> Result<(), String> {
    app.clipboard()
        .write_text(host.blog_url())
        .map_err(sentence)
}

fn sentence(error: impl std::fmt::Display) -> String {
    error.to_string()
}
