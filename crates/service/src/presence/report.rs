//! A report of a device: how long it is valid, and which of two matters more.

use crate::clock::timestamp::Timestamp;
use crate::http::replies::HeartbeatFields;

/// The last report of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) at: Timestamp,
    /// For how many milliseconds it is valid; 0 where it has ended.
    pub(crate) valid_for: i64,
    /// When the foreground app last changed, or the owner came back to the device.
    pub(crate) used_at: Timestamp,
    pub(crate) fields: HeartbeatFields,
}

impl Report {
    /// The report that comes after another one.
    pub(super) fn after(
        before: Option<&Self>,
        now: Timestamp,
        valid_for: i64,
        fields: HeartbeatFields,
    ) -> Self {
        let goes_on = before.filter(|before| {
            let same =
                before.fields.application_online && before.fields.application == fields.application;
            before.is_valid(now) && (same || !fields.application_online)
        });
        Self {
            at: now,
            valid_for,
            used_at: goes_on.map_or(now, |before| before.used_at),
            fields,
        }
    }

    pub(crate) fn is_valid(&self, now: Timestamp) -> bool {
        self.valid_for > 0 && is_within(self.at, now, self.valid_for)
    }

    /// Until when it is valid.
    pub(super) fn end(&self) -> Timestamp {
        Timestamp::from_millis(self.at.as_millis().saturating_add(self.valid_for))
    }

    /// Valid reports come before ended ones; of the valid ones those within `alive`, then those of
    /// devices in use, then the last used; of the ended ones the last. Without fields nothing is known
    /// of use: the last one counts.
    pub(super) fn rank(&self, order: Order) -> (bool, bool, bool, Timestamp) {
        if !self.is_valid(order.now) {
            return (false, false, false, self.at);
        }
        let is_fresh = is_within(self.at, order.now, order.alive);
        match order.with_fields {
            true => (true, is_fresh, self.fields.application_online, self.used_at),
            false => (true, is_fresh, true, self.at),
        }
    }
}

/// By what reports are ordered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    pub(super) now: Timestamp,
    /// `heartbeat.alive_seconds` in milliseconds.
    pub(super) alive: i64,
    /// `heartbeat.fields`
    pub(super) with_fields: bool,
}

/// A clock that was set back a little must not make the owner offline, so a report from the near
/// future counts as well.
pub(super) fn is_within(at: Timestamp, now: Timestamp, millis: i64) -> bool {
    let distance = now.as_millis().saturating_sub(at.as_millis());
    distance.saturating_abs() <= millis
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000_000_000_000;
    const ALIVE: i64 = 600_000;

    fn before(seconds: i64) -> Timestamp {
        Timestamp::from_millis(NOW - seconds * 1_000)
    }

    #[test]
    fn an_app_that_changes_and_a_return_are_uses_and_a_title_and_a_goodbye_are_none() {
        let fields = |application: &str, online: bool| HeartbeatFields {
            application: application.to_owned(),
            introduce: online.to_string(),
            application_online: online,
            ..HeartbeatFields::default()
        };
        let first = Report::after(None, before(100), ALIVE, fields("a", true));
        let used = |before: &Report, now, application, online| {
            Report::after(Some(before), now, ALIVE, fields(application, online))
        };
        assert_eq!(first.used_at, before(100));
        assert_eq!(used(&first, before(90), "a", true).used_at, before(100));
        assert_eq!(used(&first, before(90), "b", true).used_at, before(90));
        let away = used(&first, before(90), "", false);
        assert_eq!(away.used_at, before(100));
        assert_eq!(used(&away, before(80), "a", true).used_at, before(80));
        let late = Timestamp::from_millis(NOW + ALIVE);
        assert_eq!(used(&first, late, "a", true).used_at, late);
    }
}
