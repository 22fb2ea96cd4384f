//! What the owner is at, told to a service: the program in front by the rules,
//! whether anybody is there, and what the owner has decided for now.
//!
//! ```text
//! senses ──► settled ──► rules, portrait ──► heartbeat ──► reporter ──► POST /heartbeat
//!                             ▲
//!              pause, fixed status, settings
//! ```
//!
//! Titles never leave this machine unless a rule or `presence.share_titles`
//! asks for them; what the built-in list hides is never told at all.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Zoned;
use porchlight_api::client::Client;
use porchlight_api::window::PrivateGroup;
use porchlight_api::{HeartbeatFields, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::settings::PresenceSettings;

mod away;
mod built_in;
mod colour;
mod decided;
mod front;
mod last_front;
#[cfg(target_os = "linux")]
mod menu_entry;
mod portrait;
mod reporter;
mod rules;
mod saying;
mod senses;
mod settled;
mod teller;

pub use away::Away;
pub use decided::{FixedStatus, InvalidStatus, Pause, Paused};
pub use last_front::{LastFront, problems};
pub use reporter::ReporterState;
pub use senses::Lacks;

use decided::{Decided, Kept};
use last_front::Memory;

/// What is to be told, and where.
#[derive(Debug, Clone)]
pub struct Orders {
    /// Whether the owner has said yes. Until then nothing is even looked at.
    pub enabled: bool,
    /// Rules, times and language.
    pub settings: PresenceSettings,
    /// The service that heartbeats go to.
    pub target: Client,
}

/// What it is doing, and why it cannot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PresenceState {
    /// Exactly what the next heartbeat says; `None` while nothing is said:
    /// without a yes, during a pause, and before the first look.
    pub preview: Option<HeartbeatFields>,
    /// Whether the owner has said yes.
    pub enabled: bool,
    /// The pause, while there is one.
    pub pause: Option<Paused>,
    /// What the owner wants said in place of the program in front.
    pub fixed: Option<FixedStatus>,
    /// Why the owner counts as away; `None` while they are there.
    pub away: Option<Away>,
    /// Whether the program in front is one that is never told, or that a rule
    /// of the owner hides.
    pub hidden: bool,
    /// What cannot be seen on this machine.
    pub lacks: Lacks,
    /// How posting goes.
    pub reporter: ReporterState,
}

/// How many programs are known without a rule.
#[must_use]
pub fn built_in_programs() -> usize {
    built_in::list().len()
}

/// What is never told, whatever the rules say.
#[must_use]
pub fn never_told() -> &'static [PrivateGroup] {
    built_in::list().private()
}

/// Tells a service what its owner is at. Dropping it ends that too, but waits
/// for no goodbye; [`Presence::stop`] does.
#[derive(Debug)]
pub struct Presence {
    shared: Arc<Shared>,
    stop: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What the task and those who steer it share.
#[derive(Debug)]
struct Shared {
    orders: watch::Sender<Orders>,
    decided: watch::Sender<Decided>,
    kept: Kept,
    state: watch::Sender<PresenceState>,
    last_front: Memory,
    now: Notify,
}

impl Shared {
    /// Changes what the owner has decided, and keeps it.
    fn decide<T>(&self, change: impl FnOnce(&mut Decided) -> T) -> T {
        let mut result = None;
        self.decided.send_if_modified(|decided| {
            let before = decided.clone();
            result = Some(change(decided));
            let changed = *decided != before;
            if changed {
                self.kept.write(decided);
            }
            changed
        });
        result.expect("the change was made")
    }
}

impl Presence {
    /// Begins. `folder` is where pause and fixed status are kept from one run
    /// to the next. Must be called on a tokio runtime.
    #[must_use]
    pub fn start(folder: &Path, orders: Orders) -> Self {
        let kept = Kept::in_folder(folder);
        let mut decided = kept.read();
        decided.end_pause_at(Timestamp::now());
        let state = PresenceState {
            enabled: orders.enabled,
            pause: decided.pause,
            fixed: decided.fixed.clone(),
            ..PresenceState::default()
        };
        let shared = Arc::new(Shared {
            orders: watch::Sender::new(orders),
            decided: watch::Sender::new(decided),
            kept,
            state: watch::Sender::new(state),
            last_front: Memory::default(),
            now: Notify::new(),
        });
        let stop = CancellationToken::new();
        let task = tokio::spawn(teller::tell(Arc::clone(&shared), stop.clone()));
        Self {
            shared,
            stop,
            task: Mutex::new(Some(task)),
        }
    }

    /// Follows new orders from now on.
    pub fn follow(&self, orders: Orders) {
        self.shared.orders.send_replace(orders);
    }

    /// What it is doing, now and whenever that changes.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<PresenceState> {
        self.shared.state.subscribe()
    }

    /// The last window in front that is not Porchlight's own. It is known only
    /// while the owner shares what they are at.
    #[must_use]
    pub fn last_front(&self) -> LastFront {
        self.shared.last_front.recall()
    }

    /// Ends the wait after a heartbeat that was not taken, if there is one.
    pub fn try_now(&self) {
        self.shared.now.notify_one();
    }

    /// Exactly what the next heartbeat says; `None` while nothing is said.
    #[must_use]
    pub fn preview(&self) -> Option<HeartbeatFields> {
        self.shared.state.borrow().preview.clone()
    }

    /// The pause, while there is one.
    #[must_use]
    pub fn paused(&self) -> Option<Paused> {
        let mut decided = self.shared.decided.borrow().clone();
        decided.end_pause_at(Timestamp::now());
        decided.pause
    }

    /// Says nothing for a while. What is shown is taken back at once.
    pub fn pause(&self, pause: Pause) {
        let paused = pause.begin(&Zoned::now());
        self.shared.decide(|decided| decided.pause = Some(paused));
    }

    /// Ends the pause.
    pub fn resume(&self) {
        self.shared.decide(|decided| decided.pause = None);
    }

    /// Says this in place of the program in front; `None` names programs again.
    /// Whether the owner is there is told as before.
    ///
    /// # Errors
    /// When no heartbeat can carry it; then nothing changes.
    pub fn fix(&self, status: Option<FixedStatus>) -> Result<(), InvalidStatus> {
        self.shared.decide(|decided| decided.fix(status))
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
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::error!(%error, "telling broke off");
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[cfg(test)]
mod tests;
