//! Keys that are pressed together, as they are written in the settings:
//! `Ctrl+Alt+U`.

use std::str::FromStr;

/// A key with those that are held down beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortcut {
    /// Ctrl is held down.
    pub control: bool,
    /// Alt is held down.
    pub alt: bool,
    /// Shift is held down.
    pub shift: bool,
    /// The key with the system's sign is held down.
    pub system: bool,
    /// The key.
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
    /// Insert.
    Insert,
    /// Pause.
    Pause,
    /// Home.
    Home,
    /// End.
    End,
    /// Page Up.
    PageUp,
    /// Page Down.
    PageDown,
}

/// What is written is no shortcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoShortcut {
    /// A word that names no key.
    #[error(
        "a shortcut is Ctrl, Alt, Shift or Super, and a letter, a digit, F1 to F24, Print, Insert, \
         Pause, Home, End, PageUp or PageDown, such as Ctrl+Alt+U"
    )]
    Unknown,
    /// A key that programs want for themselves.
    #[error(
        "a letter, a digit or a key of the text needs Ctrl, Alt or Super beside it: alone it could \
         not be typed any more"
    )]
    Bare,
}

impl FromStr for Shortcut {
    type Err = NoShortcut;

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
            key: key.ok_or(NoShortcut::Unknown)?,
        };
        for word in words {
            let held = match word.as_str() {
                "ctrl" | "control" => &mut shortcut.control,
                "alt" | "option" => &mut shortcut.alt,
                "shift" => &mut shortcut.shift,
                "super" | "meta" | "win" | "cmd" => &mut shortcut.system,
                _ => return Err(NoShortcut::Unknown),
            };
            // Nobody presses one twice.
            if std::mem::replace(held, true) {
                return Err(NoShortcut::Unknown);
            }
        }
        let may_be_bare = matches!(shortcut.key, Key::Function(_) | Key::Print | Key::Pause);
        if may_be_bare || shortcut.control || shortcut.alt || shortcut.system {
            Ok(shortcut)
        } else {
            Err(NoShortcut::Bare)
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
    fn what_names_no_key_or_would_end_typing_is_refused() {
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
            assert_eq!(text.parse::<Shortcut>(), Err(NoShortcut::Unknown), "{text}");
        }
        for text in ["U", "Shift+U", "Home"] {
            assert_eq!(text.parse::<Shortcut>(), Err(NoShortcut::Bare), "{text}");
        }
    }
}
