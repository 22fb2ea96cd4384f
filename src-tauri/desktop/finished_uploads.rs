//! Uploads that the owner asked for, once all of them are over: their links are on the clipboard,
//! and the window and a notification say so.

use porchlight_api::window::{CopiedLinks, Upload};
use tauri::{AppHandle, Emitter as _, Manager as _};

use super::notifications::{Notice, Notices};
use super::uploads::Uploads;
use super::{host_of, links};

/// Waits for the end of all of these, and copies their links. Returns at once.
pub(super) fn copy_when_over(app: &AppHandle, ids: Vec<u32>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let uploads = app.state::<Uploads>().inner().clone();
        let mut ended = uploads.ended(ids).await;
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
    let kind = links::kind_of_uploads(&host, &ended);
    let copied = !links.is_empty() && links::copy(app, &links.join("\n"));
    if copied {
        let count = u32::try_from(links.len()).unwrap_or(u32::MAX);
        if let Err(error) = app.emit("links-copied", CopiedLinks { count, kind }) {
            tracing::warn!(%error, "the window could not be notified of copied links");
        }
    }
    let copied = copied.then_some(kind);
    app.state::<Notices>().tell(Notice::Asked { ended, copied });
}
