//! Sends heartbeats while there is presence to share: the owner's
//! machine → `POST /heartbeat` → blog.
//!
//! One task sends all heartbeats, so that there is never more than one in
//! flight and the one that hides the owner cannot be overtaken. It keeps only
//! the newest state: changes during an outage are never sent.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::shown_file::ShownFile;
use crate::clock::backoff::Backoff;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::http::api_error::ApiError;
use crate::http::client::{Client, ClientError, Endpoint};
use crate::http::replies::{HeartbeatFields, HeartbeatReply};
use crate::presence::Presence as ServicePresence;
use crate::state::background::Background;
use crate::state::{State, StateReader};
use crate::text::{LONGEST_LINE, LONGEST_NAME, one_line};

/// What the service of this process is called in the file of what is shown.
const OWN: &str = "this service";

/// The minimum time between the starts of two heartbeats. A little over a
/// second, so that network jitter never puts two into one second.
const SPACING: Duration = Duration::from_millis(1_050);

/// Between attempts without a `Retry-After`.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));

/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// A response that takes longer is reported as slow, before it is a failure.
const SLOW: Duration = Duration::from_secs(3);

/// How long the goodbye may take, including a heartbeat in flight before it.
const GOODBYE_LIMIT: Duration = Duration::from_secs(3);

/// Where heartbeats go.
#[derive(Clone)]
pub enum HeartbeatTarget {
    /// The service of this process.
    Own(ServicePresence),
    /// Another service.
    Other(Client),
}

impl HeartbeatTarget {
    /// Its address and the token for it. That of the service of this process is a name, since its
    /// address may be another at the next start.
    pub(super) fn endpoint(&self) -> Endpoint {
        match self {
            Self::Other(client) => client.endpoint(),
            Self::Own(_) => Endpoint {
                base: OWN.to_owned(),
                token: String::new().into(),
            },
        }
    }

    async fn heartbeat(&self, fields: HeartbeatFields) -> Result<HeartbeatReply, ClientError> {
        let presence = match self {
            Self::Other(client) => return client.heartbeat(&fields).await,
            Self::Own(presence) => presence,
        };
        let fields = presence.with_fields().then(|| HeartbeatFields {
            application: one_line(&fields.application, LONGEST_NAME),
            introduce: one_line(&fields.introduce, LONGEST_LINE),
            ..fields
        });
        let recorded = presence.record(fields.clone()).await;
        recorded.map_err(|error| ClientError::of_the_service(&ApiError::Internal, &error))?;
        Ok(HeartbeatReply {
            message: String::new(),
            fields,
        })
    }
}

#[derive(Clone)]
pub(super) struct ReporterOrders {
    /// The content of heartbeats; `None` when none is to be sent. When it
    /// becomes `None`, one more is sent, so that nothing is shown any longer.
    pub(super) content: Option<HeartbeatFields>,
    /// The interval of heartbeats while nothing changes.
    pub(super) interval: Duration,
    pub(super) target: HeartbeatTarget,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReporterState {
    pub last_success: Option<Timestamp>,
    /// Why the last one failed; `None` on success.
    pub trouble: Option<Message>,
    /// When it is retried, while there is trouble and a wait.
    pub next_try: Option<Timestamp>,
}

pub(super) struct Reporter {
    /// `None` before the first.
    orders: State<Option<ReporterOrders>>,
    state: StateReader<ReporterState>,
    now: Arc<Notify>,
    task: Background,
}

impl Reporter {
    /// Starts the task, which does nothing before the first orders. `kept` is what an earlier run
    /// has left behind. Must be called on a tokio runtime.
    #[must_use]
    pub(super) fn start(kept: ShownFile) -> Self {
        let orders = State::new(None);
        let read_orders = orders.reader();
        let write_state = State::new(ReporterState::default());
        let state = write_state.reader();
        let now = Arc::new(Notify::new());
        let poster = HeartbeatSender {
            state: write_state,
            kept,
            shown: None,
            plain: None,
            last_started: None,
            waiting: None,
            failures: 0,
        };
        let task = Background::default();
        task.spawn_within(GOODBYE_LIMIT, "the goodbye", |stop| {
            poster.run(read_orders, Arc::clone(&now), stop)
        });
        Self {
            orders,
            state,
            now,
            task,
        }
    }

