//! The status of each service as the window and the tray have it: what it is doing, and why it
//! cannot. The [`Host`](crate::app::host::Host) puts it together.

pub mod window;

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::game::Known;
use crate::game::window::{GameGlance, GameHidden};
use crate::http::replies::HeartbeatFields;
use crate::presence::computer::{Away, FixedStatus, PresenceState};
use crate::presence::window::{
    AwayBecause, PauseGlance, PresenceNow, SensorKind, ShownStatus, Status, UnavailableSensor,
};
use crate::status::window::home::Sharing;

pub mod alerts;
pub mod game;

pub fn shown(fields: &HeartbeatFields) -> ShownStatus {
    ShownStatus {
        application: fields.application.clone(),
        introduce: fields.introduce.clone(),
        rgba: fields.rgba.to_string(),
        online: fields.application_online,
    }
}

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
            until: pause.until.map(|end| end.time().as_millis()),
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

pub fn status_of(status: &FixedStatus) -> Status {
    Status {
        application: status.application.clone(),
        introduce: status.introduce.clone(),
        rgba: status.rgba.to_string(),
        until: status.until.map(|end| end.time().as_millis()),
    }
}

pub fn game_status(
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
