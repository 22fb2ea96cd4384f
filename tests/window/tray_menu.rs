//! The tray's menu and its actions.

use serde_json::Value;

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::{flat, photo, png};
use crate::tray::Icon;

/// Another image than `photo`.
fn drawing() -> Vec<u8> {
    png(&flat(40, 30, [200, 30, 60]))
}

#[tokio::test]
async fn the_menu_starts_with_the_shared_status_and_can_pause_it() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden", "--set", "presence.enabled=true"]).await;
    let icon = desktop.tray().icon().await;
    wait_for_label(&desktop, &icon, "Readers see: ").await;

    icon.click(&desktop, "Until tomorrow").await;
    app.service
        .check("the pause", |check| check["applicationOnline"] == false)
        .await;
    wait_for_label(&desktop, &icon, "Sharing is paused until ").await;
    icon.click(&desktop, "Resume").await;
    wait_for_label(&desktop, &icon, "Readers see: ").await;
    icon.click(&desktop, "Until I resume").await;
    wait_for_label(&desktop, &icon, "Sharing is paused").await;
}

#[tokio::test]
async fn sharing_that_is_off_is_switched_on_from_the_menu() {
    let mut desktop = Desktop::start().await;
    std::fs::create_dir_all(desktop.data_dir()).expect("a folder");
    let settings = desktop.data_dir().join("settings.toml");
    std::fs::write(settings, "[presence]\nenabled = false\n").expect("to write");
    let app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    wait_for_label(&desktop, &icon, "Your status isn’t shared").await;
    icon.click(&desktop, "Start sharing").await;
    wait_for_label(&desktop, &icon, "Readers see: ").await;
    app.service
        .check("the presence", |check| check["applicationOnline"] == true)
        .await;
}

#[tokio::test]
async fn a_status_is_set_again_and_cleared_from_the_menu_which_leads_to_its_dialog() {
    let mut desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
    let icon = desktop.tray().icon().await;
    let shown = async |status: Option<&str>| {
        app.service
            .check("the status", |check| {
                (check["application"] == "Tea & cake") == status.is_some()
            })
            .await;
    };
    let status = "{ application: 'Tea & cake', introduce: 'Back soon', rgba: '', until: null }";
    app.script(&format!(
        "return window.__TAURI_INTERNALS__.invoke('fix_status', {{ status: {status} }})"
    ))
    .await;
    shown(Some("Tea & cake")).await;
    wait_for_label(&desktop, &icon, "Readers see: Tea & cake").await;
    icon.click(&desktop, "Clear status").await;
    shown(None).await;
    icon.click(&desktop, "Tea & cake — Back soon").await;
    shown(Some("Tea & cake")).await;
    icon.click(&desktop, "Set a status…").await;
    app.see("Readers see this instead of the app").await;
}

