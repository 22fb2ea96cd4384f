//! What the tray says: its lamp and the texts of its menu, made from
//! the status of everything.

use jiff::tz::TimeZone;
use porchlight_api::text::one_line;
use porchlight_api::window::{Alert, AlertKind, FileProblem, Light, Sharing};
use porchlight_api::{ImageHash, Rgba, Timestamp};
use porchlight_core::images::StoredImage;

use crate::desktop::i18n::{Words, with};
use crate::desktop::tray_icon::Lamp;

/// Recent uploads that the menu offers.
pub(in crate::desktop) const RECENT: u32 = 5;
/// Characters of a line in the menu; what readers see can be long.
const LONGEST: usize = 80;

/// The status of everything.
pub(in crate::desktop) struct TrayStatus<'a> {
    pub(in crate::desktop) light: &'a Light,
    pub(in crate::desktop) sharing: Sharing,
    /// When the pause ends, while there is one that does.
    pub(in crate::desktop) paused_until: Option<Timestamp>,
    pub(in crate::desktop) alerts: &'a [Alert],
    /// The newest pictures, newest first.
    pub(in crate::desktop) newest: &'a [StoredImage],
}

/// What the tray says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::desktop) struct Content {
    pub(super) words: &'static Words,
    pub(super) lamp: Lamp,
    pub(super) marked: bool,
    /// What is shared now.
    pub(super) shared: String,
    /// What needs the owner.
    pub(super) alert: Option<String>,
    pub(super) can_pause: bool,
    pub(super) can_resume: bool,
    /// Each picture and what its line says.
    pub(super) recent: Vec<(ImageHash, String)>,
}

impl Content {
    /// What is to be said, in these words.
    pub(in crate::desktop) fn of(status: &TrayStatus<'_>, words: &'static Words) -> Self {
        let alerts: Vec<String> = status
            .alerts
            .iter()
            .map(|alert| say(&alert.what, words))
            .collect();
        let alert = (!alerts.is_empty()).then(|| with(words.needs_you, alerts.join(" · ")));
        Self {
            words,
            lamp: lamp(status),
            marked: alert.is_some(),
            shared: short(&shared(status, words)),
            alert: alert.as_deref().map(short),
            can_pause: status.sharing == Sharing::On,
            can_resume: status.sharing == Sharing::Paused,
            recent: status
                .newest
                .iter()
                .map(|image| (image.hash, line(image)))
                .collect(),
        }
    }
}

fn shared(status: &TrayStatus<'_>, words: &Words) -> String {
    let light = status.light;
    match (status.sharing, status.paused_until) {
        (Sharing::Unasked | Sharing::Off, _) => words.nothing_is_shared.to_owned(),
        (Sharing::Paused, None) => words.paused.to_owned(),
        (Sharing::Paused, Some(until)) => with(words.paused_until, local(until, "%m-%d %H:%M")),
        (Sharing::On, _) if !is_here(light) => words.readers_see_away.to_owned(),
        (Sharing::On, _) => {
            let said = [light.application.trim(), light.introduce.trim()];
            let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
            if said.is_empty() {
                words.readers_see_somebody.to_owned()
            } else {
                with(words.readers_see, said.join(" — "))
            }
        }
    }
}

/// An alert in words.
fn say(alert: &AlertKind, words: &Words) -> String {
    match alert {
        AlertKind::Service => words.service_off.to_owned(),
        AlertKind::Heartbeats => words.heartbeats_refused.to_owned(),
        AlertKind::TunnelMissing { program } => with(words.tunnel_missing, program),
        AlertKind::TunnelStopped => words.tunnel_stopped.to_owned(),
        AlertKind::TunnelDown => words.tunnel_waits.to_owned(),
        AlertKind::FolderMissing { folder } => with(words.folder_missing, folder),
        AlertKind::UploadQueue => words.uploads_wait.to_owned(),
        AlertKind::Editors => words.editors_off.to_owned(),
        AlertKind::FailedUploads { count } => with(words.uploads_failed, count),
        AlertKind::SetAside { count } => with(words.set_aside, count),
        AlertKind::Snapshot => words.snapshot_waits.to_owned(),
        AlertKind::SnapshotOfAnother => words.snapshot_of_another.to_owned(),
        AlertKind::PlainTunnel => words.plain_tunnel.to_owned(),
        AlertKind::ImagesOnDisk { count } => with(words.images_on_disk, count),
        AlertKind::SettingsFile { problem } => in_the_file(problem, words),
        AlertKind::Restart => words.restart_waits.to_owned(),
    }
}

