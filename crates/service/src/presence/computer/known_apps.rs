//! The programs behind the names that readers see: what a rule is written for that hides one.
//!
//! It is only for the owner: nothing here is sent to a service, logged or stored.

use parking_lot::{Mutex, MutexGuard};

use super::built_in;
use super::foreground::{Foreground, Window};
#[cfg(target_os = "linux")]
use super::menu_entry;
use super::rules::{self, Decision};
use crate::presence::computer::settings::PresenceSettings;

/// The size of the memory.
const MOST_WINDOWS: usize = 100;

/// The windows that were in the foreground in this run, the latest last.
#[derive(Debug, Default)]
pub(super) struct KnownApps(Mutex<Vec<Window>>);

impl KnownApps {
    pub(super) fn see(&self, front: &Foreground) {
        let Foreground::Window(window) = front else {
            return;
        };
        let mut windows = self.windows();
        windows.retain(|known| known.names != window.names);
        if windows.len() >= MOST_WINDOWS {
            windows.remove(0);
        }
        windows.push(Window {
            icon: None,
            ..Window::clone(window)
        });
    }

    pub(super) fn forget(&self) {
        self.windows().clear();
    }

    /// The names of the programs that these settings show under this name, or that have it.
    pub(super) fn named(&self, application: &str, settings: &PresenceSettings) -> Vec<String> {
        let windows = self.windows().clone();
        let is_shown_so = |window: &Window| {
            let language = settings.language();
            matches!(rules::decide(settings, language, window),
                Decision::Shown { name: Some(name), .. } if name == application)
        };
        let names = windows
            .into_iter()
            .rev()
            .filter(|window| has(&window.names, application) || is_shown_so(window))
            .flat_map(|window| window.names);
        Window::names_of(names)
    }

    fn windows(&self) -> MutexGuard<'_, Vec<Window>> {
        // Every change is whole, so a panic leaves no partial state.
        self.0.lock()
    }
}

/// The `program` of a rule for the app that readers know by this name. `known` are the names of
/// windows that have it. `None` where no program is known by it. Blocks.
pub(super) fn program_of(application: &str, mut known: Vec<String>) -> Option<String> {
    // Rules match the list by each of its names.
    if built_in::list().has_name(application) {
        return Some(application.to_owned());
    }
    #[cfg(target_os = "linux")]
    if known.is_empty() {
        known = menu_entry::names_of(application);
    }
    known = Window::names_of(known);
    match known.as_slice() {
        [] => None,
        [name] if !name.starts_with('/') => Some(name.clone()),
        names => {
            let names: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
            Some(format!("/^(?i:{})$/", names.join("|")))
        }
    }
}

fn has(names: &[String], application: &str) -> bool {
    let application = application.to_lowercase();
    names.iter().any(|name| name.to_lowercase() == application)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::presence::computer::settings::Language;

    fn window(names: &[&str], title: &str) -> Window {
        Window {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            title: title.to_owned(),
            ..Window::default()
        }
    }

    fn settings(rules: &str) -> PresenceSettings {
        toml::from_str(&format!("rules = [{rules}]")).expect("valid settings")
    }

    #[test]
    fn a_rule_holds_all_names_of_the_window_and_hides_it_by_any_of_them() {
        let known = KnownApps::default();
        let timer = ["org.example.timer", "Kitchen Timer (1)", "厨房计时器"];
        for front in [window(&timer, "Eggs"), window(&["other"], "")] {
            known.see(&Foreground::Window(Arc::new(front)));
        }
        let names = known.named("厨房计时器", &settings(""));
        let program = program_of("厨房计时器", names).expect("known");
        let hiding = settings(&format!("{{ program = '{program}', hide = true }}"));
        for name in timer {
            let decision = rules::decide(&hiding, Language::English, &window(&[name], ""));
            assert_eq!(decision, Decision::Hidden, "{name}");
        }
        let other = window(&["other.timer"], "");
        assert_ne!(
            rules::decide(&hiding, Language::English, &other),
            Decision::Hidden
        );
    }

    #[test]
    fn an_app_that_a_rule_renames_is_known_by_that_name_and_no_other_is() {
        let known = KnownApps::default();
        known.see(&Foreground::Window(Arc::new(window(&["my-tool"], "Plan"))));
        let renamed = settings("{ program = 'my-tool', name = 'At {title}' }");
        let names = known.named("At Plan", &renamed);
        assert_eq!(program_of("At Plan", names).as_deref(), Some("my-tool"));
        for unknown in ["Lunch", "At Plans"] {
            assert_eq!(program_of(unknown, known.named(unknown, &renamed)), None);
        }
        known.forget();
        assert_eq!(known.named("my-tool", &renamed), Vec::<String>::new());
        // The list knows this one in both languages.
        assert_eq!(program_of("微信", Vec::new()).as_deref(), Some("微信"));
    }

    #[test]
    fn the_memory_is_bounded_and_has_each_program_once() {
        let known = KnownApps::default();
        for number in 0..3 * MOST_WINDOWS {
            let name = format!("program-{}", number % (2 * MOST_WINDOWS));
            known.see(&Foreground::Window(Arc::new(window(&[&name], ""))));
        }
        assert_eq!(known.windows().len(), MOST_WINDOWS);
    }
}
