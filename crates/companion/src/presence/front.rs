//! The program in front, as far as the system tells.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What is in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Front {
    /// It cannot be known; why not is told beside it.
    Unknown,
    /// No window has the keyboard.
    Nothing,
    /// This one.
    Window(Arc<Window>),
}

/// A window that has the keyboard.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Window {
    /// What its program is called by those who know it, the best name first:
    /// its window class, the file it was started from. Never empty texts.
    pub(super) names: Vec<String>,
    /// The file it was started from, where that is known.
    pub(super) file: Option<PathBuf>,
    /// Its title. It leaves this machine by a rule alone.
    pub(super) title: String,
    /// Whether it fills the screen.
    pub(super) full_screen: bool,
    /// Its icon, where the window carries one.
    pub(super) icon: Option<Arc<Icon>>,
}

/// Pixels, row by row.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Icon {
    /// RGBA, one byte each, alpha not multiplied in.
    pub(super) rgba: Vec<u8>,
}

impl Window {
    /// Whether it is one of Porchlight's own.
    pub(super) fn is_own(&self) -> bool {
        let named = |name: &String| {
            let name = name.to_lowercase();
            name.strip_suffix(".exe").unwrap_or(&name) == "porchlight"
        };
        let this_program = || std::env::current_exe().ok();
        self.names.iter().any(named) || (self.file.is_some() && self.file == this_program())
    }

    /// Its names without repetition and without empty ones.
    pub(super) fn names_of<I: IntoIterator<Item = String>>(candidates: I) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for candidate in candidates {
            let name = candidate.trim();
            let known = names
                .iter()
                .any(|known| known.to_lowercase() == name.to_lowercase());
            if !name.is_empty() && !known {
                names.push(name.to_owned());
            }
        }
        names
    }
}

/// Without the title: what is logged is no place for it.
impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window")
            .field("names", &self.names)
            .field("full_screen", &self.full_screen)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Icon({} pixels)", self.rgba.len() / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn a_title_is_in_no_debug_output() {
        let window = Window {
            names: vec!["XTerm".to_owned()],
            title: "a secret plan".to_owned(),
            ..Window::default()
        };
        let text = format!("{window:?}");
        assert!(text.contains("XTerm") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn names_are_kept_once() {
        let names = ["Code", "code", " ", "electron"].map(str::to_owned);
        assert_eq!(Window::names_of(names), ["Code", "electron"]);
    }
}
