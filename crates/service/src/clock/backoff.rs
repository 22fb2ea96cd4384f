//! Exponential back-off.

use std::time::Duration;

/// How long to wait after failures in a row: twice as long each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// From `first`, the wait after one failure, up to `longest`.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// The wait after this many failures; none after none.
    #[must_use]
    pub fn after(self, failures: u32) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else {
            return Duration::ZERO;
        };
        let doubled = 1_u32 << doublings.min(31);
        self.first.saturating_mul(doubled).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));
        let waits = (0..=9).map(|failures| backoff.after(failures).as_millis());
        let expected = [
            0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
        ];
        assert!(waits.eq(expected));
        assert_eq!(backoff.after(u32::MAX), Duration::from_secs(60));
    }
}
