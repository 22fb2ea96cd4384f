//! What happens to the window from outside: it is closed, or files are dropped on it.

use std::path::PathBuf;

use porchlight_service::uploads::UploadFile;
use tauri::{DragDropEvent, Emitter as _, Manager as _, Window, WindowEvent};

use super::dialogs::many_meant;
use super::notifications::{Notice, Notices};
use super::{host_of, uploads};

/// Closing ends only the window. Files that are dropped on the window join the
/// queue, which takes them from here. The page is notified that some hover; Tauri
/// has events that contain their paths, which the page may receive, since
/// permissions cannot distinguish events. It listens to none of them.
pub(super) fn on_event(window: &Window, event: &WindowEvent) {
    if let WindowEvent::CloseRequested { .. } = event {
        window.state::<Notices>().send(Notice::Closed);
        #[cfg(target_os = "linux")]
        super::webkit::end_page(window);
    }
    let WindowEvent::DragDrop(drag) = event else {
        return;
    };
    match drag {
        DragDropEvent::Enter { paths, .. } => send_hover(window, files(paths).next().is_some()),
        DragDropEvent::Drop { paths, .. } => {
            send_hover(window, false);
            let app = window.app_handle().clone();
            let Some(window) = app.get_webview_window(window.label()) else {
                return;
            };
            let pictures = files(paths).map(UploadFile::File).collect();
            let taking = host_of(&app)
                .uploads()
                .take_confirmed(pictures, |count| many_meant(window, count));
            tauri::async_runtime::spawn(async move {
                uploads::copy_when_over(&app, taking.await);
            });
        }
        DragDropEvent::Leave => send_hover(window, false),
        _ => {}
    }
}

/// The files among what is dragged; the rest are addresses, such as that of a picture of this window.
fn files(dragged: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let files = dragged.iter().filter(|path| path.is_absolute());
    files.cloned()
}

fn send_hover(window: &Window, hovering: bool) {
    if let Err(error) = window.emit("drop-hover", hovering) {
        tracing::warn!(%error, "the window could not be notified of a drag");
    }
}
