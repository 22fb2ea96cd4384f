//! Settings, and how the window looks.

use std::path::{Path, PathBuf};

use porchlight_service::app::host::Host;
use porchlight_service::app::update;
use porchlight_service::detail;
use porchlight_service::error::message::Message;
use porchlight_service::files::file_mode;
use porchlight_service::settings::app::{AppLanguage, Theme};
use porchlight_service::settings::changes::Changes;
use porchlight_service::settings::window::{Appearance, SettingProblem, SettingsPage};
use porchlight_service::status::window::update::UpdateCheck;
use tauri::{AppHandle, State, WebviewWindow};

use super::native;
use crate::desktop::dialogs::{all_confirmed, files, phrases, which_file, which_folder};
use crate::desktop::{Folder, events, shortcut};

/// Everything about the settings.
#[tauri::command]
pub(in crate::desktop) async fn settings(
    host: State<'_, Host>,
    folder: State<'_, Folder>,
    app: AppHandle,
) -> Result<SettingsPage, Message> {
    let shortcut = shortcut::glance(&app).await;
    Ok(SettingsPage {
        settings: host.store().rows(),
        file: host.store().layers().file.display().to_string(),
        folder: host.folder().display().to_string(),
        starts_at_login: native::starts_at_login(&folder),
        menu_entry: native::is_in_menu(&folder),
        shortcut,
        file_problems: host.store().file_problems(),
    })
}

/// The problems of these changes, without applying them. `None` unsets.
#[tauri::command]
pub(in crate::desktop) async fn check_settings(
    changes: Changes,
    host: State<'_, Host>,
) -> Result<Vec<SettingProblem>, Message> {
    // Reads the file of the settings.
    let host = Host::clone(&host);
    let checked = tauri::async_runtime::spawn_blocking(move || host.store().check(&changes));
    checked.await.map_err(Message::text)
}

/// Writes all of these changes, or none, and returns their problems. What the page may not decide
/// is asked of the owner.
#[tauri::command]
pub(in crate::desktop) async fn update_settings(
    changes: Changes,
    window: WebviewWindow,
    host: State<'_, Host>,
    shown: State<'_, events::Changes>,
) -> Result<Vec<SettingProblem>, Message> {
    let valid = match host.store().validate(&changes) {
        Ok(valid) => valid,
        Err(problems) => return Ok(problems),
    };
    let questions = host.store().approvals_for(&changes);
    if !all_confirmed(&window, &questions).await {
        return Err(Message::Declined);
    }
    let problems = host.store().write(valid).await;
    shown.notify();
    problems
}

/// Opens a folder dialog; `None` when cancelled.
#[tauri::command]
pub(in crate::desktop) async fn choose_folder(
    window: WebviewWindow,
    app: AppHandle,
) -> Result<Option<String>, Message> {
    let dialog = files(&window, phrases(&app).choose_folder);
    which_folder(dialog).await.map(as_text).transpose()
}

/// Opens a file dialog; `None` when cancelled.
#[tauri::command]
pub(in crate::desktop) async fn choose_file(
    window: WebviewWindow,
    app: AppHandle,
) -> Result<Option<String>, Message> {
    let dialog = files(&window, phrases(&app).choose_file);
    which_file(dialog).await.map(as_text).transpose()
}

/// How the window looks and speaks.
#[tauri::command]
pub(in crate::desktop) fn appearance(host: State<'_, Host>) -> Appearance {
    let settings = host.settings();
    let theme = match settings.app.theme {
        Theme::System => "system",
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    let language = match settings.app.language {
        AppLanguage::System => "system",
        AppLanguage::English => "en",
        AppLanguage::Chinese => "zh",
    };
    Appearance {
        theme: theme.to_owned(),
        language: language.to_owned(),
        system_language: sys_locale::get_locale().unwrap_or_default(),
    }
}

/// Quits the app.
#[tauri::command]
pub(in crate::desktop) fn quit(app: AppHandle) {
    app.exit(0);
}

/// Opens the folder of the log, or the data folder with the settings file, in the file manager.
#[tauri::command]
pub(in crate::desktop) fn open_folder(which: Which, host: State<'_, Host>) -> Result<(), Message> {
    let folder = match which {
        Which::Data => host.folder().to_owned(),
        Which::Logs => host.folder().join("logs"),
    };
    file_mode::with_former_mask(|| open::that_detached(&folder))
        .map_err(|error| detail!("{} cannot be opened: {error}", folder.display()))
}

/// Checks whether a newer release is announced. Nothing is downloaded or installed.
#[tauri::command]
pub(in crate::desktop) async fn check_for_updates(
    host: State<'_, Host>,
) -> Result<UpdateCheck, Message> {
    Ok(update::check(&host.settings().update).await)
}

/// One of the folders that the page may have opened.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::desktop) enum Which {
    /// The data folder, where the settings file is.
    Data,
    /// The log's.
    Logs,
}

fn as_text(path: PathBuf) -> Result<String, Message> {
    path.into_os_string().into_string().map_err(|path| {
        let path = Path::new(&path).display();
        detail!("{path} is no UTF-8: choose another one")
    })
}
