//! Schedules the uploads of the queue: in order, a few at once, with back-off on failures. Watched
//! files and files that the owner added each have one.

use std::collections::BTreeMap;
use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::UploadQueueError;
use crate::clock::backoff::Backoff;
use crate::error::message::Message;
use crate::state::StateReader;
use crate::uploads::upload::UploadError;
use crate::uploads::upload::retry::{BACKOFF, LONGEST_RETRY_AFTER, Wait};

/// Uploads at once; few, since the service may run on this machine too.
const AT_ONCE: usize = 2;
/// Between attempts with a rejected token.
const REFUSED: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_secs(300));
/// A new image shortens a long pause to this.
const SHORTEST_FOR_NEW: Duration = Duration::from_secs(1);
/// The longest `Retry-After` that counts as a mere rate limit.
const LONGEST_FOR_CROWD: Duration = Duration::from_secs(5);
/// A missing folder is noticed by then.
const ABSENT: Duration = Duration::from_secs(2);
/// How long uploads in progress may take when it stops.
const LAST_WORK: Duration = Duration::from_secs(3);

pub(crate) trait Rows: Send + Sync + 'static {
    type Row: Send + 'static;

    /// Up to `most` waiting rows in order, except those in progress; each with its number and its
    /// file.
    fn next(
        &self,
        most: usize,
        in_hand: Vec<i64>,
    ) -> impl Future<Output = Result<Vec<(i64, PathBuf, Self::Row)>, UploadQueueError>> + Send;

    /// Does what there is to do about one.
    fn upload(&self, row: Self::Row) -> impl Future<Output = Ended> + Send;

    /// The service failed on this one: others go first.
    fn failed(&self, id: i64) -> impl Future<Output = Result<(), UploadQueueError>> + Send;

    /// Updates the status; how many wait, where that can be read.
    fn show(
        &self,
        under_way: Vec<PathBuf>,
        paused: bool,
    ) -> impl Future<Output = Option<u64>> + Send;

    /// Why nothing goes out now; `None` when something does.
    fn trouble(&self, why: Option<Message>);
}

#[derive(Debug)]
pub(crate) enum Ended {
    /// It is done.
    Settled {
        served: bool,
    },
    /// Its folder is not there.
    Absent,
    Later(Trouble),
}

impl From<UploadQueueError> for Ended {
    fn from(error: UploadQueueError) -> Self {
        Self::Later(error.into())
    }
}

#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) why: Message,
    pub(crate) wait: Wait,
}

impl From<UploadQueueError> for Trouble {
    fn from(error: UploadQueueError) -> Self {
        Self {
            why: error.into(),
            wait: Wait::Growing,
        }
    }
}

impl From<&UploadError> for Trouble {
    fn from(error: &UploadError) -> Self {
        Self {
            why: error.into(),
            wait: Wait::after(error),
        }
    }
}

pub(crate) struct Dispatcher<R> {
    pub(crate) rows: Arc<R>,
    /// Notified when there is something new to upload.
    pub(crate) work: Arc<Notify>,
    /// Notified when the owner requests a retry.
    pub(crate) now: Arc<Notify>,
    pub(crate) paused: StateReader<bool>,
    pub(crate) stop: CancellationToken,
}

#[derive(Default)]
struct Progress {
    under_way: JoinSet<(i64, Ended)>,
    in_hand: BTreeMap<i64, PathBuf>,
    /// Consecutive failures.
    failures: u32,
    /// Whether the last failure was the service's, and not that of one image.
    is_testing: bool,
    quiet: Option<Quiet>,
}

#[derive(Debug, Clone, Copy)]
struct Quiet {
    since: Instant,
    until: Instant,
    /// Whether new work may shorten it.
    may_be_cut_short: bool,
}

impl<R: Rows> Dispatcher<R> {
    pub(crate) async fn run(mut self) {
        let mut progress = Progress::default();
        loop {
            if progress.quiet.is_none() && !self.paused.latest() {
                self.dispatch(&mut progress).await;
            }
            self.show(&mut progress).await;
            let quiet = progress.quiet;
            tokio::select! {
                () = self.stop.cancelled() => break,
                Some(ended) = progress.under_way.join_next(), if !progress.under_way.is_empty() => {
                    match ended {
                        Ok((id, ended)) => {
                            progress.in_hand.remove(&id);
                            self.end(&mut progress, id, ended).await;
                        }
                        // Its number stays in hand: it would only fail again.
                        Err(error) => tracing::error!(%error, "an upload task failed"),
                    }
                }
                () = over(quiet) => progress.quiet = None,
                () = self.work.notified() => progress.something_new(),
                () = self.now.notified() => progress.quiet = None,
                changed = self.paused.changed() => if changed.is_err() { break },
            }
        }
        // What is cut off here is queried at the next start.
        let rest = async { while progress.under_way.join_next().await.is_some() {} };
        drop(tokio::time::timeout(LAST_WORK, rest).await);
        progress.under_way.shutdown().await;
    }

