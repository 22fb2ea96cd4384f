//! Cached answers, and failures, which are cached for a shorter time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::Url;

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::error::message::{Message, Parameter};
use crate::http::external as external_http;
use crate::http::external::HttpAnswer;

/// The most requests whose answers are kept: an owner does not play more games in a day.
const MOST: usize = 64;

/// How long an answer is valid, and how long a failure is not retried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lifetime {
    pub(super) answer: Duration,
    pub(super) failure: Duration,
}

/// Why there is no answer now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// As text, for the owner. It contains no key and no URL.
    pub(super) why: Message,
    /// The other end's `Retry-After`.
    pub(super) pause: Option<Duration>,
}

impl From<Message> for Failure {
    fn from(why: Message) -> Self {
        Self { why, pause: None }
    }
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
        self.left(clock).is_none()
    }

    /// For how long the request is not repeated. A clock that was set back counts as a time that
    /// has passed.
    fn left(&self, clock: &Clock) -> Option<Duration> {
        let (since, quiet) = self.quiet?;
        let left = quiet.checked_sub(clock.since(since)?)?;
        (!left.is_zero()).then_some(left)
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

    /// The last good answer, however old.
    pub(super) fn last(&self) -> Option<&T> {
        self.good.as_ref().map(|(answer, _)| answer)
    }

    /// The last good answer, unless it is older than `age`.
    pub(super) fn last_within(&self, age: Duration, clock: &Clock) -> Option<&T> {
        let (answer, at) = self.good.as_ref()?;
        let is_recent = clock.since(*at).is_some_and(|passed| passed < age);
        is_recent.then_some(answer)
    }
}

/// What is known of something after a request for it.
#[derive(Default)]
pub(super) struct Found<T> {
    /// The last good answer, however old.
    pub(super) value: Option<T>,
    /// Why it may not be up to date: the failure of the last request.
    pub(super) failure: Option<Failure>,
}

/// How answers of one service are read.
pub(super) struct Reader<T> {
    pub(super) lifetime: Lifetime,
    /// The service that did not answer, as text.
    pub(super) silent: fn(Parameter) -> Message,
    pub(super) read: fn(&HttpAnswer) -> Result<T, Failure>,
}

type Kept = Arc<tokio::sync::Mutex<Cached<HttpAnswer>>>;

/// Answers by the address of their request, which names the account, the language and the country:
/// with other settings none is found that was meant for other ones.
pub(super) struct Answers {
    pub(super) clock: Clock,
    http: reqwest::Client,
    kept: Mutex<HashMap<Url, Kept>>,
}

impl Answers {
    pub(super) fn new(http: reqwest::Client, clock: Clock) -> Self {
        Self {
            clock,
            http,
            kept: Mutex::default(),
        }
    }

    /// What is at this address. The request is sent if that is due, and once for all who wait.
    pub(super) async fn get<T>(&self, address: Url, reader: Reader<T>) -> Found<T> {
        let kept = self.kept(&address);
        let mut kept = kept.lock().await;
        if kept.is_due(&self.clock) {
            match external_http::ask(self.http.get(address)).await {
                Err(error) => {
                    let why = (reader.silent)((&error).into());
                    kept.failed(why.into(), &self.clock, reader.lifetime);
                }
                Ok(answer) => match (reader.read)(&answer) {
                    Ok(_) => kept.answered(answer, &self.clock, reader.lifetime),
                    Err(failure) => kept.failed(failure, &self.clock, reader.lifetime),
                },
            }
        }
        let left = kept.left(&self.clock);
        Found {
            value: kept.last().and_then(|answer| (reader.read)(answer).ok()),
            failure: kept.failure.clone().map(|failure| Failure {
                // Some of it may be over.
                pause: failure.pause.and(left),
                ..failure
            }),
        }
    }

    fn kept(&self, address: &Url) -> Kept {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST && !kept.contains_key(address) {
            kept.clear();
        }
        Arc::clone(kept.entry(address.clone()).or_default())
    }
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
