//! The public addresses that the owner copies, or has copied.

use porchlight_api::ImageHash;
use porchlight_companion::watch::Outcome;
use tauri::AppHandle;
use tauri_plugin_clipboard_manager::ClipboardExt as _;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::host::Host;

/// A picture's public address.
pub(super) fn link_to(host: &Host, hash: ImageHash) -> String {
    format!("{}/i/{hash}", host.blog_url())
}

/// What the owner's template makes of a picture's address.
pub(super) fn filled(host: &Host, hash: ImageHash) -> String {
    host.settings().links.template.fill(&link_to(host, hash))
}

/// Puts a text on the clipboard; whether it is there.
pub(super) fn copy(app: &AppHandle, text: &str) -> bool {
    let copied = app.clipboard().write_text(text);
    if let Err(error) = &copied {
        tracing::error!(%error, "the clipboard could not be written");
    }
    copied.is_ok()
}

/// Puts the link of each picture that a watched folder brings on the clipboard,
/// for as long as the settings want it; of many at once the last one stays.
pub(super) async fn copy_those_of_watched(
    app: AppHandle,
    host: Host,
    mut outcomes: Receiver<Outcome>,
) {
    loop {
        let link = match outcomes.recv().await {
            Ok(Outcome::Uploaded {
                link: Some(link), ..
            }) => link,
            // The newest are kept.
            Ok(_) | Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if host.settings().watch.copy_link {
            copy(&app, &link);
        }
    }
}
