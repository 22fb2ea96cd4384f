//! The day of Cloudflare's free plan, which ends at midnight UTC: what the Worker's answers say of it.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::clock::timestamp::Timestamp;

/// The owner is alerted at 70 % of the 100,000 requests of a day.
const MANY_REQUESTS: u64 = 70_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// What is known of the day. All clients of the same settings share it.
#[derive(Debug, Clone, Default)]
pub struct EdgeDay(Arc<Mutex<Known>>);

/// No setting: two settings that differ in this alone are the same.
impl PartialEq for EdgeDay {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Times are Unix milliseconds.
#[derive(Debug, Default)]
struct Known {
    /// Until when the Worker answers nothing.
    silent_until: i64,
    /// Until when it stores nothing.
    full_until: i64,
    /// The number of a day since the Unix epoch, and its requests so far.
    requests: (i64, u64),
}

impl EdgeDay {
    /// The end of the day of this time.
    #[must_use]
    pub fn end(now: Timestamp) -> Timestamp {
        Timestamp::from_millis((now.as_millis().div_euclid(DAY) + 1) * DAY)
    }

    /// Cloudflare answers nothing more until then.
    pub fn set_spent(&self, until: Timestamp) {
        self.known().silent_until = until.as_millis();
    }

    /// The Worker stores nothing more until then.
    pub(crate) fn set_full(&self, until: Timestamp) {
        self.known().full_until = until.as_millis();
    }

    /// Until when a request waits; `None` where it can be sent.
    pub(crate) fn waits(&self, writes: bool, now: Timestamp) -> Option<Timestamp> {
        let known = self.known();
        let full_until = if writes { known.full_until } else { 0 };
        let until = known.silent_until.max(full_until);
        (until > now.as_millis()).then(|| Timestamp::from_millis(until))
    }

    /// The requests of a day so far.
    pub(crate) fn counted(&self, day: i64, requests: u64) {
        let before = std::mem::replace(&mut self.known().requests, (day, requests));
        let was_many = before.0 == day && before.1 >= MANY_REQUESTS;
        if requests >= MANY_REQUESTS && !was_many {
            tracing::warn!(
                "the Worker had {requests} requests today, until midnight UTC; Cloudflare's free \
                 plan has 100,000"
            );
        }
    }

    /// Whether a limit of the day is reached (or many requests of it are used), and until when.
    #[must_use]
    pub fn alert(&self, now: Timestamp) -> Option<(bool, Timestamp)> {
        if let Some(until) = self.waits(true, now) {
            return Some((true, until));
        }
        let (day, requests) = self.known().requests;
        let is_today = day == now.as_millis().div_euclid(DAY);
        (is_today && requests >= MANY_REQUESTS).then(|| (false, Self::end(now)))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_ends_at_midnight_utc() {
        let at = |millis| Timestamp::from_millis(20 * DAY + millis);
        let day = EdgeDay::default();
        assert_eq!(day.alert(at(0)), None);
        day.counted(20, 69_999);
        assert_eq!(day.alert(at(0)), None);
        day.counted(20, 70_000);
        assert_eq!(day.alert(at(5)), Some((false, at(DAY))));
        assert_eq!(day.waits(true, at(5)), None);
        assert_eq!(day.alert(at(DAY)), None);

        day.set_full(EdgeDay::end(at(7)));
        assert_eq!(day.waits(false, at(DAY - 1)), None);
        assert_eq!(day.waits(true, at(DAY - 1)), Some(at(DAY)));
        assert_eq!(day.alert(at(8)), Some((true, at(DAY))));
        day.set_spent(EdgeDay::end(at(8)));
        assert_eq!(day.waits(false, at(DAY - 1)), Some(at(DAY)));
        assert_eq!(day.waits(true, at(DAY)), None);
        assert_eq!(day.alert(at(DAY)), None);
    }
}