    /// Applies new orders; a heartbeat in flight is finished first.
    pub(super) fn follow(&self, orders: ReporterOrders) {
        self.orders.set(Some(orders));
    }

    /// Ends the wait after a failure, if there is one.
    pub(super) fn try_now(&self) {
        // Without a wait, an attempt is in progress already.
        self.now.notify_waiters();
    }

    #[must_use]
    pub(super) fn state(&self) -> StateReader<ReporterState> {
        self.state.clone()
    }

    /// Sends a goodbye where something is shown, and stops; takes at most three
    /// seconds. A second call does nothing.
    pub(super) async fn stop(&self) {
        self.task.stop().await;
    }
}

/// What a service shows of the owner, or may show: a heartbeat whose response
/// was lost may still have been recorded.
struct ShownPresence {
    at: HeartbeatTarget,
    fields: HeartbeatFields,
    /// When it succeeded; `None` when no success is known.
    succeeded: Option<Instant>,
}

struct Waiting {
    until: Instant,
    /// Whether it is a `Retry-After`; then nothing shortens it.
    by_service: bool,
}

struct HeartbeatSender {
    state: State<ReporterState>,
    kept: ShownFile,
    shown: Option<ShownPresence>,
    /// When the last one succeeded at a service that shows no fields.
    plain: Option<Instant>,
    last_started: Option<Instant>,
    waiting: Option<Waiting>,
    failures: u32,
}

impl HeartbeatSender {
    async fn run(
        mut self,
        mut orders: StateReader<Option<ReporterOrders>>,
        now: Arc<Notify>,
        stop: CancellationToken,
    ) {
        let mut before = None;
        while !stop.is_cancelled() {
            let current = orders.latest();
            let mut due = None;
            if let Some(current) = &current {
                match &before {
                    Some(before) => self.apply(before, current).await,
                    None => self.take_over(&current.target),
                }
                due = self.round(current).await;
                self.keep_shown().await;
            }
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
                // The owner's request overrides any wait, a `Retry-After` too.
                () = now.notified() => self.waiting = None,
                () = rest => {}
            }
        }
        if let Some(ShownPresence { at, .. }) = self.shown.take() {
            match at.heartbeat(HeartbeatFields::default()).await {
                Ok(_) => self.keep_shown().await,
                Err(error) => tracing::warn!(%error, "the goodbye failed"),
            }
        }
    }

    /// Counts what a run before this one may have left at this service as shown.
    fn take_over(&mut self, target: &HeartbeatTarget) {
        let left = self
            .kept
            .service()
            .is_some_and(|kept| kept == target.endpoint().base);
        self.shown = left.then(|| ShownPresence {
            at: target.clone(),
            fields: HeartbeatFields::default(),
            succeeded: None,
        });
    }

    /// Keeps for the next run which service may show something.
    async fn keep_shown(&mut self) {
        // One without fields shows nothing.
        let shown = self.shown.as_ref().filter(|_| self.plain.is_none());
        let service = shown.map(|shown| shown.at.endpoint().base);
        self.kept.keep(service.as_deref()).await;
    }

    /// Applies new orders, before anything is sent.
    async fn apply(&mut self, before: &ReporterOrders, current: &ReporterOrders) {
        if before.target.endpoint() != current.target.endpoint() {
            // Failures of another service or token do not count.
            self.waiting = None;
            self.plain = None;
            self.failures = 0;
        }
        let elsewhere =
            |shown: &mut ShownPresence| shown.at.endpoint().base != current.target.endpoint().base;
        if let Some(left) = self.shown.take_if(elsewhere)
            && let Err(error) = left.at.heartbeat(HeartbeatFields::default()).await
        {
            tracing::warn!(service = left.at.endpoint().base, %error, "the previous service could not be cleared");
        }
        // Hiding waits only for a `Retry-After`.
        if current.content.is_none() && before.content.is_some() {
            self.waiting.take_if(|waiting| !waiting.by_service);
        }
    }

