//! The time as a value, so that whoever builds the service owns it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use porchlight_api::Timestamp;

/// Where the service reads the time; clones read the same clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }

    /// The time since `earlier`. `None` when that lies ahead, which happens
    /// when the machine's clock was set back: no age is known then.
    #[must_use]
    pub fn since(&self, earlier: Timestamp) -> Option<Duration> {
        let millis = self.now().as_millis().checked_sub(earlier.as_millis())?;
        u64::try_from(millis).ok().map(Duration::from_millis)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

/// A clock that stands still until it is moved: the one of tests.
#[derive(Debug, Clone)]
pub struct StoppedClock(Arc<AtomicI64>);

impl StoppedClock {
    /// A clock that stands at `time`.
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

    /// What to hand to the service.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let time = Arc::clone(&self.0);
        Clock(Arc::new(move || {
            Timestamp::from_millis(time.load(Ordering::SeqCst))
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use porchlight_api::Timestamp;

    use super::StoppedClock;

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
    fn a_time_that_lies_ahead_has_no_age() {
        let hand = StoppedClock::at(Timestamp::from_millis(1_000));
        assert_eq!(hand.clock().since(Timestamp::from_millis(1_001)), None);
    }
}
