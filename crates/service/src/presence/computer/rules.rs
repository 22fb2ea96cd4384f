//! What is shared of a window: first the list of what is never shared, then the
//! first of the owner's rules that matches, then the built-in list.
//!
//! Nothing here reads icons or files: what a rule leaves open comes from the
//! program's metadata.

use super::built_in;
use super::foreground::{Track, Window};
use crate::presence::computer::settings::{Language, PresenceSettings, Rule};
use crate::text::LONGEST_LINE;
use crate::text::rgba::Rgba;

/// Where a rule's text takes the window's title in.
const TITLE: &str = "{title}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    Hidden,
    /// This; what is `None` comes from the app's own metadata.
    Shown {
        name: Option<String>,
        introduce: String,
        rgba: Option<Rgba>,
    },
}

pub(super) fn decide(settings: &PresenceSettings, language: Language, window: &Window) -> Decision {
    let list = built_in::list();
    if list.hides(window) {
        return Decision::Hidden;
    }
    let own = matching(settings, window).map(|(_, rule)| rule);
    if own.is_some_and(|rule| rule.hide) {
        return Decision::Hidden;
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
    Decision::Shown {
        name,
        introduce: introduce.chars().take(LONGEST_LINE).collect(),
        rgba,
    }
}

/// The line about a track where the owner has no words for it.
pub(super) fn track_line(track: &str) -> String {
    format!("♪ {track}")
}

/// The line about what a media player plays, and whether it names the track. `None` where the owner does not share it, the player or
/// the track is hidden, or it may be no music and the owner has no line for it.
pub(super) fn music_line(settings: &PresenceSettings, track: &Track) -> Option<(String, bool)> {
    let list = built_in::list();
    let player = &track.player;
    let own = matching(settings, player).map(|(_, rule)| rule);
    let line = own.and_then(|rule| rule.introduce.as_deref());
    let is_music = track.song.is_some() && !list.plays_films(player);
    let shared = settings.share_music
        && (settings.share_browser_music || !list.browses(player))
        && !list.keeps_titles_of(player)
        && !list.hides_player(player)
        && !own.is_some_and(|rule| rule.hide)
        && (is_music || line.is_some());
    if !shared || player.title.is_empty() {
        return None;
    }
    let names_it = line.is_none_or(|line| line.contains(TITLE));
    let line = match line {
        Some(line) => line.replace(TITLE, &player.title),
        None => track_line(&player.title),
    };
    Some((line.chars().take(LONGEST_LINE).collect(), names_it))
}

/// The owner's rule that counts for this window, and which it is, from 0.
pub(super) fn matching<'a>(
    settings: &'a PresenceSettings,
    window: &Window,
) -> Option<(usize, &'a Rule)> {
    let mut rules = settings.rules.iter().flatten().enumerate();
    rules.find(|(_, rule)| matches(rule, window))
}

/// Whether a rule names this program.
pub(super) fn names_program(settings: &PresenceSettings, window: &Window) -> bool {
    let mut rules = settings.rules.iter().flatten();
    rules.any(|rule| rule.program.is_some() && is_program(rule, window))
}

/// A rule can name the program as the system does, or as readers see it without a rule.
fn is_program(rule: &Rule, window: &Window) -> bool {
    let known = built_in::list().find(window);
    let known = known.iter().flat_map(|known| known.names());
    let mut names = window.names.iter().map(String::as_str).chain(known);
    let program = rule.program.as_ref();
    program.is_none_or(|program| names.any(|name| program.is(name)))
}

fn matches(rule: &Rule, window: &Window) -> bool {
    let title = rule
        .title
        .as_ref()
        .is_none_or(|title| title.is_in(&window.title));
    is_program(rule, window) && title
}

#[cfg(test)]
mod tests {
    use crate::http::replies::SharedTrack;

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

    fn decision(settings: &PresenceSettings, window: &Window) -> Decision {
        decide(settings, Language::English, window)
    }

    fn shown(name: Option<&str>, introduce: &str, rgba: Option<&str>) -> Decision {
        Decision::Shown {
            name: name.map(str::to_owned),
            introduce: introduce.to_owned(),
            rgba: rgba.map(|rgba| rgba.parse().expect("a colour")),
        }
    }

