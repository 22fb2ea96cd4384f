//! Every place of the window, an image large and a dialog, with sample data, in both themes and
//! languages.
//!
//! Where `PORCHLIGHT_WRITE_SCREENSHOTS` is set the images go to
//! `docs/screenshots`; else each place is drawn once and thrown away.

use std::cell::RefCell;
use std::path::PathBuf;

use serde_json::json;

use crate::app::{TOKEN, file};
use crate::bus::Login;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::sample_data::{SETTINGS, ahead, seed};
use crate::sample_images::fits;
use crate::screenshot_environment::{ScreenshotEnvironment, editor};
use crate::{eventually, within};

/// The places: the name of the file, and of the place in English and Chinese.
const PLACES: [(&str, &str, &str); 6] = [
    ("home", "Home", "首页"),
    ("images", "Pictures", "图片"),
    ("presence", "Presence", "在线状态"),
    ("game", "Game", "游戏"),
    ("statistics", "Statistics", "统计"),
    ("settings", "Settings", "设置"),
];
const THEMES: [&str; 2] = ["light", "dark"];
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// Nothing is loading, nothing moves, and every visible image is loaded.
const SETTLED: &str = "const near = (one) => one.getBoundingClientRect().top < innerHeight; \
    const there = (one) => one.complete && getComputedStyle(one).opacity === '1'; \
    const still = (one) => one.playState !== 'running' || \
      one.effect.getTiming().iterations === Infinity; \
    return document.querySelector('.skeleton') === null && \
      document.fonts.status === 'loaded' && \
      [...document.images].filter(near).every(there) && document.getAnimations().every(still)";
/// Every visible image is drawn together with the page. A screen that shows nothing new has no
/// frames: five seconds are enough then.
const DECODED: &str = "const near = [...document.images].filter((one) => \
      one.getBoundingClientRect().top < innerHeight); \
    for (const one of near) one.decoding = 'sync'; \
    await Promise.all(near.map((one) => one.decode())); \
    const frames = new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))); \
    await Promise.race([frames, new Promise((late) => setTimeout(late, 5000))])";
/// Has GTK, and so the page, move nothing: images of the same are the same then.
const STILL: &str = "[Settings]\ngtk-enable-animations=false\n";
/// What is seen large: an image of the second row.
const LARGE: &str = "document.querySelector('[data-index=\"5\"]').click()";
/// The owner's words in a dialog, in the language of the page.
const WORDS: &str = "const [what, line] = document.querySelectorAll('dialog[open] input[type=text]'); \
    for (const field of [what, line]) { \
      field.value = field.placeholder; field.dispatchEvent(new Event('input', { bubbles: true })); \
    } what.focus()";
/// What the welcome keeps on this computer has been read.
const KEPT: &str = "return document.querySelectorAll('main li').length > 8";

