//! The clipboard, which the process writes: a webview may keep it from pages.

use std::borrow::Cow;

use porchlight_api::Message;
use tauri::AppHandle;
use tauri_plugin_clipboard_manager::ClipboardExt as _;

/// Puts a text there.
///
/// # Errors
/// When it is not there.
pub(super) fn put<'a>(app: &AppHandle, text: impl Into<Cow<'a, str>>) -> Result<(), Message> {
    app.clipboard()
        .write_text(text)
        .map_err(|error| Message::ClipboardUnwritable {
            why: error.to_string().into(),
        })
}
