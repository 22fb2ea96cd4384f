//! What the tray shows, in both languages.

use porchlight_service::error::message::Message;
use porchlight_service::status::window::alerts::AlertPlace;

use super::*;
use crate::desktop::i18n::words_in;
use porchlight_service::images::StoredImage;
use porchlight_service::settings::app::AppLanguage;
use porchlight_service::settings::sections::StorageKind;

fn light(alive: bool, online: bool, application: &str, rgba: &str) -> Light {
    Light {
        alive,
        online,
        application: application.to_owned(),
        introduce: String::new(),
        rgba: rgba.to_owned(),
        since: None,
        last_heartbeat: None,
        trouble: None,
    }
}

fn content(light: &Light, sharing: Sharing, alerts: &[Alert]) -> Content {
    Content::of(
        &status(light, sharing, alerts),
        words_in(AppLanguage::English),
    )
}

fn status<'a>(light: &'a Light, sharing: Sharing, alerts: &'a [Alert]) -> TrayStatus<'a> {
    TrayStatus {
        light,
        device: None,
        sharing,
        paused_until: None,
        alerts,
        statuses: (None, &[]),
        address: AddressKind::Permanent,
        newest: &[],
    }
}

/// What the window, a blog and the tray show of each state of the presence;
/// `ui/tests/light-states.test.ts` reads the same.
const STATES: &str = include_str!("../../../light-states.json");

#[derive(serde::Deserialize)]
struct State {
    says: String,
    sharing: Sharing,
    light: Seen,
    lamp: Option<Rgba>,
    tray: String,
}

#[derive(serde::Deserialize)]
struct Seen {
    alive: bool,
    online: bool,
    application: String,
    introduce: String,
    rgba: String,
}

#[test]
fn the_tray_icon_and_its_first_line_match_window_and_blog() {
    let states: Vec<State> = serde_json::from_str(STATES).expect("the states");
    for state in states {
        let seen = state.light;
        let light = Light {
            introduce: seen.introduce,
            ..light(seen.alive, seen.online, &seen.application, &seen.rgba)
        };
        let shown = content(&light, state.sharing, &[]);
        let lamp = state.lamp.map_or(Lamp::Unlit, |colour| {
            Lamp::Lit(colour.rgb().expect("a colour"))
        });
        assert_eq!(
            (shown.lamp, shown.shared),
            (lamp, state.tray),
            "{}",
            state.says
        );
    }
}

#[test]
fn with_more_than_one_device_the_line_names_the_one_that_readers_see() {
    let light = light(true, true, "Maps", "");
    let of = |sharing, device| {
        let shown = TrayStatus {
            device,
            ..status(&light, sharing, &[])
        };
        Content::of(&shown, words_in(AppLanguage::English)).shared
    };
    assert_eq!(of(Sharing::On, None), "Readers see: Maps");
    assert_eq!(of(Sharing::On, Some("Phone")), "Readers see: Maps · Phone");
    let off = of(Sharing::Off, Some("Phone"));
    assert_eq!(off, "Your status isn’t shared");
}

#[test]
fn a_line_is_one_line_and_fits() {
    assert_eq!(short("a\nb\u{7}c"), "a bc");
    let long = short(&"光".repeat(100));
    assert_eq!(long.chars().count(), LONGEST + 1);
    assert!(long.ends_with('…'));
}

#[test]
fn hostile_names_are_cleaned() {
    let hostile = format!(
        "</b><img src=x>\u{202e}\u{1b}[2J{}",
        "\u{301}".repeat(10_000)
    );
    let gone = alert(AlertKind::FolderMissing {
        folder: format!("/{hostile}"),
    });
    let shown = content(&light(true, true, &hostile, ""), Sharing::On, &[gone]);
    let marks = "\u{301}".repeat(8);
    assert_eq!(
        shown.shared,
        format!("Readers see: </b><img src=x>[2J{marks}")
    );
    assert_eq!(
        shown.alert.as_deref(),
        Some(&*format!(
            "Action needed: watched folder not found: /</b><img src=x>[2J{marks}"
        ))
    );
}

fn alert(what: AlertKind) -> Alert {
    Alert {
        what,
        place: AlertPlace::Home,
    }
}

