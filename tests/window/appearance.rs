//! The theme and language of the window: those of the system, or as the owner
//! chose.

use std::process::Command;

use tempfile::TempDir;

use crate::colour_scheme::{ColourScheme, Scheme};
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::sample_images::fits;
use crate::tray::Icon;

/// Few machines have it, so the tests make it.
const CHINESE: &str = "zh_CN.UTF-8";
const DARK: (&str, &str) = ("GTK_THEME", "Adwaita:dark");
const SHARED: &str = "presence.enabled=true";

#[tokio::test]
async fn the_window_is_bright_on_a_bright_desktop() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.see("The light is on").await;
    turns(&desktop, "light").await;
}

#[tokio::test]
async fn the_window_is_dark_on_a_dark_desktop() {
    let desktop = Desktop::start_with(&[DARK]).await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.see("The light is on").await;
    turns(&desktop, "dark").await;
}

#[tokio::test]
async fn the_system_theme_follows_the_desktop_at_the_start_and_later() {
    let desktop = Desktop::start().await;
    let colours = ColourScheme::start(&desktop, Scheme::Dark).await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.go("Settings").await;
    turns(&desktop, "dark").await;
    app.tick("Light").await;
    turns(&desktop, "light").await;
    app.tick("System").await;
    turns(&desktop, "dark").await;
    colours.turn(Scheme::Light).await;
    turns(&desktop, "light").await;
    colours.turn(Scheme::Dark).await;
    turns(&desktop, "dark").await;
    app.tick("Dark").await;
    colours.turn(Scheme::Light).await;
    app.tick("System").await;
    turns(&desktop, "light").await;
}

#[tokio::test]
async fn window_and_tray_are_in_chinese_on_a_chinese_system() {
    let (_locales, chinese) = chinese();
    let chinese: Vec<_> = chinese
        .iter()
        .map(|(key, text)| (*key, text.as_str()))
        .collect();
    let mut desktop = Desktop::start_with(&chinese).await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.see("灯亮着").await;
    let icon = desktop.tray().icon().await;
    open_in_tray(&desktop, &icon, "打开 Porchlight").await;
}

#[tokio::test]
async fn colours_and_language_change_at_once_and_stay_after_a_restart() {
    let mut desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let icon = desktop.tray().icon().await;
    open_in_tray(&desktop, &icon, "Open Porchlight").await;
    app.go("Settings").await;
    turns(&desktop, "light").await;
    app.tick("Dark").await;
    turns(&desktop, "dark").await;
    app.tick("Light").await;
    turns(&desktop, "light").await;
    app.tick("Dark").await;

    app.tick("简体中文").await;
    app.see("浅色、深色，或跟随系统。").await;
    open_in_tray(&desktop, &icon, "打开 Porchlight").await;
    app.tick("English").await;
    open_in_tray(&desktop, &icon, "Open Porchlight").await;
    app.tick("简体中文").await;
    open_in_tray(&desktop, &icon, "打开 Porchlight").await;
    drop(app);

    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.go("设置").await;
    app.see("浅色、深色，或跟随系统。").await;
    turns(&desktop, "dark").await;
}

#[tokio::test]
async fn nothing_moves_with_reduced_motion() {
    let moving = "return document.getAnimations()\
        .filter((one) => one.effect.getComputedTiming().duration > 1).length";
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.see("The light is on").await;
    app.until("the light to pulse", moving).await;
    drop(app);

    let folder = desktop.home().join(".config/gtk-3.0");
    std::fs::create_dir_all(&folder).expect("a folder");
    let calm = "[Settings]\ngtk-enable-animations=0\n";
    std::fs::write(folder.join("settings.ini"), calm).expect("to write");
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.see("The light is on").await;
    for place in ["Pictures", "Settings", "Home"] {
        app.go(place).await;
        assert_eq!(app.script(moving).await, 0, "{place}");
    }
}

/// Waits until the tray's menu has an item with this label.
async fn open_in_tray(desktop: &Desktop, icon: &Icon, label: &str) {
    eventually(label, async || {
        let menu = icon.menu(desktop).await;
        menu.iter().any(|item| item.label == label).then_some(())
    })
    .await;
}

/// Waits until the window shows this theme.
async fn turns(desktop: &Desktop, theme: &str) {
    let window = desktop.window("Porchlight").await;
    eventually(theme, async || {
        fits(&desktop.picture_of(&window).await, theme).then_some(())
    })
    .await;
}

/// The environment of a Chinese desktop, and the folder that must exist for it.
fn chinese() -> (TempDir, [(&'static str, String); 2]) {
    let locales = tempfile::tempdir().expect("a temporary folder");
    let folder = locales.path().to_str().expect("a UTF-8 path").to_owned();
    let made = Command::new("localedef")
        .args(["-i", "zh_CN", "-f", "UTF-8"])
        .arg(locales.path().join(CHINESE))
        .status();
    assert!(made.expect("localedef").success());
    (
        locales,
        [("LC_ALL", CHINESE.to_owned()), ("LOCPATH", folder)],
    )
}
