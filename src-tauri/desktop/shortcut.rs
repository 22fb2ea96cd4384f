//! The keys that upload what is on the clipboard, wherever the owner is: asked of the desktop's portal
//! under Wayland; elsewhere of the X server or the system.

use parking_lot::Mutex;
use porchlight_service::error::message::Message;
use porchlight_service::settings::shortcut::{Key, Shortcut};
use porchlight_service::settings::window::ShortcutGlance;
use tauri::{AppHandle, Manager as _};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutEvent, ShortcutState};
#[cfg(target_os = "linux")]
use tokio_util::task::AbortOnDropHandle;

use super::{page_events, uploads};

#[cfg(target_os = "linux")]
mod portal;

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
    /// Asks the portal, which ends a session whose bus connection has ended.
    #[cfg(target_os = "linux")]
    portal: Option<AbortOnDropHandle<()>>,
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
    let possible = given.is_some() || can_be_had().await;
    ShortcutGlance {
        possible,
        trouble: trouble.or((!possible).then_some(Message::NoPortal)),
        given: given.filter(|given| !given.is_empty()),
    }
}

/// Whether the portal is to be asked, and not the X server that many such
/// sessions have, too, but for old programs alone.
#[cfg(target_os = "linux")]
fn is_wayland() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_some_and(|display| !display.is_empty())
}

/// Whether this desktop gives keys to programs.
#[cfg(target_os = "linux")]
async fn can_be_had() -> bool {
    /// A portal that is only just started takes a while.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);
    let asked = tokio::time::timeout(PATIENCE, portal::is_here());
    !is_wayland() || asked.await.unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
async fn can_be_had() -> bool {
    true
}

impl State {
    fn ask(&mut self, app: &AppHandle) {
        (self.trouble, self.given) = (None, None);
        let shortcut = (!self.wanted.is_empty()).then(|| self.wanted.parse::<Shortcut>());
        let asked = shortcut.transpose();
        if let Err(why) = asked.and_then(|shortcut| self.listen(app, shortcut)) {
            self.lacks(why);
        }
        page_events::settings_changed(app);
    }

    fn lacks(&mut self, why: Message) {
        tracing::warn!("the shortcut {} cannot be had: {why}", self.wanted);
        self.trouble = Some(why);
    }

    fn listen(&mut self, app: &AppHandle, shortcut: Option<Shortcut>) -> Result<(), Message> {
        #[cfg(target_os = "linux")]
        if is_wayland() {
            self.portal = None;
            self.portal = shortcut.map(|keys| ask_portal(app.clone(), keys));
            return Ok(());
        }
        ask_system(app, shortcut).map_err(|error| {
            tracing::info!(%error, "the system does not give these keys");
            Message::KeysTaken
        })
    }
}

/// Listens for these keys instead of those before, or for none.
///
/// # Errors
/// When another program has them, or the keyboard does not.
fn ask_system(
    app: &AppHandle,
    shortcut: Option<Shortcut>,
) -> Result<(), tauri_plugin_global_shortcut::Error> {
    // On X11 it looks for keys 20 times a second from its start on.
    #[cfg(target_os = "linux")]
    if app
        .try_state::<tauri_plugin_global_shortcut::GlobalShortcut<tauri::Wry>>()
        .is_none()
    {
        if shortcut.is_none() {
            return Ok(());
        }
        app.plugin(tauri_plugin_global_shortcut::Builder::new().build())?;
    }
    app.global_shortcut().unregister_all()?;
    let Some(shortcut) = shortcut else {
        return Ok(());
    };
    let pressed = |app: &AppHandle, _: &_, event: ShortcutEvent| {
        if event.state == ShortcutState::Pressed {
            uploads::upload_from_clipboard(app);
        }
    };
    app.global_shortcut()
        .on_shortcut(for_the_system(shortcut).as_str(), pressed)
}

/// As the library reads it.
fn for_the_system(shortcut: Shortcut) -> String {
    let held = ["Control", "Alt", "Shift", "Super"];
    written(shortcut, held, |key| match key {
        Key::Print => "PrintScreen".to_owned(),
        other => name(other),
    })
}

/// Keys as a library or a desktop reads them, with its names of Control, Alt, Shift, the system's key, and
/// the one that is pressed.
fn written(shortcut: Shortcut, held: [&str; 4], key: impl Fn(Key) -> String) -> String {
    let are_held = [
        shortcut.control,
        shortcut.alt,
        shortcut.shift,
        shortcut.system,
    ];
    let held = held
        .into_iter()
        .zip(are_held)
        .filter(|(_, is_held)| *is_held);
    let held = held.map(|(name, _)| format!("{name}+"));
    held.collect::<String>() + &key(shortcut.key)
}

/// What most call the key: as its variant is called.
fn name(key: Key) -> String {
    match key {
        Key::Sign(sign) => sign.to_string(),
        Key::Function(number) => format!("F{number}"),
        other => format!("{other:?}"),
    }
}

/// Asks for the keys, and has the state follow what comes of it.
#[cfg(target_os = "linux")]
fn ask_portal(app: AppHandle, keys: Shortcut) -> AbortOnDropHandle<()> {
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
    let receive = move |given: Result<String, Message>| {
        {
            let keys = event_app.state::<Keys>();
            let mut state = keys.0.lock();
            (state.trouble, state.given) = (None, None);
            match given {
                Ok(keys) => {
                    tracing::info!("the desktop has given keys: {keys}");
                    state.given = Some(keys);
                }
                Err(why) => state.lacks(why),
            }
        }
        page_events::settings_changed(&event_app);
    };
    let pressed = move || uploads::upload_from_clipboard(&pressing_app);
    AbortOnDropHandle::new(tokio::spawn(portal::keep(request, receive, pressed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_knows_every_key_that_a_setting_can_have() {
        let letters = ('a'..='z').chain('0'..='9').map(String::from);
        let functions = (1..=24).map(|number| format!("F{number}"));
        let others = [
            "Print", "Insert", "Pause", "Home", "End", "PageUp", "PageDown",
        ];
        for key in letters.chain(functions).chain(others.map(str::to_owned)) {
            let text = format!("Ctrl+Alt+Shift+Super+{key}");
            let shortcut = for_the_system(text.parse().expect("a shortcut"));
            let known: Result<tauri_plugin_global_shortcut::Shortcut, _> = shortcut.parse();
            assert!(known.is_ok(), "{shortcut}: {known:?}");
        }
    }
}
