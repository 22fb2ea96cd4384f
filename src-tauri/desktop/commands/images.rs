//! Stored pictures.

use porchlight_api::ImageHash;
use tauri::{AppHandle, State};
use tauri_plugin_clipboard_manager::ClipboardExt as _;

use super::sentence;
use crate::desktop::links::link_to;
use crate::host::Host;

/// Puts a picture's public address on the clipboard.
#[tauri::command]
pub(crate) fn copy_link(
    hash: ImageHash,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), String> {
    app.clipboard()
        .write_text(link_to(&host, hash))
        .map_err(sentence)
}
