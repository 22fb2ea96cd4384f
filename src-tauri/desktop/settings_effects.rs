//! What follows a change of the settings at once: the colours, and the keys
//! that upload. The words do by themselves, since they are looked up whenever
//! something is said.

use porchlight_app::host::Host;
use tauri::AppHandle;

use super::{shortcut, theme};

/// What the settings said when they were last looked at.
#[derive(Default)]
pub(super) struct Following {
    shortcut: String,
}

impl Following {
    /// Looks at the settings again.
    pub(super) async fn look(&mut self, app: &AppHandle, host: &Host) {
        theme::follow(app);
        let wanted = host.settings().app.upload_shortcut.clone();
        if self.shortcut != wanted {
            self.shortcut.clone_from(&wanted);
            let app = app.clone();
            // The X server is asked, and answers when it likes.
            let asked =
                tauri::async_runtime::spawn_blocking(move || shortcut::follow(&app, &wanted));
            if let Err(error) = asked.await {
                tracing::error!(%error, "the shortcut could not be changed");
            }
        }
    }
}
