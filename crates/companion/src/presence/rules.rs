//! What is told of a window: what is never told, then the owner's rules in
//! their order, the first that matches wins, then the built-in list.
//!
//! Nothing here looks at icons or files: what a rule leaves open comes from
//! the program itself.

use porchlight_api::Rgba;
use porchlight_api::text::LONGEST_LINE;

use super::built_in;
use super::front::Window;
use crate::settings::{Language, PresenceSettings, Rule};

/// Where a rule's text takes the window's title in.
const TITLE: &str = "{title}";

/// What the rules say of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing.
    Hidden,
    /// This; what is `None` is for the program itself to say.
    Shown {
        name: Option<String>,
        introduce: String,
        rgba: Option<Rgba>,
    },
}

/// Asks the rules.
pub(super) fn ask(settings: &PresenceSettings, language: Language, window: &Window) -> Told {
    let list = built_in::list();
    if list.hides(window) {
        return Told::Hidden;
    }
    let own = matching(settings, window).map(|(_, rule)| rule);
    if own.is_some_and(|rule| rule.hide) {
        return Told::Hidden;
    }
    let known = list.find(window);
    let own_line = own.and_then(|rule| rule.introduce.as_deref());
    let kept = list.keeps_titles_of(window);
    let title = if kept { "" } else { &window.title };
    let introduce = match own_line {
        Some(line) => line.replace(TITLE, title),
        None if settings.share_titles && !kept => title.to_owned(),
        None => known.map_or_else(String::new, |known| known.line(language).to_owned()),
    };
    let own_name = own.and_then(|rule| rule.name.as_deref());
    let name = own_name
        .map(|name| name.replace(TITLE, title))
        .or_else(|| known.map(|known| known.name(language).to_owned()));
    let rgba = own
        .and_then(|rule| rule.rgba.clone())
        .or_else(|| known.map(|known| known.rgba.clone()));
    Told::Shown {
        name,
        introduce: introduce.chars().take(LONGEST_LINE).collect(),
        rgba,
    }
}

/// The owner's rule that counts for this window, and which it is, from 0.
pub(super) fn matching<'a>(
    settings: &'a PresenceSettings,
    window: &Window,
) -> Option<(usize, &'a Rule)> {
    let mut rules = settings.rules.iter().flatten().enumerate();
    rules.find(|(_, rule)| matches(rule, window))
}

fn matches(rule: &Rule, window: &Window) -> bool {
    let program = rule
        .program
        .as_ref()
        .is_none_or(|program| window.names.iter().any(|name| program.is(name)));
    let title = rule
        .title
        .as_ref()
        .is_none_or(|title| title.is_in(&window.title));
    program && title
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> PresenceSettings {
        toml::from_str(text).expect("valid settings")
    }

    fn window(names: &[&str], title: &str) -> Window {
        Window {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            title: title.to_owned(),
            ..Window::default()
        }
    }

    fn told(settings: &PresenceSettings, window: &Window) -> Told {
        ask(settings, Language::English, window)
    }

    fn shown(name: Option<&str>, introduce: &str, rgba: Option<&str>) -> Told {
        Told::Shown {
            name: name.map(str::to_owned),
            introduce: introduce.to_owned(),
            rgba: rgba.map(|rgba| rgba.parse().expect("a colour")),
        }
    }

    #[test]
    fn the_first_rule_that_matches_wins_and_the_list_fills_what_it_leaves_open() {
        let settings = settings(
            "rules = [
                { program = '/^code/', title = 'secret', hide = true },
                { program = 'CODE', name = 'An editor' },
                { title = '/draft/', introduce = 'Writing a draft', rgba = '1,2,3,0.5' },
            ]",
        );
        let told = |names, title| told(&settings, &window(names, title));
        assert_eq!(told(&["code"], "a secret file"), Told::Hidden);
        assert_eq!(
            told(&["code"], "draft of a page"),
            shown(Some("An editor"), "Writing code", Some("0,122,204,1"))
        );
        assert_eq!(
            told(&["unheard-of"], "a draft"),
            shown(None, "Writing a draft", Some("1,2,3,0.5"))
        );
        assert_eq!(told(&["unheard-of"], "a page"), shown(None, "", None));
    }

    #[test]
    fn a_rule_matches_by_any_of_the_programs_names() {
        let settings = settings("rules = [{ program = 'soffice.bin', name = 'Papers' }]");
        let window = window(&["libreoffice-writer", "soffice.bin"], "");
        assert!(
            matches!(told(&settings, &window), Told::Shown { name: Some(name), .. } if name == "Papers")
        );
    }

    #[test]
    fn a_title_is_told_only_where_it_is_asked_for() {
        let window = window(&["code"], "plan.md - porch");
        let silent = settings("");
        assert!(!format!("{:?}", told(&silent, &window)).contains("plan"));

        let by_rule = settings("rules = [{ program = 'code', introduce = 'At {title}' }]");
        assert_eq!(
            told(&by_rule, &window),
            shown(
                Some("Visual Studio Code"),
                "At plan.md - porch",
                Some("0,122,204,1")
            )
        );
        let all = settings("share_titles = true");
        assert_eq!(
            told(&all, &window),
            shown(
                Some("Visual Studio Code"),
                "plan.md - porch",
                Some("0,122,204,1")
            )
        );
    }

    #[test]
    fn no_rule_and_no_setting_names_what_is_secret() {
        let settings = settings(
            "share_titles = true\n\
             rules = [{ program = '/./', name = 'Anything', introduce = '{title}' }]",
        );
        for (name, title) in [
            ("KeePassXC", "accounts.kdbx"),
            ("firefox", "My savings — Mozilla Firefox Private Browsing"),
            ("firefox", "Online banking"),
            ("i3lock", ""),
        ] {
            assert_eq!(
                told(&settings, &window(&[name], title)),
                Told::Hidden,
                "{title}"
            );
        }
    }

    #[test]
    fn no_rule_and_no_setting_tells_a_title_that_may_be_a_private_windows() {
        let window = window(&["Google-chrome"], "A page - Google Chrome");
        let shared = settings("share_titles = true");
        assert!(
            matches!(told(&shared, &window), Told::Shown { introduce, .. }
            if introduce == "Browsing the web")
        );
        let asked =
            settings("rules = [{ program = '/./', name = 'At {title}', introduce = '{title}' }]");
        assert!(
            matches!(told(&asked, &window), Told::Shown { name: Some(name), introduce, .. }
            if name == "At " && introduce.is_empty())
        );
    }

    #[test]
    fn a_long_title_is_cut_to_what_a_heartbeat_carries() {
        let settings = settings("share_titles = true");
        let long = "喵".repeat(5_000);
        let Told::Shown { introduce, .. } = told(&settings, &window(&["code"], &long)) else {
            panic!("not hidden");
        };
        assert_eq!(introduce.chars().count(), LONGEST_LINE);
    }
}
