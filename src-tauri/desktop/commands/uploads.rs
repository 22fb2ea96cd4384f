//! Uploads.

use std::path::Path;

use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::uploads::UploadFile;
use porchlight_service::uploads::clipboard::pictures;
use porchlight_service::uploads::window::{SetAsideFile, Upload};
use tauri::{AppHandle, Manager as _, State, WebviewWindow};
use tauri_plugin_dialog::{DialogExt as _, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;

use crate::desktop::dialogs::many_meant;
use crate::desktop::events::Changes;
use crate::desktop::i18n::words;
use crate::desktop::links::links_of_uploads;
use crate::desktop::put_on_clipboard;
use crate::desktop::{host_of, uploads as shell};

/// The queue of this run, oldest first.
#[tauri::command]
pub(crate) async fn uploads(host: State<'_, Host>) -> Result<Vec<Upload>, Message> {
    Ok(host.uploads().rows().await)
}

/// Opens the system's file dialog; the chosen files join the queue.
#[tauri::command]
pub(crate) async fn choose_pictures(
    window: WebviewWindow,
    host: State<'_, Host>,
) -> Result<(), Message> {
    let (send, chosen) = oneshot::channel();
    dialog(&window, words(&host).choose_pictures)
        .add_filter(words(&host).pictures, &shell::ENDINGS)
        .pick_files(move |files| {
            // The window may have been closed meanwhile.
            let _ = send.send(files);
        });
    let files = chosen.await.ok().flatten().unwrap_or_default();
    take(window, files).await;
    Ok(())
}

/// Opens the system's folder dialog; the files in it join the queue.
#[tauri::command]
pub(crate) async fn choose_folder_of_pictures(
    window: WebviewWindow,
    host: State<'_, Host>,
) -> Result<(), Message> {
    let (send, chosen) = oneshot::channel();
    dialog(&window, words(&host).choose_folder_of_pictures).pick_folder(move |folder| {
        // The window may have been closed meanwhile.
        let _ = send.send(folder);
    });
    let folder = chosen.await.ok().flatten();
    take(window, folder.into_iter().collect()).await;
    Ok(())
}

fn dialog(window: &WebviewWindow, title: &str) -> FileDialogBuilder<tauri::Wry> {
    window.dialog().file().set_parent(window).set_title(title)
}

async fn take(window: WebviewWindow, chosen: Vec<FilePath>) {
    let paths = chosen.into_iter().filter_map(|file| file.into_path().ok());
    let pictures: Vec<UploadFile> = paths.map(UploadFile::File).collect();
    if !pictures.is_empty() {
        let app = window.app_handle().clone();
        let taking = host_of(&app)
            .uploads()
            .take_confirmed(pictures, |count| many_meant(window, count));
        shell::copy_when_over(&app, taking.await);
    }
}

/// Adds an image or files from the clipboard.
#[tauri::command]
pub(crate) async fn paste_pictures(
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    // The program that owns the clipboard may take its time.
    let pictures = tauri::async_runtime::spawn_blocking(pictures).await;
    let pictures = pictures.map_err(Message::text)??;
    let taking = host
        .uploads()
        .take_confirmed(pictures, |count| many_meant(window, count));
    shell::copy_when_over(&app, taking.await);
    Ok(())
}

/// Copies the link of a finished upload to the clipboard.
#[tauri::command]
pub(crate) async fn copy_upload_link(
    id: u32,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    let row = host.uploads().rows_of(&[id]).await?;
    let links = links_of_uploads(&host, &row).await;
    let link = links.into_iter().next().ok_or(porchlight_service::detail!(
        "there is no such picture any more"
    ))?;
    put_on_clipboard(&app, link)
}

/// Retries a failed upload; without an `id` all of them.
#[tauri::command]
pub(crate) async fn retry_upload(
    id: Option<u32>,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    shell::copy_when_over(&app, host.uploads().retry(id).await);
    Ok(())
}

/// Cancels a waiting upload; without an `id` all of them.
#[tauri::command]
pub(crate) async fn cancel_upload(id: Option<u32>, host: State<'_, Host>) -> Result<(), Message> {
    host.uploads().cancel(id).await
}

/// Removes finished uploads from the queue.
#[tauri::command]
pub(crate) async fn clear_uploads(host: State<'_, Host>) -> Result<(), Message> {
    host.uploads().clear().await;
    Ok(())
}

/// Files of the watched folders that could not be uploaded.
#[tauri::command]
pub(crate) async fn set_aside_files(host: State<'_, Host>) -> Result<Vec<SetAsideFile>, Message> {
    let files = host.uploads().set_aside().await?.into_iter();
    let files = files.map(|file| SetAsideFile {
        id: file.id,
        name: in_words(file.file.file_name()),
        folder: file.file.parent().map(from_home).unwrap_or_default(),
        reason: file.reason,
    });
    Ok(files.collect())
}

/// A folder as its owner calls it: on Unix the home folder is `~`.
pub(super) fn from_home(folder: &Path) -> String {
    let home = std::env::home_dir().filter(|home| cfg!(unix) && home.is_absolute());
    let within = home.and_then(|home| folder.strip_prefix(home).ok().map(Path::to_owned));
    match within {
        Some(within) => in_words(Some(Path::new("~").join(within).as_os_str())),
        None => in_words(Some(folder.as_os_str())),
    }
}

fn in_words(part: Option<&std::ffi::OsStr>) -> String {
    part.unwrap_or_default().to_string_lossy().into_owned()
}

/// Retries one of these files; without an `id` all of them.
#[tauri::command]
pub(crate) async fn retry_set_aside(
    id: Option<i64>,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.uploads().retry_set_aside(id).await?;
    changes.notify();
    Ok(())
}

/// Dismisses one of these files; without an `id` all of them.
#[tauri::command]
pub(crate) async fn dismiss_set_aside(
    id: Option<i64>,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.uploads().dismiss_set_aside(id).await?;
    changes.notify();
    Ok(())
}