    /// Starts as many uploads as there is room for.
    async fn dispatch(&self, progress: &mut Progress) {
        // One is enough to test whether it works again.
        let most = if progress.is_testing { 1 } else { AT_ONCE };
        let room = most.saturating_sub(progress.under_way.len());
        if room == 0 {
            return;
        }
        let in_hand = progress.in_hand.keys().copied().collect();
        match self.rows.next(room, in_hand).await {
            Ok(rows) => {
                for (id, file, row) in rows {
                    progress.in_hand.insert(id, file);
                    let rows = Arc::clone(&self.rows);
                    progress
                        .under_way
                        .spawn(async move { (id, rows.upload(row).await) });
                }
            }
            Err(error) => self.wait(progress, error.into()),
        }
    }

    async fn end(&self, progress: &mut Progress, id: i64, ended: Ended) {
        match ended {
            Ended::Settled { served: false } => {}
            Ended::Settled { served: true } => {
                progress.failures = 0;
                progress.is_testing = false;
                progress.quiet = None;
                self.rows.trouble(None);
            }
            Ended::Absent => progress.rest(ABSENT, false),
            Ended::Later(trouble) => {
                if trouble.wait == Wait::ItsOwn
                    && let Err(error) = self.rows.failed(id).await
                {
                    tracing::warn!(%error, "a failure could not be counted");
                }
                self.wait(progress, trouble);
            }
        }
    }

    fn wait(&self, progress: &mut Progress, trouble: Trouble) {
        // A short rate limit is no trouble.
        let is_first = progress.failures == 0 || progress.failures == 1 && progress.quiet.is_some();
        let is_crowd =
            is_first && matches!(trouble.wait, Wait::RetryAfter(time) if time <= LONGEST_FOR_CROWD);
        progress.fail(trouble.wait);
        if !is_crowd {
            self.rows.trouble(Some(trouble.why));
        }
    }

    async fn show(&self, progress: &mut Progress) {
        let under_way = progress.in_hand.values().cloned().collect();
        let paused = self.paused.get();
        let waiting = self.rows.show(under_way, paused).await;
        if waiting == Some(0) && progress.in_hand.is_empty() {
            // What failed is gone from the queue.
            progress.failures = 0;
            progress.is_testing = false;
            self.rows.trouble(None);
        }
    }
}

impl Progress {
    /// Counts a failure, and sets the wait.
    fn fail(&mut self, wait: Wait) {
        // Concurrent failures count once.
        if self.quiet.is_none() {
            self.failures = self.failures.saturating_add(1);
        }
        self.is_testing = wait != Wait::ItsOwn;
        match wait {
            Wait::Growing | Wait::ItsOwn => {
                // At least half of it, so that it does grow.
                let part = 0.5 + rand::random::<f64>() / 2.0;
                self.rest(BACKOFF.after(self.failures).mul_f64(part), true);
            }
            Wait::RetryAfter(time) => self.rest(time.min(LONGEST_RETRY_AFTER), false),
            Wait::Refused => {
                self.rest(REFUSED.after(self.failures), false);
            }
        }
    }

    fn rest(&mut self, time: Duration, may_be_cut_short: bool) {
        let since = Instant::now();
        let until = since + time;
        if self.quiet.is_none_or(|quiet| quiet.until < until) {
            self.quiet = Some(Quiet {
                since,
                until,
                may_be_cut_short,
            });
        }
    }

    fn something_new(&mut self) {
        if let Some(quiet) = &mut self.quiet
            && quiet.may_be_cut_short
        {
            quiet.until = quiet.until.min(quiet.since + SHORTEST_FOR_NEW);
        }
    }
}

/// Completes when it is over; never when there is none.
async fn over(quiet: Option<Quiet>) {
    match quiet {
        Some(quiet) => tokio::time::sleep_until(quiet.until).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet_for(progress: &Progress) -> Duration {
        let quiet = progress.quiet.expect("a pause");
        quiet.until - quiet.since
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_something_new_cuts_them_short() {
        let mut progress = Progress::default();
        let mut longest = Vec::new();
        for _ in 0..9 {
            progress.quiet = None;
            progress.fail(Wait::Growing);
            longest.push(quiet_for(&progress).as_secs_f64());
        }
        assert!(longest[0] <= 0.5 && longest[0] >= 0.25, "{longest:?}");
        assert!(longest[8] >= 30.0 && longest[8] <= 60.0, "{longest:?}");
        progress.something_new();
        assert_eq!(quiet_for(&progress), SHORTEST_FOR_NEW);
    }

    #[tokio::test(start_paused = true)]
    async fn the_waits_after_a_refused_token_or_a_retry_after_are_not_cut_short() {
        let mut progress = Progress::default();
        progress.fail(Wait::Refused);
        progress.something_new();
        assert_eq!(quiet_for(&progress), REFUSED.after(1));
        for _ in 0..20 {
            progress.quiet = None;
            progress.fail(Wait::Refused);
        }
        assert_eq!(quiet_for(&progress), REFUSED.after(u32::MAX));
        progress.quiet = None;
        progress.fail(Wait::RetryAfter(Duration::from_secs(90)));
        progress.something_new();
        assert_eq!(quiet_for(&progress), Duration::from_secs(90));
    }

    #[tokio::test(start_paused = true)]
    async fn simultaneous_failures_count_once() {
        let mut progress = Progress::default();
        progress.fail(Wait::Growing);
        progress.fail(Wait::Growing);
        assert_eq!(progress.failures, 1);
    }
}
