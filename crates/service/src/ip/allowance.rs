//! Limits calls to the provider: a number per day, and none while it fails.

use std::time::Duration;

use super::IpError;
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;

/// Calls a day. The provider gives 1,000 to an address without a token.
pub(super) const CALLS_A_DAY: u32 = 900;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Failures in a row after which the provider counts as down.
const DOWN_AFTER: u32 = 5;

/// How long a provider that is down is not called. Failed calls count towards
/// the day's limit too, so the pause is long enough for a day of failures.
const DOWN_FOR: Duration = Duration::from_secs(2 * 60);

/// The count of calls. It is not kept over a restart.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    /// When the day began: with its first call.
    began: Option<Timestamp>,
    calls: u32,
    failures: u32,
    /// From when on, and for how long, the provider is not called.
    pause: Option<(Timestamp, Duration)>,
}

impl Allowance {
    /// Takes one call from the day's.
    ///
    /// # Errors
    /// When they are used up, or the provider fails and is not called.
    pub(super) fn take(&mut self, clock: &Clock) -> Result<(), IpError> {
        let paused = self
            .pause
            .and_then(|(since, long)| Some(clock.since(since)? < long));
        if paused == Some(true) {
            let why = "the provider fails and is left alone".to_owned();
            return Err(IpError::Failed(why));
        }
        let passed = self
            .began
            .and_then(|began| clock.since(began))
            .filter(|&passed| passed < DAY);
        let Some(passed) = passed else {
            self.began = Some(clock.now());
            self.calls = 1;
            return Ok(());
        };
        if self.calls >= CALLS_A_DAY {
            let retry_after = DAY - passed;
            return Err(IpError::BudgetSpent { retry_after });
        }
        self.calls += 1;
        Ok(())
    }

    /// Records a successful call; returns whether the one before failed.
    pub(super) fn answered(&mut self) -> bool {
        self.pause = None;
        std::mem::take(&mut self.failures) > 0
    }

    /// Records a failed call, and returns whether the one before succeeded;
    /// `retry_after` is the pause that the provider requests.
    pub(super) fn failed(&mut self, retry_after: Option<Duration>, clock: &Clock) -> bool {
        self.failures = self.failures.saturating_add(1);
        let down = (self.failures >= DOWN_AFTER).then_some(DOWN_FOR);
        if let Some(long) = retry_after.max(down) {
            self.pause = Some((clock.now(), long));
        }
        self.failures == 1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::clock::timestamp::Timestamp;

    use super::{Allowance, DOWN_AFTER, DOWN_FOR, IpError};
    use crate::clock::StoppedClock;

    fn hand() -> StoppedClock {
        StoppedClock::at(Timestamp::from_millis(1_000_000))
    }

    #[test]
    fn a_provider_that_keeps_failing_is_not_called_for_a_while() {
        let (hand, mut allowance) = (hand(), Allowance::default());
        for _ in 0..DOWN_AFTER {
            assert_eq!(allowance.take(&hand.clock()), Ok(()));
            allowance.failed(None, &hand.clock());
        }
        let paused = allowance.take(&hand.clock());
        assert!(matches!(paused, Err(IpError::Failed(_))), "{paused:?}");
        hand.advance(DOWN_FOR);
        assert_eq!(allowance.take(&hand.clock()), Ok(()));
        assert!(allowance.answered());
        assert!(allowance.failed(None, &hand.clock()));
        assert_eq!(allowance.take(&hand.clock()), Ok(()));
    }

    #[test]
    fn a_clock_that_is_set_back_starts_a_new_day() {
        let (hand, mut allowance) = (hand(), Allowance::default());
        assert_eq!(allowance.take(&hand.clock()), Ok(()));
        allowance.failed(Some(Duration::from_secs(30)), &hand.clock());
        hand.set(Timestamp::from_millis(0));
        assert_eq!(allowance.take(&hand.clock()), Ok(()));
    }
}
