//! The clock as a value: the code that builds the service supplies it.

pub mod backoff;
pub mod timestamp;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::civil::date;
use jiff::tz::TimeZone;

use crate::clock::timestamp::Timestamp;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// The source of the service's time; clones share it.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Read on every call, since the owner may travel.
    zone: fn() -> TimeZone,
}

/// A day by the owner's clock: from one midnight to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Its date, as days since that of the Unix epoch.
    pub number: i64,
    /// Its start.
    pub from: Timestamp,
    /// Its end, which is the start of the next one.
    pub to: Timestamp,
}

impl Day {
    /// Whether it contains a time.
    #[must_use]
    pub fn holds(&self, time: Timestamp) -> bool {
        (self.from..self.to).contains(&time)
    }
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self {
            now: Arc::new(Timestamp::now),
            zone: TimeZone::system,
        }
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// The day that contains a time.
    #[must_use]
    pub fn day_of(&self, time: Timestamp) -> Day {
        by_calendar(time, (self.zone)()).unwrap_or_else(|| {
            // Outside of the calendar's range, every day has 24 hours.
            let number = time.as_millis().div_euclid(DAY);
            Day {
                number,
                from: Timestamp::from_millis(number.saturating_mul(DAY)),
                to: Timestamp::from_millis(number.saturating_add(1).saturating_mul(DAY)),
            }
        })
    }

    /// The numbers of the first and of the last day of a half-open range of
    /// time.
    #[must_use]
    pub fn days_between(&self, from: Timestamp, to: Timestamp) -> [i64; 2] {
        let last = Timestamp::from_millis(to.as_millis().saturating_sub(1));
        [from, last].map(|time| self.day_of(time).number)
    }

    /// The time since `earlier`. `None` when that is in the future, which
    /// happens when the machine's clock was set back.
    #[must_use]
    pub fn since(&self, earlier: Timestamp) -> Option<Duration> {
        let millis = self.now().as_millis().checked_sub(earlier.as_millis())?;
        u64::try_from(millis).ok().map(Duration::from_millis)
    }
}

