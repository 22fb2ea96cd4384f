//! The built-in list: proper names, a line and a colour for the common
//! programs, and what is never named at all.

use std::collections::HashMap;
use std::sync::LazyLock;

use porchlight_api::Rgba;
use porchlight_api::window::{PrivateGroup, PrivateKind};
use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::front::Window;
use crate::settings::Language;

static LIST: LazyLock<BuiltIn> = LazyLock::new(|| {
    let written: Written =
        toml::from_str(include_str!("built_in.toml")).expect("a test reads the list");
    BuiltIn::of(written)
});

/// The list, as it is looked through.
pub(super) struct BuiltIn {
    programs: Vec<Program>,
    by_name: HashMap<String, usize>,
    hidden_programs: Vec<Regex>,
    hidden_titles: RegexSet,
    unmarked: Vec<String>,
    lock_screens: Vec<String>,
    private: Vec<PrivateGroup>,
}

/// A program on the list.
pub(super) struct Program {
    name: Words,
    line: Words,
    /// Its colour.
    pub(super) rgba: Rgba,
    /// Whether it plays films: with one that fills the screen nobody is idle.
    pub(super) plays: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    kind: HashMap<String, Words>,
    program: Vec<WrittenProgram>,
    hidden: Hidden,
    browsers: Browsers,
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

/// One kind of what is never told.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    named: Vec<String>,
    programs: Vec<String>,
    titles: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Browsers {
    unmarked: Vec<String>,
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
    /// What it is called.
    pub(super) fn name(&self, language: Language) -> &str {
        self.name.in_language(language)
    }

    /// The line about it.
    pub(super) fn line(&self, language: Language) -> &str {
        self.line.in_language(language)
    }
}

/// The list.
pub(super) fn list() -> &'static BuiltIn {
    &LIST
}

impl BuiltIn {
    fn of(written: Written) -> Self {
        let mut by_name = HashMap::new();
        let mut programs = Vec::new();
        for program in written.program {
            for name in program.is {
                by_name.insert(name, programs.len());
            }
            programs.push(Program {
                name: Words {
                    zh: program.zh.unwrap_or_else(|| program.en.clone()),
                    en: program.en,
                },
                line: written.kind[&program.kind].clone(),
                rgba: {
                    let [red, green, blue] = program.rgb;
                    Rgba::opaque(red, green, blue)
                },
                plays: program.kind == "films",
            });
        }
        let whole =
            |name: &String| Regex::new(&format!("^(?:{name})$")).expect("a test reads the list");
        let groups = written.hidden.groups();
        let titles = groups.iter().flat_map(|(_, group)| &group.titles);
        Self {
            programs,
            by_name,
            hidden_programs: groups
                .iter()
                .flat_map(|(_, group)| &group.programs)
                .map(whole)
                .collect(),
            hidden_titles: RegexSet::new(titles).expect("a test reads the list"),
            private: groups
                .map(|(kind, group)| PrivateGroup {
                    kind,
                    names: group.named.clone(),
                })
                .into(),
            unmarked: written.browsers.unmarked,
            lock_screens: written.screens.lock_screens,
        }
    }

    /// How many programs are on it.
    pub(super) fn len(&self) -> usize {
        self.programs.len()
    }

    /// What is never told, as its owner is shown it.
    pub(super) fn private(&self) -> &[PrivateGroup] {
        &self.private
    }

    /// The window's program, where it is on the list.
    pub(super) fn find(&self, window: &Window) -> Option<&Program> {
        window.names.iter().find_map(|name| {
            let name = key(name);
            let place = self.by_name.get(&name)?;
            self.programs.get(*place)
        })
    }

    /// Whether it is a lock screen or a screen saver.
    pub(super) fn locks(&self, window: &Window) -> bool {
        let is_one = |name: &String| self.lock_screens.contains(&key(name));
        window.names.iter().any(is_one)
    }

    /// Whether no title of its windows is ever told: it is a browser that does
    /// not mark its private windows.
    pub(super) fn keeps_titles_of(&self, window: &Window) -> bool {
        let is_one = |name: &String| self.unmarked.contains(&key(name));
        window.names.iter().any(is_one)
    }

    /// Whether nothing is ever told of it: a password manager, a bank, a
    /// private window, a lock screen.
    pub(super) fn hides(&self, window: &Window) -> bool {
        let hidden = |name: &String| {
            let name = key(name);
            self.hidden_programs
                .iter()
                .any(|hidden| hidden.is_match(&name))
        };
        self.locks(window)
            || window.names.iter().any(hidden)
            || self.hidden_titles.is_match(&window.title)
    }
}

