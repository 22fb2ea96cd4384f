//! Whether the owner is away: from input, lock, sleep and media playback.

use std::time::Duration;

use tokio::time::Instant;

use super::sensors::{Input, SensorState, Woke};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// No input for a while, and nothing plays.
    Idle,
    Locked,
    /// The machine goes to sleep.
    Asleep,
}

/// Whether the owner is away, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct There {
    /// `None` while they are there.
    pub(super) away: Option<Away>,
    /// When that may change by time alone.
    pub(super) look_again: Option<Instant>,
}

/// Derives it. `locked` and `playing` come from the foreground window, in
/// addition to the system's state: a lock screen, a player that fills the
/// screen.
pub(super) fn judge(
    sensors: &SensorState,
    locked: bool,
    playing: bool,
    idle_after: Duration,
    now: Instant,
) -> There {
    let away = |away| There {
        away: Some(away),
        look_again: None,
    };
    if sensors.asleep {
        return away(Away::Asleep);
    }
    if sensors.locked() || locked {
        return away(Away::Locked);
    }
    let here = There {
        away: None,
        look_again: None,
    };
    if sensors.playing || playing {
        return here;
    }
    let Input::Last(last) = sensors.input else {
        return here;
    };
    let without_input = now.saturating_duration_since(last) + slept_since(sensors.woke, last);
    if without_input >= idle_after {
        return away(Away::Idle);
    }
    There {
        look_again: Some(now + (idle_after - without_input)),
        ..here
    }
}

/// The clock of input does not advance while the machine sleeps: without this,
/// a laptop that wakes up in the morning would have recent input.
fn slept_since(woke: Option<Woke>, last: Instant) -> Duration {
    woke.filter(|woke| last <= woke.at)
        .map_or(Duration::ZERO, |woke| woke.slept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(300);

    fn ago(seconds: u64) -> (SensorState, Instant) {
        let last = Instant::now();
        let sensors = SensorState {
            input: Input::Last(last),
            ..SensorState::default()
        };
        (sensors, last + Duration::from_secs(seconds))
    }

    #[test]
    fn without_input_for_long_the_owner_is_idle_and_not_before() {
        let (sensors, now) = ago(299);
        let there = judge(&sensors, false, false, LIMIT, now);
        assert_eq!(there.away, None);
        assert_eq!(there.look_again, Some(now + Duration::from_secs(1)));
        let (sensors, now) = ago(300);
        assert_eq!(
            judge(&sensors, false, false, LIMIT, now).away,
            Some(Away::Idle)
        );
    }

    #[test]
    fn playing_media_prevent_idle_but_not_behind_a_lock() {
        let (mut sensors, now) = ago(10_000);
        assert_eq!(judge(&sensors, false, true, LIMIT, now).away, None);
        sensors.playing = true;
        assert_eq!(judge(&sensors, false, false, LIMIT, now).away, None);
        assert_eq!(
            judge(&sensors, true, false, LIMIT, now).away,
            Some(Away::Locked)
        );
        sensors.locked_by_session = true;
        assert_eq!(
            judge(&sensors, false, false, LIMIT, now).away,
            Some(Away::Locked)
        );
        sensors.asleep = true;
        assert_eq!(
            judge(&sensors, false, false, LIMIT, now).away,
            Some(Away::Asleep)
        );
    }

    #[test]
    fn a_night_asleep_counts_as_time_without_input_until_there_is_some() {
        let (mut sensors, now) = ago(20);
        sensors.woke = Some(Woke {
            at: now,
            slept: Duration::from_secs(8 * 3_600),
        });
        assert_eq!(
            judge(&sensors, false, false, LIMIT, now).away,
            Some(Away::Idle)
        );
        let touched = now + Duration::from_secs(5);
        sensors.input = Input::Last(touched);
        assert_eq!(judge(&sensors, false, false, LIMIT, touched).away, None);
    }

    #[test]
    fn without_input_information_the_owner_is_never_idle() {
        let sensors = SensorState::default();
        let there = judge(&sensors, false, false, LIMIT, Instant::now());
        assert_eq!((there.away, there.look_again), (None, None));
    }
}
