//! How the window looks: light and dark, in English and in Chinese.

use std::path::Path;

use crate::app::Service;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::harness::pictures::{jpeg, scene};

const DARK: (&str, &str) = ("GTK_THEME", "Adwaita:dark");
const CHINESE: [(&str, &str); 2] = [("LC_ALL", "zh_CN.UTF-8"), ("LANG", "zh_CN.UTF-8")];

#[tokio::test]
async fn the_window_is_light_on_a_light_desktop() {
    let desktop = Desktop::start().await;
    let picture = lived_in(&desktop, "The light is on", "home-light.png").await;
    assert!(brightness(&picture) > 180.0);
}

#[tokio::test]
async fn the_window_is_dark_on_a_dark_desktop() {
    let desktop = Desktop::start_with(&[DARK]).await;
    let picture = lived_in(&desktop, "The light is on", "home-dark.png").await;
    assert!(brightness(&picture) < 80.0);
}

#[tokio::test]
async fn window_and_tray_speak_chinese_where_the_system_does() {
    let mut desktop = Desktop::start_with(&CHINESE).await;
    lived_in(&desktop, "读者", "home-light.zh.png").await;
    let icon = desktop.tray().icon().await;
    let menu = icon.menu(&desktop).await;
    assert!(menu.iter().all(|item| !item.label.is_ascii()), "{menu:?}");
}

/// Starts the app, with the light on and pictures in it, and gives a picture
/// of its window.
async fn lived_in(desktop: &Desktop, words: &str, name: &str) -> image::RgbImage {
    let app = Driven::start(desktop, &["presence.enabled=true"]).await;
    for seed in 1..=12 {
        let hash = app.service.upload(&jpeg(&scene(seed * 7, 640, 480))).await;
        read(&app.service, &hash).await;
    }
    app.service
        .check("the light", |check| check["alive"] == true)
        .await;
    app.see(words).await;
    let shown = "const all = [...document.querySelectorAll('img[src*=\"picture:\"]')]; \
                 all.forEach((image) => (image.loading = 'eager')); \
                 return all.length === 12 && all.every((image) => image.naturalWidth > 0)";
    app.until("all twelve pictures", shown).await;
    let file = app.screenshot(desktop, name).await;
    picture(&file)
}

/// Readers come and look at the pictures.
async fn read(service: &Service, hash: &str) {
    service.json("/check").await;
    service.json("/images/count").await;
    service.json(&format!("/api_stats/i/{hash}")).await;
}

fn picture(file: &Path) -> image::RgbImage {
    image::open(file).expect("a picture").into_rgb8()
}

/// The mean brightness of a picture, 0 to 255.
fn brightness(picture: &image::RgbImage) -> f64 {
    let sum: u64 = picture.iter().map(|channel| u64::from(*channel)).sum();
    sum as f64 / picture.len() as f64
}
