//! A program's entry in the menus of Linux desktops: its name in the owner's
//! language, and its icon. By the Desktop Entry Specification.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::foreground::Window;
use crate::presence::computer::settings::Language;

/// The preferred size of icons, in pixels.
const ICON_SIDE: u16 = 48;

/// The maximum number of bytes that are read of an entry: any program of the owner can create one.
const LARGEST: u64 = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// Its name in the owner's language.
    pub(super) name: String,
    /// Its names in all languages that readers may see.
    pub(super) names: Vec<String>,
    icon: Option<String>,
    window_class: Option<String>,
    hidden: bool,
    /// Whether it opens pages of the web.
    pub(super) browses: bool,
}

impl Entry {
    fn read(text: &str, language: Language) -> Option<Self> {
        let mut entry = Self::default();
        let mut translated = [None, None];
        let mut in_entry = false;
        for line in text.lines() {
            let line = line.trim();
            if line.starts_with('[') {
                in_entry = line == "[Desktop Entry]";
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| in_entry) else {
                continue;
            };
            let value = value.trim().to_owned();
            match key.trim() {
                "Name" => entry.name = value,
                "Name[zh_CN]" => translated[0] = Some(value),
                "Name[zh]" => translated[1] = Some(value),
                "Icon" => entry.icon = Some(value),
                "StartupWMClass" => entry.window_class = Some(value),
                "Categories" => entry.browses |= value.split(';').any(|it| it == "WebBrowser"),
                "MimeType" => {
                    let of_the_web = ["x-scheme-handler/http", "x-scheme-handler/https"];
                    entry.browses |= value.split(';').any(|it| of_the_web.contains(&it));
                }
                "NoDisplay" | "Hidden" => entry.hidden |= value == "true",
                _ => {}
            }
        }
        entry.names = vec![entry.name.clone()];
        if let Some(name) = translated.into_iter().flatten().next() {
            entry.names.push(name.clone());
            if language == Language::Chinese {
                entry.name = name;
            }
        }
        (!entry.name.is_empty()).then_some(entry)
    }

    /// All names that a window of the program may have: those in the menu, and those by which its
    /// entry is found.
    fn own_names(self, stem: &str) -> Vec<String> {
        let last = stem.rsplit('.').next().unwrap_or_default();
        let plain = stem.strip_prefix("debian-").unwrap_or(stem);
        let found_by = [stem, last, plain].map(str::to_owned);
        let names = self
            .window_class
            .into_iter()
            .chain(found_by)
            .chain(self.names);
        names.collect()
    }

    /// The file of its icon, a PNG.
    pub(super) fn icon(&self) -> Option<PathBuf> {
        let icon = self.icon.as_ref()?;
        let file = Path::new(icon);
        let file = if file.is_absolute() {
            file.to_owned()
        } else {
            freedesktop_icons::lookup(icon)
                .with_size(ICON_SIDE)
                .find()?
        };
        let is_png = file.extension().is_some_and(|ending| ending == "png");
        is_png.then_some(file)
    }
}

/// The text of an entry, to the largest size.
fn read(file: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(file)
        .and_then(|file| file.take(LARGEST).read_to_string(&mut text))
        .ok()?;
    Some(text)
}

pub(super) fn find(window: &Window, language: Language) -> Option<Entry> {
    let folders = folders(|name| std::env::var_os(name));
    folders
        .iter()
        .find_map(|folder| find_in(folder, window, language))
}

/// All names of the programs that the menu has under this name, in any language.
pub(super) fn names_of(application: &str) -> Vec<String> {
    let folders = folders(|name| std::env::var_os(name));
    folders
        .iter()
        .flat_map(|folder| names_in(folder, application))
        .collect()
}

fn names_in(folder: &Path, application: &str) -> Vec<String> {
    let application = application.to_lowercase();
    let is_it = |name: &String| name.to_lowercase() == application;
    entries_in(folder, Language::English)
        .filter(|(_, entry)| entry.names.iter().any(is_it))
        .flat_map(|(stem, entry)| entry.own_names(&stem))
        .collect()
}

/// The entries of a folder that the menu shows, each with its file's name without the ending.
fn entries_in(folder: &Path, language: Language) -> impl Iterator<Item = (String, Entry)> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(move |file| {
        let path = file.path();
        let stem = path.file_stem()?.to_str()?.to_owned();
        path.extension().filter(|ending| *ending == "desktop")?;
        let entry = Entry::read(&read(&path)?, language)?;
        (!entry.hidden).then_some((stem, entry))
    })
}

