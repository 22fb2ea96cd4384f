//! Private windows of Firefox in its languages, and browsers by their ids.

use std::collections::BTreeSet;

use super::BrowserWindow;
use crate::presence::computer::built_in::list;
use crate::presence::computer::foreground::Window;

const TITLES: &str = include_str!("firefox_private_titles.txt");

fn window(name: &str, title: &str) -> Window {
    Window {
        names: vec![name.to_owned()],
        title: title.to_owned(),
        ..Window::default()
    }
}

fn seen(name: &str, title: &str) -> BrowserWindow {
    list().browser_window(&window(name, title))
}

#[test]
fn private_windows_of_firefox_are_hidden_in_all_its_languages() {
    let mut languages = BTreeSet::new();
    let titles = TITLES.lines().filter(|line| !line.starts_with('#'));
    for line in titles {
        let (language, title) = line.split_once('\t').expect("a language and a title");
        languages.insert(language);
        for (id, name) in [
            ("firefox", "Mozilla Firefox"),
            ("librewolf", "LibreWolf"),
            ("Waterfox", "Waterfox"),
            ("zen", "Zen Browser"),
        ] {
            for page in ["A page", "Mozilla Firefox", "A page — Mozilla Firefox"] {
                let title = title.replace("{page}", page).replace("{name}", name);
                let private = window(id, &title);
                assert!(list().hides(&private), "{language}: {title}");
            }
            // A window without a page.
            let (_, mark) = title.split_once("{page}").expect("a page");
            let alone = mark
                .trim_start_matches([' ', '-', '–', '—'])
                .replace("{name}", name);
            assert_eq!(list().hides(&window(id, &alone)), alone != name, "{alone}");
        }
    }
    assert!(languages.len() >= 90, "{}", languages.len());
}

#[test]
fn plain_windows_of_browsers_that_mark_private_ones_are_plain() {
    for (id, title) in [
        ("firefox", "A page — Mozilla Firefox"),
        ("firefox", "A page - Mozilla Firefox"),
        ("firefox", "A page – Mozilla Firefox"),
        ("firefox", "A page—Mozilla Firefox"),
        ("firefox", "A page — Work — Mozilla Firefox"),
        ("firefox", "A page — Mozilla Firefox <2>"),
        ("firefox", "— Mozilla Firefox"),
        ("firefox", "Mozilla Firefox"),
        ("firefox", ""),
        ("firefox_firefox", "A page — Mozilla Firefox"),
        ("org.mozilla.firefox", "A page — Mozilla Firefox"),
        ("firefox.exe", "A page — Mozilla Firefox"),
        ("Navigator", "A page — Mozilla Firefox"),
        ("Firefox ESR", "Firefox ESR"),
        ("firefox-nightly", "A page — Firefox Nightly"),
        (
            "firefoxdeveloperedition",
            "A page — Firefox Developer Edition",
        ),
        ("io.gitlab.librewolf-community", "A page — LibreWolf"),
        ("app.zen_browser.zen", "A page — Zen Browser"),
        ("floorp", "A page — Ablaze Floorp"),
        ("msedge.exe", "A page - Personal - Microsoft\u{200b} Edge"),
        ("com.microsoft.Edge", "A page - Microsoft Edge"),
        ("microsoft-edge-dev", "A page - Microsoft Edge Dev"),
        // The line of the list, which another device sends.
        ("firefox", "Browsing the web"),
    ] {
        assert_eq!(seen(id, title), BrowserWindow::Plain, "{id}: {title}");
        assert!(!list().hides(&window(id, title)), "{id}: {title}");
    }
}

#[test]
fn any_other_title_of_such_a_browser_may_be_private() {
    for (id, title) in [
        ("firefox", "A page"),
        ("firefox", "A page Mozilla Firefox"),
        ("firefox", "A page — LibreWolf"),
        ("firefox", "A page — mozilla firefox"),
        ("librewolf", "A page — Mozilla Firefox"),
        ("msedge", "A page - Microsoft Edge (A)"),
        ("Mozilla Firefox (X)", "Mozilla Firefox (X)"),
    ] {
        assert_eq!(seen(id, title), BrowserWindow::Private, "{id}: {title}");
    }
    let private = "A page - [InPrivate] - Microsoft Edge";
    assert!(list().hides(&window("msedge", private)));
}

