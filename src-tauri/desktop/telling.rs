//! Tells the page of changed settings and of work on the data folder.

use std::time::Duration;

use tauri::{AppHandle, Emitter as _};
use tokio::time::sleep;

use crate::host::Host;

/// How far work has come is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Settings, tokens or the appearance have changed.
pub(super) fn settings_changed(app: &AppHandle) {
    if let Err(error) = app.emit("settings-changed", ()) {
        tracing::warn!(%error, "the window could not be told of changed settings");
    }
}

/// Follows the settings until the app ends.
pub(super) async fn of_settings(app: AppHandle, host: Host) {
    let mut changed = host.parts().settings_changed.subscribe();
    while changed.changed().await.is_ok() {
        settings_changed(&app);
    }
}

/// Follows work on the data folder until the app ends.
pub(super) async fn of_work(app: AppHandle, host: Host) {
    let mut progress = host.care().progress();
    while progress.changed().await.is_ok() {
        let work = progress.borrow_and_update().clone();
        if let Err(error) = app.emit("work-changed", &work) {
            tracing::warn!(%error, "the window could not be told of the work");
        }
        sleep(TELL_EVERY).await;
    }
}