fn find_in(folder: &Path, window: &Window, language: Language) -> Option<Entry> {
    let names: Vec<String> = window
        .names
        .iter()
        .map(|name| name.to_lowercase())
        .collect();
    let mut by_name = None;
    for (stem, entry) in entries_in(folder, language) {
        let class = entry
            .window_class
            .as_ref()
            .map(|class| class.to_lowercase());
        if class.is_some_and(|class| names.contains(&class)) {
            return Some(entry);
        }
        // `debian-xterm.desktop` and `org.example.App.desktop` are such names.
        let stem = stem.to_lowercase();
        let last = stem.rsplit('.').next().unwrap_or_default();
        let plain = stem.strip_prefix("debian-").unwrap_or(&stem);
        if names
            .iter()
            .any(|name| *name == stem || name == last || name == plain)
        {
            by_name.get_or_insert(entry);
        }
    }
    by_name
}

/// Where entries are, the user's own first.
fn folders(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Vec<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let home = set("HOME").map(PathBuf::from);
    let own = set("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(home.as_ref()?.join(".local/share")));
    let shared = set("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let mut roots: Vec<PathBuf> = own.iter().cloned().collect();
    roots.extend(own.map(|own| own.join("flatpak/exports/share")));
    roots.extend(std::env::split_paths(&shared));
    roots.push("/var/lib/flatpak/exports/share".into());
    roots.push("/var/lib/snapd/desktop".into());
    roots
        .into_iter()
        .map(|root| root.join("applications"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[Desktop Entry]\nType=Application\nName=Kitchen Timer\n\
                        Name[zh_CN]=厨房计时器\nName[de]=Küchenuhr\nIcon=/icons/timer.png\n\
                        StartupWMClass=Timer-GTK\n\n[Desktop Action new]\nName=New Timer\n";

    fn window(name: &str) -> Window {
        Window {
            names: vec![name.to_owned()],
            ..Window::default()
        }
    }

    #[test]
    fn an_endless_entry_is_read_to_the_largest_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("endless.desktop");
        std::fs::write(&file, "x".repeat(2 * LARGEST as usize)).expect("written");
        assert_eq!(read(&file).map(|text| text.len() as u64), Some(LARGEST));
    }

    #[test]
    fn an_entry_is_read_in_the_owners_language() {
        let english = Entry::read(TEXT, Language::English).expect("an entry");
        assert_eq!(english.name, "Kitchen Timer");
        assert_eq!(english.icon(), Some(PathBuf::from("/icons/timer.png")));
        let chinese = Entry::read(TEXT, Language::Chinese).expect("an entry");
        assert_eq!(chinese.name, "厨房计时器");
        assert_eq!(Entry::read("[Other]\nName=x\n", Language::English), None);
    }

    #[test]
    fn a_browser_is_known_by_its_category_or_by_what_it_opens() {
        let browses = |line: &str| {
            let text = format!("{TEXT}\n[Desktop Entry]\n{line}\n");
            let entry = Entry::read(&text, Language::English);
            entry.expect("an entry").browses
        };
        assert!(browses("Categories=GNOME;Network;WebBrowser;"));
        assert!(browses("MimeType=text/html;x-scheme-handler/http;"));
        assert!(browses("MimeType=x-scheme-handler/https"));
        assert!(!browses("Categories=Network;WebDevelopment;"));
        assert!(!browses("MimeType=text/html;x-scheme-handler/httpfoo;"));
    }

    #[test]
    fn a_program_is_found_by_its_window_class_or_its_files_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("to write");
        };
        write("org.example.Timer.desktop", TEXT);
        write("debian-plain.desktop", "[Desktop Entry]\nName=Plain\n");
        write("broken.desktop", "not an entry");
        write(
            "secret.desktop",
            "[Desktop Entry]\nName=No\nNoDisplay=true\n",
        );
        let found =
            |name| find_in(folder.path(), &window(name), Language::English).map(|entry| entry.name);
        for name in ["timer-gtk", "org.example.timer", "Timer"] {
            assert_eq!(found(name).as_deref(), Some("Kitchen Timer"), "{name}");
        }
        assert_eq!(found("plain").as_deref(), Some("Plain"));
        for name in ["broken", "secret", "other"] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn a_program_is_known_by_its_name_in_any_language() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("org.example.timer.desktop");
        std::fs::write(file, TEXT).expect("written");
        let own = [
            "Timer-GTK",
            "org.example.timer",
            "timer",
            "org.example.timer",
            "Kitchen Timer",
            "厨房计时器",
        ];
        for name in ["kitchen timer", "厨房计时器"] {
            assert_eq!(names_in(folder.path(), name), own);
        }
        assert_eq!(names_in(folder.path(), "Lunch"), Vec::<String>::new());
    }

    #[test]
    fn the_users_own_entries_come_first() {
        let folders = folders(|name| match name {
            "HOME" => Some("/home/a".into()),
            "XDG_DATA_DIRS" => Some("/usr/share".into()),
            _ => None,
        });
        assert_eq!(
            folders[..3],
            [
                PathBuf::from("/home/a/.local/share/applications"),
                PathBuf::from("/home/a/.local/share/flatpak/exports/share/applications"),
                PathBuf::from("/usr/share/applications"),
            ]
        );
    }
}
