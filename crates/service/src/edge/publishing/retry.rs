//! When a failed write is tried again.

use std::time::Duration;

use tokio::time::Instant;

/// A store that is back gets the whole snapshot within a minute.
const LONGEST: Duration = Duration::from_secs(30);

/// Twice the wait after each failure in a row, up to a limit.
#[derive(Debug, Default)]
pub(super) struct Retry {
    failures: u32,
    not_before: Option<Instant>,
}

impl Retry {
    pub(super) fn failed(&mut self) {
        let wait = Duration::from_secs(1 << self.failures.min(5)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.not_before = Some(Instant::now() + wait);
    }

    pub(super) fn worked(&mut self) {
        *self = Self::default();
    }

    /// Ends the wait, if there is one.
    pub(super) fn at_once(&mut self) {
        self.not_before = None;
    }

    /// Whether it is too early for a try.
    pub(super) fn waits(&self) -> bool {
        self.not_before.is_some_and(|then| then > Instant::now())
    }

    /// The time of a try that is due then.
    pub(super) fn not_before(&self, due: Instant) -> Instant {
        self.not_before.map_or(due, |then| due.max(then))
    }
}