/// A name as the list has it: lower case, without the ending of Windows.
fn key(name: &str) -> String {
    let name = name.to_lowercase();
    match name.strip_suffix(".exe") {
        Some(rest) => rest.to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod titles;

#[cfg(test)]
mod tests {
    use super::*;

    fn window(name: &str, title: &str) -> Window {
        Window {
            names: vec![name.to_owned()],
            title: title.to_owned(),
            ..Window::default()
        }
    }

    #[test]
    fn the_list_is_well_formed_and_each_name_is_in_it_once() {
        let written: Written = toml::from_str(include_str!("built_in.toml")).expect("a list");
        let mut known = std::collections::HashSet::new();
        for program in &written.program {
            assert!(
                written.kind.contains_key(&program.kind),
                "{}: {}",
                program.en,
                program.kind
            );
            for name in &program.is {
                assert_eq!(*name, key(name), "written as it is looked up");
                assert!(known.insert(name.clone()), "{name} twice");
            }
        }
        let list = BuiltIn::of(written);
        assert!(list.programs.len() >= 150, "{}", list.programs.len());
        for name in &known {
            assert!(!list.hides(&window(name, "")), "{name} is named and hidden");
        }
    }

    #[test]
    fn programs_are_named_in_both_languages() {
        let editor = list().find(&window("code.exe", "")).expect("known");
        assert_eq!(editor.name(Language::English), "Visual Studio Code");
        assert_eq!(editor.line(Language::English), "Writing code");
        assert_eq!(editor.line(Language::Chinese), "正在写代码");
        let chat = list().find(&window("WeChat", "")).expect("known");
        assert_eq!(chat.name(Language::Chinese), "微信");
        assert!(list().find(&window("never-heard-of", "")).is_none());
    }

    #[test]
    fn secrets_are_hidden_by_program() {
        for name in [
            "KeePassXC",
            "org.keepassxc.KeePassXC",
            "1Password",
            "1password.exe",
            "Bitwarden",
            "seahorse",
            "polkit-gnome-authentication-agent-1",
            "pinentry-gtk-2",
            "Tor Browser",
            "i3lock",
            "xscreensaver-auth",
            "LockApp.exe",
        ] {
            assert!(list().hides(&window(name, "")), "{name}");
        }
        for name in ["firefox", "XTerm", "keyboard", "Code"] {
            assert!(!list().hides(&window(name, "plain")), "{name}");
        }
    }

    #[test]
    fn what_the_owner_is_shown_as_never_told_is_never_told() {
        for group in list().private() {
            assert!(!group.names.is_empty(), "{:?}", group.kind);
            for name in &group.names {
                let hidden =
                    list().hides(&window(name, "")) || list().hides(&window("firefox", name));
                assert!(hidden, "{:?}: {name}", group.kind);
            }
        }
    }

    #[test]
    fn private_windows_and_banks_are_hidden_by_title() {
        for title in [
            "Example — Mozilla Firefox Private Browsing",
            "Mozilla Firefox (Private Browsing)",
            "Mozilla Firefox 隐私浏览",
            "New Tab - Google Chrome (Incognito)",
            "新标签页 - Google Chrome（无痕模式）",
            "New tab - [InPrivate] - Microsoft Edge",
            "Beispiel — Mozilla Firefox Privater Modus",
            "Exemple — Navigation privée de Mozilla Firefox",
            "Online Banking | My Savings",
            "Chase Bank - Sign in",
            "PayPal: Log in",
            "支付宝 - 网上支付",
            "招商银行个人网上银行",
            "Sparkasse: Kontostand",
            "My vault - Bitwarden Web",
            "Reset your password - Example",
        ] {
            assert!(list().hides(&window("firefox", title)), "{title}");
        }
        for title in [
            "How to incubate eggs",
            "private.rs - porchlight",
            "Banksy in Bristol - Wikipedia",
            "Embankment walks",
        ] {
            assert!(!list().hides(&window("firefox", title)), "{title}");
        }
    }

    #[test]
    fn titles_are_kept_where_a_private_window_does_not_say_that_it_is_one() {
        assert!(list().keeps_titles_of(&window("Google-chrome", "A page")));
        assert!(list().keeps_titles_of(&window("chrome.exe", "A page")));
        assert!(!list().keeps_titles_of(&window("firefox", "A page")));
    }

    #[test]
    fn lock_screens_are_known_as_such() {
        assert!(list().locks(&window("LockApp.exe", "")));
        assert!(list().locks(&window("loginwindow", "")));
        assert!(!list().locks(&window("keepassxc", "")));
    }
}
