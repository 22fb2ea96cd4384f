//! The shortcut by the system's own call: `RegisterHotKey` on Windows, and its like on macOS.

use porchlight_api::Message;
use porchlight_app::settings::shortcut::{Key, Shortcut};
use tauri::AppHandle;
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};

use crate::desktop::uploads;

/// Listens for these keys instead of those before, or for none.
///
/// # Errors
/// When another program has them, or the keyboard does not.
pub(super) fn listen(app: &AppHandle, shortcut: Option<Shortcut>) -> Result<(), Message> {
    let keys = app.global_shortcut();
    let refused = |error: tauri_plugin_global_shortcut::Error| {
        tracing::info!(%error, "the system does not give these keys");
        Message::KeysTaken
    };
    keys.unregister_all().map_err(refused)?;
    let Some(shortcut) = shortcut else {
        return Ok(());
    };
    let pressed = |app: &AppHandle, _: &_, event: tauri_plugin_global_shortcut::ShortcutEvent| {
        if event.state == ShortcutState::Pressed {
            uploads::upload_from_clipboard(app);
        }
    };
    keys.on_shortcut(name(shortcut).as_str(), pressed)
        .map_err(refused)
}

/// As the library reads it.
fn name(shortcut: Shortcut) -> String {
    let key = match shortcut.key {
        Key::Sign(sign) => sign.to_ascii_uppercase().to_string(),
        Key::Function(number) => format!("F{number}"),
        Key::Print => "PrintScreen".to_owned(),
        Key::Insert => "Insert".to_owned(),
        Key::Pause => "Pause".to_owned(),
        Key::Home => "Home".to_owned(),
        Key::End => "End".to_owned(),
        Key::PageUp => "PageUp".to_owned(),
        Key::PageDown => "PageDown".to_owned(),
    };
    let held = [
        (shortcut.control, "Control+"),
        (shortcut.alt, "Alt+"),
        (shortcut.shift, "Shift+"),
        (shortcut.system, "Super+"),
    ];
    let held = held.into_iter().filter(|(is_held, _)| *is_held);
    held.map(|(_, name)| name).collect::<String>() + &key
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
            let shortcut = name(text.parse().expect("a shortcut"));
            let known: Result<tauri_plugin_global_shortcut::Shortcut, _> = shortcut.parse();
            assert!(known.is_ok(), "{shortcut}: {known:?}");
        }
    }
}
