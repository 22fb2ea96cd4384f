//! Every place of the window, with a life in it, in both themes and languages.
//!
//! Where `PORCHLIGHT_WRITE_SCREENSHOTS` is set the pictures go to
//! `docs/screenshots`; else each place is drawn once and thrown away.

use std::path::PathBuf;

use serde_json::json;

use crate::bus::Login;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::life::{SETTINGS, ahead, begin};
use crate::scenery::fits;
use crate::{eventually, within};

/// The places: the name of the file, and of the place in English and Chinese.
const PLACES: [(&str, &str, &str); 6] = [
    ("home", "Home", "首页"),
    ("images", "Images", "图片"),
    ("presence", "Presence", "在线状态"),
    ("game", "Game", "游戏"),
    ("statistics", "Statistics", "统计"),
    ("settings", "Settings", "设置"),
];
const THEMES: [&str; 2] = ["light", "dark"];
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// Nothing waits, nothing moves, and every picture that is in sight is there.
const SETTLED: &str = "const near = (one) => one.getBoundingClientRect().top < innerHeight; \
    const there = (one) => one.complete && getComputedStyle(one).opacity === '1'; \
    const still = (one) => one.playState !== 'running' || \
      one.effect.getTiming().iterations === Infinity; \
    return document.querySelector('.skeleton') === null && \
      document.fonts.status === 'loaded' && \
      [...document.images].filter(near).every(there) && document.getAnimations().every(still)";
/// What the welcome keeps on this computer has been read.
const KEPT: &str = "return document.querySelectorAll('main li').length > 8";

#[tokio::test]
async fn every_place_is_drawn_in_both_themes_and_languages() {
    let clock = format!("Etc/GMT{:+}", -ahead());
    let desktop = Desktop::start_with(&[("TZ", &clock)]).await;
    let _login = Login::start(&desktop).await;
    let folder = begin(&desktop).await;
    let watched = format!("watch.folders=['{folder}']");
    let app = Driven::start(&desktop, &[&SETTINGS[..], &[&watched]].concat()).await;
    app.see("The light is on").await;
    eventually("the file that is no picture", async || {
        let home = ask(&app, "home").await;
        (home["watching"]["setAside"] == 1).then_some(())
    })
    .await;
    for (nth, (theme, language)) in looks().enumerate() {
        look(&app, theme, language).await;
        for (at, (file, english, chinese)) in PLACES.iter().enumerate() {
            // Without writing, two places of each look are enough.
            if !writes() && at % 4 != nth {
                continue;
            }
            app.go(if language == "zh" { chinese } else { english })
                .await;
            keep(&app, file, theme, language).await;
        }
    }
}

#[tokio::test]
async fn the_welcome_is_drawn_in_both_themes_and_languages() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    app.see("Leave a light on for your readers").await;
    for (theme, language) in looks() {
        look(&app, theme, language).await;
        app.until("what is kept here", KEPT).await;
        keep(&app, "welcome", theme, language).await;
    }
}

fn looks() -> impl Iterator<Item = (&'static str, &'static str)> {
    LANGUAGES
        .into_iter()
        .flat_map(|language| THEMES.map(|theme| (theme, language)))
}

fn writes() -> bool {
    std::env::var_os("PORCHLIGHT_WRITE_SCREENSHOTS").is_some()
}

async fn ask(app: &Driven, command: &str) -> serde_json::Value {
    let call = format!("return await window.__TAURI_INTERNALS__.invoke('{command}')");
    app.wait_for(&call).await
}

/// Changes the theme and the language, as the settings do.
async fn look(app: &Driven, theme: &str, language: &str) {
    let changes = json!({ "app.theme": theme, "app.language": language });
    let call = format!("update_settings', {{ changes: {changes} }}, '");
    ask(app, &call).await;
    let told = format!(
        "const root = document.documentElement; \
         return root.dataset.theme === '{theme}' && root.lang.startsWith('{language}')"
    );
    app.until("the theme and the language", &told).await;
}

/// Looks at the place, and keeps its picture where it is wanted.
async fn keep(app: &Driven, place: &str, theme: &str, language: &str) {
    app.until(&format!("{place} to be settled"), SETTLED).await;
    let tongue = if language == "zh" { ".zh" } else { "" };
    let name = format!("{place}-{theme}{tongue}.png");
    let fitting = within(crate::harness::PATIENCE, async || {
        let png = app.drawn().await;
        fits(&png, theme).then_some(png)
    });
    let Some(png) = fitting.await else {
        panic!("{name} is blank or of another theme");
    };
    if writes() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/screenshots");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), png).expect("to write");
    }
}
