//! What the app is to the desktop around it: its entries, its start at login,
//! and its keys.

use porchlight_service::error::message::Message;
use tauri::{AppHandle, State};

use crate::desktop::Folder;
use crate::desktop::desktop_entries::Entries;
use crate::desktop::shortcut;

/// Starts the app at login, hidden, or no longer.
#[tauri::command]
pub(in crate::desktop) async fn start_at_login(
    on: bool,
    folder: State<'_, Folder>,
) -> Result<(), Message> {
    of(&folder, move |entries| entries.start_at_login(on)).await
}

/// Puts the app into the menu of applications and "upload with Porchlight" into
/// file managers, or takes both away.
#[tauri::command]
pub(in crate::desktop) async fn menu_entry(
    on: bool,
    folder: State<'_, Folder>,
    app: AppHandle,
) -> Result<(), Message> {
    of(&folder, move |entries| entries.put_in_menu(on)).await?;
    // A desktop may give keys only to what is in its menu.
    shortcut::ask_again(&app);
    Ok(())
}

/// Whether the app is started at login; `None` where that cannot be had.
pub(in crate::desktop) fn starts_at_login(folder: &Folder) -> Option<bool> {
    Entries::of(&folder.0)
        .ok()
        .map(|entries| entries.at_login())
}

/// Whether the app is in the menu of applications; `None` where there is no
/// such thing.
pub(in crate::desktop) fn is_in_menu(folder: &Folder) -> Option<bool> {
    let entries = Entries::of(&folder.0).ok();
    // Finder offers nothing yet.
    let entries = entries.filter(|_| !cfg!(target_os = "macos"));
    entries.map(|entries| entries.in_menu())
}

/// Changes entries, which writes files and may wait for other programs.
async fn of(
    folder: &Folder,
    change: impl FnOnce(&Entries) -> Result<(), Message> + Send + 'static,
) -> Result<(), Message> {
    let entries = Entries::of(&folder.0)?;
    tauri::async_runtime::spawn_blocking(move || change(&entries))
        .await
        .map_err(Message::text)?
}