/// `None` outside of the calendar's range.
fn by_calendar(time: Timestamp, zone: TimeZone) -> Option<Day> {
    let zoned = jiff::Timestamp::from_millisecond(time.as_millis())
        .ok()?
        .to_zoned(zone);
    let from = zoned.start_of_day().ok()?;
    let to = zoned.tomorrow().ok()?.start_of_day().ok()?;
    let since_the_epoch = date(1970, 1, 1).duration_until(zoned.date());
    Some(Day {
        number: since_the_epoch.as_hours() / 24,
        from: Timestamp::from_millis(from.timestamp().as_millisecond()),
        to: Timestamp::from_millis(to.timestamp().as_millisecond()),
    })
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

/// A clock that advances only on command, for tests. Its days are those of
/// UTC.
#[derive(Debug, Clone)]
pub struct StoppedClock(Arc<AtomicI64>);

impl StoppedClock {
    /// A clock stopped at `time`.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(time.as_millis())))
    }

    /// Moves it forward; part of a millisecond is dropped.
    pub fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    /// Sets it, back as well as forward.
    pub fn set(&self, time: Timestamp) {
        self.0.store(time.as_millis(), Ordering::SeqCst);
    }

    /// The clock for the service.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let time = Arc::clone(&self.0);
        Clock {
            now: Arc::new(move || Timestamp::from_millis(time.load(Ordering::SeqCst))),
            zone: || TimeZone::UTC,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::clock::timestamp::Timestamp;
    use jiff::tz::TimeZone;

    use super::{DAY, StoppedClock, by_calendar};

    #[test]
    fn a_stopped_clock_moves_when_it_is_moved_and_its_clones_with_it() {
        let hand = StoppedClock::at(Timestamp::from_millis(1_000));
        let clock = hand.clock().clone();
        assert_eq!(clock.now(), Timestamp::from_millis(1_000));
        hand.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), Timestamp::from_millis(3_000));
        assert_eq!(
            clock.since(Timestamp::from_millis(1_000)),
            Some(Duration::from_secs(2))
        );
    }

    #[test]
    fn a_time_in_the_future_has_no_age() {
        let hand = StoppedClock::at(Timestamp::from_millis(1_000));
        assert_eq!(hand.clock().since(Timestamp::from_millis(1_001)), None);
    }

    #[test]
    fn a_day_goes_from_midnight_to_midnight_also_where_the_clock_is_changed_on_it() {
        // Four hours behind UTC in summer, five in winter: changed on 2026-11-01.
        let zone = || TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").expect("a zone");
        let hour = DAY / 24;
        let first = 20_758 * DAY + 4 * hour;
        for (time, number, from, hours) in [
            (first - 1, 20_757, first - DAY, 24),
            (first, 20_758, first, 25),
            (first + 25 * hour - 1, 20_758, first, 25),
            (first + 25 * hour, 20_759, first + 25 * hour, 24),
        ] {
            let day = by_calendar(Timestamp::from_millis(time), zone()).expect("a day");
            let (start, end) = (day.from.as_millis(), day.to.as_millis());
            assert_eq!((day.number, start), (number, from), "{time}");
            assert_eq!(end - start, hours * hour, "{time}");
            assert!(day.holds(Timestamp::from_millis(time)));
            assert!(!day.holds(day.to));
        }
    }

    #[test]
    fn days_are_right_in_berlin_and_where_one_begins_at_one_o_clock() {
        let hour = DAY / 24;
        let at = |text: &str| {
            let time: jiff::Timestamp = text.parse().expect("a time");
            time.as_millisecond()
        };
        let berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
        // Havana's clock goes from 0:00 to 1:00, and from 1:00 to 0:00.
        let havana = "CST5CDT,M3.2.0/0,M11.1.0/1";
        for (zone, from, hours) in [
            (berlin, "2026-03-28T23:00:00Z", 23),
            (berlin, "2026-03-29T22:00:00Z", 24),
            (berlin, "2026-10-24T22:00:00Z", 25),
            (berlin, "2026-10-25T23:00:00Z", 24),
            (havana, "2026-03-07T05:00:00Z", 24),
            (havana, "2026-03-08T05:00:00Z", 23),
            (havana, "2026-11-01T04:00:00Z", 25),
            (havana, "2026-11-02T05:00:00Z", 24),
        ] {
            let begins = at(from);
            let ends = begins + hours * hour;
            for time in (begins..ends).step_by(1_800_000).chain([ends - 1]) {
                let zone = TimeZone::posix(zone).expect("a zone");
                let day = by_calendar(Timestamp::from_millis(time), zone).expect("a day");
                assert_eq!(
                    [day.from.as_millis(), day.to.as_millis()],
                    [begins, ends],
                    "{from}: {time}"
                );
                assert_eq!(day.number, (begins + 12 * hour).div_euclid(DAY), "{from}");
            }
        }
    }

    #[test]
    fn there_are_days_outside_of_the_calendar_too() {
        for time in [i64::MIN, -1, 0, i64::MAX - DAY] {
            let time = Timestamp::from_millis(time);
            let day = StoppedClock::at(time).clock().day_of(time);
            assert_eq!(day.number, time.as_millis().div_euclid(DAY));
        }
    }

    /// There are no files of zones there, so the program has them.
    #[cfg(windows)]
    #[test]
    fn the_zone_of_the_system_and_those_of_others_are_known() {
        let zone = TimeZone::try_system().expect("the owner's zone");
        assert!(!zone.is_unknown(), "{zone:?}");
        let shanghai = TimeZone::get("Asia/Shanghai").expect("a zone");
        let noon = shanghai.to_datetime("2026-11-24T04:00:00Z".parse().expect("a time"));
        assert_eq!(noon, jiff::civil::date(2026, 11, 24).at(12, 0, 0, 0));
    }
}
