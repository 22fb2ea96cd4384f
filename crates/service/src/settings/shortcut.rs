//! Keys that are pressed together, as they are written in the settings:
//! `Ctrl+Alt+U`.

use std::str::FromStr;

use crate::error::message::Message;

/// A key with those that are held down beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortcut {
    pub control: bool,
    pub alt: bool,
    pub shift: bool,
    /// The key with the system's sign is held down.
    pub system: bool,
    pub key: Key,
}

/// A key that can be pressed beside those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A letter from `a` to `z` or a digit.
    Sign(char),
    /// A function key, from 1 to 24.
    Function(u8),
    /// Print Screen.
    Print,
    Insert,
    Pause,
    Home,
    End,
    PageUp,
    PageDown,
}

impl FromStr for Shortcut {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words: Vec<String> = text
            .split('+')
            .map(|word| word.trim().to_ascii_lowercase())
            .collect();
        let key = words.pop().as_deref().and_then(key);
        let mut shortcut = Self {
            control: false,
            alt: false,
            shift: false,
            system: false,
            key: key.ok_or(Message::NoShortcut)?,
        };
        for word in words {
            let held = match word.as_str() {
                "ctrl" | "control" => &mut shortcut.control,
                "alt" | "option" => &mut shortcut.alt,
                "shift" => &mut shortcut.shift,
                "super" | "meta" | "win" | "cmd" => &mut shortcut.system,
                _ => return Err(Message::NoShortcut),
            };
            // A key is not pressed twice.
            if std::mem::replace(held, true) {
                return Err(Message::NoShortcut);
            }
        }
        let may_be_bare = matches!(shortcut.key, Key::Function(_) | Key::Print | Key::Pause);
        if may_be_bare || shortcut.control || shortcut.alt || shortcut.system {
            Ok(shortcut)
        } else {
            Err(Message::BareShortcut)
        }
    }
}

fn key(word: &str) -> Option<Key> {
    let mut signs = word.chars();
    if let (Some(sign), None) = (signs.next(), signs.next()) {
        return sign.is_ascii_alphanumeric().then_some(Key::Sign(sign));
    }
    Some(match word {
        "print" | "printscreen" => Key::Print,
        "insert" => Key::Insert,
        "pause" => Key::Pause,
        "home" => Key::Home,
        "end" => Key::End,
        "pageup" => Key::PageUp,
        "pagedown" => Key::PageDown,
        _ => {
            let number = word.strip_prefix('f')?.parse().ok()?;
            return (1..=24).contains(&number).then_some(Key::Function(number));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_in_any_order_and_case() {
        let wanted = Shortcut {
            control: true,
            alt: true,
            shift: false,
            system: false,
            key: Key::Sign('u'),
        };
        for text in ["Ctrl+Alt+U", "alt + control + u"] {
            assert_eq!(text.parse(), Ok(wanted), "{text}");
        }
        let print: Shortcut = "Print".parse().expect("a key of its own");
        assert_eq!(print.key, Key::Print);
        let held: Shortcut = "Shift+Super+F12".parse().expect("a shortcut");
        assert!(held.shift && held.system && held.key == Key::Function(12));
    }

    #[test]
    fn a_shortcut_without_a_key_or_that_blocks_typing_is_refused() {
        for text in [
            "",
            "+",
            "Ctrl+",
            "Ctrl",
            "Ctrl+Ctrl+U",
            "Ctrl+Ü",
            "Hyper+U",
            "Ctrl+F25",
        ] {
            assert_eq!(text.parse::<Shortcut>(), Err(Message::NoShortcut), "{text}");
        }
        for text in ["U", "Shift+U", "Home"] {
            assert_eq!(
                text.parse::<Shortcut>(),
                Err(Message::BareShortcut),
                "{text}"
            );
        }
    }
}
