//! Files on their way in.

use porchlight_api::window::Upload;
use tauri::{State, WebviewWindow};
use tauri_plugin_dialog::DialogExt as _;
use tokio::sync::oneshot;

use crate::desktop::uploads::Uploads;
use crate::desktop::words::words;

/// The endings that the file dialog offers; what a file holds decides later.
const ENDINGS: [&str; 9] = [
    "jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "jfif",
];

/// The queue, oldest first.
#[tauri::command]
pub(crate) fn uploads(uploads: State<'_, Uploads>) -> Vec<Upload> {
    uploads.rows()
}

/// Lets the owner choose pictures; those chosen join the queue.
#[tauri::command]
pub(crate) async fn choose_pictures(
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
pub(crate) fn clear_uploads(uploads: State<'_, Uploads>) {
    uploads.clear();
}
