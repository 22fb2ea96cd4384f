//! Posts heartbeats for as long as there is something to say. Journey 3: the
//! owner's machine → `POST /heartbeat` → blog.
//!
//! One task does all the posting, so that two heartbeats are never under way
//! at once and the one that hides the owner cannot be overtaken. It keeps the
//! newest state alone: what changed while a service was away is never sent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use porchlight_api::client::{Client, ClientError};
use porchlight_api::{HeartbeatFields, HeartbeatReply, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// From the beginning of one heartbeat to that of the next at least. A little
/// over a second, so that the network's jitter never makes two of one second.
const SPACING: Duration = Duration::from_millis(1_050);

/// The longest wait after a failure that says nothing of its own.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The longest wait that a service is obeyed in.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// An answer that takes longer is trouble, before it is a failure.
const SLOW: Duration = Duration::from_secs(3);

/// How long the goodbye may take, what was under way before it included.
const GOODBYE_LIMIT: Duration = Duration::from_secs(3);

/// What the reporter is to do.
#[derive(Debug, Clone)]
pub(super) struct Orders {
    /// What heartbeats say; `None` when nothing is to be said. When it turns
    /// `None`, one more is posted, so that nothing is shown any longer.
    pub(super) say: Option<HeartbeatFields>,
    /// From one heartbeat to the next while nothing changes.
    pub(super) interval: Duration,
    /// Where they go.
    pub(super) target: Client,
}

/// How the reporter is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReporterState {
    /// When the last heartbeat was taken.
    pub last_success: Option<Timestamp>,
    /// Why the last one was not, in words; `None` when all is well.
    pub trouble: Option<String>,
    /// When it is tried again, while there is trouble and a wait.
    pub next_try: Option<Timestamp>,
}

/// The task that posts.
#[derive(Debug)]
pub(super) struct Reporter {
    orders: watch::Sender<Orders>,
    state: watch::Receiver<ReporterState>,
    now: Arc<Notify>,
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Reporter {
    /// Starts the task; the first heartbeat is posted at once if the orders
    /// say so. Must be called on a tokio runtime.
    #[must_use]
    pub(super) fn start(orders: Orders) -> Self {
        let (orders, read_orders) = watch::channel(orders);
        let (write_state, state) = watch::channel(ReporterState::default());
        let (now, stop) = (Arc::new(Notify::new()), CancellationToken::new());
        let poster = Poster {
            state: write_state,
            shown: None,
            plain: None,
            last_begun: None,
            waiting: None,
            failures: 0,
        };
        let task = tokio::spawn(poster.run(read_orders, Arc::clone(&now), stop.clone()));
        Self {
            orders,
            state,
            now,
            stop,
            task: Mutex::new(Some(task)),
        }
    }

    /// Follows new orders from now on; a heartbeat that is under way is
    /// finished first.
    pub(super) fn follow(&self, orders: Orders) {
        self.orders.send_replace(orders);
    }

    /// Ends the wait after a failure, if there is one.
    pub(super) fn try_now(&self) {
        // Whoever does not wait is trying already.
        self.now.notify_waiters();
    }

    /// How it is doing, now and whenever that changes.
    #[must_use]
    pub(super) fn state(&self) -> watch::Receiver<ReporterState> {
        self.state.clone()
    }

    /// Says goodbye where something is shown, and ends; takes at most three
    /// seconds. A second call does nothing.
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(mut task) = task else { return };
        if tokio::time::timeout(GOODBYE_LIMIT, &mut task)
            .await
            .is_err()
        {
            tracing::warn!("the service did not take the goodbye in time");
            task.abort();
        }
    }
}

/// What a service shows of the owner, or may show: a heartbeat whose answer
/// got lost may have been recorded all the same.
struct Shown {
    at: Client,
    fields: HeartbeatFields,
    /// When it was taken; `None` when it was not, as far as is known.
    taken: Option<Instant>,
}

/// A wait that a failure has brought.
struct Waiting {
    until: Instant,
    /// Whether the service asked for it; then nothing cuts it short.
    asked_for: bool,
}

struct Poster {
    state: watch::Sender<ReporterState>,
    shown: Option<Shown>,
    /// When the last one was taken by a service that shows no fields.
    plain: Option<Instant>,
    last_begun: Option<Instant>,
    waiting: Option<Waiting>,
    failures: u32,
}