/// Its line, and what is wrong. The rest of it is in the window.
fn in_the_file(problem: &FileProblem, words: &Words) -> String {
    let place = match problem.line {
        Some(line) => with(words.settings_line, line),
        None => words.settings_file.to_owned(),
    };
    let why = problem.why.to_string();
    let parts = [Some(&place), problem.key.as_ref(), Some(&why)];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    parts.join(": ")
}

/// Whether readers see that somebody is in.
fn is_here(light: &Light) -> bool {
    light.alive && light.online
}

/// The lamp has the colour that readers see; it is out while the owner is away,
/// and while nothing is shared, although the last heartbeat may linger.
fn lamp(TrayStatus { light, sharing, .. }: &TrayStatus<'_>) -> Lamp {
    if *sharing == Sharing::On && is_here(light) {
        Lamp::lit(
            light
                .rgba
                .parse::<Rgba>()
                .ok()
                .and_then(|colour| colour.rgb()),
        )
    } else {
        Lamp::Unlit
    }
}

/// A picture's line: when it came, and its pixels.
fn line(image: &StoredImage) -> String {
    let at = local(image.created_at, "%m-%d %H:%M:%S");
    format!("{at} · {} × {}", image.width, image.height)
}

fn local(time: Timestamp, form: &str) -> String {
    jiff::Timestamp::from_millisecond(time.as_millis())
        .map(|time| time.to_zoned(TimeZone::system()).strftime(form).to_string())
        .unwrap_or_default()
}

/// One line that fits into a menu.
fn short(text: &str) -> String {
    let line = one_line(text, LONGEST + 1);
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use porchlight_api::Message;
    use porchlight_api::window::AlertPlace;

    use super::*;
    use crate::desktop::i18n::words_in;
    use porchlight_app::settings::app::AppLanguage;

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
        let status = TrayStatus {
            light,
            sharing,
            paused_until: None,
            alerts,
            newest: &[],
        };
        Content::of(&status, words_in(AppLanguage::English))
    }

    /// What the window, a blog and the tray show of each state of the light;
    /// `ui/tests/light-states.test.ts` reads the same.
    const STATES: &str = include_str!("../../light-states.json");

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
    fn the_lamp_and_the_first_line_say_what_window_and_blog_say() {
        let states: Vec<State> = serde_json::from_str(STATES).expect("the states");
        for state in states {
            let seen = state.light;
            let light = Light {
                introduce: seen.introduce,
                ..light(seen.alive, seen.online, &seen.application, &seen.rgba)
            };
            let said = content(&light, state.sharing, &[]);
            let lamp = state.lamp.map_or(Lamp::Unlit, |colour| {
                Lamp::Lit(colour.rgb().expect("a colour"))
            });
            assert_eq!(
                (said.lamp, said.shared),
                (lamp, state.tray),
                "{}",
                state.says
            );
        }
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
        let said = content(&light(true, true, &hostile, ""), Sharing::On, &[gone]);
        let marks = "\u{301}".repeat(8);
        assert_eq!(
            said.shared,
            format!("Readers see: </b><img src=x>[2J{marks}")
        );
        assert_eq!(
            said.alert.as_deref(),
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
    fn each_need_has_words_of_its_own_in_both_languages() {
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
                AlertKind::Snapshot,
                "the snapshot can’t be saved to the object storage",
                "快照",
            ),
            (
                AlertKind::SnapshotOfAnother,
                "another Porchlight publishes to this object storage",
                "另一个",
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
            (AlertKind::Restart, "restart to apply your changes", "重启"),
        ];
        for (what, english, chinese) in alerts {
            assert_eq!(say(&what, words_in(AppLanguage::English)), english);
            let said = say(&what, words_in(AppLanguage::Chinese));
            assert!(said.contains(chinese) && said != english, "{said}");
        }
    }

    #[test]
    fn what_needs_the_owner_is_named_and_marks_the_lamp() {
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
}
