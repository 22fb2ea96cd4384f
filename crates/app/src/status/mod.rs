//! The status of each service as the window and the tray have it: what it is doing, and why it
//! cannot. The [`Host`](crate::host::Host) puts it together.

use std::path::{Path, PathBuf};

use porchlight_api::window::{
    AwayBecause, FolderGlance, FolderGlanceState, GameGlance, GameHidden, PauseGlance, PresenceNow,
    SensorKind, Sharing, ShownStatus, Status, TunnelGlance, UnavailableSensor, WatchGlance,
};
use porchlight_api::{HeartbeatFields, Message, Timestamp};
use porchlight_companion::presence::{Away, FixedStatus, PresenceState};
use porchlight_companion::tunnel::{Installer, TunnelState};
use porchlight_companion::watch::{FolderState, FolderStatus, WatchStatus};
use porchlight_core::game::Known;

pub mod alerts;
pub mod game;
pub mod reach;

/// The content of a heartbeat, as the window shows it.
pub fn shown(fields: &HeartbeatFields) -> ShownStatus {
    ShownStatus {
        application: fields.application.clone(),
        introduce: fields.introduce.clone(),
        rgba: fields.rgba.to_string(),
        online: fields.application_online,
    }
}

/// What is reported of the owner's presence.
pub fn presence_of(state: &PresenceState) -> PresenceNow {
    let unavailable = &state.unavailable;
    let unavailable = [
        (SensorKind::Foreground, &unavailable.front),
        (SensorKind::Input, &unavailable.input),
        (SensorKind::Lock, &unavailable.lock),
        (SensorKind::Sleep, &unavailable.sleep),
        (SensorKind::Media, &unavailable.media),
    ];
    let unavailable_sensor = |(sensor, why): (SensorKind, &Option<Message>)| {
        let why = why.clone()?;
        Some(UnavailableSensor { sensor, why })
    };
    PresenceNow {
        preview: state.preview.as_ref().map(shown),
        pause: state.pause.map(|pause| PauseGlance {
            until: pause.until.map(Timestamp::as_millis),
        }),
        fixed: state.fixed.as_ref().map(status_of),
        recent: state.recent.iter().map(status_of).collect(),
        away: state.away.map(|away| match away {
            Away::Idle => AwayBecause::Idle,
            Away::Locked => AwayBecause::Locked,
            Away::Asleep => AwayBecause::Asleep,
        }),
        hidden: state.hidden,
        unavailable: unavailable
            .into_iter()
            .filter_map(unavailable_sensor)
            .collect(),
        trouble: state.reporter.trouble.clone(),
        next_try: state.reporter.next_try.map(Timestamp::as_millis),
    }
}

/// A status as the page has it.
pub fn status_of(status: &FixedStatus) -> Status {
    Status {
        application: status.application.clone(),
        introduce: status.introduce.clone(),
        rgba: status.rgba.to_string(),
        until: status.until.map(Timestamp::as_millis),
    }
}

/// The tunnel.
pub fn tunnel_of(state: TunnelState) -> TunnelGlance {
    match state {
        TunnelState::Starting => TunnelGlance::Starting,
        TunnelState::Checking { address } => TunnelGlance::Checking {
            address: address.to_string(),
        },
        TunnelState::Up {
            address,
            since,
            round_trip,
            host_rewritten: _,
        } => TunnelGlance::Up {
            address: address.to_string(),
            since: since.as_millis(),
            round_trip: u32::try_from(round_trip.as_millis()).ok(),
        },
        TunnelState::Waiting { why, next_try, .. } => TunnelGlance::Waiting {
            why,
            next_try: next_try.as_millis(),
        },
        TunnelState::Missing {
            program,
            why,
            install,
        } => TunnelGlance::Missing {
            installable: why.is_none() && Installer::of(&program).is_some(),
            program,
            why,
            install: install.map(str::to_owned),
        },
        // It ends for good only when it is closed, and then there is none.
        TunnelState::Stopped => TunnelGlance::Off,
    }
}

/// Folders that are not watched.
pub fn unwatched(folders: Vec<PathBuf>) -> WatchStatus {
    let unwatched = |folder| FolderStatus {
        folder,
        state: FolderState::New,
    };
    WatchStatus {
        folders: folders.into_iter().map(unwatched).collect(),
        ..WatchStatus::default()
    }
}

/// The watched folders, and why they are not watched.
pub fn watching(status: WatchStatus, trouble: Option<Message>) -> WatchGlance {
    WatchGlance {
        folders: status.folders.into_iter().map(folder).collect(),
        paused: status.paused,
        waiting: status.waiting,
        set_aside: status.set_aside,
        under_way: status.under_way.iter().map(|file| name_of(file)).collect(),
        trouble: status.trouble.or(trouble),
    }
}

fn folder(status: FolderStatus) -> FolderGlance {
    let (state, why) = match status.state {
        FolderState::New => (FolderGlanceState::New, None),
        FolderState::Watched => (FolderGlanceState::Watched, None),
        FolderState::Polled { why } => (FolderGlanceState::Polled, Some(why)),
        FolderState::Missing { why } => (FolderGlanceState::Missing, Some(why)),
    };
    FolderGlance {
        folder: status.folder.display().to_string(),
        state,
        why,
    }
}

/// A file's name, without its folder.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// What is shown of the owner's game.
pub fn glance_at_game(
    known: Known,
    sharing: Sharing,
    in_front_is_private: bool,
    trouble: Option<Message>,
) -> GameGlance {
    let hidden = match sharing {
        Sharing::Unasked | Sharing::Off => Some(GameHidden::NotShared),
        Sharing::Paused => Some(GameHidden::Paused),
        Sharing::On => (in_front_is_private || known.private).then_some(GameHidden::Private),
    };
    GameGlance {
        status: known.status.status,
        game: known.status.game.map(|played| played.game),
        source: known.source,
        // While it is hidden no service is asked.
        trouble: trouble.filter(|_| hidden.is_none()),
        hidden,
    }
}

#[cfg(test)]
mod tests;