/// Of snaps, flatpaks, channels, apps in a browser, phones, and menus.
#[test]
fn what_looks_like_a_browser_shares_no_title() {
    let ids = [
        "chromium_chromium",
        "brave_brave",
        "opera_opera",
        "vivaldi_vivaldi-stable",
        "io.github.ungoogled_software.ungoogled_chromium",
        "com.google.Chrome",
        "com.google.ChromeDev",
        "com.opera.opera-gx",
        "com.brave.Browser",
        "com.vivaldi.Vivaldi",
        "ru.yandex.Browser",
        "yandex_browser",
        "net.imput.helium",
        "org.gnome.Epiphany",
        "org.gnome.Epiphany.Devel",
        "org.gnome.Epiphany.WebApp_a1b2c3",
        "org.kde.falkon",
        "org.kde.konqueror",
        "org.qutebrowser.qutebrowser",
        "brave-browser-beta",
        "brave-browser-nightly",
        "vivaldi-snapshot",
        "opera-beta",
        "opera-developer",
        "opera_gx",
        "chromium-freeworld",
        "Chromium-browser",
        "google-chrome-unstable",
        "chrome-cifhbcnohmdccbgoicgdjpfamggdegmo-Default",
        "chrome-www.example.org__-Default",
        "brave-cifhbcnohmdccbgoicgdjpfamggdegmo-Default",
        "msedge-_cifhbcnohmdccbgoicgdjpfamggdegmo-Default",
        "crx_cifhbcnohmdccbgoicgdjpfamggdegmo",
        "FFPWA-01GZ",
        "Supermium",
        "wavebox",
        "Konqueror",
        "Falkon",
        "Chromium Web Browser",
        "Google Chrome (Beta)",
        "GNOME Web",
        "plasma-browser-integration",
        "webkitgtk-minibrowser",
        "org.mozilla.firefox.Devel",
        "org.mozilla.focus",
        "com.android.chrome",
        "com.sec.android.app.sbrowser",
        "com.microsoft.emmx",
        "com.duckduckgo.mobile.android",
        "msedgewebview2.exe",
        "opera.exe",
        "360chromex.exe",
        "quark.exe",
        "liebao.exe",
        "twinkstar.exe",
        "vieb.exe",
        "mercury.exe",
        "Zen Twilight",
        "zen-twilight",
        "zen-twilight-bin",
        "Zen Beta",
        "Safari",
        "surf",
        "arc",
    ];
    assert!(ids.len() >= 50, "{}", ids.len());
    for id in ids {
        for title in ["A page", "A page — Mozilla Firefox", ""] {
            assert_eq!(seen(id, title), BrowserWindow::Unmarked, "{id}: {title}");
        }
        // Also beside a name of one that marks them.
        let both = Window {
            names: vec!["firefox".to_owned(), id.to_owned()],
            title: "A page — Mozilla Firefox".to_owned(),
            ..Window::default()
        };
        assert!(list().keeps_titles_of(&both), "{id}");
    }
    let in_the_menu = Window {
        is_browser: true,
        ..window("org.example.Pages", "A page")
    };
    assert!(list().keeps_titles_of(&in_the_menu));
}

#[test]
fn other_programs_are_no_browsers() {
    for id in [
        "code",
        "org.gnome.TextEditor",
        "operator",
        "Minecraft",
        "surface",
        "archiver",
        "org.kde.kate",
        "thunderbird",
        "Zenless Zone Zero",
        "Zen Pinball",
        "Mercury Fallen",
        // The list has them as other programs.
        "sqlitebrowser",
        "org.sqlitebrowser.sqlitebrowser",
        "DB Browser for SQLite.exe",
        "File Browser",
    ] {
        assert_eq!(seen(id, "A page"), BrowserWindow::Other, "{id}");
    }
}
