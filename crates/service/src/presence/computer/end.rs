//! When something ends that hides what the owner does. It may end late, never early: the clock of a
//! machine can be hours ahead, as with two systems on one machine or an empty battery. So this runs
//! by a clock that only goes forward, and what is left of it is kept, not a time of day: while the
//! computer is off it does not get shorter, nor on Linux and macOS while it is asleep. On Windows the
//! clock may count sleep.

use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::timestamp::Timestamp;

/// No end is later than this.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);

/// By how much the shown time may differ before it is set again.
const TOLERANCE: Duration = Duration::from_secs(5);

/// The end of a pause or of a status. It is stored as the milliseconds that are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    at: Instant,
    shown: Timestamp,
}

impl End {
    /// It ends after this time, a hundred years at most.
    #[must_use]
    pub fn after(left: Duration) -> Self {
        let left = left.min(LONGEST);
        Self {
            at: Instant::now() + left,
            shown: by_the_clock(left),
        }
    }

    /// It ends at this time, by the machine's clock of now.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        let left = time
            .as_millis()
            .saturating_sub(Timestamp::now().as_millis());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
        Self {
            shown: time,
            ..Self::after(left)
        }
    }

    /// When it ends by the machine's clock, to be shown.
    #[must_use]
    pub fn time(self) -> Timestamp {
        self.shown
    }

    /// How long it lasts yet; zero when it is over.
    pub(super) fn left(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(self) -> bool {
        self.left().is_zero()
    }

    /// The same, shown by the machine's clock of now where that was set or stood still meanwhile.
    pub(super) fn by_the_clock_of_now(self) -> Self {
        let shown = by_the_clock(self.left());
        let differs = shown.as_millis().abs_diff(self.shown.as_millis());
        if u128::from(differs) > TOLERANCE.as_millis() {
            Self { shown, ..self }
        } else {
            self
        }
    }
}

fn by_the_clock(left: Duration) -> Timestamp {
    let left = i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(left))
}

impl Serialize for End {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        u64::try_from(self.left().as_millis())
            .unwrap_or(u64::MAX)
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for End {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(|left| Self::after(Duration::from_millis(left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(plus: i64) -> Timestamp {
        Timestamp::from_millis(Timestamp::now().as_millis() + plus)
    }

    #[test]
    fn what_is_left_is_stored_and_goes_on_from_there() {
        let end = End::at(now(3_600_000));
        let left: u64 = serde_json::from_value(serde_json::json!(end)).expect("a number");
        assert!((3_590_000..=3_600_000).contains(&left), "{left}");
        let read: End = serde_json::from_value(left.into()).expect("an end");
        assert!(read.left() <= Duration::from_millis(left) && !read.is_over());
        assert!(End::at(now(-1)).is_over());
        assert!(!End::after(Duration::MAX).is_over());
        assert!(!End::at(Timestamp::from_millis(i64::MAX)).is_over());
    }

    #[test]
    fn the_time_that_is_shown_follows_the_clock() {
        let end = End::at(now(60_000));
        assert_eq!(end.by_the_clock_of_now(), end);
        // As after the clock was set eight hours forward.
        let shown = now(60_000 - 8 * 3_600_000);
        let set = End { shown, ..end }.by_the_clock_of_now();
        assert_eq!(set.left().as_secs(), end.left().as_secs());
        assert!(set.time().as_millis().abs_diff(end.time().as_millis()) < 5_000);
    }
}
