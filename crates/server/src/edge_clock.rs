//! Whether the clocks of the Worker and of this computer differ so much that its signatures are
//! refused. Only then are they wrong and yet by the right key, but a signature that somebody has kept
//! is, too: while others are right, it says nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Without a right signature for so long, one at the wrong time is about the clock; and for so long
/// it says so.
const FOR_LONG: Duration = Duration::from_secs(600);

/// What the signatures of the Worker say of the clocks; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct EdgeClock(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    right: Option<Instant>,
    wrong: Option<Instant>,
}

impl EdgeClock {
    /// Whether the Worker's requests are refused because of the time in them.
    #[must_use]
    pub fn is_off(&self) -> bool {
        is_recent(self.lock().wrong)
    }

    /// A signature was right.
    pub(crate) fn right(&self) {
        let mut seen = self.lock();
        seen.right = Some(Instant::now());
        seen.wrong = None;
    }

    /// A signature was by the right key, and made so many seconds after now, or before.
    pub(crate) fn wrong(&self, seconds: i64) {
        let mut seen = self.lock();
        if is_recent(seen.right) {
            return;
        }
        if !is_recent(seen.wrong) {
            let (by, how) = (
                seconds.unsigned_abs(),
                if seconds > 0 { "behind" } else { "ahead of" },
            );
            tracing::warn!(
                "the clock of this computer is {by} s {how} the Worker's, so its requests are \
                 refused and readers get the snapshot: set the clock"
            );
        }
        seen.wrong = Some(Instant::now());
    }

    /// Every change under this lock is atomic, so a panic leaves no partial state.
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_recent(at: Option<Instant>) -> bool {
    at.is_some_and(|at| at.elapsed() < FOR_LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_signature_that_was_kept_says_nothing_of_the_clock_beside_right_ones() {
        let clock = EdgeClock::default();
        assert!(!clock.is_off());
        clock.right();
        for _ in 0..9 {
            tokio::time::advance(Duration::from_secs(60)).await;
            clock.wrong(-3600);
            assert!(!clock.is_off());
        }
        tokio::time::advance(Duration::from_secs(60)).await;
        clock.wrong(-3600);
        assert!(clock.is_off());
        clock.right();
        assert!(!clock.is_off());
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_off_for_as_long_as_signatures_come_at_the_wrong_time() {
        let clock = EdgeClock::default();
        clock.wrong(90);
        tokio::time::advance(FOR_LONG - Duration::from_secs(1)).await;
        assert!(clock.is_off());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!clock.is_off());
    }
}
