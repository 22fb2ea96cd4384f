//! Systems whose desktop always has a tray, and whose notifications are not
//! spoken to.

use porchlight_api::state::State;

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

    /// Shows nothing.
    ///
    /// # Errors
    /// Always.
    pub(in crate::desktop) async fn notify(
        &self,
        _replaced: u32,
        _title: &str,
        _body: &str,
    ) -> Result<u32, String> {
        Err("notifications are shown on Linux alone".to_owned())
    }

    /// Waits for ever: what is not shown is not clicked.
    pub(in crate::desktop) async fn follow_clicks(&self, _clicked: impl Fn(u32)) {
        std::future::pending::<()>().await;
    }
}
