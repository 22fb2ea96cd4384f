//! Systems whose desktop always has a tray. On Windows notifications are toasts; on macOS there are
//! none yet.

use std::sync::atomic::{AtomicU32, Ordering};

use porchlight_api::state::State;
use tokio::sync::broadcast;

/// Shows a title and a text, and calls back when they are clicked.
type Show = fn(&str, &str, Box<dyn Fn() + Send>) -> Result<(), String>;

#[derive(Clone)]
pub(in crate::desktop) struct Session {
    show: Show,
    /// The numbers of notifications that were clicked.
    clicks: broadcast::Sender<u32>,
}

impl Session {
    /// Never fails here.
    ///
    /// # Errors
    /// None.
    pub(in crate::desktop) async fn join() -> Result<Self, String> {
        Ok(Self::that_shows_by(show))
    }

    fn that_shows_by(show: Show) -> Self {
        Self {
            show,
            clicks: broadcast::channel(16).0,
        }
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

    /// Shows a notification and returns its number. A toast replaces no other.
    ///
    /// # Errors
    /// When the system shows none.
    pub(in crate::desktop) async fn notify(
        &self,
        _replaced: u32,
        title: &str,
        body: &str,
    ) -> Result<u32, String> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let (number, clicks) = (NEXT.fetch_add(1, Ordering::Relaxed), self.clicks.clone());
        let clicked = move || {
            // At the very end there is no receiver any more.
            let _ = clicks.send(number);
        };
        (self.show)(title, body, Box::new(clicked)).map(|()| number)
    }

    /// Calls back with the number of each notification that is clicked.
    pub(in crate::desktop) async fn follow_clicks(&self, clicked: impl Fn(u32)) {
        let mut clicks = self.clicks.subscribe();
        loop {
            match clicks.recv().await {
                Ok(number) => clicked(number),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }
}

/// The name by which Windows knows this program's toasts. The setup gives it a title.
#[cfg(windows)]
const APP_USER_MODEL_ID: &str = "blog.porchlight.desktop";

/// By a toast of Windows.
#[cfg(windows)]
fn show(title: &str, body: &str, clicked: Box<dyn Fn() + Send>) -> Result<(), String> {
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
fn show(_title: &str, _body: &str, _clicked: Box<dyn Fn() + Send>) -> Result<(), String> {
    Err("notifications are not shown on this system yet".to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[cfg(windows)]
    #[test]
    fn the_setup_gives_the_toasts_their_title() {
        let setup = include_str!("../../../packaging/windows/porchlight.nsi");
        let key = format!(r#""Software\Classes\AppUserModelId\{APP_USER_MODEL_ID}""#);
        assert!(setup.contains(&format!("!define TOASTS {key}")));
    }

    #[tokio::test]
    async fn a_click_has_the_number_of_its_notification() {
        let session = Session::that_shows_by(|title, _, clicked| {
            if title == "two" {
                std::thread::spawn(clicked);
            }
            Ok(())
        });
        let seen = Cell::new(None);
        let clicks = session.follow_clicks(|number| seen.set(Some(number)));
        let shown = async {
            session.notify(0, "one", "").await.expect("shown");
            let two = session.notify(0, "two", "").await.expect("shown");
            while seen.get().is_none() {
                tokio::task::yield_now().await;
            }
            assert_eq!(seen.get(), Some(two));
        };
        tokio::select! {
            () = clicks => panic!("no clicks any more"),
            () = shown => {}
        }
    }

    #[tokio::test]
    async fn a_notification_that_cannot_be_shown_is_an_error() {
        let session = Session::that_shows_by(|_, _, _| Err("no toasts here".to_owned()));
        let shown = session.notify(0, "one", "two").await;
        assert_eq!(shown, Err("no toasts here".to_owned()));
    }
}
