//! Gives the pictures of the outbox their turn: in order, a few at once, with
//! growing pauses while it does not work.

use std::collections::BTreeMap;
use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::bring::{Ended, Trouble, Wait, Way};
use super::status::Status;
use crate::outbox::{OutboxError, Picture};
use crate::upload::patience::{LONGEST_RETRY_AFTER, pause};

/// So many are under way at once: the machine, which may be the service's own,
/// stays usable.
const AT_ONCE: usize = 2;
/// A refused token is tried again after this long, and each time twice as long.
const FIRST_REFUSED: Duration = Duration::from_secs(5);
/// And no later than this.
const LONGEST_REFUSED: Duration = Duration::from_secs(300);
/// A new picture does not wait for the end of a long pause, but for this.
const SHORTEST_FOR_NEW: Duration = Duration::from_secs(1);
/// A service that is asked too much at once asks to wait for so long at most.
const LONGEST_FOR_CROWD: Duration = Duration::from_secs(5);
/// A folder that went is noticed by then.
const ABSENT: Duration = Duration::from_secs(2);
/// What is under way at the end may take so long.
const LAST_WORK: Duration = Duration::from_secs(3);

/// Works the outbox off.
pub(super) struct Sending {
    pub(super) way: Arc<Way>,
    pub(super) status: Arc<Status>,
    /// There is something new to upload.
    pub(super) work: Arc<Notify>,
    /// The owner wants it tried now.
    pub(super) now: Arc<Notify>,
    pub(super) paused: watch::Receiver<bool>,
    pub(super) stop: CancellationToken,
}

/// How it goes.
#[derive(Default)]
struct Going {
    under_way: JoinSet<(i64, Ended)>,
    in_hand: BTreeMap<i64, PathBuf>,
    /// In a row.
    failures: u32,
    quiet: Option<Quiet>,
}

/// Nothing is tried until then.
#[derive(Debug, Clone, Copy)]
struct Quiet {
    since: Instant,
    until: Instant,
    /// Something new may end it.
    may_be_cut_short: bool,
}

impl Sending {
    /// Goes on until it is stopped.
    pub(super) async fn run(mut self) {
        let mut going = Going::default();
        loop {
            if going.quiet.is_none() && !*self.paused.borrow_and_update() {
                self.begin(&mut going).await;
            }
            self.show(&mut going).await;
            let quiet = going.quiet;
            tokio::select! {
                () = self.stop.cancelled() => break,
                Some(ended) = going.under_way.join_next(), if !going.under_way.is_empty() => {
                    match ended {
                        Ok((id, ended)) => {
                            going.in_hand.remove(&id);
                            self.end(&mut going, id, ended).await;
                        }
                        // Its number stays in hand: it would only break off again.
                        Err(error) => tracing::error!(%error, "an upload broke off"),
                    }
                }
                () = over(quiet) => going.quiet = None,
                () = self.work.notified() => going.something_new(),
                () = self.now.notified() => going.quiet = None,
                changed = self.paused.changed() => if changed.is_err() { break },
            }
        }
        // What is cut off here is asked for at the next start.
        let rest = async { while going.under_way.join_next().await.is_some() {} };
        drop(tokio::time::timeout(LAST_WORK, rest).await);
    }

    /// Takes as many in hand as there is room for.
    async fn begin(&self, going: &mut Going) {
        // One is enough to see whether it works again.
        let most = if going.failures > 0 { 1 } else { AT_ONCE };
        let room = most.saturating_sub(going.under_way.len());
        if room == 0 {
            return;
        }
        match self.next(room, going).await {
            Ok(pictures) => {
                for picture in pictures {
                    going.in_hand.insert(picture.id, picture.file.clone());
                    let way = Arc::clone(&self.way);
                    going
                        .under_way
                        .spawn(async move { (picture.id, way.bring(picture).await) });
                }
            }
            Err(error) => self.wait(
                going,
                Trouble {
                    why: error.to_string(),
                    wait: Wait::Growing,
                },
            ),
        }
    }

    async fn next(&self, most: usize, going: &Going) -> Result<Vec<Picture>, OutboxError> {
        let in_hand = going.in_hand.keys().copied().collect();
        let absent = self.status.absent();
        self.way.outbox.next(most, in_hand, absent).await
    }

