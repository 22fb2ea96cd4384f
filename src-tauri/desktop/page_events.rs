//! Notifies the page of changed settings, of work on the data folder and of new lines
//! of the log.

use std::time::Duration;

use porchlight_service::app::host::Host;
use porchlight_service::log as logging;
use tauri::{AppHandle, Emitter as _, Manager as _};
use tokio::time::sleep;

/// Progress is sent at most this often.
const SEND_EVERY: Duration = Duration::from_millis(200);

/// New lines of the log are announced at most this often: each time it is read again.
const SEND_LINES_EVERY: Duration = Duration::from_millis(500);

/// Settings, tokens or the appearance have changed.
pub(super) fn settings_changed(app: &AppHandle) {
    if let Err(error) = app.emit("settings-changed", ()) {
        tracing::warn!(%error, "the window could not be notified of changed settings");
    }
}

/// Follows the settings until the app ends.
pub(super) async fn of_settings(app: AppHandle, host: Host) {
    let mut changed = host.store().changes();
    while changed.changed().await.is_ok() {
        settings_changed(&app);
    }
}

/// Follows work on the data folder until the app ends.
pub(super) async fn of_work(app: AppHandle, host: Host) {
    let mut progress = host.maintenance().progress();
    while progress.changed().await.is_ok() {
        let work = progress.latest();
        if let Err(error) = app.emit("work-changed", &work) {
            tracing::warn!(%error, "the window could not be notified of the work");
        }
        sleep(SEND_EVERY).await;
    }
}

/// Follows the set-up of the Worker until the app ends.
pub(super) async fn of_edge_setup(app: AppHandle, host: Host) {
    let mut work = host.edge_setup().work();
    while work.changed().await.is_ok() {
        if let Err(error) = app.emit("reach-changed", ()) {
            tracing::warn!(%error, "the window could not be notified of the Worker's set-up");
        }
        sleep(SEND_EVERY).await;
    }
}

/// Follows the log until the app ends.
pub(super) async fn of_log(app: AppHandle) {
    let mut written = logging::written();
    while written.changed().await.is_ok() {
        if !app.webview_windows().is_empty() {
            // A logged failure would cause another event.
            let _ = app.emit("log-changed", ());
        }
        sleep(SEND_LINES_EVERY).await;
    }
}
