//! The window: made when it is wanted, destroyed when it is closed. The service
//! goes on either way.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use porchlight_service::status::window::alerts::AlertPlace;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Emitter as _, Manager as _, Url, WebviewWindowBuilder};

use super::{Folder, dialogs, restart, theme};

/// The window's label, in `tauri.conf.json` and in its capability.
pub(super) const LABEL: &str = "main";

/// A place of the window that the process can lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WindowPage {
    /// The presence, and the status of everything.
    Home,
    /// The pictures, and the queue.
    Images,
    /// The devices.
    Presence,
    Settings,
    /// The dialog of the status.
    Status,
}

impl From<AlertPlace> for WindowPage {
    fn from(place: AlertPlace) -> Self {
        match place {
            AlertPlace::Home => Self::Home,
            AlertPlace::Images => Self::Images,
            AlertPlace::Presence => Self::Presence,
            AlertPlace::Settings => Self::Settings,
        }
    }
}

/// The place that a window which was just made is to be at, until its page asks.
#[derive(Default)]
pub(super) struct RequestedPage(Mutex<Option<WindowPage>>);

impl RequestedPage {
    /// The requested page from now on; `None` for the page's own default.
    fn set(&self, place: Option<WindowPage>) {
        *self.0.lock() = place;
    }

    /// The requested page, once.
    pub(super) fn take(&self) -> Option<WindowPage> {
        self.0.lock().take()
    }
}

/// How a window comes up that is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    LastForeground,
    Minimised,
}

/// Two requests for a window at once make one window, or one message why there is none.
#[derive(Default)]
pub(super) struct OneAtATime {
    turn: Mutex<()>,
    explained: AtomicBool,
}

/// Whether this process began without the part of Windows that shows pages, which not every system has.
/// tauri looks for it once, at its start: without it a release build shows a dialog instead of a
/// window, and that holds up the event loop.
pub(super) struct BeganWithoutWebView(bool);

impl BeganWithoutWebView {
    pub(super) fn now() -> Self {
        Self(has_no_webview())
    }
}

fn has_no_webview() -> bool {
    cfg!(windows) && tauri::webview_version().is_err()
}

/// Brings the window to the front, making it if there is none. Returns at
/// once: a window cannot be made from within every event.
pub(super) fn open(app: &AppHandle) {
    begin(app, Coming::LastForeground, None);
}

/// The same, at this place.
pub(super) fn open_at(app: &AppHandle, place: WindowPage) {
    begin(app, Coming::LastForeground, Some(place));
}

/// Makes the window if there is none, and leaves it in the list of windows.
pub(super) fn open_minimised(app: &AppHandle) {
    begin(app, Coming::Minimised, None);
}

pub(super) fn is_in_front(app: &AppHandle) -> bool {
    app.get_webview_window(LABEL)
        .is_some_and(|window| window.is_focused().unwrap_or(false))
}

fn begin(app: &AppHandle, coming: Coming, place: Option<WindowPage>) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        if let Err(error) = begin_now(&app, coming, place) {
            tracing::error!(%error, "the window cannot be opened");
        }
    });
}

