//! The owner's presence: the last heartbeat and its content.
//!
//! `/check` is answered from memory. A heartbeat is written through
//! to the database before it counts.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use porchlight_api::state::{State, StateReader};
use porchlight_api::{Check, HeartbeatFields, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::database::{Database, DatabaseError};
use crate::detach::run_to_completion;

mod history;
pub(crate) mod table;

pub use history::PastPresence;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// How often old changes are removed when no heartbeat does it.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);
/// The maximum number of changes that are kept of a day: each further one removes the day's oldest.
const MOST_CHANGES_A_DAY: u32 = 5_000;

/// `[heartbeat]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeartbeatSettings {
    /// Whether heartbeats carry fields (Behaviour B) or nothing (A).
    pub fields: bool,
    /// For how many seconds after a heartbeat the owner counts as there.
    pub alive_seconds: u64,
}

impl Default for HeartbeatSettings {
    fn default() -> Self {
        Self {
            fields: true,
            alive_seconds: 600,
        }
    }
}

/// The owner's presence; cheap to clone.
#[derive(Clone)]
pub struct Presence(Arc<Inner>);

struct Inner {
    database: Database,
    clock: Clock,
    with_fields: bool,
    alive_millis: i64,
    history_millis: i64,
    opened: Instant,
    /// The last heartbeat before that.
    last_before: Option<Timestamp>,
    current: RwLock<Recorded>,
    one_at_a_time: Mutex<()>,
    changes: State<u64>,
}

/// The last heartbeat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorded {
    pub(crate) at: Option<Timestamp>,
    /// When the first heartbeat with the current content came.
    pub(crate) since: Option<Timestamp>,
    pub(crate) fields: HeartbeatFields,
}

impl Presence {
    pub(crate) async fn open(
        database: Database,
        settings: &HeartbeatSettings,
        history_days: u32,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let current = database.read(table::current).await?;
        let presence = Self(Arc::new(Inner {
            database,
            clock,
            with_fields: settings.fields,
            alive_millis: i64::try_from(settings.alive_seconds * 1000).unwrap_or(i64::MAX),
            history_millis: i64::from(history_days) * DAY,
            opened: Instant::now(),
            last_before: current.at,
            current: RwLock::new(current),
            one_at_a_time: Mutex::default(),
            changes: State::new(0),
        }));
        presence.prune().await?;
        Ok(presence)
    }

    /// Removes changes that are older than `presence.history_days`, until it is stopped.
    pub(crate) async fn keep_pruned(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PRUNE_EVERY) => {}
            }
            if let Err(error) = self.prune().await {
                tracing::warn!(%error, "the history of presence is not pruned");
            }
        }
    }

    async fn prune(&self) -> Result<(), DatabaseError> {
        let keep_from = self.keep_from();
        self.0
            .database
            .write(move |transaction| Ok(table::forget_changes_before(transaction, keep_from)?))
            .await
    }

    /// Changes that ended before this are removed. The current presence is kept.
    ///
    /// A machine's clock can be months ahead until it is set: before a run has lasted an hour,
    /// ages are counted from the last heartbeat of the run before.
    fn keep_from(&self) -> Timestamp {
        let inner = &self.0;
        let kept = inner.history_millis.max(inner.alive_millis);
        let mut now = inner.clock.now();
        if inner.opened.elapsed() < PRUNE_EVERY {
            now = inner.last_before.map_or(now, |last| now.min(last));
        }
        Timestamp::from_millis(now.as_millis().saturating_sub(kept))
    }

    /// Whether heartbeats carry fields (Behaviour B).
    #[must_use]
    pub fn with_fields(&self) -> bool {
        self.0.with_fields
    }

    /// Takes a heartbeat. Without fields only its time is recorded.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn record(&self, fields: Option<HeartbeatFields>) -> Result<(), DatabaseError> {
        let presence = self.clone();
        run_to_completion(async move { presence.take(fields).await }).await
    }

    async fn take(&self, fields: Option<HeartbeatFields>) -> Result<(), DatabaseError> {
        let inner = &self.0;
        // Two heartbeats at once reach the disk and the memory in one order.
        let turn = inner.one_at_a_time.lock().await;
        let now = inner.clock.now();
        let before = self.recorded();
        let fields = fields.unwrap_or_else(|| before.fields.clone());
        let changed = !self.is_alive(&before) || before.fields != fields;
        let next = Recorded {
            at: Some(now),
            since: before.since.filter(|_| !changed).or(Some(now)),
            fields,
        };
        let keep_from = self.keep_from();
        let day = inner.clock.day_of(now).from;
        let row = next.clone();
        inner
            .database
            .write(move |transaction| -> Result<(), DatabaseError> {
                table::store(transaction, now, &row.fields)?;
                if changed {
                    table::add_change(transaction, now, &row.fields)?;
                    table::forget_all_but(transaction, day, MOST_CHANGES_A_DAY)?;
                    table::forget_changes_before(transaction, keep_from)?;
                } else {
                    table::extend_last_change(transaction, now)?;
                }
                Ok(())
            })
            .await?;
        *inner
            .current
            .write()
            .unwrap_or_else(PoisonError::into_inner) = next;
        drop(turn);
        inner.changes.update(|count| *count += 1);
        Ok(())
    }

    /// The answer of `/check`.
    #[must_use]
    pub fn check(&self) -> Check {
        let current = self
            .0
            .current
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let alive = self.is_alive(&current);
        Check {
            alive,
            last_heartbeat: current.at.map_or(0, Timestamp::as_seconds),
            fields: self.0.with_fields.then(|| HeartbeatFields {
                application_online: alive && current.fields.application_online,
                ..current.fields.clone()
            }),
        }
    }

    /// Since when readers see what they see now; `None` before the first
    /// heartbeat.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        let current = self.recorded();
        if self.is_alive(&current) {
            return current.since;
        }
        let at = current.at?.as_millis();
        Some(Timestamp::from_millis(
            at.saturating_add(self.0.alive_millis),
        ))
    }

    /// Counts up with every accepted heartbeat.
    #[must_use]
    pub fn changes(&self) -> StateReader<u64> {
        self.0.changes.reader()
    }

    fn recorded(&self) -> Recorded {
        self.0
            .current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A clock that was set back a little must not make the owner offline, so a
    /// heartbeat from the near future counts as well.
    fn is_alive(&self, recorded: &Recorded) -> bool {
        recorded.at.is_some_and(|at| {
            let distance = self
                .0
                .clock
                .now()
                .as_millis()
                .saturating_sub(at.as_millis());
            distance.saturating_abs() <= self.0.alive_millis
        })
    }
}