#[tokio::test]
async fn every_place_is_drawn_in_both_themes_and_languages() {
    let clock = format!("Etc/GMT{:+}", -ahead());
    let stand_ins = ScreenshotEnvironment::start().await;
    let environment = stand_ins.environment();
    let mut environment = environment
        .each_ref()
        .map(|(key, value)| (*key, value.as_str()))
        .to_vec();
    environment.push(("TZ", &clock));
    let desktop = Desktop::start_with(&environment).await;
    hold_still(&desktop).await;
    let _login = Login::start(&desktop).await;
    let folder = seed(&desktop).await;
    let mut settings: Vec<String> = SETTINGS.map(str::to_owned).to_vec();
    settings.extend(stand_ins.settings());
    settings.push(format!("watch.folders=['{folder}']"));
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let app = Driven::start(&desktop, &settings).await;
    app.see("The light is on").await;
    phone(&app).await;
    let _editor = editor(&desktop, &app).await;
    eventually("all that is around", async || {
        let home = ask(&app, "home").await;
        let there = home["watching"]["setAside"] == 1
            && home["tunnel"]["state"] == "up"
            && home["game"]["game"] == "Portal 2";
        there.then_some(())
    })
    .await;
    for (nth, (theme, language)) in looks().enumerate() {
        look(&app, theme, language).await;
        for (at, (file, english, chinese)) in PLACES.iter().enumerate() {
            // Without writing, two places of each look are enough.
            if !writes() && at % 4 != nth {
                continue;
            }
            let name = if language == "zh" { chinese } else { english };
            press(&app, "nav button", name).await;
            keep(&desktop, &app, file, theme, language).await;
            match *file {
                "home" => {
                    let name = if language == "zh" {
                        "设置状态…"
                    } else {
                        "Set a status…"
                    };
                    press(&app, "main button", name).await;
                    app.script(WORDS).await;
                    keep(&desktop, &app, "status", theme, language).await;
                    close(&app).await;
                }
                "images" => {
                    app.script(LARGE).await;
                    keep(&desktop, &app, "large", theme, language).await;
                    close(&app).await;
                }
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn the_welcome_is_drawn_in_both_themes_and_languages() {
    let desktop = Desktop::start().await;
    hold_still(&desktop).await;
    let app = Driven::start(&desktop, &[]).await;
    app.see("Leave a light on for your readers").await;
    for (theme, language) in looks() {
        look(&app, theme, language).await;
        app.until("what is kept here", KEPT).await;
        keep(&desktop, &app, "welcome", theme, language).await;
    }
}

/// A phone that readers see, and that was used before this computer.
async fn phone(app: &Driven) {
    let report = json!({
        "device": "phone", "deviceName": "Phone", "kind": "phone", "battery": 64,
        "application": "Pocket Casts", "applicationOnline": true,
    });
    assert_eq!(app.report("/heartbeat", TOKEN, &report).await, 200);
    ask(app, "allow_device', { id: 'phone', allowed: true }, '").await;
}

fn looks() -> impl Iterator<Item = (&'static str, &'static str)> {
    LANGUAGES
        .into_iter()
        .flat_map(|language| THEMES.map(|theme| (theme, language)))
}

fn writes() -> bool {
    std::env::var_os("PORCHLIGHT_WRITE_SCREENSHOTS").is_some()
}

/// Keeps things from moving, and the pointer from what is seen.
async fn hold_still(desktop: &Desktop) {
    let folder = desktop.home().join(".config/gtk-3.0");
    std::fs::create_dir_all(&folder).expect("a folder");
    file(&folder, "settings.ini", STILL.as_bytes());
    desktop.xdotool(&["mousemove", "1279", "999"]).await;
}

/// Presses what has this label, without a pointer that would stay there.
async fn press(app: &Driven, which: &str, name: &str) {
    let button = format!(
        "[...document.querySelectorAll('{which}')].find((one) => one.innerText.startsWith('{name}'))"
    );
    app.until(name, &format!("return {button} !== undefined"))
        .await;
    app.script(&format!("{button}.click()")).await;
}

/// Closes the dialog.
async fn close(app: &Driven) {
    app.until(
        "the dialog to be closed",
        "const dialog = document.querySelector('dialog[open]'); \
         dialog?.dispatchEvent(new Event('cancel', { cancelable: true })); return dialog === null",
    )
    .await;
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
    let applied = format!(
        "const root = document.documentElement; \
         return root.dataset.theme === '{theme}' && root.lang.startsWith('{language}')"
    );
    app.until("the theme and the language", &applied).await;
}

/// Checks the page, and saves its screenshot where wanted.
async fn keep(desktop: &Desktop, app: &Driven, place: &str, theme: &str, language: &str) {
    app.until(&format!("{place} to be settled"), SETTLED).await;
    let tongue = if language == "zh" { ".zh" } else { "" };
    let name = format!("{place}-{theme}{tongue}.png");
    app.wait_for(DECODED).await;
    app.drawn().await;
    let window = desktop.window("Porchlight").await;
    let before = RefCell::new(Vec::new());
    let fitting = within(crate::harness::TIMEOUT, async || {
        let png = desktop.picture_of(&window).await;
        let same = before.replace(png.clone()) == png;
        (same && fits(&png, theme)).then_some(png)
    });
    let Some(png) = fitting.await else {
        panic!("{name} is blank, of another theme, or never still");
    };
    if writes() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/screenshots");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), png).expect("to write");
    }
}
