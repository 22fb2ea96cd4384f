//! What the tray shows: its lamp and the texts of its menu, made from
//! the status of everything.

use jiff::tz::TimeZone;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::images::ImageDetails;
use porchlight_service::images::window::AddressKind;
use porchlight_service::presence::computer::FixedStatus;
use porchlight_service::settings::window::FileProblem;
use porchlight_service::status::window::alerts::{Alert, AlertKind};
use porchlight_service::status::window::home::{Light, Sharing};
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::text::one_line;
use porchlight_service::text::rgba::Rgba;

use crate::desktop::i18n::{Words, with};
use crate::desktop::tray_icon::Lamp;

/// Recent uploads that the menu offers.
pub(in crate::desktop) const RECENT: u32 = 5;
/// Characters of a line in the menu; what readers see can be long.
const LONGEST: usize = 80;

pub(in crate::desktop) struct TrayStatus<'a> {
    pub(in crate::desktop) light: &'a Light,
    /// The device that readers see, where they see more than one.
    pub(in crate::desktop) device: Option<&'a str>,
    pub(in crate::desktop) sharing: Sharing,
    /// When the pause ends, while there is one that does.
    pub(in crate::desktop) paused_until: Option<Timestamp>,
    pub(in crate::desktop) alerts: &'a [Alert],
    /// The status that is set, and those that were set last.
    pub(in crate::desktop) statuses: (Option<&'a FixedStatus>, &'a [FixedStatus]),
    /// The kind of the address that links are made with.
    pub(in crate::desktop) address: AddressKind,
    /// The newest pictures, newest first.
    pub(in crate::desktop) newest: &'a [ImageDetails],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::desktop) struct Content {
    pub(super) words: &'static Words,
    pub(super) lamp: Lamp,
    pub(super) marked: bool,
    pub(super) shared: String,
    pub(super) alert: Option<String>,
    pub(super) can_pause: bool,
    /// What sharing begins again with, or for the first time, and whether it can.
    pub(super) resume: (&'static str, bool),
    /// The statuses that were set last, a line each.
    pub(super) statuses: Vec<String>,
    /// Whether there is a status to clear.
    pub(super) has_status: bool,
    /// What to know of the address, where links do not last.
    pub(super) address: Option<&'static str>,
    /// Each picture and the text of its line.
    pub(super) recent: Vec<(ImageHash, String)>,
}

impl Content {
    /// What is to be shown, in these words.
    pub(in crate::desktop) fn of(status: &TrayStatus<'_>, words: &'static Words) -> Self {
        let alerts: Vec<String> = status
            .alerts
            .iter()
            .map(|alert| alert_text(&alert.what, words))
            .collect();
        let alert = (!alerts.is_empty()).then(|| with(words.needs_you, alerts.join(" · ")));
        Self {
            words,
            lamp: lamp(status),
            marked: alert.is_some(),
            shared: shared(status, words),
            alert: alert.as_deref().map(short),
            can_pause: status.sharing == Sharing::On,
            resume: match status.sharing {
                Sharing::Unasked | Sharing::Off => (words.start_sharing, true),
                Sharing::Paused => (words.resume, true),
                Sharing::On => (words.resume, false),
            },
            statuses: status.statuses.1.iter().map(status_line).collect(),
            has_status: status.statuses.0.is_some(),
            address: words.of_address(status.address),
            recent: status
                .newest
                .iter()
                .map(|details| (details.image.hash, line(details)))
                .collect(),
        }
    }
}

/// The line of the menu that is also the tooltip of the icon.
fn shared(status: &TrayStatus<'_>, words: &Words) -> String {
    let line = line_of(status, words);
    match status.device {
        Some(device) if status.sharing == Sharing::On => format!("{} · {device}", short(&line)),
        _ => short(&line),
    }
}

fn line_of(status: &TrayStatus<'_>, words: &Words) -> String {
    let light = status.light;
    match (status.sharing, status.paused_until) {
        (Sharing::Unasked | Sharing::Off, _) => words.status_is_not_shared.to_owned(),
        (Sharing::Paused, None) => words.paused.to_owned(),
        (Sharing::Paused, Some(until)) => with(words.paused_until, local(until, "%m-%d %H:%M")),
        (Sharing::On, _) if !is_here(light) => words.readers_see_away.to_owned(),
        (Sharing::On, _) => {
            let parts = [light.application.trim(), light.introduce.trim()];
            let parts: Vec<&str> = parts.into_iter().filter(|text| !text.is_empty()).collect();
            if parts.is_empty() {
                words.readers_see_somebody.to_owned()
            } else {
                with(words.readers_see, parts.join(" — "))
            }
        }
    }
}

fn alert_text(alert: &AlertKind, words: &Words) -> String {
    match alert {
        AlertKind::Service => words.service_off.to_owned(),
        AlertKind::DataOnNetwork => words.data_on_network.to_owned(),
        AlertKind::Heartbeats => words.heartbeats_refused.to_owned(),
        AlertKind::WaitingDevices { count } => with(words.devices_wait, count),
        AlertKind::TunnelMissing { program } => with(words.tunnel_missing, program),
        AlertKind::TunnelStopped => words.tunnel_stopped.to_owned(),
        AlertKind::TunnelDown => words.tunnel_waits.to_owned(),
        AlertKind::FolderMissing { folder } => with(words.folder_missing, folder),
        AlertKind::UploadQueue => words.uploads_wait.to_owned(),
        AlertKind::Editors => words.editors_off.to_owned(),
        AlertKind::FailedUploads { count } => with(words.uploads_failed, count),
        AlertKind::SetAside { count } => with(words.set_aside, count),
        AlertKind::Edge => words.worker_fails.to_owned(),
        AlertKind::EdgeOfAnother => words.worker_of_another.to_owned(),
        AlertKind::HostRewritten => words.host_rewritten.to_owned(),
        AlertKind::Clock => words.clock_is_off.to_owned(),
        AlertKind::WorkerOutdated => words.worker_outdated.to_owned(),
        AlertKind::IpFile => words.ip_file.to_owned(),
        AlertKind::PlainTunnel => words.plain_tunnel.to_owned(),
        AlertKind::ImagesOnDisk { count } => with(words.images_on_disk, count),
        AlertKind::WorkerDay { spent, until } => {
            let text = if *spent {
                words.worker_day_spent
            } else {
                words.worker_day_used
            };
            with(text, local(Timestamp::from_millis(*until), "%m-%d %H:%M"))
        }
        AlertKind::SettingsFile { problem } => in_the_file(problem, words),
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

fn status_line(status: &FixedStatus) -> String {
    let texts = [status.application.trim(), status.introduce.trim()];
    let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    short(&texts.join(" — "))
}

/// A picture's line: its name, or when it came, and its pixels.
fn line(details: &ImageDetails) -> String {
    if let Some(name) = &details.name {
        return short(name);
    }
    let image = &details.image;
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
mod tests;
