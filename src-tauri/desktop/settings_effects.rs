//! What follows a change of the settings at once: the colours, and the keys that upload. The words do
//! by themselves, since they are looked up whenever something is shown.

use porchlight_app::settings::meta::SettingsPart;
use tauri::AppHandle;

use super::{host_of, shortcut, theme};

/// Follows the settings until the app ends.
pub(super) async fn follow(app: AppHandle) {
    let mut changes = host_of(&app).store().subscribe();
    let mut keys = String::new();
    loop {
        theme::follow(&app);
        let wanted = host_of(&app).settings().app.upload_shortcut.clone();
        if keys != wanted {
            keys.clone_from(&wanted);
            let app = app.clone();
            // The X server is asked, and answers when it likes.
            let asked =
                tauri::async_runtime::spawn_blocking(move || shortcut::follow(&app, &wanted));
            if let Err(error) = asked.await {
                tracing::error!(%error, "the shortcut could not be changed");
            }
        }
        // Whoever changes the settings does not wait for the X server: each change is dropped here.
        loop {
            match changes.next().await {
                Some(change) if change.concerns(SettingsPart::App) => break,
                Some(_) => {}
                None => return,
            }
        }
    }
}