    /// Sends a heartbeat if one is due, and returns when the next one is;
    /// `None` when there is nothing to do before the orders change.
    async fn round(&mut self, orders: &ReporterOrders) -> Option<Instant> {
        let Some((target, fields, mut due)) = self.next(orders) else {
            self.failures = 0;
            self.waiting = None;
            self.plain = None;
            self.state
                .update(|state| (state.trouble, state.next_try) = (None, None));
            return None;
        };
        if let Some(started) = self.last_started {
            due = due.max(started + SPACING);
        }
        if let Some(waiting) = &self.waiting {
            due = due.max(waiting.until);
        }
        if due > Instant::now() {
            return Some(due);
        }
        let started = Instant::now();
        self.last_started = Some(started);
        self.shown = Some(ShownPresence {
            at: target.clone(),
            fields: fields.clone(),
            succeeded: None,
        });
        self.keep_shown().await;
        match self.post(&target, &fields).await {
            Ok(reply) => {
                // Behaviour A shows no fields. One more heartbeat would hide
                // nothing there and only make the owner seem awake.
                let shows = reply.fields.is_some();
                self.plain = Some(started).filter(|_| !shows);
                self.shown = Some(ShownPresence {
                    at: target,
                    fields,
                    succeeded: Some(started),
                })
                .filter(|_| shows && orders.content.is_some());
                orders.content.as_ref().map(|_| started + orders.interval)
            }
            Err(until) => Some(until),
        }
    }

    /// The next heartbeat: its target, its content, and when it is due.
    fn next(&self, orders: &ReporterOrders) -> Option<(HeartbeatTarget, HeartbeatFields, Instant)> {
        let now = Instant::now();
        let Some(fields) = &orders.content else {
            let shown = self.shown.as_ref()?;
            return Some((shown.at.clone(), HeartbeatFields::default(), now));
        };
        let due = match &self.shown {
            Some(shown) if shown.fields == *fields => shown
                .succeeded
                .map_or(now, |succeeded| succeeded + orders.interval),
            Some(_) => now,
            None => self.plain.map_or(now, |started| started + orders.interval),
        };
        Some((orders.target.clone(), fields.clone(), due))
    }

    /// Sends one heartbeat.
    ///
    /// # Errors
    /// When it fails, with the time of the next attempt.
    async fn post(
        &mut self,
        target: &HeartbeatTarget,
        fields: &HeartbeatFields,
    ) -> Result<HeartbeatReply, Instant> {
        let posting = target.heartbeat(fields.clone());
        tokio::pin!(posting);
        let answer = tokio::select! {
            answer = &mut posting => answer,
            () = tokio::time::sleep(SLOW) => {
                let address = target.endpoint().base;
                self.state.update(|state| {
                    state.trouble = Some(crate::detail!("the service at {address} is slow to answer"));
                    state.next_try = None;
                });
                posting.await
            }
        };
        match answer {
            Ok(reply) => {
                if self.failures > 0 {
                    tracing::info!("heartbeats succeed again");
                }
                self.failures = 0;
                self.waiting = None;
                self.state.set(ReporterState {
                    last_success: Some(Timestamp::now()),
                    trouble: None,
                    next_try: None,
                });
                Ok(reply)
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                // Logged once, so that a long outage does not fill the log.
                if self.failures == 1 {
                    tracing::warn!(%error, "a heartbeat failed; it will be retried");
                }
                let wait = wait_after(&error, self.failures);
                let until = Instant::now() + wait;
                self.waiting = Some(Waiting {
                    until,
                    by_service: error.retry_after().is_some(),
                });
                let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
                let next_try =
                    Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(wait));
                self.state.update(|state| {
                    state.trouble = Some((&error).into());
                    state.next_try = Some(next_try);
                });
                Err(until)
            }
        }
    }
}

/// How long to wait after this many consecutive failures.
fn wait_after(error: &ClientError, failures: u32) -> Duration {
    if let Some(wait) = error.retry_after() {
        return wait.clamp(Duration::from_secs(1), LONGEST_RETRY_AFTER);
    }
    // Retrying a wrong token does not help, and is rate limited strictly.
    let failures = if matches!(error, ClientError::Refused | ClientError::Token) {
        u32::MAX
    } else {
        failures
    };
    BACKOFF.after(failures)
}

#[cfg(test)]
mod tests;
