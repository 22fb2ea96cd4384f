//! Badges and cards: presence for pages without scripts.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::harness::TestService;

/// What the owner is doing in the pictures.
const ENGLISH: &str = "Writing, with tea";
const CHINESE: &str = "写点东西，配一杯茶";

/// The pictures of `docs/api.md`; where `PORCHLIGHT_WRITE_SCREENSHOTS` is set they are written.
#[tokio::test]
async fn the_pictures_of_the_api_page_are_those_that_are_drawn() {
    let service = TestService::start(&[]).await;
    let page = include_str!("../../docs/api.md");
    for (name, path, introduce) in [
        ("badge-light.svg", "/badge.svg?label=now", ENGLISH),
        ("badge-dark.svg", "/badge.svg?label=now&theme=dark", ENGLISH),
        ("card-light.svg", "/card.svg", ENGLISH),
        ("card-dark.svg", "/card.svg?theme=dark", ENGLISH),
        ("badge-light.zh.svg", "/badge.svg?lang=zh", CHINESE),
        (
            "badge-dark.zh.svg",
            "/badge.svg?lang=zh&theme=dark",
            CHINESE,
        ),
        ("card-light.zh.svg", "/card.svg?lang=zh", CHINESE),
        ("card-dark.zh.svg", "/card.svg?lang=zh&theme=dark", CHINESE),
    ] {
        let heartbeat = json!({
            "application": "Zed", "introduce": introduce, "rgba": "233,30,99,0.9",
            "applicationOnline": true,
        });
        service.heartbeat(&heartbeat).await;
        let drawn = service.get(path).await.text().await.expect("a picture");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screenshots");
        let file = folder.join(name);
        if std::env::var_os("PORCHLIGHT_WRITE_SCREENSHOTS").is_some() {
            fs::write(&file, &drawn).expect("written");
        }
        assert_eq!(fs::read_to_string(&file).expect(name), drawn, "{name}");
        assert!(page.contains(&format!("screenshots/{name}")), "{name}");
    }
}

#[tokio::test]
async fn badges_and_cards_show_what_check_shows() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let offline = json!({
        "schemaVersion": 1, "label": "status", "message": "Offline", "color": "#8b9099",
    });
    assert_eq!(service.json("/badge.json").await, offline);
    let heartbeat = json!({
        "application": "A < B", "introduce": "\"Quoted\" & more", "rgba": "18,52,86,1",
        "applicationOnline": true,
    });
    service.heartbeat(&heartbeat).await;
    let online = json!({
        "schemaVersion": 1, "label": "现在", "message": "A < B", "color": "#123456",
    });
    assert_eq!(
        service.json("/badge.json?label=%E7%8E%B0%E5%9C%A8").await,
        online
    );

    for path in [
        "/badge.svg?theme=dark&label=%3Cnow%3E",
        "/card.svg?lang=zh&label=%3Cnow%3E",
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
        for (name, value) in [
            ("content-type", "image/svg+xml; charset=utf-8"),
            ("cache-control", "no-cache"),
            (
                "content-security-policy",
                "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            ),
        ] {
            assert_eq!(answer.headers()[name], value, "{path}");
        }
        let svg = answer.text().await.expect("a picture");
        for part in ["A &lt; B", "&lt;now&gt;", "#123456"] {
            assert!(svg.contains(part), "{path}: {part} in {svg}");
        }
        assert!(!svg.contains("A < B") && !svg.contains("<now>"), "{svg}");
        if path.starts_with("/card") {
            assert!(
                svg.contains("在线") && svg.contains("&quot;Quoted&quot; &amp; more"),
                "{svg}"
            );
        }
    }

    let away = json!({ "application": "A", "rgba": "18,52,86,1", "applicationOnline": false });
    service.heartbeat(&away).await;
    let away = json!({
        "schemaVersion": 1, "label": "状态", "message": "离开", "color": "#8b9099",
    });
    assert_eq!(service.json("/badge.json?lang=zh").await, away);
    let svg = service.get("/badge.svg?lang=zh").await.text().await;
    let svg = svg.expect("a picture");
    for part in [">状态<", ">离开<", r#"aria-label="状态: 离开""#, "#8b9099"] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
}

#[tokio::test]
async fn a_long_label_is_cut_and_unknown_parameters_are_ignored() {
    let service = TestService::start(&[]).await;
    let path = format!(
        "/badge.json?label={}&theme=blue&lang=xx&more=1",
        "W".repeat(500)
    );
    let badge = service.json(&path).await;
    assert_eq!(badge["label"], "W".repeat(64));
    let svg = service.get(&path.replace(".json", ".svg")).await;
    let svg = svg.text().await.expect("a picture");
    assert!(svg.contains('…') && !svg.contains(&"W".repeat(30)), "{svg}");
}
