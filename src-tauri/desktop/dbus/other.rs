//! Systems whose desktop always has a tray. On Windows notifications are toasts; on macOS there are
//! none yet.

use porchlight_service::state::State;

#[derive(Clone)]
pub(in crate::desktop) struct Session;

impl Session {
    /// Never fails here.
    ///
    /// # Errors
    /// None.
    pub(in crate::desktop) async fn join() -> Result<Self, String> {
        Ok(Self)
    }

    /// Reports that there is a tray.
    pub(in crate::desktop) async fn follow_tray(&self, present: &State<Option<bool>>) {
        present.set(Some(true));
        std::future::pending::<()>().await;
    }

    /// Waits for ever: the toolkit asks these systems itself.
    pub(in crate::desktop) async fn follow_colours(&self, _send: impl Fn(Option<tauri::Theme>)) {
        std::future::pending::<()>().await;
    }

    /// Does nothing: each notification has what a click on it does.
    pub(in crate::desktop) async fn follow_clicks(&self) {}

    /// Shows a notification, which replaces no other and has no number.
    ///
    /// # Errors
    /// When the system shows none.
    pub(in crate::desktop) async fn notify(
        &self,
        _replaced: u32,
        title: &str,
        body: &str,
        clicked: impl Fn() + Send + 'static,
    ) -> Result<u32, String> {
        show(title, body, clicked).map(|()| 0)
    }
}

/// The name by which Windows knows this program's toasts. The setup gives it a title.
#[cfg(windows)]
const APP_USER_MODEL_ID: &str = "blog.porchlight.desktop";

/// By a toast of Windows.
#[cfg(windows)]
fn show(title: &str, body: &str, clicked: impl Fn() + Send + 'static) -> Result<(), String> {
    use tauri_winrt_notification::Toast;

    let toast = Toast::new(APP_USER_MODEL_ID)
        .title(title)
        .text1(body)
        .on_activated(move |_| {
            clicked();
            Ok(())
        });
    toast.show().map_err(|error| error.to_string())
}

#[cfg(not(windows))]
fn show(_title: &str, _body: &str, _clicked: impl Fn()) -> Result<(), String> {
    Err("notifications are not shown on this system yet".to_owned())
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn the_setup_gives_the_toasts_their_title() {
        let setup = include_str!("../../../packaging/windows/porchlight.nsi");
        let key = format!(r#""Software\Classes\AppUserModelId\{APP_USER_MODEL_ID}""#);
        assert!(setup.contains(&format!("!define TOASTS {key}")));
    }
}
