//! The content of a heartbeat.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::app_metadata::AppMetadataCache;
use super::foreground::{Foreground, Track, Window};
use super::overrides::FixedStatus;
use super::rules::{self, Decision};
use super::{built_in, colour};
use crate::http::replies::{HeartbeatFields, SharedTrack};
use crate::presence::computer::settings::{Language, PresenceSettings};
use crate::text::LONGEST_NAME;
use crate::text::rgba::Rgba;

/// The default colour: amber, for presence without an app.
fn default_colour() -> Rgba {
    Rgba::opaque(255, 180, 84)
}

/// The owner is there, without an app that is shared.
pub(super) fn unnamed() -> HeartbeatFields {
    HeartbeatFields {
        application: String::new(),
        introduce: String::new(),
        rgba: default_colour(),
        application_online: true,
        track: None,
    }
}

pub(super) fn fixed(status: &FixedStatus) -> HeartbeatFields {
    let rgba = match status.rgba.rgb() {
        Some(_) => status.rgba.clone(),
        None => default_colour(),
    };
    HeartbeatFields {
        application: status.application.clone(),
        introduce: status.introduce.clone(),
        rgba,
        application_online: true,
        track: None,
    }
}

/// The content by the rules for the foreground window, or without one: a hidden
/// window looks like an unknown one.
pub(super) async fn of(
    front: &Foreground,
    settings: &PresenceSettings,
    app_metadata: &mut AppMetadataCache,
) -> HeartbeatFields {
    let Foreground::Window(window) = front else {
        return unnamed();
    };
    let language = settings.language();
    match rules::decide(settings, language, window) {
        Decision::Hidden => unnamed(),
        Decision::Shown {
            name: Some(name),
            introduce,
            rgba: Some(rgba),
        } => shown(name, introduce, rgba),
        Decision::Shown {
            name,
            introduce,
            rgba,
        } => {
            let metadata = app_metadata.of(window, language).await;
            shown(
                name.unwrap_or(metadata.name),
                introduce,
                rgba.unwrap_or(metadata.rgba),
            )
        }
    }
}

/// Has the content show the first of these tracks that is shared, if one is.
pub(super) fn add_music(
    fields: &mut HeartbeatFields,
    tracks: &[Track],
    settings: &PresenceSettings,
) {
    let shared = |track: &Track| {
        let (line, names_it) = rules::music_line(settings, track)?;
        Some((line, track.song.clone().filter(|_| names_it)))
    };
    if let Some((line, track)) = tracks.iter().find_map(shared) {
        (fields.introduce, fields.track) = (line, track);
    }
}

pub(super) fn hides(settings: &PresenceSettings, window: &Arc<Window>) -> bool {
    rules::decide(settings, Language::English, window) == Decision::Hidden
}

/// What a client on another device reports. Text is clean.
pub struct ClientReport<'a> {
    /// The names of the app, the one for readers first.
    pub names: &'a [String],
    /// The title of its window, or a line about it.
    pub title: &'a str,
    /// Whether the client has one text for both, which is its only name.
    pub is_one_text: bool,
    /// The colour of the app.
    pub rgba: &'a Rgba,
    pub track: Option<ClientTrack<'a>>,
}

impl ClientReport<'_> {
    /// The title, unless it is a line about the track.
    fn window_title(&self) -> &str {
        let is_line = |track: &ClientTrack<'_>| self.title == rules::track_line(&track.text());
        match &self.track {
            Some(track) if is_line(track) => "",
            _ => self.title,
        }
    }
}

/// What plays there.
pub struct ClientTrack<'a> {
    /// The player; empty where it is unknown.
    pub player: &'a str,
    pub title: &'a str,
    pub artist: &'a str,
}

impl ClientTrack<'_> {
    fn text(&self) -> String {
        match self.artist {
            "" => self.title.to_owned(),
            artist => format!("{} – {artist}", self.title),
        }
    }
}

