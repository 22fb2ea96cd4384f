//! A cached answer, and a failure that is cached for a shorter time.

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;

/// How long an answer is valid, and how long a failure is not retried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lifetime {
    pub(super) answer: Duration,
    pub(super) failure: Duration,
}

/// Why there is no answer now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// As text, for the owner.
    pub(super) why: Message,
    /// The other end's `Retry-After`.
    pub(super) pause: Option<Duration>,
}

/// The last good answer to one request, and when it is due again.
#[derive(Debug, Clone)]
pub(super) struct Cached<T> {
    good: Option<(T, Timestamp)>,
    /// From when on, and for how long, the request is not repeated.
    quiet: Option<(Timestamp, Duration)>,
    /// The failure of the last request, if it failed.
    failure: Option<Failure>,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self {
            good: None,
            quiet: None,
            failure: None,
        }
    }
}

impl<T> Cached<T> {
    /// Whether the request is due again.
    pub(super) fn is_due(&self, clock: &Clock) -> bool {
        !self
            .quiet
            .is_some_and(|(since, quiet)| is_within(clock, since, quiet))
    }

    /// Keeps a good answer.
    pub(super) fn answered(&mut self, answer: T, clock: &Clock, lifetime: Lifetime) {
        let now = clock.now();
        self.good = Some((answer, now));
        self.quiet = Some((now, lifetime.answer));
        self.failure = None;
    }

    /// Notes a failure. The last good answer stays; there is no retry before
    /// the other end's `Retry-After` is over.
    pub(super) fn failed(&mut self, failure: Failure, clock: &Clock, lifetime: Lifetime) {
        let quiet = lifetime.failure.max(failure.pause.unwrap_or_default());
        self.quiet = Some((clock.now(), quiet));
        self.failure = Some(failure);
    }

    /// Makes the next call refresh.
    pub(super) fn invalidate(&mut self) {
        self.quiet = None;
    }

    /// Sends the request if it is due, and caches the outcome.
    ///
    /// # Errors
    /// When the last request failed, whether now or earlier and not yet due
    /// again; the last good answer remains.
    pub(super) async fn refresh<E: Into<Failure>>(
        &mut self,
        clock: &Clock,
        lifetime: Lifetime,
        question: impl Future<Output = Result<T, E>>,
    ) -> Result<(), Failure> {
        if self.is_due(clock) {
            match question.await {
                Ok(answer) => self.answered(answer, clock, lifetime),
                Err(error) => self.failed(error.into(), clock, lifetime),
            }
        }
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// The last good answer, however old.
    pub(super) fn last(&self) -> Option<&T> {
        self.good.as_ref().map(|(answer, _)| answer)
    }

    /// The last good answer, unless it is older than `age`.
    pub(super) fn last_within(&self, age: Duration, clock: &Clock) -> Option<&T> {
        let (answer, at) = self.good.as_ref()?;
        is_within(clock, *at, age).then_some(answer)
    }
}

/// What is kept of this game, after making room for it among at most `most`.
pub(super) fn kept<T>(
    games: &mut HashMap<u32, Cached<T>>,
    game: u32,
    most: usize,
) -> &mut Cached<T> {
    if games.len() >= most && !games.contains_key(&game) {
        games.clear();
    }
    games.entry(game).or_default()
}

/// Whether less than `age` has passed since then. A clock that was set back
/// counts as a time that has passed.
fn is_within(clock: &Clock, since: Timestamp, age: Duration) -> bool {
    clock.since(since).is_some_and(|passed| passed < age)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::clock::timestamp::Timestamp;

    use super::{Cached, Lifetime};
    use crate::clock::StoppedClock;

    #[test]
    fn a_clock_that_is_set_back_does_not_freeze_an_answer() {
        let hand = StoppedClock::at(Timestamp::from_millis(1_000_000));
        let mut kept = Cached::default();
        let lifetime = Lifetime {
            answer: Duration::from_secs(30),
            failure: Duration::from_secs(10),
        };
        kept.answered("a", &hand.clock(), lifetime);
        assert!(!kept.is_due(&hand.clock()));
        hand.set(Timestamp::from_millis(0));
        assert!(kept.is_due(&hand.clock()));
    }
}
