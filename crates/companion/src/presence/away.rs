//! Whether the owner is there: from input, lock, sleep and what plays.

use std::time::Duration;

use tokio::time::Instant;

use super::senses::{Input, Sight, Woke};

/// Why the owner counts as away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// Nothing was typed or moved for a while, and nothing plays.
    Idle,
    /// The session is locked.
    Locked,
    /// The machine goes to sleep.
    Asleep,
}

/// What is known of the owner's being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct There {
    /// `None` while they are there.
    pub(super) away: Option<Away>,
    /// When that may change by time alone.
    pub(super) look_again: Option<Instant>,
}

/// Judges it. `locked` and `playing` say what the window in front adds to what
/// the system tells: a lock screen, a player that fills the screen.
pub(super) fn judge(
    sight: &Sight,
    locked: bool,
    playing: bool,
    idle_after: Duration,
    now: Instant,
) -> There {
    let away = |away| There {
        away: Some(away),
        look_again: None,
    };
    if sight.asleep {
        return away(Away::Asleep);
    }
    if sight.locked() || locked {
        return away(Away::Locked);
    }
    let here = There {
        away: None,
        look_again: None,
    };
    if sight.playing || playing {
        return here;
    }
    let Input::Last(last) = sight.input else {
        return here;
    };
    let without_input = now.saturating_duration_since(last) + slept_since(sight.woke, last);
    if without_input >= idle_after {
        return away(Away::Idle);
    }
    There {
        look_again: Some(now + (idle_after - without_input)),
        ..here
    }
}

/// The clock that input is measured by stands still while the machine sleeps:
/// a lid that is opened after a night would find its owner typing just now.
fn slept_since(woke: Option<Woke>, last: Instant) -> Duration {
    woke.filter(|woke| last <= woke.at)
        .map_or(Duration::ZERO, |woke| woke.slept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(300);

    fn ago(seconds: u64) -> (Sight, Instant) {
        let last = Instant::now();
        let sight = Sight {
            input: Input::Last(last),
            ..Sight::default()
        };
        (sight, last + Duration::from_secs(seconds))
    }

    #[test]
    fn without_input_for_long_the_owner_is_idle_and_not_before() {
        let (sight, now) = ago(299);
        let there = judge(&sight, false, false, LIMIT, now);
        assert_eq!(there.away, None);
        assert_eq!(there.look_again, Some(now + Duration::from_secs(1)));
        let (sight, now) = ago(300);
        assert_eq!(
            judge(&sight, false, false, LIMIT, now).away,
            Some(Away::Idle)
        );
    }

    #[test]
    fn what_plays_keeps_the_owner_there_but_not_behind_a_lock() {
        let (mut sight, now) = ago(10_000);
        assert_eq!(judge(&sight, false, true, LIMIT, now).away, None);
        sight.playing = true;
        assert_eq!(judge(&sight, false, false, LIMIT, now).away, None);
        assert_eq!(
            judge(&sight, true, false, LIMIT, now).away,
            Some(Away::Locked)
        );
        sight.locked_by_session = true;
        assert_eq!(
            judge(&sight, false, false, LIMIT, now).away,
            Some(Away::Locked)
        );
        sight.asleep = true;
        assert_eq!(
            judge(&sight, false, false, LIMIT, now).away,
            Some(Away::Asleep)
        );
    }

    #[test]
    fn a_night_asleep_counts_as_time_without_input_until_there_is_some() {
        let (mut sight, now) = ago(20);
        sight.woke = Some(Woke {
            at: now,
            slept: Duration::from_secs(8 * 3_600),
        });
        assert_eq!(
            judge(&sight, false, false, LIMIT, now).away,
            Some(Away::Idle)
        );
        let touched = now + Duration::from_secs(5);
        sight.input = Input::Last(touched);
        assert_eq!(judge(&sight, false, false, LIMIT, touched).away, None);
    }

    #[test]
    fn where_input_is_not_known_nobody_is_idle() {
        let sight = Sight::default();
        let there = judge(&sight, false, false, LIMIT, Instant::now());
        assert_eq!((there.away, there.look_again), (None, None));
    }
}
