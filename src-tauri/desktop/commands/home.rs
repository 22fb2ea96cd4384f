//! The light, and how everything stands.

use porchlight_api::window::Home;
use porchlight_companion::presence::Pause;
use tauri::{AppHandle, State};
use tauri_plugin_clipboard_manager::ClipboardExt as _;

use super::sentence;
use crate::desktop::{self, changes::Changes};
use crate::host::Host;

/// Everything on the first page.
#[tauri::command]
pub(crate) async fn home(host: State<'_, Host>, app: AppHandle) -> Result<Home, String> {
    let tray = desktop::tray_is_there(&app);
    desktop::home::read(&host, tray).await.map_err(sentence)
}

/// The owner's answer to whether what they are at is shared.
#[tauri::command]
pub(crate) async fn share(
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
pub(crate) fn pause(paused: bool, host: State<'_, Host>, changes: State<'_, Changes>) {
    if paused {
        host.pause(Pause::UntilResumed);
    } else {
        host.resume();
    }
    changes.tell();
}

/// Puts the address of the service on the clipboard.
#[tauri::command]
pub(crate) fn copy_address(host: State<'_, Host>, app: AppHandle) -> Result<(), String> {
    app.clipboard()
        .write_text(host.blog_url())
        .map_err(sentence)
}