    async fn end(&self, going: &mut Going, id: i64, ended: Ended) {
        match ended {
            Ended::Settled { served: false } => {}
            Ended::Settled { served: true } => {
                going.failures = 0;
                going.quiet = None;
                self.status.trouble(None);
            }
            Ended::Absent => going.rest(ABSENT, false),
            Ended::Later(trouble) => {
                if trouble.wait == Wait::ItsOwn
                    && let Err(error) = self.way.outbox.failed(id).await
                {
                    tracing::warn!(%error, "a failure could not be counted");
                }
                self.wait(going, trouble);
            }
        }
    }

    fn wait(&self, going: &mut Going, trouble: Trouble) {
        // Being a little too fast for the service is no trouble.
        let is_first = going.failures == 0 || going.failures == 1 && going.quiet.is_some();
        let is_crowd =
            is_first && matches!(trouble.wait, Wait::Asked(time) if time <= LONGEST_FOR_CROWD);
        going.fail(trouble.wait);
        if !is_crowd {
            self.status.trouble(Some(trouble.why));
        }
    }

    /// Says how it goes.
    async fn show(&self, going: &mut Going) {
        let Ok(counts) = self.way.outbox.counts().await else {
            return;
        };
        if counts.waiting == 0 && going.in_hand.is_empty() {
            // What did not work is not wanted any more.
            going.failures = 0;
            self.status.trouble(None);
        }
        let paused = *self.paused.borrow();
        self.status.change(|status| {
            status.waiting = counts.waiting;
            status.set_aside = counts.set_aside;
            status.paused = paused;
            status.under_way = going.in_hand.values().cloned().collect();
        });
    }
}

impl Going {
    /// Counts a failure, and has everybody wait.
    fn fail(&mut self, wait: Wait) {
        // Those that fail together fail once.
        if self.quiet.is_none() {
            self.failures = self.failures.saturating_add(1);
        }
        match wait {
            Wait::Growing | Wait::ItsOwn => {
                // At least half of it, so that it does grow.
                let part = 0.5 + rand::random::<f64>() / 2.0;
                self.rest(pause(self.failures).mul_f64(part), true);
            }
            Wait::Asked(time) => self.rest(time.min(LONGEST_RETRY_AFTER), false),
            Wait::Refused => {
                let doubled = 1_u32 << self.failures.saturating_sub(1).min(10);
                let time = FIRST_REFUSED.saturating_mul(doubled);
                self.rest(time.min(LONGEST_REFUSED), false);
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

/// Done when it is over; never when there is none.
async fn over(quiet: Option<Quiet>) {
    match quiet {
        Some(quiet) => tokio::time::sleep_until(quiet.until).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet_for(going: &Going) -> Duration {
        let quiet = going.quiet.expect("a pause");
        quiet.until - quiet.since
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_something_new_cuts_them_short() {
        let mut going = Going::default();
        let mut longest = Vec::new();
        for _ in 0..9 {
            going.quiet = None;
            going.fail(Wait::Growing);
            longest.push(quiet_for(&going).as_secs_f64());
        }
        assert!(longest[0] <= 0.5 && longest[0] >= 0.25, "{longest:?}");
        assert!(longest[8] >= 30.0 && longest[8] <= 60.0, "{longest:?}");
        going.something_new();
        assert_eq!(quiet_for(&going), SHORTEST_FOR_NEW);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_token_and_a_wish_of_the_service_are_not_cut_short() {
        let mut going = Going::default();
        going.fail(Wait::Refused);
        going.something_new();
        assert_eq!(quiet_for(&going), FIRST_REFUSED);
        for _ in 0..20 {
            going.quiet = None;
            going.fail(Wait::Refused);
        }
        assert_eq!(quiet_for(&going), LONGEST_REFUSED);
        going.quiet = None;
        going.fail(Wait::Asked(Duration::from_secs(90)));
        going.something_new();
        assert_eq!(quiet_for(&going), Duration::from_secs(90));
    }

    #[tokio::test(start_paused = true)]
    async fn those_that_fail_together_fail_once() {
        let mut going = Going::default();
        going.fail(Wait::Growing);
        going.fail(Wait::Growing);
        assert_eq!(going.failures, 1);
    }
}
