//! The foreground app and its window, as far as the system reports them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::http::replies::SharedTrack;
use crate::text::{LONGEST_NAME, one_line};

/// The maximum number of characters that are kept at each end of a title. Programs put their name
/// at the end: `… — Private Browsing`.
#[cfg(any(target_os = "linux", windows, test))]
const LONGEST_END: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Foreground {
    /// It is unavailable; the reason is in `Unavailable`.
    Unknown,
    /// No window has the focus.
    Nothing,
    Window(Arc<Window>),
}

/// A window that has the focus.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Window {
    /// The names of its program, the best one first: its window class, its
    /// executable's name. Never empty strings.
    pub(super) names: Vec<String>,
    pub(super) file: Option<PathBuf>,
    /// Its title. It leaves this machine only by a rule.
    pub(super) title: String,
    pub(super) full_screen: bool,
    /// Whether something else than its names shows that it is of a browser, such as the menu.
    pub(super) is_browser: bool,
    pub(super) icon: Option<Arc<Icon>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Track {
    /// The player, with the track as its title.
    pub(super) player: Window,
    /// Title and artist; `None` where the player names no artist, as of a film or a file that is named
    /// only.
    pub(super) song: Option<SharedTrack>,
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

    /// A title as its program wrote it, on one line, without invisible and bidirectional
    /// characters. The middle of a very long title is left out.
    #[cfg(any(target_os = "linux", windows, test))]
    pub(super) fn title_of(written: &str) -> String {
        let title = one_line(written, usize::MAX);
        let length = title.chars().count();
        if length <= 2 * LONGEST_END {
            return title;
        }
        let ends = [0, length - LONGEST_END];
        let [start, end] = ends.map(|from| {
            title
                .chars()
                .skip(from)
                .take(LONGEST_END)
                .collect::<String>()
        });
        format!("{start} … {end}")
    }

    /// Its names, cleaned as its title is, without repetition and without empty
    /// ones.
    pub(super) fn names_of<I: IntoIterator<Item = String>>(candidates: I) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for candidate in candidates {
            let name = one_line(&candidate, LONGEST_NAME);
            let known = names
                .iter()
                .any(|known| known.to_lowercase() == name.to_lowercase());
            if !name.is_empty() && !known {
                names.push(name);
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

    #[test]
    fn names_and_titles_become_one_clean_line() {
        let hostile = format!(
            "\u{202e}</script><img src=x onerror=alert(1)>\n\u{1b}[2J{}",
            "\u{301}".repeat(10_000)
        );
        let kept = format!(
            "</script><img src=x onerror=alert(1)> [2J{}",
            "\u{301}".repeat(8)
        );
        assert_eq!(Window::title_of(&hostile), kept);
        assert_eq!(Window::names_of([hostile]), [kept]);
        assert_eq!(Window::names_of(["\u{200b}".to_owned()]), [""; 0]);
        assert_eq!(Window::names_of(["x".repeat(10_000)])[0].len(), 200);
    }

    #[test]
    fn a_very_long_title_keeps_both_ends() {
        let title = Window::title_of(&format!("{} — Private Browsing", "喵".repeat(100_000)));
        assert!(title.starts_with('喵') && title.ends_with("喵 — Private Browsing"));
        assert_eq!(title.chars().count(), 4_003);
    }
}
