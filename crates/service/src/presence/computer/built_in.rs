//! The built-in list: proper names, a line and a colour for the common
//! programs, and what is never named at all.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::RegexSet;
use serde::Deserialize;

use super::foreground::Window;
use crate::presence::computer::settings::Language;
use crate::presence::window::{PrivateGroup, PrivateKind};
use crate::text::rgba::Rgba;

mod browsers;
mod names;

use browsers::{BrowserWindow, Browsers, WrittenBrowsers};
use names::{Programs, key, spellings};

static LIST: LazyLock<BuiltIn> = LazyLock::new(|| {
    let written: BuiltInFile =
        toml::from_str(include_str!("built_in.toml")).expect("a test reads the list");
    BuiltIn::of(written)
});

/// The list, indexed for lookup.
pub(super) struct BuiltIn {
    programs: Vec<Program>,
    by_name: HashMap<String, usize>,
    /// By the names that readers see, in lower case.
    by_shown_name: HashMap<String, usize>,
    hidden_programs: Programs,
    hidden_titles: RegexSet,
    browsers: Browsers,
    lock_screens: Vec<String>,
    private: Vec<PrivateGroup>,
}

pub(super) struct Program {
    /// One of the names by which systems know it.
    key: String,
    name: Words,
    line: Words,
    pub(super) rgba: Rgba,
    /// Whether it plays films: in full screen, its user is not idle.
    plays_films: bool,
    plays_music: bool,
    browses: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltInFile {
    kind: HashMap<String, Words>,
    program: Vec<WrittenProgram>,
    hidden: Hidden,
    browsers: WrittenBrowsers,
    screens: Screens,
}

/// The same in both languages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    en: String,
    zh: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProgram {
    is: Vec<String>,
    en: String,
    zh: Option<String>,
    kind: String,
    rgb: [u8; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hidden {
    passwords: Group,
    banks: Group,
    private_windows: Group,
    lock_screens: Group,
}

/// One group of what is never shared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    named: Vec<String>,
    programs: Vec<String>,
    words: Vec<String>,
    patterns: Vec<String>,
    titles: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Screens {
    lock_screens: Vec<String>,
}

impl Hidden {
    fn groups(&self) -> [(PrivateKind, &Group); 4] {
        [
            (PrivateKind::Passwords, &self.passwords),
            (PrivateKind::Banks, &self.banks),
            (PrivateKind::PrivateWindows, &self.private_windows),
            (PrivateKind::LockScreens, &self.lock_screens),
        ]
    }
}

impl Words {
    fn in_language(&self, language: Language) -> &str {
        match language {
            Language::English => &self.en,
            Language::Chinese => &self.zh,
        }
    }
}

impl Program {
    pub(super) fn name(&self, language: Language) -> &str {
        self.name.in_language(language)
    }

    pub(super) fn names(&self) -> [&str; 2] {
        [&self.name.en, &self.name.zh]
    }

    pub(super) fn line(&self, language: Language) -> &str {
        self.line.in_language(language)
    }
}

pub(super) fn list() -> &'static BuiltIn {
    &LIST
}

impl BuiltIn {
    fn of(written: BuiltInFile) -> Self {
        let mut by_name = HashMap::new();
        let mut programs = Vec::new();
        let mut by_shown_name = HashMap::new();
        for program in written.program {
            let key = program.is.first().cloned().unwrap_or_default();
            for name in program.is {
                by_name.insert(name, programs.len());
            }
            for name in program.zh.iter().chain([&program.en]) {
                by_shown_name
                    .entry(name.to_lowercase())
                    .or_insert(programs.len());
            }
            programs.push(Program {
                key,
                name: Words {
                    zh: program.zh.unwrap_or_else(|| program.en.clone()),
                    en: program.en,
                },
                line: written.kind[&program.kind].clone(),
                rgba: {
                    let [red, green, blue] = program.rgb;
                    Rgba::opaque(red, green, blue)
                },
                plays_films: program.kind == "films",
                plays_music: program.kind == "listening",
                browses: program.kind == "browser",
            });
        }
        let groups = written.hidden.groups();
        let all = || groups.iter().map(|(_, group)| *group);
        // The fast engine does not support Unicode word boundaries.
        let ascii_edges = |title: &String| title.replace(r"\b", r"(?-u:\b)");
        let titles = all().flat_map(|group| &group.titles).map(ascii_edges);
        Self {
            programs,
            by_name,
            by_shown_name,
            hidden_programs: Programs::of(
                all().flat_map(|group| &group.programs),
                all().flat_map(|group| &group.words),
                all().flat_map(|group| &group.patterns),
            )
            .expect("a test reads the list"),
            hidden_titles: RegexSet::new(titles).expect("a test reads the list"),
            private: groups
                .map(|(kind, group)| PrivateGroup {
                    kind,
                    names: group.named.clone(),
                })
                .into(),
            browsers: Browsers::of(written.browsers).expect("a test reads the list"),
            lock_screens: written.screens.lock_screens,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.programs.len()
    }

    /// What is never shared, as shown to the owner.
    pub(super) fn private(&self) -> &[PrivateGroup] {
        &self.private
    }

    /// The window's program, where it is on the list.
    pub(super) fn find(&self, window: &Window) -> Option<&Program> {
        window
            .names
            .iter()
            .find_map(|name| self.programs.get(self.place(name)?))
    }

    /// Whether readers know a program by this name, in any language.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.by_shown_name.contains_key(&name.to_lowercase())
    }

    /// Whether it is of a browser.
    pub(super) fn browses(&self, window: &Window) -> bool {
        self.browser_window(window) != BrowserWindow::Other
    }

    /// Whether any of its names is that of a program that plays films.
    pub(super) fn plays_films(&self, window: &Window) -> bool {
        self.is_any(window, |program| program.plays_films)
    }

    /// Whether any of its names is that of a program that plays music and little else.
    pub(super) fn plays_music(&self, window: &Window) -> bool {
        self.is_any(window, |program| program.plays_music)
    }

    /// The name by which systems know the program that is called this: by them, or by readers.
    /// Other devices report apps by either.
    pub(super) fn key_of(&self, name: &str) -> Option<&str> {
        Some(&self.named(name)?.key)
    }

    /// The same program.
    fn named(&self, name: &str) -> Option<&Program> {
        let shown = || self.by_shown_name.get(&name.to_lowercase()).copied();
        let place = self.place(name).or_else(shown)?;
        Some(&self.programs[place])
    }

    fn is_any(&self, window: &Window, is_one: impl Fn(&Program) -> bool) -> bool {
        let mut places = window.names.iter().filter_map(|name| self.place(name));
        places.any(|place| is_one(&self.programs[place]))
    }

    /// Which program has this name.
    fn place(&self, name: &str) -> Option<usize> {
        spellings(name).find_map(|name| self.by_name.get(&name).copied())
    }

    /// Whether it is a lock screen or a screen saver.
    pub(super) fn locks(&self, window: &Window) -> bool {
        let is_one = |name: &String| self.lock_screens.contains(&key(name));
        window.names.iter().any(is_one)
    }

    /// Whether its window titles are never shared: it is a browser that is not known to mark its
    /// private windows.
    pub(super) fn keeps_titles_of(&self, window: &Window) -> bool {
        self.browser_window(window) == BrowserWindow::Unmarked
    }

    /// Whether it is never shared: a password manager, a bank, a private
    /// window, a lock screen.
    pub(super) fn hides(&self, window: &Window) -> bool {
        self.hides_player(window) || self.browser_window(window) == BrowserWindow::Private
    }

    /// The same for a media player, whose title is what it plays. Browsers announce no title of what
    /// plays in a private window.
    pub(super) fn hides_player(&self, player: &Window) -> bool {
        let hidden = |name: &String| self.hidden_programs.have(name);
        self.locks(player)
            || player.names.iter().any(hidden)
            || self.hidden_titles.is_match(&player.title)
    }

    /// Whether a text, which may be a title, names a browser, so that it may be of a private window.
    pub(super) fn names_a_browser(&self, text: &str) -> bool {
        let listed = self.named(text).map(|program| program.browses);
        listed.unwrap_or_else(|| {
            self.browsers.looks_like_one(text) || self.browsers.names_a_marking_one(text)
        })
    }

    fn browser_window(&self, window: &Window) -> BrowserWindow {
        let listed = |name: &str| self.named(name).map(|program| program.browses);
        let found = self.browsers.window(window, listed);
        // Another device reports the line of the list in place of a title.
        let is_line = || {
            let known = self.find(window);
            known.is_some_and(|known| [&known.line.en, &known.line.zh].contains(&&window.title))
        };
        match found {
            BrowserWindow::Private if is_line() => BrowserWindow::Plain,
            found => found,
        }
    }
}

#[cfg(test)]
mod tests;