/// The content by the rules for what a client reports of another device, as for a window of this
/// machine. Nothing is read of this machine's own apps.
#[must_use]
pub fn of_client(report: &ClientReport<'_>, settings: &PresenceSettings) -> HeartbeatFields {
    let decide = |window: &Window| rules::decide(settings, settings.language(), window);
    let (window, texts) = match report.names {
        [text] if report.is_one_text => of_one_text(text, settings),
        [] => {
            let is_browser = built_in::list().names_a_browser(report.title);
            let window = client_window(&[], report.title);
            (
                Window {
                    is_browser,
                    ..window
                },
                Vec::new(),
            )
        }
        names => (client_window(names, report.window_title()), names.to_vec()),
    };
    // Some clients have one text for the app and the title.
    let hidden_by_name = texts.iter().any(|text| {
        let named = client_window(std::slice::from_ref(text), text);
        decide(&named) == Decision::Hidden
    });
    let (
        false,
        Decision::Shown {
            name,
            introduce,
            rgba,
        },
    ) = (hidden_by_name, decide(&window))
    else {
        return unnamed();
    };
    let track = report.track.as_ref().and_then(|track| {
        let player = match track.player {
            // It may be any program, also a private window of a browser.
            "" if !built_in::list().plays_music(&window) => return None,
            "" => window.names.clone(),
            player => client_window(&[player.to_owned()], "").names,
        };
        Some(Track {
            player: Window {
                names: player,
                title: track.text(),
                ..Window::default()
            },
            song: SharedTrack::of(track.title, track.artist),
        })
    });
    let mut fields = match name.or_else(|| window.names.first().cloned()) {
        None => HeartbeatFields {
            introduce,
            ..unnamed()
        },
        Some(name) => {
            let rgba = rgba.unwrap_or_else(|| match report.rgba.rgb() {
                Some(_) => report.rgba.clone(),
                None => colour::from_name(&name),
            });
            shown(name, introduce, rgba)
        }
    };
    add_music(&mut fields, track.as_slice(), settings);
    fields
}

/// Where the parts of a window's title meet: of the document, the program and others.
static SEAMS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\s[-‐-―|·•]\s").expect("a valid expression"));

/// The window of a text that may be the name of an app or the title of its window, and everything in
/// it that may be a name. What the list or a rule knows is the app; all else is a title.
fn of_one_text(text: &str, settings: &PresenceSettings) -> (Window, Vec<String>) {
    let parts = SEAMS.split(text).map(str::trim);
    let mut texts: Vec<String> = parts.map(str::to_owned).collect();
    // The program comes last in most titles.
    texts.reverse();
    let is_program = |part: &&String| {
        let named = client_window(std::slice::from_ref(*part), "");
        built_in::list().find(&named).is_some() || rules::names_program(settings, &named)
    };
    let program = texts.iter().find(is_program);
    // An app alone has no title.
    let title = if program.is_some_and(|part| part == text) {
        ""
    } else {
        text
    };
    let window = client_window(program.map(std::slice::from_ref).unwrap_or_default(), title);
    let window = Window {
        is_browser: texts
            .iter()
            .any(|part| built_in::list().names_a_browser(part)),
        ..window
    };
    texts.push(text.to_owned());
    (window, texts)
}

/// What a client reports, with a name by which the built-in list knows the app.
fn client_window(names: &[String], title: &str) -> Window {
    let known = names.iter().find_map(|name| built_in::list().key_of(name));
    Window {
        names: Window::names_of(names.iter().cloned().chain(known.map(str::to_owned))),
        title: title.to_owned(),
        ..Window::default()
    }
}

