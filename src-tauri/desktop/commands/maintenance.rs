//! The log and the maintenance of the data folder.

use porchlight_service::app::diagnostics;
use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::log::lines::newest_lines;
use porchlight_service::settings::sections::StorageKind;
use porchlight_service::settings::window::{LogLine, MaintenanceGlance, WorkReport};
use porchlight_service::text::address::WebAddress;
use tauri::{AppHandle, State, WebviewWindow};

use crate::desktop::dialogs::{
    confirmed, files, how_much_to_restore, phrases, where_to, which_file,
};
use crate::desktop::put_on_clipboard;
use crate::desktop::restart;

/// The newest lines of the log, oldest first.
#[tauri::command]
pub(in crate::desktop) async fn log_lines(
    lines: usize,
    host: State<'_, Host>,
) -> Result<Vec<LogLine>, Message> {
    let logs = host.folder().join("logs");
    let read = tauri::async_runtime::spawn_blocking(move || newest_lines(&logs, lines));
    let read = read.await.map_err(Message::text)?;
    read.map_err(|why| porchlight_service::detail!("the log cannot be read: {why}"))
}

/// Copies diagnostics for a problem report; they contain no secret.
#[tauri::command]
pub(in crate::desktop) async fn copy_diagnostics(
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    let text = diagnostics::report(&host).await;
    put_on_clipboard(&app, text)
}

/// Copies a line of the log to the clipboard.
#[tauri::command]
pub(in crate::desktop) fn copy_log_line(line: String, app: AppHandle) -> Result<(), Message> {
    put_on_clipboard(&app, line)
}

/// The running maintenance task, and the last results, for a window that was not there when it
/// began.
#[tauri::command]
pub(in crate::desktop) fn maintenance(host: State<'_, Host>) -> MaintenanceGlance {
    host.maintenance().glance()
}

/// Saves a backup to a chosen file; `None` when cancelled.
#[tauri::command]
pub(in crate::desktop) async fn back_up(
    with_secrets: bool,
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<Option<WorkReport>, Message> {
    let dialog = files(&window, phrases(&app).save_backup)
        .set_file_name("porchlight-backup.tar")
        .add_filter("tar", &["tar"]);
    match where_to(dialog).await {
        Some(file) => host
            .maintenance()
            .back_up(file, with_secrets)
            .await
            .map(Some),
        None => Ok(None),
    }
}

/// Cancels the running maintenance task.
#[tauri::command]
pub(in crate::desktop) fn cancel_work(host: State<'_, Host>) {
    host.maintenance().cancel();
}

/// Imports all pictures of another server after confirmation; `None` when the owner declines. They
/// are public here from then on.
#[tauri::command]
pub(in crate::desktop) async fn import_images(
    from: String,
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<Option<WorkReport>, Message> {
    let from: WebAddress = from.trim().parse()?;
    let text = phrases(&app).import.replace("{server}", from.as_str());
    if !confirmed(&window, text).await {
        return Ok(None);
    }
    host.maintenance().import_images(from).await.map(Some)
}

/// Moves the pictures to the current storage.
#[tauri::command]
pub(in crate::desktop) async fn move_images(
    to: StorageKind,
    host: State<'_, Host>,
) -> Result<WorkReport, Message> {
    host.maintenance().move_images(host.store(), to).await
}

/// Checks every stored file; with `repair`, repairs what it can.
///
/// A repair is confirmed before. A second confirmation is about images that may only be elsewhere.
#[tauri::command]
pub(in crate::desktop) async fn check_images(
    repair: bool,
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<WorkReport, Message> {
    if !repair {
        return host.maintenance().check_images().await;
    }
    let (report, missing) = host.maintenance().check_for_repair().await?;
    let phrases = phrases(&app);
    if report.wrong.is_empty() || !confirmed(&window, phrases.repair.to_owned()).await {
        return Ok(report);
    }
    if let Some((missing, of)) = missing {
        let text = phrases
            .missing
            .replace("{missing}", &missing.to_string())
            .replace("{of}", &of.to_string());
        if !confirmed(&window, text).await {
            return Ok(report);
        }
    }
    host.maintenance().repair(missing.is_some()).await
}

/// Opens a file dialog for a backup and restarts with it after confirmation; whether it was
/// confirmed.
#[tauri::command]
pub(in crate::desktop) async fn restore_backup(
    window: WebviewWindow,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<bool, Message> {
    let phrases = phrases(&app);
    let dialog = files(&window, phrases.open_backup).add_filter("tar", &["tar"]);
    let Some(file) = which_file(dialog).await else {
        return Ok(false);
    };
    let found = match host.maintenance().look_into_backup(&file).await {
        Err(Message::Cancelled) => return Ok(false),
        found => found?,
    };
    let secrets = match found.secrets() {
        [] => phrases.no_secrets.to_owned(),
        secrets => secrets.join(", "),
    };
    let text = phrases
        .restore
        .replace("{images}", &found.images().to_string())
        .replace("{secrets}", &secrets);
    let Some(extent) = how_much_to_restore(&window, text).await else {
        return Ok(false);
    };
    let layers = host.store().layers();
    found
        .for_the_next_start(extent, layers, host.maintenance())
        .await?;
    restart::start_again(&app);
    Ok(true)
}
