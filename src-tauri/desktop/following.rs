//! What follows a change of the settings at once: the colours of native
//! dialogs, and the keys that upload. The words do by themselves, since they
//! are looked up whenever something is said.

use tauri::AppHandle;

use super::shortcut;
use crate::host::Host;
use crate::settings::app::Theme;

/// What the settings said when they were last looked at.
#[derive(Default)]
pub(super) struct Following {
    theme: Option<Theme>,
    shortcut: String,
}

impl Following {
    /// Looks at the settings again.
    pub(super) async fn look(&mut self, app: &AppHandle, host: &Host) {
        let settings = host.settings();
        let theme = settings.app.theme;
        if self.theme.replace(theme) != Some(theme) {
            app.set_theme(match theme {
                Theme::System => None,
                Theme::Light => Some(tauri::Theme::Light),
                Theme::Dark => Some(tauri::Theme::Dark),
            });
        }
        let wanted = settings.app.upload_shortcut.clone();
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
