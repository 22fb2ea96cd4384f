//! When an upload that failed is tried again, and how long all uploads wait before that: a server's
//! `Retry-After` for one of them applies to all.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::backoff::Backoff;
use crate::http::client::ClientError;
use crate::state::State;

/// Between attempts without a `Retry-After`.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));

/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// Callers with the same `Retry-After` are spread over this time.
const SPREAD: Duration = Duration::from_millis(250);

/// Shared by all uploads of a run that ends.
#[derive(Debug)]
pub(super) struct RetryPolicy {
    retries: u32,
    /// No calls before then.
    quiet_until: State<Instant>,
    /// The number of conclusive answers.
    settled: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Tries<'p> {
    retry: &'p RetryPolicy,
    failures: u32,
    settled_before: u64,
}

impl RetryPolicy {
    pub(super) fn new(retries: u32) -> Self {
        Self {
            retries,
            quiet_until: State::new(Instant::now()),
            settled: AtomicU64::new(0),
        }
    }

    pub(super) fn tries(&self) -> Tries<'_> {
        Tries {
            retry: self,
            failures: 0,
            settled_before: self.settled.load(Ordering::Relaxed),
        }
    }

    pub(super) fn settled(&self) {
        self.settled.fetch_add(1, Ordering::Relaxed);
    }

    /// Completes when the server may be called.
    pub(super) async fn quiet_time(&self) {
        loop {
            let until = self.quiet_until.get();
            if until <= Instant::now() {
                return;
            }
            // It may have been extended in between.
            tokio::time::sleep_until(until).await;
        }
    }
}

impl Tries<'_> {
    /// Waits after a failure until the retry is due.
    ///
    /// # Errors
    /// The failure, when a retry would not help, or none is left.
    pub(super) async fn again(&mut self, error: ClientError) -> Result<(), ClientError> {
        if !may_pass(&error) {
            return Err(error);
        }
        // While other uploads succeed, a rate limit is no failure.
        let settled = self.retry.settled.load(Ordering::Relaxed);
        let crowded = matches!(error, ClientError::Wait { .. }) && settled != self.settled_before;
        self.settled_before = settled;
        if !crowded {
            self.failures += 1;
        }
        if self.failures > self.retry.retries {
            return Err(error);
        }
        if let Some(wait) = error.retry_after() {
            let until = Instant::now() + wait.min(LONGEST_RETRY_AFTER);
            self.retry
                .quiet_until
                .update(|quiet_until| *quiet_until = until.max(*quiet_until));
            self.retry.quiet_time().await;
            tokio::time::sleep(SPREAD.mul_f64(rand::random())).await;
        } else {
            let longest = BACKOFF.after(self.failures);
            // At least half of it, so that it does grow.
            let part = 0.5 + rand::random::<f64>() / 2.0;
            tokio::time::sleep(longest.mul_f64(part)).await;
        }
        Ok(())
    }
}

/// Whether the same call may succeed a little later.
fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. }
        | ClientError::Wait { .. }
        | ClientError::NotUnderstood { .. }
        | ClientError::NotRunning(_) => true,
        // 408: the body stopped coming.
        ClientError::Answered { status, .. } | ClientError::Own { status, .. } => {
            *status >= 500 || *status == 408
        }
        ClientError::Refused | ClientError::Token => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16) -> ClientError {
        ClientError::Answered {
            status,
            text: String::new(),
            is_by_the_service: true,
            retry_after: None,
        }
    }

    #[test]
    fn only_temporary_errors_are_retried() {
        for status in [500, 502, 503, 507, 408] {
            assert!(may_pass(&answered(status)), "{status}");
        }
        for status in [301, 308, 400, 404, 413, 415, 422] {
            assert!(!may_pass(&answered(status)), "{status}");
        }
        assert!(!may_pass(&ClientError::Refused));
        assert!(may_pass(&ClientError::NotUnderstood { status: 200 }));
    }

    #[tokio::test(start_paused = true)]
    async fn retries_are_counted_but_not_while_others_get_through() {
        let retry = RetryPolicy::new(2);
        let wait = || ClientError::Wait {
            retry_after: Some(Duration::from_secs(1)),
        };
        let mut tries = retry.tries();
        for _ in 0..20 {
            retry.settled();
            assert!(tries.again(wait()).await.is_ok());
        }
        assert!(tries.again(wait()).await.is_ok());
        assert!(tries.again(wait()).await.is_ok());
        assert!(tries.again(wait()).await.is_err());
        let mut tries = retry.tries();
        retry.settled();
        for _ in 0..2 {
            assert!(tries.again(answered(503)).await.is_ok());
        }
        assert!(tries.again(answered(503)).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_week_without_the_service_it_resumes_within_the_longest_pause() {
        let refused = || answered(503);
        let retry = RetryPolicy::new(u32::MAX);
        let mut tries = retry.tries();
        let began = Instant::now();
        let week = Duration::from_secs(7 * 24 * 3_600);
        let mut calls = 0_u32;
        while began.elapsed() < week {
            let before = Instant::now();
            assert!(tries.again(refused()).await.is_ok());
            assert!(
                before.elapsed() <= BACKOFF.after(u32::MAX),
                "after {calls} calls"
            );
            calls += 1;
        }
        // At most a minute apart, and at least half of one.
        assert!((10_080..=20_170).contains(&calls), "{calls}");
        // Now it is back: a new upload does not wait.
        let back = Instant::now();
        retry.settled();
        retry.quiet_time().await;
        assert_eq!(back.elapsed(), Duration::ZERO);
        let mut next = retry.tries();
        assert!(next.again(refused()).await.is_ok());
        assert!(
            back.elapsed() <= BACKOFF.after(1),
            "it starts with short pauses"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_after_for_one_applies_to_all() {
        let retry = RetryPolicy::new(3);
        let began = Instant::now();
        let wait = ClientError::Wait {
            retry_after: Some(Duration::from_secs(7)),
        };
        let mut tries = retry.tries();
        let (again, ()) = tokio::join!(tries.again(wait), async {
            tokio::task::yield_now().await;
            retry.quiet_time().await;
            assert!(began.elapsed() >= Duration::from_secs(7));
        });
        assert!(again.is_ok());
    }
}
