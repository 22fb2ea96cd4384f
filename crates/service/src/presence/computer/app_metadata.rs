//! A program's own metadata, where no rule and no list has any: its name from
//! its menu entry, its colour from its icon.

use std::collections::HashMap;
use std::sync::Arc;

use super::foreground::{Foreground, Window};
#[cfg(target_os = "linux")]
use super::menu_entry;
#[cfg(windows)]
use super::web_handlers;
use super::{built_in, colour};
use crate::presence::computer::settings::Language;
use crate::text::rgba::Rgba;
use crate::text::{LONGEST_NAME, one_line};

/// The size of the cache.
const MOST: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AppMetadata {
    pub(super) name: String,
    /// The names that readers may see, in each language.
    names: Vec<String>,
    /// Whether the system has it as a browser.
    browses: bool,
    pub(super) rgba: Rgba,
}

/// A cache, since metadata is read from files.
#[derive(Debug, Default)]
pub(super) struct AppMetadataCache(HashMap<(Vec<String>, Language), AppMetadata>);

impl AppMetadataCache {
    /// The window, with its program's own name in each language among the names where the built-in
    /// list has none: rules match what readers see, too, also after a change of the language.
    pub(super) async fn named(&mut self, front: &Foreground, language: Language) -> Foreground {
        let Foreground::Window(window) = front else {
            return front.clone();
        };
        if built_in::list().find(window).is_some() {
            return front.clone();
        }
        let metadata = self.of(window, language).await;
        let mut named = Window::clone(window);
        named.names = Window::names_of(window.names.iter().chain(&metadata.names).cloned());
        named.is_browser |= metadata.browses;
        if named == **window {
            return front.clone();
        }
        self.keep(&named, language, metadata);
        Foreground::Window(Arc::new(named))
    }

    pub(super) async fn of(&mut self, window: &Arc<Window>, language: Language) -> AppMetadata {
        let key = (window.names.clone(), language);
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let sitting = Arc::clone(window);
        let made = tokio::task::spawn_blocking(move || paint(&sitting, language)).await;
        let metadata = made.unwrap_or_else(|_| {
            // An icon that no reader can take; the name is enough.
            let name = name_from(window);
            AppMetadata {
                rgba: colour::from_name(&name),
                names: vec![name.clone()],
                // It is not known.
                browses: true,
                name,
            }
        });
        self.keep(window, language, metadata.clone());
        metadata
    }

    fn keep(&mut self, window: &Window, language: Language, metadata: AppMetadata) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        let key = (window.names.clone(), language);
        self.0.insert(key, metadata);
    }
}

fn paint(window: &Window, language: Language) -> AppMetadata {
    let menu = of_menu(window, language);
    let name = menu.name.unwrap_or_else(|| name_from(window));
    let name = one_line(&name, LONGEST_NAME);
    let mut names = menu.names;
    names.push(name.clone());
    let own_icon = window.icon.as_ref();
    let rgba = own_icon
        .and_then(|icon| colour::of_pixels(&icon.rgba))
        .or(menu.colour)
        .unwrap_or_else(|| colour::from_name(&name));
    AppMetadata {
        name,
        names,
        browses: menu.browses,
        rgba,
    }
}

/// From the system's menu. Elsewhere a program's name is a proper one already.
#[derive(Default)]
struct MenuMetadata {
    name: Option<String>,
    /// In all languages.
    names: Vec<String>,
    browses: bool,
    /// Of the icon.
    colour: Option<Rgba>,
}

#[cfg(target_os = "linux")]
fn of_menu(window: &Window, language: Language) -> MenuMetadata {
    let entry = menu_entry::find(window, language);
    entry.map_or_else(MenuMetadata::default, |entry| MenuMetadata {
        colour: entry.icon().and_then(|file| colour::of_png(&file)),
        browses: entry.browses,
        name: Some(entry.name),
        names: entry.names,
    })
}

#[cfg(windows)]
fn of_menu(window: &Window, _: Language) -> MenuMetadata {
    MenuMetadata {
        browses: window.file.as_deref().is_some_and(web_handlers::includes),
        ..MenuMetadata::default()
    }
}

#[cfg(target_os = "macos")]
fn of_menu(_: &Window, _: Language) -> MenuMetadata {
    MenuMetadata::default()
}

/// The best of the program's names, made fit to be read: `org.example.my-app`
/// becomes `My app`. On Windows one of several words is for people already: `Notes 2.0.1`.
fn name_from(window: &Window) -> String {
    let name = window.names.first().map_or("", String::as_str);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let parts: Vec<&str> = name.split('.').collect();
    let reversed_domain = parts.len() >= 3 && parts.iter().all(|part| !part.is_empty());
    let name = match parts.last() {
        _ if cfg!(windows) && name.contains(' ') => name.to_owned(),
        Some(last) if reversed_domain => last.replace(['-', '_'], " "),
        _ => name.replace(['-', '_'], " "),
    };
    let mut letters = name.trim().chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presence::computer::foreground::Icon;

    fn window(name: &str) -> Window {
        Window {
            names: vec![name.to_owned()],
            ..Window::default()
        }
    }

    #[test]
    fn names_are_made_fit_to_be_read() {
        for (name, read) in [
            ("my-tool", "My tool"),
            ("org.example.Porch_light", "Porch light"),
            ("Example.exe", "Example"),
            ("libre.app", "Libre.app"),
            ("XThing", "XThing"),
            ("喵", "喵"),
        ] {
            assert_eq!(name_from(&window(name)), read);
        }
        let written = "7-Zip File_Manager";
        let read = if cfg!(windows) {
            written
        } else {
            "7 Zip File Manager"
        };
        assert_eq!(name_from(&window(written)), read);
    }

    #[tokio::test]
    async fn a_program_without_an_icon_has_the_same_colour_every_time() {
        let painted = |name: &str| paint(&window(name), Language::English);
        assert_eq!(painted("my-tool-of-nowhere").name, "My tool of nowhere");
        assert_eq!(painted("my-tool-of-nowhere"), painted("my-tool-of-nowhere"));
        assert_ne!(
            painted("my-tool-of-nowhere").rgba,
            painted("another-one").rgba
        );
    }

    #[tokio::test]
    async fn a_program_is_known_by_the_name_that_readers_see() {
        let mut cache = AppMetadataCache::default();
        let front = Foreground::Window(Arc::new(window("org.example.my-tool")));
        let named = cache.named(&front, Language::English).await;
        let Foreground::Window(named) = named else {
            panic!("no window");
        };
        assert_eq!(named.names, ["org.example.my-tool", "My tool"]);
        // The built-in list has names for this one.
        let listed = Foreground::Window(Arc::new(window("code")));
        assert_eq!(cache.named(&listed, Language::English).await, listed);
    }

    #[tokio::test]
    async fn the_colour_is_that_of_the_windows_icon() {
        let icon = Icon {
            rgba: [200, 30, 60, 255].repeat(48 * 48),
        };
        let window = Arc::new(Window {
            icon: Some(Arc::new(icon)),
            ..window("my-tool-of-nowhere")
        });
        let metadata = AppMetadataCache::default()
            .of(&window, Language::English)
            .await;
        let [red, green, blue] = metadata.rgba.rgb().expect("a colour");
        assert!(red > 180 && green < 60 && blue < 90, "{:?}", metadata.rgba);
    }
}
