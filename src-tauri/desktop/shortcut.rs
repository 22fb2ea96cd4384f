//! The keys that upload what is on the clipboard, wherever the owner is. Only
//! an X server lets a program ask for them; Wayland has no way that every
//! desktop offers.

use std::sync::Mutex;

use tauri::{AppHandle, Manager as _};

use super::asked_for;
use crate::host::lock;
use crate::settings::shortcut::Shortcut;

#[cfg(target_os = "linux")]
mod x11;

/// The keys of this run.
#[derive(Default)]
pub(super) struct Keys(Mutex<State>);

#[derive(Default)]
struct State {
    /// What the settings said when they were last looked at.
    wanted: String,
    /// Why it cannot be had.
    trouble: Option<String>,
    #[cfg(target_os = "linux")]
    listener: Option<x11::Listener>,
}

/// Follows what the settings want; does nothing when that is as it was. Blocks
/// for as long as the X server takes to answer.
pub(super) fn follow(app: &AppHandle, wanted: &str) {
    let keys = app.state::<Keys>();
    let mut state = lock(&keys.0);
    if state.wanted == wanted {
        return;
    }
    state.wanted = wanted.to_owned();
    let shortcut = (!wanted.is_empty()).then(|| wanted.parse::<Shortcut>());
    let followed = match shortcut.transpose() {
        Ok(shortcut) => state.listen(app, shortcut),
        Err(error) => Err(error.to_string()),
    };
    state.trouble = followed.err();
    if let Some(why) = &state.trouble {
        tracing::warn!("the shortcut {wanted} cannot be had: {why}");
    }
}

/// Why the shortcut of the settings, or any, cannot be had, in a sentence.
pub(super) fn trouble(app: &AppHandle) -> Option<String> {
    let state = app.state::<Keys>();
    let trouble = lock(&state.0).trouble.clone();
    trouble.or_else(none_here)
}

/// Why there is none on this desktop.
#[cfg(target_os = "linux")]
fn none_here() -> Option<String> {
    let named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if named("WAYLAND_DISPLAY") {
        return Some(
            "This session is one of Wayland, which gives programs no keys of their own: bind keys \
             to `porchlight --upload-clipboard` in the settings of the desktop."
                .to_owned(),
        );
    }
    (!named("DISPLAY")).then(|| "There is no X server to ask for keys.".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn none_here() -> Option<String> {
    Some("Keys of its own can be had on Linux with an X server alone.".to_owned())
}

impl State {
    #[cfg(target_os = "linux")]
    fn listen(&mut self, app: &AppHandle, shortcut: Option<Shortcut>) -> Result<(), String> {
        let Some(shortcut) = shortcut else {
            return self.listener.as_ref().map_or(Ok(()), |x| x.listen(None));
        };
        if let Some(why) = none_here() {
            return Err(why);
        }
        if self.listener.as_ref().is_none_or(x11::Listener::ended) {
            let app = app.clone();
            let pressed = move || asked_for::upload_from_clipboard(&app);
            self.listener = Some(x11::Listener::start(pressed)?);
        }
        match &self.listener {
            Some(listener) => listener.listen(Some(shortcut)),
            None => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn listen(&mut self, _: &AppHandle, shortcut: Option<Shortcut>) -> Result<(), String> {
        match shortcut {
            Some(_) => Err(none_here().unwrap_or_default()),
            None => Ok(()),
        }
    }
}