#[test]
fn each_alert_has_its_own_text_in_both_languages() {
    let alerts = [
        (AlertKind::Service, "the service is not running", "服务"),
        (
            AlertKind::Heartbeats,
            "status updates aren’t getting through",
            "状态更新",
        ),
        (
            AlertKind::TunnelMissing {
                program: "bore".to_owned(),
            },
            "bore is not installed",
            "bore",
        ),
        (
            AlertKind::TunnelStopped,
            "the tunnel couldn’t start",
            "隧道",
        ),
        (AlertKind::TunnelDown, "the tunnel is disconnected", "隧道"),
        (
            AlertKind::FolderMissing {
                folder: "/p".to_owned(),
            },
            "watched folder not found: /p",
            "/p",
        ),
        (
            AlertKind::UploadQueue,
            "watched folders can’t upload",
            "文件夹",
        ),
        (AlertKind::Editors, "editors can’t upload", "编辑器"),
        (
            AlertKind::FailedUploads { count: 1 },
            "failed uploads: 1",
            "上传失败",
        ),
        (
            AlertKind::SetAside { count: 3 },
            "not uploaded from watched folders: 3",
            "未能上传",
        ),
        (
            AlertKind::SettingsFile {
                problem: FileProblem {
                    line: Some(2),
                    key: Some("images.quality".to_owned()),
                    why: Message::text("500 is out of bounds"),
                },
            },
            "settings file, line 2: images.quality: 500 is out of bounds",
            "第 2 行",
        ),
        (
            AlertKind::Edge,
            "the permanent address can’t be told what is new",
            "永久地址",
        ),
        (
            AlertKind::EdgeOfAnother,
            "the permanent address belongs to another Porchlight",
            "另一个",
        ),
        (
            AlertKind::HostRewritten,
            "a proxy changes the header Host: proxy_set_header Host $host;",
            "proxy_set_header Host $host;",
        ),
        (
            AlertKind::Clock,
            "this computer’s clock is wrong, so the Worker can’t reach it",
            "时钟",
        ),
        (
            AlertKind::WorkerOutdated,
            "a newer Worker is ready to be deployed",
            "Worker",
        ),
        (
            AlertKind::DataOnNetwork,
            "the data folder is on a network drive, which can damage it",
            "网络",
        ),
        (
            AlertKind::PlainTunnel,
            "the Worker can’t use a tunnel without HTTPS",
            "HTTPS",
        ),
        (
            AlertKind::ImagesOnDisk { count: 4 },
            "pictures to move to the object storage: 4",
            "4",
        ),
        (
            AlertKind::IpFile,
            "the file of ip.mmdb can’t be used",
            "ip.mmdb",
        ),
    ];
    for (what, english, chinese) in alerts {
        assert_eq!(alert_text(&what, words_in(AppLanguage::English)), english);
        let text = alert_text(&what, words_in(AppLanguage::Chinese));
        assert!(text.contains(chinese) && text != english, "{text}");
    }
}

#[test]
fn the_limit_of_the_workers_day_says_until_when() {
    for (spent, words) in [(true, "limit for today is reached"), (false, "70%")] {
        let until = 1_700_000_000_000;
        let what = AlertKind::WorkerDay { spent, until };
        let text = alert_text(&what, words_in(AppLanguage::English));
        let end = local(Timestamp::from_millis(until), "%m-%d %H:%M");
        assert!(text.contains(words) && text.ends_with(&end), "{text}");
    }
}

#[test]
fn an_address_that_does_not_last_has_a_line() {
    let line = |address| {
        let status = TrayStatus {
            light: &light(true, true, "", ""),
            device: None,
            sharing: Sharing::On,
            paused_until: None,
            alerts: &[],
            statuses: (None, &[]),
            address,
            newest: &[],
        };
        Content::of(&status, words_in(AppLanguage::English)).address
    };
    assert_eq!(line(AddressKind::Permanent), None);
    let temporary = "This address changes when Porchlight restarts.";
    assert_eq!(line(AddressKind::Temporary), Some(temporary));
    let local = "Readers can’t open this address.";
    assert_eq!(line(AddressKind::Local), Some(local));
}

#[test]
fn a_picture_is_listed_by_its_name_or_else_by_its_time_and_pixels() {
    let details = |number: u8, name: Option<&str>| ImageDetails {
        image: StoredImage {
            hash: ImageHash::from_bytes([number; 16]),
            size: 1,
            width: 640,
            height: 480,
            created_at: Timestamp::from_millis(0),
            place: StorageKind::Disk,
        },
        source_size: 2,
        source_format: "PNG".to_owned(),
        frames: 1,
        views: 0,
        name: name.map(str::to_owned),
        album: None,
    };
    let long = "x".repeat(200);
    let newest = [
        details(1, Some("Old mill")),
        details(2, None),
        details(3, Some(&long)),
    ];
    let status = TrayStatus {
        light: &light(true, true, "", ""),
        device: None,
        sharing: Sharing::On,
        paused_until: None,
        alerts: &[],
        statuses: (None, &[]),
        address: AddressKind::Permanent,
        newest: &newest,
    };
    let recent = Content::of(&status, words_in(AppLanguage::English)).recent;
    let lines: Vec<&str> = recent.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(lines[0], "Old mill");
    assert!(lines[1].ends_with(" · 640 × 480"), "{lines:?}");
    assert_eq!(lines[2], format!("{}…", "x".repeat(LONGEST)));
}

#[test]
fn an_alert_is_named_and_marks_the_tray_icon() {
    let lit = light(true, true, "Zed", "");
    let calm = content(&lit, Sharing::On, &[]);
    assert_eq!((calm.marked, calm.alert), (false, None));
    let bore = AlertKind::TunnelMissing {
        program: "bore".to_owned(),
    };
    let alerts = [bore, AlertKind::SetAside { count: 3 }].map(alert);
    let needy = content(&lit, Sharing::On, &alerts);
    assert!(needy.marked);
    assert_eq!(
        needy.alert.as_deref(),
        Some("Action needed: bore is not installed · not uploaded from watched folders: 3")
    );
}
