//! How the window looks: light and dark, in English and in Chinese.

use std::path::Path;
use std::process::Command;

use image::{Rgb, RgbImage};

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::harness::pictures::jpeg;

/// Few machines have it, so the test makes it.
const CHINESE: &str = "zh_CN.UTF-8";
const DARK: (&str, &str) = ("GTK_THEME", "Adwaita:dark");

#[tokio::test]
async fn the_window_is_light_on_a_light_desktop() {
    let desktop = Desktop::start().await;
    let app = lived_in(&desktop).await;
    app.see("The light is on").await;
    let picture = app.screenshot(&desktop, "home-light.png").await;
    assert!(brightness(&picture) > 180.0);
}

#[tokio::test]
async fn the_window_is_dark_on_a_dark_desktop() {
    let desktop = Desktop::start_with(&[DARK]).await;
    let app = lived_in(&desktop).await;
    app.see("The light is on").await;
    let picture = app.screenshot(&desktop, "home-dark.png").await;
    assert!(brightness(&picture) < 80.0);
}

#[tokio::test]
async fn window_and_tray_speak_chinese_where_the_system_does() {
    let locales = tempfile::tempdir().expect("a temporary folder");
    let folder = locales.path().to_str().expect("a UTF-8 path");
    let made = Command::new("localedef")
        .args(["-i", "zh_CN", "-f", "UTF-8"])
        .arg(locales.path().join(CHINESE))
        .status();
    assert!(made.expect("localedef").success());
    let language = [("LC_ALL", CHINESE), ("LOCPATH", folder)];
    let mut desktop = Desktop::start_with(&language).await;
    let app = lived_in(&desktop).await;
    app.see("灯亮着").await;
    app.screenshot(&desktop, "home-light.zh.png").await;
    let menu = desktop.tray().icon().await.menu(&desktop).await;
    let labels: Vec<_> = menu.iter().map(|item| item.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "打开 Porchlight",
            "复制地址",
            "暂停心跳",
            "暂停 30 分钟",
            "暂停到明天",
            "退出 Porchlight",
        ]
    );
}

/// An app with the light on, twelve pictures in its window, and readers.
async fn lived_in(desktop: &Desktop) -> Driven {
    let app = Driven::start(desktop, &["presence.enabled=true"]).await;
    for number in 0..12_u16 {
        let hash = app.service.upload(&jpeg(&evening(number))).await;
        for _ in number..12 {
            app.service.visit(&format!("/i/{hash}")).await;
        }
        for path in ["/check", "/check", "/random_image", "/game_status"] {
            app.service.visit(path).await;
        }
    }
    app.service
        .check("the light", |check| check["alive"] == true)
        .await;
    let shown = "const all = [...document.querySelectorAll('img[src*=\"picture:\"]')]; \
                 all.forEach((image) => (image.loading = 'eager')); \
                 return all.length === 12 && all.every((image) => getComputedStyle(image).opacity === '1')";
    app.until("all twelve pictures", shown).await;
    app
}

/// The sun above hills and the sea; every number another evening.
fn evening(number: u16) -> RgbImage {
    let (width, height) = (640, 480);
    let hour = f32::from(number) / 11.0;
    let mix = |from: f32, to: f32, part: f32| from + (to - from) * part.clamp(0.0, 1.0);
    let (sun_x, sun_y) = (130.0 + 34.0 * f32::from(number), 110.0 + 150.0 * hour);
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (x as f32, y as f32);
        let down = y / 330.0;
        let mut colour = [
            mix(mix(120.0, 40.0, hour), mix(255.0, 226.0, hour), down),
            mix(mix(175.0, 44.0, hour), mix(214.0, 120.0, hour), down),
            mix(mix(222.0, 92.0, hour), mix(170.0, 96.0, hour), down),
        ];
        let far = (x - sun_x).hypot(y - sun_y);
        let glow = (1.0 - far / 230.0).max(0.0).powi(2) * 0.8;
        let disc = (44.0 - far).clamp(0.0, 1.0);
        let light = [255.0, 226.0 - 40.0 * hour, 168.0 - 60.0 * hour];
        for (channel, light) in colour.iter_mut().zip(light) {
            *channel = mix(*channel, light, glow.max(disc));
        }
        for (ridge, shade) in [(0.0_f32, 0.62_f32), (1.0, 0.42), (2.0, 0.25)] {
            let wave = (x / (90.0 + 25.0 * ridge) + f32::from(number) + 2.0 * ridge).sin();
            if y > 300.0 + 52.0 * ridge + wave * (34.0 - 6.0 * ridge) {
                colour = [96.0, 84.0, 104.0].map(|channel| channel * shade * (1.25 - 0.4 * hour));
            }
        }
        Rgb(colour.map(|channel| channel as u8))
    })
}

/// The mean brightness of a picture in a file, 0 to 255.
fn brightness(file: &Path) -> f64 {
    let picture = image::open(file).expect("a picture").into_rgb8();
    let sum: u64 = picture.iter().map(|channel| u64::from(*channel)).sum();
    sum as f64 / picture.len() as f64
}