    #[test]
    fn the_first_matching_rule_wins_and_the_list_fills_its_empty_fields() {
        let settings = settings(
            "rules = [
                { program = '/^code/', title = 'secret', hide = true },
                { program = 'CODE', name = 'An editor' },
                { title = '/draft/', introduce = 'Writing a draft', rgba = '1,2,3,0.5' },
            ]",
        );
        let decision = |names, title| decision(&settings, &window(names, title));
        assert_eq!(decision(&["code"], "a secret file"), Decision::Hidden);
        assert_eq!(
            decision(&["code"], "draft of a page"),
            shown(Some("An editor"), "Writing code", Some("0,122,204,1"))
        );
        assert_eq!(
            decision(&["unknown"], "a draft"),
            shown(None, "Writing a draft", Some("1,2,3,0.5"))
        );
        assert_eq!(decision(&["unknown"], "a page"), shown(None, "", None));
    }

    #[test]
    fn a_rule_matches_by_any_of_the_programs_names() {
        let settings = settings("rules = [{ program = 'soffice.bin', name = 'Papers' }]");
        let window = window(&["libreoffice-writer", "soffice.bin"], "");
        assert!(
            matches!(decision(&settings, &window), Decision::Shown { name: Some(name), .. } if name == "Papers")
        );
    }

    #[test]
    fn a_rule_matches_by_the_name_that_readers_see_without_it() {
        let window = window(&["org.gnome.nautilus"], "");
        let seen = built_in::list().find(&window).expect("on the list");
        for name in seen.names() {
            let settings = settings(&format!("rules = [{{ program = '{name}', hide = true }}]"));
            assert_eq!(decision(&settings, &window), Decision::Hidden, "{name}");
        }
    }

    #[test]
    fn a_title_is_shared_only_where_enabled() {
        let window = window(&["code"], "plan.md - porch");
        let silent = settings("");
        assert!(!format!("{:?}", decision(&silent, &window)).contains("plan"));

        let by_rule = settings("rules = [{ program = 'code', introduce = 'At {title}' }]");
        assert_eq!(
            decision(&by_rule, &window),
            shown(
                Some("Visual Studio Code"),
                "At plan.md - porch",
                Some("0,122,204,1")
            )
        );
        let all = settings("share_titles = true");
        assert_eq!(
            decision(&all, &window),
            shown(
                Some("Visual Studio Code"),
                "plan.md - porch",
                Some("0,122,204,1")
            )
        );
    }

    #[test]
    fn no_rule_and_no_setting_reveals_a_hidden_program() {
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
                decision(&settings, &window(&[name], title)),
                Decision::Hidden,
                "{title}"
            );
        }
    }

    #[test]
    fn no_rule_and_no_setting_shares_a_title_of_a_possibly_private_window() {
        let window = window(&["Google-chrome"], "A page - Google Chrome");
        let shared = settings("share_titles = true");
        assert!(
            matches!(decision(&shared, &window), Decision::Shown { introduce, .. }
            if introduce == "Browsing the web")
        );
        let by_rule =
            settings("rules = [{ program = '/./', name = 'At {title}', introduce = '{title}' }]");
        assert!(
            matches!(decision(&by_rule, &window), Decision::Shown { name: Some(name), introduce, .. }
            if name == "At " && introduce.is_empty())
        );
    }

    #[test]
    fn music_is_shared_where_enabled_and_neither_player_nor_track_is_hidden() {
        let spotify = window(&["spotify"], "Clair de lune – Claude Debussy");
        let plays = |text: &str, player: &Window, has_artist: bool| {
            let (player, song) = (player.clone(), SharedTrack::of("A song", "An artist"));
            let song = song.filter(|_| has_artist);
            let line = music_line(&settings(text), &Track { player, song });
            line.map(|(line, _)| line)
        };
        let line = |text: &str, player: &Window| plays(text, player, true);
        assert_eq!(line("", &spotify), None);
        let on = "share_music = true";
        let shared = Some("♪ Clair de lune – Claude Debussy".to_owned());
        assert_eq!(line(on, &spotify), shared);
        let rule =
            format!("{on}\nrules = [{{ program = 'spotify', introduce = 'Hears {{title}}' }}]");
        let by_rule = Some("Hears Clair de lune – Claude Debussy".to_owned());
        assert_eq!(line(&rule, &spotify), by_rule);
        let hidden = format!("{on}\nrules = [{{ title = 'Debussy', hide = true }}]");
        assert_eq!(line(&hidden, &spotify), None);
        assert_eq!(line(on, &window(&["spotify"], "")), None);
        assert_eq!(line(on, &window(&["spotify"], "Online banking")), None);

        let browsers = format!("{on}\nshare_browser_music = true");
        let firefox = window(&["firefox"], "A song");
        assert_eq!(line(on, &firefox), None);
        assert_eq!(line(&browsers, &firefox), Some("♪ A song".to_owned()));
        assert_eq!(line(on, &window(&["rhythmbox", "firefox"], "A song")), None);
        // A film, a file that is named only: by a line of the owner alone.
        let vlc = window(&["VLC media player", "vlc"], "holiday.mp4");
        assert_eq!(line(on, &vlc), None);
        assert_eq!(plays(on, &spotify, false), None);
        let allowed = format!("{on}\nrules = [{{ program = 'vlc', introduce = '♪ {{title}}' }}]");
        let allowed_line = Some("♪ holiday.mp4".to_owned());
        assert_eq!(plays(&allowed, &vlc, false), allowed_line);
        let named = format!("{on}\nrules = [{{ program = 'vlc', name = 'Player' }}]");
        assert_eq!(line(&named, &vlc), None);
        // Private windows cannot be recognised.
        for player in ["chromium", "plasma-browser-integration"] {
            assert_eq!(line(&browsers, &window(&[player], "A song")), None);
        }
    }

    #[test]
    fn a_long_title_is_cut_to_the_limit_of_a_heartbeat() {
        let settings = settings("share_titles = true");
        let long = "喵".repeat(5_000);
        let Decision::Shown { introduce, .. } = decision(&settings, &window(&["code"], &long))
        else {
            panic!("not hidden");
        };
        assert_eq!(introduce.chars().count(), LONGEST_LINE);
    }
}