impl Poster {
    async fn run(
        mut self,
        mut orders: watch::Receiver<Orders>,
        now: Arc<Notify>,
        stop: CancellationToken,
    ) {
        let mut before = orders.borrow().clone();
        while !stop.is_cancelled() {
            let current = orders.borrow_and_update().clone();
            self.take_up(&before, &current).await;
            let due = self.round(&current).await;
            before = current;
            let rest = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                changed = orders.changed() => if changed.is_err() { break },
                // The owner knows better than any wait, the service's own too.
                () = now.notified() => self.waiting = None,
                () = rest => {}
            }
        }
        if let Some(Shown { at, fields, .. }) = self.shown {
            let goodbye = HeartbeatFields {
                application_online: false,
                ..fields
            };
            if let Err(error) = at.heartbeat(&goodbye).await {
                tracing::warn!(%error, "the goodbye was not taken");
            }
        }
    }

    /// What new orders change by themselves, before anything is posted.
    async fn take_up(&mut self, before: &Orders, current: &Orders) {
        if !before.target.is_same_as(&current.target) {
            // Another service or token owes nothing for what failed before.
            self.waiting = None;
            self.plain = None;
            self.failures = 0;
        }
        let elsewhere = |shown: &mut Shown| shown.at.base() != current.target.base();
        if let Some(left) = self.shown.take_if(elsewhere)
            && let Err(error) = left.at.heartbeat(&HeartbeatFields::default()).await
        {
            tracing::warn!(service = left.at.base(), %error, "the service left behind was not told");
        }
        // What is to be hidden waits for nothing but the service's own word.
        if current.say.is_none() && before.say.is_some() {
            self.waiting.take_if(|waiting| !waiting.asked_for);
        }
    }

    /// Does what the orders ask for, if it is time, and says when to look
    /// again; `None` when there is nothing to do before they change.
    async fn round(&mut self, orders: &Orders) -> Option<Instant> {
        let Some((target, fields, mut due)) = self.next(orders) else {
            self.failures = 0;
            self.waiting = None;
            self.plain = None;
            self.state.send_if_modified(|state| {
                let troubled = state.trouble.is_some();
                (state.trouble, state.next_try) = (None, None);
                troubled
            });
            return None;
        };
        if let Some(begun) = self.last_begun {
            due = due.max(begun + SPACING);
        }
        if let Some(waiting) = &self.waiting {
            due = due.max(waiting.until);
        }
        if due > Instant::now() {
            return Some(due);
        }
        let begun = Instant::now();
        self.last_begun = Some(begun);
        self.shown = Some(Shown {
            at: target.clone(),
            fields: fields.clone(),
            taken: None,
        });
        match self.post(&target, &fields).await {
            Ok(reply) => {
                // Behaviour A shows no fields. One more heartbeat would hide
                // nothing there and only make the owner seem awake.
                let shows = reply.fields.is_some();
                self.plain = Some(begun).filter(|_| !shows);
                self.shown = Some(Shown {
                    at: target,
                    fields,
                    taken: Some(begun),
                })
                .filter(|_| shows && orders.say.is_some());
                orders.say.as_ref().map(|_| begun + orders.interval)
            }
            Err(until) => Some(until),
        }
    }

    /// The next heartbeat: where it goes, what it says, and from when on.
    fn next(&self, orders: &Orders) -> Option<(Client, HeartbeatFields, Instant)> {
        let now = Instant::now();
        let Some(fields) = &orders.say else {
            let shown = self.shown.as_ref()?;
            return Some((shown.at.clone(), HeartbeatFields::default(), now));
        };
        let due = match &self.shown {
            Some(shown) if shown.fields == *fields => {
                shown.taken.map_or(now, |taken| taken + orders.interval)
            }
            Some(_) => now,
            None => self.plain.map_or(now, |begun| begun + orders.interval),
        };
        Some((orders.target.clone(), fields.clone(), due))
    }

    /// Posts one heartbeat.
    ///
    /// # Errors
    /// When it is not taken, with the moment of the next try.
    async fn post(
        &mut self,
        target: &Client,
        fields: &HeartbeatFields,
    ) -> Result<HeartbeatReply, Instant> {
        let posting = target.heartbeat(fields);
        tokio::pin!(posting);
        let answer = tokio::select! {
            answer = &mut posting => answer,
            () = tokio::time::sleep(SLOW) => {
                let slow = format!("the service at {} is slow to answer", target.base());
                self.state.send_modify(|state| {
                    state.trouble = Some(slow);
                    state.next_try = None;
                });
                posting.await
            }
        };
        match answer {
            Ok(reply) => {
                if self.failures > 0 {
                    tracing::info!("heartbeats are taken again");
                }
                self.failures = 0;
                self.waiting = None;
                self.state.send_replace(ReporterState {
                    last_success: Some(Timestamp::now()),
                    trouble: None,
                    next_try: None,
                });
                Ok(reply)
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                // Once: a service that is away for a night fills no log.
                if self.failures == 1 {
                    tracing::warn!(%error, "a heartbeat was not taken; it is tried again");
                }
                let wait = wait_after(&error, self.failures);
                let until = Instant::now() + wait;
                self.waiting = Some(Waiting {
                    until,
                    asked_for: retry_after(&error).is_some(),
                });
                let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
                let next_try =
                    Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(wait));
                self.state.send_modify(|state| {
                    state.trouble = Some(error.to_string());
                    state.next_try = Some(next_try);
                });
                Err(until)
            }
        }
    }
}

/// What the service itself asks to wait.
fn retry_after(error: &ClientError) -> Option<Duration> {
    match error {
        ClientError::Wait { retry_after } | ClientError::Answered { retry_after, .. } => {
            *retry_after
        }
        _ => None,
    }
}

/// How long to wait after this many failures in a row.
fn wait_after(error: &ClientError, failures: u32) -> Duration {
    if let Some(asked) = retry_after(error) {
        return asked.clamp(Duration::from_secs(1), LONGEST_RETRY_AFTER);
    }
    match error {
        // A wrong token gets no better by asking often, and is limited hard.
        ClientError::Refused | ClientError::Token => LONGEST_WAIT,
        _ => Duration::from_secs(1_u64 << failures.saturating_sub(1).min(6)).min(LONGEST_WAIT),
    }
}

#[cfg(test)]
mod tests;
