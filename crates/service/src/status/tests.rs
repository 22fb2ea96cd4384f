//! What each part is doing, as the window has it.

use super::*;
use crate::game::window::GameSource;
use crate::http::replies::GameStatus;
use crate::presence::computer::{End, Paused};
use crate::text::rgba::Rgba;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[test]
fn the_status_of_the_owner_is_complete() {
    let mut state = PresenceState {
        preview: Some(HeartbeatFields {
            application: "XTerm".to_owned(),
            introduce: "At the command line".to_owned(),
            rgba: Rgba::opaque(90, 110, 130),
            application_online: false,
            track: None,
        }),
        enabled: true,
        pause: Some(Paused {
            until: Some(End::at(at(1_000))),
        }),
        fixed: Some(FixedStatus {
            application: "Out by bike".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            until: Some(End::at(at(3_000))),
        }),
        recent: vec![FixedStatus {
            application: "Lunch".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            until: None,
        }],
        away: Some(Away::Locked),
        hidden: true,
        ..PresenceState::default()
    };
    state.unavailable.media = Some(Message::text("there is no bus"));
    state.unavailable.sleep = Some(Message::text("no service reports it"));
    state.reporter.trouble = Some(Message::TokenRefused);
    state.reporter.next_try = Some(at(2_000));
    let unavailable_sensor = |sensor, why: &str| UnavailableSensor {
        sensor,
        why: Message::text(why),
    };
    assert_eq!(
        presence_of(&state),
        PresenceNow {
            preview: Some(ShownStatus {
                application: "XTerm".to_owned(),
                introduce: "At the command line".to_owned(),
                rgba: "90,110,130,1".to_owned(),
                online: false,
            }),
            pause: Some(PauseGlance { until: Some(1_000) }),
            fixed: Some(Status {
                application: "Out by bike".to_owned(),
                introduce: String::new(),
                rgba: String::new(),
                until: Some(3_000),
            }),
            recent: vec![Status {
                application: "Lunch".to_owned(),
                introduce: String::new(),
                rgba: String::new(),
                until: None,
            }],
            away: Some(AwayBecause::Locked),
            hidden: true,
            unavailable: vec![
                unavailable_sensor(SensorKind::Sleep, "no service reports it"),
                unavailable_sensor(SensorKind::Media, "there is no bus"),
            ],
            trouble: Some(Message::TokenRefused),
            next_try: Some(2_000),
        }
    );
}

#[test]
fn the_status_of_a_game_that_is_not_shown_names_the_reason() {
    let known = |private| Known {
        status: GameStatus::plain(GameStatus::ONLINE),
        running: None,
        source: Some(GameSource::Client),
        private,
    };
    let hidden = |sharing, in_front, private| {
        game_status(
            known(private),
            sharing,
            in_front,
            Some(crate::detail!("the key of the Steam Web API is not set")),
        )
    };
    for (glance, why) in [
        (
            hidden(Sharing::Unasked, false, false),
            Some(GameHidden::NotShared),
        ),
        (
            hidden(Sharing::Off, true, true),
            Some(GameHidden::NotShared),
        ),
        (
            hidden(Sharing::Paused, false, false),
            Some(GameHidden::Paused),
        ),
        (hidden(Sharing::On, true, false), Some(GameHidden::Private)),
        (hidden(Sharing::On, false, true), Some(GameHidden::Private)),
        (hidden(Sharing::On, false, false), None),
    ] {
        assert_eq!(glance.hidden, why);
        assert_eq!(glance.trouble.is_some(), why.is_none());
    }
}
