//! Whether the clocks of the Worker and of this computer differ so much that its signatures are
//! refused. Only then are they wrong and yet by the right key, but a signature that somebody has kept
//! is, too: while others are right, it means nothing.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

/// Without a right signature for so long, one at the wrong time is about the clock; and for so long
/// it is reported.
const FOR_LONG: Duration = Duration::from_secs(600);

/// What the signatures of the Worker show about the clocks; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct EdgeClock(Arc<Mutex<SeenSignatures>>);

#[derive(Debug)]
struct SeenSignatures {
    /// When the last signature was right, or when this process started.
    right: Instant,
    wrong: Option<Instant>,
}

impl Default for SeenSignatures {
    fn default() -> Self {
        Self {
            right: Instant::now(),
            wrong: None,
        }
    }
}

impl EdgeClock {
    /// Whether the Worker's requests are refused because of the time in them.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.lock().wrong.is_some_and(is_recent)
    }

    /// A signature was right.
    pub(crate) fn right(&self) {
        let mut seen = self.lock();
        seen.right = Instant::now();
        seen.wrong = None;
    }

    /// A signature was by the right key, and made so many seconds after now, or before.
    pub(crate) fn wrong(&self, seconds: i64) {
        if let Some(line) = self.add_wrong(seconds) {
            tracing::warn!("{line}");
        }
    }

    /// Returns the line for the log where the clock is off from now on.
    fn add_wrong(&self, seconds: i64) -> Option<String> {
        let mut seen = self.lock();
        if is_recent(seen.right) {
            return None;
        }
        let before = seen.wrong.replace(Instant::now());
        drop(seen);
        let (by, how) = (
            seconds.unsigned_abs(),
            if seconds > 0 { "behind" } else { "ahead of" },
        );
        (!before.is_some_and(is_recent)).then(|| {
            format!(
                "the clock of this computer is {by} s {how} the Worker's, so its requests are \
                 refused and readers get the snapshot: set the clock"
            )
        })
    }

    /// Every change under this lock is atomic, so a panic leaves no partial state.
    fn lock(&self) -> MutexGuard<'_, SeenSignatures> {
        self.0.lock()
    }
}

fn is_recent(at: Instant) -> bool {
    at.elapsed() < FOR_LONG
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Signatures at the wrong time, one a minute, for this many minutes.
    async fn wrong_for(minutes: u32, clock: &EdgeClock, seconds: i64) {
        for _ in 0..minutes {
            tokio::time::advance(MINUTE).await;
            clock.wrong(seconds);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_replayed_signature_raises_no_clock_alert_beside_valid_ones() {
        let clock = EdgeClock::default();
        for _ in 0..2 {
            // Nor soon after a start.
            wrong_for(9, &clock, -3600).await;
            assert!(!clock.is_off());
            clock.right();
        }
        wrong_for(10, &clock, -3600).await;
        assert!(clock.is_off());
        clock.right();
        assert!(!clock.is_off());
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_is_off_for_as_long_as_signatures_come_at_the_wrong_time() {
        let clock = EdgeClock::default();
        wrong_for(10, &clock, 90).await;
        tokio::time::advance(FOR_LONG - Duration::from_secs(1)).await;
        assert!(clock.is_off());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!clock.is_off());
    }

    #[tokio::test(start_paused = true)]
    async fn a_wrong_clock_is_logged_once_with_how_wrong_it_is() {
        for (seconds, named) in [(7200, "7200 s behind"), (-3600, "3600 s ahead of")] {
            let clock = EdgeClock::default();
            let mut lines = Vec::new();
            for _ in 0..12 {
                tokio::time::advance(MINUTE).await;
                lines.extend(clock.add_wrong(seconds));
            }
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].contains(named), "{lines:?}");
        }
    }
}