fn begin_now(app: &AppHandle, coming: Coming, place: Option<WindowPage>) -> tauri::Result<()> {
    let one_at_a_time = app.state::<OneAtATime>();
    let _turn = one_at_a_time.turn.lock();
    if let Some(window) = app.get_webview_window(LABEL) {
        if let Some(place) = place {
            // A page that listens already gets the event; one that does not will ask.
            app.state::<RequestedPage>().set(Some(place));
            window.emit("show-place", place)?;
        }
        if coming == Coming::Minimised {
            return Ok(());
        }
        window.unminimize()?;
        window.show()?;
        return window.set_focus();
    }
    if has_no_webview() {
        tracing::error!("the window cannot be opened: there is no WebView2 Runtime");
        if !one_at_a_time.explained.swap(true, Ordering::AcqRel) {
            let closed = app.clone();
            dialogs::show_no_webview(app, move || {
                let one_at_a_time = closed.state::<OneAtATime>();
                one_at_a_time.explained.store(false, Ordering::Release);
            });
        }
        return Ok(());
    }
    if app.state::<BeganWithoutWebView>().0 {
        tracing::info!(
            "the WebView2 Runtime was installed: Porchlight restarts to show its window"
        );
        restart::start_again(app);
        return Ok(());
    }
    app.state::<RequestedPage>().set(place);
    let config = app
        .config()
        .app
        .windows
        .iter()
        .find(|window| window.label == LABEL);
    let config = config.ok_or(tauri::Error::WindowNotFound)?;
    let window = WebviewWindowBuilder::from_config(app, config)?
        .data_directory(app.state::<Folder>().0.join("webview"))
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        // Until everything listens to it: one that was closed before that would
        // be gone and never opened again.
        .visible(false)
        .build()?;
    theme::follow_with_new_window(app);
    if coming == Coming::Minimised {
        window.minimize()?;
    }
    window.show()
}

/// The window shows its own page and nothing else. On Windows a scheme of its
/// own is a host instead.
fn is_own_page(url: &Url) -> bool {
    let (scheme, host) = if cfg!(windows) {
        ("http", "tauri.localhost")
    } else {
        ("tauri", "localhost")
    };
    url.scheme() == scheme && url.host_str() == Some(host) && url.port().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the page may load, as the configuration of every system has it.
    const EVERYWHERE: &str = include_str!("../../tauri.conf.json");
    /// What stands in for parts of that on Windows.
    const WINDOWS: &str = include_str!("../../tauri.windows.conf.json");

    #[test]
    fn no_origin_but_the_apps_own_is_allowed() {
        let rules = |config: &str| {
            let config: serde_json::Value = serde_json::from_str(config).expect("JSON");
            let rules = config["app"]["security"]["csp"].as_object().expect("rules");
            let values = rules.values().map(|value| value.as_str().expect("a rule"));
            values.collect::<Vec<_>>().join(" ")
        };
        let allowed = |config, more: &[&str]| {
            let rules = rules(config);
            let known = ["'none'", "'self'", "data:"];
            let mut foreign: Vec<_> = rules
                .split(' ')
                .filter(|one| !known.contains(one) && !more.contains(one))
                .map(str::to_owned)
                .collect();
            foreign.dedup();
            foreign
        };
        assert_eq!(allowed(EVERYWHERE, &["picture:", "ipc:"]), [""; 0]);
        let on_windows = ["http://picture.localhost", "http://ipc.localhost"];
        assert_eq!(allowed(WINDOWS, &on_windows), [""; 0]);
    }

    #[test]
    fn a_page_gets_the_place_to_open_once() {
        let requested = RequestedPage::default();
        assert_eq!(requested.take(), None);
        requested.set(Some(WindowPage::Images));
        assert_eq!(requested.take(), Some(WindowPage::Images));
        assert_eq!(requested.take(), None);
        requested.set(Some(WindowPage::Images));
        requested.set(None);
        assert_eq!(requested.take(), None, "a new window begins at home");
    }

    #[test]
    fn the_window_stays_with_its_own_page() {
        let own = |url: &str| is_own_page(&Url::parse(url).expect("an address"));
        let (mine, other) = ("tauri://localhost/", "http://tauri.localhost/index.html");
        assert_eq!((own(mine), own(other)), (!cfg!(windows), cfg!(windows)));
        for foreign in [
            "https://tauri.localhost/",
            "http://tauri.localhost:8080/",
            "ftp://tauri.localhost/",
            "tauri://elsewhere/",
            "https://example.org/",
            "file:///etc/passwd",
            "data:text/html,x",
            "about:blank",
        ] {
            assert!(!own(foreign), "{foreign}");
        }
    }
}