#[tokio::test]
async fn recent_uploads_from_all_sources_are_listed_and_a_click_copies_the_link() {
    let mut desktop = Desktop::start().await;
    let file = desktop.data_dir().join("settings.toml");
    let template = |form: &str| {
        std::fs::write(&file, format!("[links]\ntemplate = \"{form}\"\n")).expect("to write");
    };
    std::fs::create_dir_all(desktop.data_dir()).expect("a folder");
    template("markdown");
    let app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    let enabled = |label| is_enabled(&desktop, &icon, label);
    assert_eq!(enabled("Recent uploads").await, Some(false));
    assert_eq!(enabled("Copy last link").await, Some(false));

    let first = app.service.upload(&photo()).await;
    let second = app.service.upload(&drawing()).await;
    icon.click(&desktop, "Copy last link").await;
    copied(&desktop, &markdown(&app, &second)).await;

    let recent = eventually("both in the menu", async || {
        let menu = icon.menu(&desktop).await;
        let recent: Vec<String> = menu
            .into_iter()
            .map(|item| item.label)
            .filter(|label| label.contains(" × "))
            .collect();
        (recent.len() == 2).then_some(recent)
    })
    .await;
    assert!(recent[0].ends_with(" · 40 × 30"), "{recent:?}");
    icon.click(&desktop, &recent[1]).await;
    copied(&desktop, &markdown(&app, &first)).await;

    template("{url}#top");
    eventually("the link in its new form", async || {
        icon.click(&desktop, "Copy last link").await;
        desktop.clipboard().await.ends_with("#top").then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_tray_marks_a_missing_tunnel_program_but_no_missing_public_address() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    wait_for_label(&desktop, &icon, "Your status isn’t shared").await;
    assert!(!is_marked(&desktop, &icon).await);
    assert_eq!(is_enabled(&desktop, &icon, "Action needed").await, None);
    app.terminate();
    app.ends_well().await;

    let tunnel = [
        "--hidden",
        "--set",
        "tunnel.kind=command",
        "--set",
        "tunnel.command=[\"no-such-tunnel\", \"{port}\"]",
        "--set",
        "tunnel.pattern=(https://\\S+)",
    ];
    let _app = App::start(&desktop, &tunnel).await;
    let icon = desktop.tray().icon().await;
    eventually("what needs the owner", async || {
        let menu = icon.menu(&desktop).await;
        let need = "Action needed: no-such-tunnel is not installed";
        menu.iter().any(|item| item.label == need).then_some(())
    })
    .await;
    eventually("the mark", async || {
        is_marked(&desktop, &icon).await.then_some(())
    })
    .await;
    icon.click(&desktop, "Action needed").await;
    desktop.window("Porchlight").await;
}

#[tokio::test]
async fn the_tray_marks_an_error_in_the_settings_file_until_it_is_fixed() {
    let mut desktop = Desktop::start().await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    wait_for_label(&desktop, &icon, "Your status isn’t shared").await;
    assert!(!is_marked(&desktop, &icon).await);
    let marked = async |wanted: bool| {
        let what = if wanted { "the mark" } else { "no mark" };
        eventually(what, async || {
            (is_marked(&desktop, &icon).await == wanted).then_some(())
        })
        .await;
    };
    let file = desktop.data_dir().join("settings.toml");
    std::fs::write(&file, "[images]\nquality = 500\n").expect("to write");
    marked(true).await;
    let menu = icon.menu(&desktop).await;
    let need = "Action needed: settings file, line 2: images.quality: 500 is out of bounds";
    assert!(
        menu.iter().any(|item| item.label.starts_with(need)),
        "{menu:?}"
    );
    std::fs::write(&file, "[images]\nquality = 50\n").expect("to write");
    marked(false).await;
    assert_eq!(is_enabled(&desktop, &icon, "Action needed").await, None);
}

#[tokio::test]
async fn a_click_on_an_alert_opens_the_page_that_resolves_it() {
    let mut desktop = Desktop::start().await;
    let gone = desktop.home().join("gone");
    let folders = format!("watch.folders=[{gone:?}]");
    let app = Driven::start(&desktop, &[&folders, "presence.enabled=false"]).await;
    let icon = desktop.tray().icon().await;
    let named = format!(
        "Action needed: watched folder not found: {}",
        gone.display()
    );
    let needs = async |line: &str| {
        eventually(line, async || {
            let menu = icon.menu(&desktop).await;
            menu.iter()
                .any(|item| item.label.starts_with(line))
                .then_some(())
        })
        .await;
    };
    needs(&named).await;
    std::fs::create_dir(&gone).expect("a folder");
    // It is there again, and the settings file has a mistake.
    let settings = desktop.data_dir().join("settings.toml");
    std::fs::write(settings, "[images]\nquality = 0\n").expect("a file");
    needs("Action needed: settings file").await;
    app.see("There’s a mistake in settings.toml").await;
    icon.click(&desktop, "Action needed").await;
    let there = "return document.querySelector('h1')?.textContent === 'Settings'";
    app.until("the settings", there).await;
}

#[tokio::test]
async fn the_tray_uses_the_language_of_the_settings() {
    let mut desktop = Desktop::start().await;
    let _app = App::start(&desktop, &["--hidden", "--set", "app.language=zh"]).await;
    let icon = desktop.tray().icon().await;
    let menu = icon.menu(&desktop).await;
    let labels: Vec<&str> = menu.iter().map(|item| item.label.as_str()).collect();
    assert_eq!(labels[0], "未分享你的状态");
    assert!(labels.contains(&"从剪贴板上传"), "{labels:?}");
    assert_eq!(labels.last(), Some(&"退出 Porchlight"));
}

fn markdown(app: &App, hash: &str) -> String {
    format!("![]({}/i/{hash}.webp)", app.service.url())
}

async fn copied(desktop: &Desktop, text: &str) {
    eventually(text, async || {
        (desktop.clipboard().await == text).then_some(())
    })
    .await;
}

/// Waits until the first line starts with this.
async fn wait_for_label(desktop: &Desktop, icon: &Icon, text: &str) {
    eventually(text, async || {
        let menu = icon.menu(desktop).await;
        let first = menu.first()?;
        assert!(!first.enabled, "it is no button");
        first.label.starts_with(text).then_some(())
    })
    .await;
}

async fn is_enabled(desktop: &Desktop, icon: &Icon, label: &str) -> Option<bool> {
    let menu = icon.menu(desktop).await;
    let item = menu.iter().find(|item| item.label.starts_with(label))?;
    Some(item.enabled)
}

/// Whether the corner of the icon is painted.
async fn is_marked(desktop: &Desktop, icon: &Icon) -> bool {
    eventually("a picture", async || {
        let picture = image::open(icon.picture(desktop).await).ok()?.into_rgba8();
        let at = |side: u32| side * 4 / 5;
        let pixel = picture.get_pixel(at(picture.width()), at(picture.height()));
        Some(Value::from(pixel.0.to_vec()) == Value::from(vec![229, 57, 53, 255]))
    })
    .await
}
