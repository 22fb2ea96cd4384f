//! The keys that upload what is on the clipboard, wherever the owner is: asked
//! of an X server, or of the desktop's portal under Wayland; elsewhere of the system.

use parking_lot::Mutex;
use porchlight_api::Message;
use porchlight_api::window::ShortcutGlance;
use porchlight_app::settings::shortcut::Shortcut;
use tauri::{AppHandle, Manager as _};

use super::page_events;
#[cfg(target_os = "linux")]
use super::uploads;

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod portal;
#[cfg(target_os = "linux")]
mod x11;

/// The keys of this run.
#[derive(Default)]
pub(super) struct Keys(Mutex<State>);

#[derive(Default)]
struct State {
    /// What the settings were when they were last looked at.
    wanted: String,
    /// Why it cannot be had.
    trouble: Option<Message>,
    /// What the desktop calls the keys that it has given.
    given: Option<String>,
    #[cfg(target_os = "linux")]
    listener: Option<x11::Listener>,
    #[cfg(target_os = "linux")]
    portal: Option<Asking>,
    /// How often was asked: what an answer is to.
    asked: u64,
}

/// Asks the portal until it is dropped.
#[cfg(target_os = "linux")]
struct Asking(tauri::async_runtime::JoinHandle<()>);

#[cfg(target_os = "linux")]
impl Drop for Asking {
    fn drop(&mut self) {
        // The portal ends a session whose bus connection has ended.
        self.0.abort();
    }
}

/// Follows what the settings want; does nothing when that is as it was. Blocks
/// for as long as an X server takes to answer; a portal answers later.
pub(super) fn follow(app: &AppHandle, wanted: &str) {
    let keys = app.state::<Keys>();
    let mut state = keys.0.lock();
    if state.wanted != wanted {
        state.wanted = wanted.to_owned();
        state.ask(app);
    }
}

/// Asks again for keys that could not be had.
pub(super) fn ask_again(app: &AppHandle) {
    let keys = app.state::<Keys>();
    let mut state = keys.0.lock();
    if state.trouble.is_some() {
        state.ask(app);
    }
}

/// How the keys stand. Waits for the portal where that has to be asked.
pub(super) async fn glance(app: &AppHandle) -> ShortcutGlance {
    let (trouble, given) = {
        let keys = app.state::<Keys>();
        let state = keys.0.lock();
        (state.trouble.clone(), state.given.clone())
    };
    let none_here = none_here(given.is_some()).await;
    ShortcutGlance {
        possible: none_here.is_none(),
        trouble: trouble.or(none_here),
        given: given.filter(|given| !given.is_empty()),
    }
}

#[cfg(target_os = "linux")]
fn named(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether the portal is to be asked, and not the X server that many such
/// sessions have, too, but for old programs alone.
#[cfg(target_os = "linux")]
fn is_wayland() -> bool {
    named("WAYLAND_DISPLAY")
}

/// Why there are none on this desktop.
#[cfg(target_os = "linux")]
async fn none_here(had: bool) -> Option<Message> {
    /// A portal that is only just started takes a while.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);
    if had {
        None
    } else if is_wayland() {
        let asked = tokio::time::timeout(PATIENCE, portal::is_here()).await;
        (!asked.unwrap_or(false)).then_some(Message::NoPortal)
    } else {
        (!named("DISPLAY")).then_some(Message::NoXServer)
    }
}

#[cfg(not(target_os = "linux"))]
async fn none_here(_: bool) -> Option<Message> {
    None
}

impl State {
    fn ask(&mut self, app: &AppHandle) {
        (self.trouble, self.given) = (None, None);
        self.asked += 1;
        let shortcut = (!self.wanted.is_empty()).then(|| self.wanted.parse::<Shortcut>());
        let asked = match shortcut.transpose() {
            Ok(shortcut) => self.listen(app, shortcut),
            Err(error) => Err(error),
        };
        if let Err(why) = asked {
            self.lacks(why);
        }
        page_events::settings_changed(app);
    }

    fn lacks(&mut self, why: Message) {
        tracing::warn!("the shortcut {} cannot be had: {why}", self.wanted);
        self.trouble = Some(why);
    }

    #[cfg(target_os = "linux")]
    fn listen(&mut self, app: &AppHandle, shortcut: Option<Shortcut>) -> Result<(), Message> {
        if is_wayland() {
            self.portal = None;
            self.portal = shortcut.map(|keys| ask_portal(app.clone(), keys, self.asked));
            return Ok(());
        }
        let Some(shortcut) = shortcut else {
            return self.listener.as_ref().map_or(Ok(()), |x| x.listen(None));
        };
        if self.listener.as_ref().is_none_or(x11::Listener::ended) {
            let app = app.clone();
            let pressed = move || uploads::upload_from_clipboard(&app);
            self.listener = Some(x11::Listener::start(pressed)?);
        }
        match &self.listener {
            Some(listener) => listener.listen(Some(shortcut)),
            None => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn listen(&mut self, app: &AppHandle, shortcut: Option<Shortcut>) -> Result<(), Message> {
        other::listen(app, shortcut)
    }
}

/// Asks for the keys, and has the state follow what comes of it.
#[cfg(target_os = "linux")]
fn ask_portal(app: AppHandle, keys: Shortcut, asked: u64) -> Asking {
    use super::desktop_entries::Entries;
    use super::i18n::words;
    use super::{Folder, host_of};

    let application = Entries::of(&app.state::<Folder>().0).map(|entries| entries.id());
    let request = portal::ShortcutRequest {
        application: application.unwrap_or_else(|_| "porchlight".to_owned()),
        does: words(&host_of(&app)).upload_from_clipboard,
        keys,
    };
    let (event_app, pressing_app) = (app.clone(), app);
    let receive = move |event| {
        let app = &event_app;
        {
            let keys = app.state::<Keys>();
            let mut state = keys.0.lock();
            if state.asked != asked {
                return;
            }
            (state.trouble, state.given) = (None, None);
            match event {
                portal::PortalEvent::Bound(keys) => {
                    tracing::info!("the desktop has given keys: {keys}");
                    state.given = Some(keys);
                }
                portal::PortalEvent::Trouble(why) => state.lacks(why),
            }
        }
        page_events::settings_changed(app);
    };
    let pressed = move || uploads::upload_from_clipboard(&pressing_app);
    Asking(tauri::async_runtime::spawn(portal::keep(
        request, receive, pressed,
    )))
}