fn shown(name: String, introduce: String, rgba: Rgba) -> HeartbeatFields {
    HeartbeatFields {
        // A rule's name can hold a title of any length.
        application: name.chars().take(LONGEST_NAME).collect(),
        introduce,
        rgba,
        application_online: true,
        track: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(
        settings: &str,
        names: &[&str],
        title: &str,
        track: Option<[&str; 3]>,
    ) -> [String; 3] {
        of(settings, names, title, false, track)
    }

    fn of(
        settings: &str,
        names: &[&str],
        title: &str,
        is_one_text: bool,
        track: Option<[&str; 3]>,
    ) -> [String; 3] {
        let settings: PresenceSettings = toml::from_str(settings).expect("valid settings");
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let fields = of_client(
            &ClientReport {
                names: &names,
                title,
                is_one_text,
                rgba: &Rgba::none(),
                track: track.map(|[player, title, artist]| ClientTrack {
                    player,
                    title,
                    artist,
                }),
            },
            &settings,
        );
        assert!(fields.application_online);
        [
            fields.application,
            fields.introduce,
            fields.rgba.to_string(),
        ]
    }

    /// The application and the line of a client that has one text.
    fn one_text(settings: &str, text: &str) -> (String, String) {
        let settings = format!("language = 'en'\n{settings}");
        let [application, line, _] = of(&settings, &[text], "", true, None);
        (application, line)
    }

    fn nothing() -> [String; 3] {
        ["", "", "255,180,84,1"].map(str::to_owned)
    }

    #[test]
    fn what_a_client_sends_passes_the_list_and_the_rules_by_each_of_its_texts() {
        let english = "language = 'en'";
        let on_list = ["Visual Studio Code", "Writing code", "0,122,204,1"];
        assert_eq!(content(english, &["Editor", "code"], "a.rs", None), on_list);
        let own = content(english, &["Quillpad", "org.example.quill"], "A note", None);
        let colour = colour::from_name("Quillpad").to_string();
        assert_eq!(own, ["Quillpad".to_owned(), String::new(), colour]);
        for (names, title) in [
            (&["Safe", "com.x8bit.bitwarden"][..], ""),
            (&["KeePassXC.exe"], ""),
            (&["Firefox"], "Online banking"),
            (&["Firefox - Online banking"], ""),
            (&[], "Private Browsing"),
        ] {
            let settings = "share_titles = true";
            assert_eq!(
                content(settings, names, title, None),
                nothing(),
                "{names:?}"
            );
        }
        let rules = "rules = [{ title = 'divorce', hide = true }]";
        assert_eq!(content(rules, &["My divorce - Word"], "", None), nothing());
        let titles = "share_titles = true";
        assert_eq!(content(titles, &["Quillpad"], "A note", None)[1], "A note");
        assert_eq!(content(titles, &[], "A note", None)[1], "A note");
    }

    /// The database refuses a report with one.
    #[test]
    fn a_rule_with_control_characters_is_refused_so_that_none_is_in_the_content() {
        for text in ["name", "introduce"] {
            for character in [r"\n", r"\t", r"\u0007", r"\u0085"] {
                let rule = format!("rules = [{{ program = 'quill', {text} = \"A{character}b\" }}]");
                let read = toml::from_str::<PresenceSettings>(&rule);
                assert!(read.is_err(), "{rule}");
            }
        }
    }

    #[test]
    fn a_track_is_shared_where_the_line_names_it() {
        let track = |settings: &str, artist| {
            let settings: PresenceSettings = toml::from_str(settings).expect("valid settings");
            let report = ClientReport {
                names: &["Quillpad".to_owned()],
                title: "",
                is_one_text: false,
                rgba: &Rgba::none(),
                track: Some(ClientTrack {
                    player: "Spotify",
                    title: "Clair de lune",
                    artist,
                }),
            };
            of_client(&report, &settings).track
        };
        let artist = "Claude Debussy";
        let on = "share_music = true";
        assert_eq!(track("", artist), None);
        assert_eq!(track(on, artist), SharedTrack::of("Clair de lune", artist));
        let rule =
            |line| format!("{on}\nrules = [{{ program = 'spotify', introduce = '{line}' }}]");
        assert!(track(&rule("Hears {title}"), artist).is_some());
        assert_eq!(track(&rule("Hears {title}"), ""), None);
        assert_eq!(track(&rule("Hears something"), artist), None);
        let hidden = format!("{on}\nrules = [{{ title = 'Debussy', hide = true }}]");
        assert_eq!(track(&hidden, artist), None);
    }

    #[test]
    fn of_one_text_only_what_is_known_as_an_app_is_shown_without_consent_to_titles() {
        let shown = |application: &str, line: &str| (application.to_owned(), line.to_owned());
        let rule = "rules = [{ program = 'Quillpad' }]";
        let titles = "share_titles = true";
        for (settings, text, expected) in [
            ("", "Firefox", shown("Firefox", "Browsing the web")),
            ("", "微信", shown("WeChat", "Chatting")),
            (
                "",
                "plan.rs - house - Visual Studio Code",
                shown("Visual Studio Code", "Writing code"),
            ),
            (
                "",
                "Visual Studio Code - house - plan.rs",
                shown("Visual Studio Code", "Writing code"),
            ),
            (
                "",
                "A page — Mozilla Firefox",
                shown("Firefox", "Browsing the web"),
            ),
            ("", "A letter to Anna", shown("", "")),
            ("", "Anna | A chat that nobody knows", shown("", "")),
            ("", "https://example.org/?key=7", shown("", "")),
            (rule, "Quillpad", shown("Quillpad", "")),
            (rule, "A letter - Quillpad", shown("Quillpad", "")),
            (titles, "A letter to Anna", shown("", "A letter to Anna")),
            (titles, "Firefox", shown("Firefox", "")),
            (
                titles,
                "plan.rs - Visual Studio Code",
                shown("Visual Studio Code", "plan.rs - Visual Studio Code"),
            ),
            // A browser that does not mark its private windows.
            (
                titles,
                "A page - Google Chrome",
                shown("Google Chrome", "Browsing the web"),
            ),
            (
                titles,
                "Holiday - File Browser",
                shown("Files", "Holiday - File Browser"),
            ),
            (titles, "Online banking - Firefox", shown("", "")),
            (titles, "Passwords.kdbx - KeePass", shown("", "")),
            (
                "share_titles = true\nrules = [{ title = 'Anna', hide = true }]",
                "A letter to Anna",
                shown("", ""),
            ),
        ] {
            assert_eq!(one_text(settings, text), expected, "{settings}: {text}");
        }
    }

    #[test]
    fn private_windows_on_another_device_are_hidden_in_any_language() {
        let titles = "share_titles = true";
        for (names, title) in [
            (
                &["Firefox"][..],
                "A page — Mozilla Firefox (Navegação privativa)",
            ),
            (&["Firefox"], "A page — Приватний перегляд Mozilla Firefox"),
            (&["Firefox", "org.mozilla.firefox"], "A page"),
            (&["Mozilla Firefox (Gizli Gezinti)"], ""),
        ] {
            assert_eq!(content(titles, names, title, None), nothing(), "{title}");
        }
        let plain = content(titles, &["Firefox"], "A page — Mozilla Firefox", None);
        assert_eq!(plain[..2], ["Firefox", "A page — Mozilla Firefox"]);
        let unmarked = content(titles, &["chromium_chromium"], "A page", None);
        assert_eq!(unmarked[1], "");
        // A title whose program is not named.
        for title in ["A page - Supermium Browser", "A page — Mozilla Firefox (X)"] {
            assert_eq!(content(titles, &[], title, None)[1], "", "{title}");
            assert_eq!(one_text(titles, title).1, "", "{title}");
        }
    }

    /// Another computer with Porchlight sends its line, not a title.
    #[test]
    fn lines_of_another_porchlight_are_no_titles_of_private_windows() {
        let line = |settings: &str, line: &str, track| {
            let shown = content(settings, &["Firefox"], line, track);
            (shown[0].clone(), shown[1].clone())
        };
        let shown = |line: &str| ("Firefox".to_owned(), line.to_owned());
        for settings in ["language = 'en'", "share_titles = true\nlanguage = 'en'"] {
            let read = shown("Browsing the web");
            assert_eq!(line(settings, "Browsing the web", None), read);
        }
        let song = Some(["Spotify", "Clair de lune", "Claude Debussy"]);
        let played = "♪ Clair de lune – Claude Debussy";
        let music = "share_music = true\nshare_titles = true";
        assert_eq!(line(music, played, song), shown(played));
        assert_eq!(line("share_titles = true", played, song).1, "");
        // Without a track it may be a page.
        assert_eq!(line(music, played, None), (String::new(), String::new()));
    }

    #[test]
    fn packages_of_android_are_hidden_and_named_like_programs() {
        for package in [
            "com.eg.android.AlipayGphone",
            "com.chinamworld.main",
            "cmb.pb",
            "com.icbc",
            "com.android.bankabc",
            "com.unionpay",
            "com.paypal.android.p2pmobile",
            "com.revolut.revolut",
            "com.squareup.cash",
            "com.kunzisoft.keepass.free",
            "com.x8bit.bitwarden",
            "com.onepassword.android",
            "com.google.android.apps.authenticator2",
            "com.azure.authenticator",
            "com.google.android.apps.walletnfcrel",
            "org.torproject.torbrowser",
        ] {
            let settings = "share_titles = true";
            assert_eq!(
                content(settings, &[package], "", None),
                nothing(),
                "{package}"
            );
        }
        for (package, name) in [
            ("com.tencent.mm", "WeChat"),
            ("com.tencent.mobileqq", "QQ"),
            ("tv.danmaku.bili", "bilibili"),
            ("org.telegram.messenger", "Telegram"),
            ("com.spotify.music", "Spotify"),
            ("com.android.chrome", "Google Chrome"),
        ] {
            let shown = content("language = 'en'", &[package], "", None);
            assert_eq!(shown[0], name, "{package}");
        }
        let chrome = content(
            "share_titles = true",
            &["com.android.chrome"],
            "A page",
            None,
        );
        assert_ne!(chrome[1], "A page", "it may be a private window");
    }

    #[test]
    fn what_plays_there_needs_the_same_consents() {
        let song = |player| Some([player, "Clair de lune", "Claude Debussy"]);
        let line = |settings, names: &[&str], track| content(settings, names, "", track)[1].clone();
        let on = "share_music = true";
        assert_eq!(line("", &["Quillpad"], song("Spotify")), "");
        let shared = "♪ Clair de lune – Claude Debussy";
        assert_eq!(line(on, &["Quillpad"], song("Spotify")), shared);
        assert_eq!(line(on, &["Spotify"], song("")), shared);
        assert_eq!(
            line(on, &["网易云音乐"], song("")),
            shared,
            "as readers know it"
        );
        // Whose track this is is unknown.
        let all = "share_music = true\nshare_browser_music = true\nshare_titles = true\n\
                   language = 'en'";
        assert_eq!(line(all, &["Quillpad"], song("")), "");
        assert_eq!(line(all, &["Google Chrome"], song("")), "Browsing the web");
        assert_eq!(line(on, &["Quillpad"], song("Edge")), "");
        assert_eq!(line(all, &["Quillpad"], song("Edge")), shared);
        assert_eq!(
            line(all, &["Quillpad"], song("谷歌浏览器")),
            "",
            "it may be private"
        );
        assert_eq!(line(on, &["Quillpad"], song("YouTube")), "");
        assert_eq!(line(on, &["Quillpad"], song("firefox")), "");
        assert_eq!(line(on, &["Quillpad"], Some(["", "holiday.mp4", ""])), "");
        assert_eq!(line(on, &["KeePassXC"], song("Spotify")), "");
    }
}
