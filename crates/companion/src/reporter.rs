//! Posts heartbeats for as long as the owner wants it. Journey 3: the owner's
//! machine → `POST /heartbeat` → blog.
//!
//! One task does all the posting, so that two heartbeats are never under way
//! at once and the one that hides the owner cannot be overtaken.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use porchlight_api::client::{Client, ClientError};
use porchlight_api::{HeartbeatFields, HeartbeatReply, Rgba, Timestamp};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest wait after a failure that says nothing of its own.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The longest wait that a service is obeyed in.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// How long the goodbye may take, what was under way before it included.
const GOODBYE_LIMIT: Duration = Duration::from_secs(3);

/// What the reporter is to do.
#[derive(Debug, Clone)]
pub struct Orders {
    /// Whether heartbeats are posted. When this turns false, one more is
    /// posted, so that nothing is shown any longer.
    pub posting: bool,
    /// From one heartbeat to the next.
    pub interval: Duration,
    /// Where they go.
    pub target: Client,
}

/// How the reporter is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReporterState {
    /// When the last heartbeat was taken.
    pub last_success: Option<Timestamp>,
    /// Why the last one was not, in words; `None` when all is well.
    pub trouble: Option<String>,
}

/// The task that posts.
#[derive(Debug)]
pub struct Reporter {
    orders: watch::Sender<Orders>,
    state: watch::Receiver<ReporterState>,
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Reporter {
    /// Starts the task; the first heartbeat is posted at once if the orders
    /// say so. Must be called on a tokio runtime.
    #[must_use]
    pub fn start(orders: Orders) -> Self {
        let (orders, read_orders) = watch::channel(orders);
        let (write_state, state) = watch::channel(ReporterState::default());
        let stop = CancellationToken::new();
        let poster = Poster {
            state: write_state,
            shown_at: None,
            failures: 0,
        };
        let task = tokio::spawn(poster.run(read_orders, stop.clone()));
        Self {
            orders,
            state,
            stop,
            task: Mutex::new(Some(task)),
        }
    }

    /// Follows new orders from now on; a heartbeat that is under way is
    /// finished first.
    pub fn follow(&self, orders: Orders) {
        self.orders.send_replace(orders);
    }

    /// How it is doing, now and whenever that changes.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ReporterState> {
        self.state.clone()
    }

    /// Says goodbye where something is shown, and ends; takes at most three
    /// seconds. A second call does nothing.
    pub async fn stop(&self) {
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

/// What is shown while the owner is there.
fn present() -> HeartbeatFields {
    HeartbeatFields {
        application: "Porchlight".to_owned(),
        introduce: String::new(),
        // The amber of a lamp.
        rgba: Rgba::opaque(255, 180, 84),
        application_online: true,
    }
}

/// Takes everything back that was shown.
fn hidden() -> HeartbeatFields {
    HeartbeatFields::default()
}

/// Leaves what was shown and says that nobody is there any more.
fn goodbye() -> HeartbeatFields {
    HeartbeatFields {
        application_online: false,
        ..present()
    }
}

struct Poster {
    state: watch::Sender<ReporterState>,
    /// Where the owner is, or may be, shown as being there.
    shown_at: Option<Client>,
    failures: u32,
}

impl Poster {
    async fn run(mut self, mut orders: watch::Receiver<Orders>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let current = orders.borrow_and_update().clone();
            let wait = self.round(&current).await;
            let rest = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                changed = orders.changed() => if changed.is_err() { break },
                () = rest => {}
            }
        }
        if let Some(shown_at) = self.shown_at
            && let Err(error) = shown_at.heartbeat(&goodbye()).await
        {
            tracing::warn!(%error, "the goodbye was not taken");
        }
    }

    /// Does what the orders ask for now, and says when to look again; `None`
    /// when there is nothing to do before they change.
    async fn round(&mut self, orders: &Orders) -> Option<Duration> {
        let elsewhere = |shown_at: &mut Client| shown_at.base() != orders.target.base();
        if let Some(left) = self.shown_at.take_if(elsewhere)
            && let Err(error) = left.heartbeat(&hidden()).await
        {
            tracing::warn!(service = left.base(), %error, "the service left behind was not told");
        }
        if orders.posting {
            let begun = Instant::now();
            // Set before the answer: a heartbeat whose answer got lost may
            // have been recorded all the same.
            self.shown_at = Some(orders.target.clone());
            match self.post(&orders.target, &present()).await {
                Ok(reply) => {
                    // Behaviour A shows no fields. One more heartbeat would
                    // hide nothing there and only make the owner seem awake.
                    if reply.fields.is_none() {
                        self.shown_at = None;
                    }
                    Some(orders.interval.saturating_sub(begun.elapsed()))
                }
                Err(wait) => Some(wait),
            }
        } else if let Some(shown_at) = self.shown_at.clone() {
            match self.post(&shown_at, &hidden()).await {
                Ok(_) => {
                    self.shown_at = None;
                    None
                }
                Err(wait) => Some(wait),
            }
        } else {
            self.failures = 0;
            self.state
                .send_if_modified(|state| state.trouble.take().is_some());
            None
        }
    }

    async fn post(
        &mut self,
        target: &Client,
        fields: &HeartbeatFields,
    ) -> Result<HeartbeatReply, Duration> {
        match target.heartbeat(fields).await {
            Ok(reply) => {
                if self.failures > 0 {
                    tracing::info!("heartbeats are taken again");
                }
                self.failures = 0;
                self.state.send_replace(ReporterState {
                    last_success: Some(Timestamp::now()),
                    trouble: None,
                });
                Ok(reply)
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                // Once: a service that is away for a night fills no log.
                if self.failures == 1 {
                    tracing::warn!(%error, "a heartbeat was not taken; it is tried again");
                }
                self.state
                    .send_modify(|state| state.trouble = Some(error.to_string()));
                Err(wait_after(&error, self.failures))
            }
        }
    }
}

/// How long to wait after this many failures in a row.
fn wait_after(error: &ClientError, failures: u32) -> Duration {
    match error {
        ClientError::Wait {
            retry_after: Some(asked),
        } => (*asked).clamp(Duration::from_secs(1), LONGEST_RETRY_AFTER),
        // A wrong token gets no better by asking often, and is limited hard.
        ClientError::Refused | ClientError::Token => LONGEST_WAIT,
        _ => Duration::from_secs(1_u64 << failures.saturating_sub(1).min(6)).min(LONGEST_WAIT),
    }
}

#[cfg(test)]
mod tests;
