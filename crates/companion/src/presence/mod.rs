//! Presence reporter: sends the foreground app, filtered by the rules, whether
//! the owner is away, and the owner's overrides.
//!
//! ```text
//! sensors ──► debounce ──► rules, app metadata ──► heartbeat ──► reporter ──► POST /heartbeat
//!                             ▲
//!              pause, fixed status, settings
//! ```
//!
//! Titles never leave this machine unless a rule or `presence.share_titles`
//! requires them; what the built-in list hides is never shared at all.

use std::path::Path;
use std::sync::Arc;

use jiff::Zoned;
use porchlight_api::client::Client;
use porchlight_api::state::{State, StateReader};
use porchlight_api::window::PrivateGroup;
use porchlight_api::{HeartbeatFields, Message, Timestamp};
use tokio::sync::Notify;

use crate::background::Background;
use crate::settings::PresenceSettings;

mod app_metadata;
mod away;
mod built_in;
mod colour;
mod content;
mod debounce;
mod foreground;
mod last_foreground;
#[cfg(target_os = "linux")]
mod menu_entry;
mod overrides;
mod presence_loop;
mod reporter;
mod rules;
mod sensors;

pub use away::Away;
pub use last_foreground::{LastForeground, problems};
pub use overrides::{FixedStatus, Pause, Paused};
pub use reporter::ReporterState;
pub use sensors::Unavailable;

use last_foreground::Memory;
use overrides::{Overrides, OverridesFile};

/// What to report, and where.
#[derive(Debug, Clone)]
pub struct Orders {
    /// Whether the owner has consented. Until then no sensor is started.
    pub enabled: bool,
    /// Rules, times and language.
    pub settings: PresenceSettings,
    /// The service that heartbeats go to.
    pub target: Client,
}

/// The state of presence reporting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PresenceState {
    /// The exact content of the next heartbeat; `None` while nothing is sent:
    /// without consent, during a pause, and before the first sensor state.
    pub preview: Option<HeartbeatFields>,
    /// Whether the owner has consented.
    pub enabled: bool,
    /// The pause, while there is one.
    pub pause: Option<Paused>,
    /// The status that is shown in place of the foreground app.
    pub fixed: Option<FixedStatus>,
    /// The statuses that were set last, newest first.
    pub recent: Vec<FixedStatus>,
    /// Why the owner counts as away; `None` while they are not.
    pub away: Option<Away>,
    /// Whether the foreground app is one that is never shared, or hidden by a
    /// rule.
    pub hidden: bool,
    /// The sensors that are unavailable on this machine.
    pub unavailable: Unavailable,
    /// The state of sending heartbeats.
    pub reporter: ReporterState,
}

/// How many programs the built-in list knows.
#[must_use]
pub fn built_in_programs() -> usize {
    built_in::list().len()
}

/// What is never shared, whatever the rules are.
#[must_use]
pub fn private_groups() -> &'static [PrivateGroup] {
    built_in::list().private()
}

/// Reports the owner's presence to a service. Dropping it stops that too, but
/// without a goodbye; [`Presence::stop`] sends one.
#[derive(Debug)]
pub struct Presence {
    shared: Arc<Shared>,
    task: Background,
}

/// Shared between the task and its handle.
#[derive(Debug)]
struct Shared {
    orders: State<Orders>,
    overrides: State<Overrides>,
    kept: OverridesFile,
    state: State<PresenceState>,
    last_foreground: Memory,
    now: Notify,
}

impl Shared {
    /// Changes the overrides, and stores them.
    fn change_overrides<T>(&self, change: impl FnOnce(&mut Overrides) -> T) -> T {
        let mut changed = None;
        let result = self.overrides.update(|overrides| {
            let before = overrides.clone();
            let result = change(overrides);
            changed = Some(overrides.clone()).filter(|overrides| *overrides != before);
            result
        });
        if let Some(overrides) = changed {
            self.kept.write(&overrides);
        }
        result
    }
}

impl Presence {
    /// Starts reporting. `folder` is where pause and fixed status are stored
    /// across runs. Must be called on a tokio runtime.
    #[must_use]
    pub fn start(folder: &Path, orders: Orders) -> Self {
        let kept = OverridesFile::in_folder(folder);
        let mut overrides = kept.read();
        overrides.end_at(Timestamp::now());
        let state = PresenceState {
            enabled: orders.enabled,
            pause: overrides.pause,
            fixed: overrides.fixed.clone(),
            recent: overrides.recent.clone(),
            ..PresenceState::default()
        };
        let shared = Arc::new(Shared {
            orders: State::new(orders),
            overrides: State::new(overrides),
            kept,
            state: State::new(state),
            last_foreground: Memory::default(),
            now: Notify::new(),
        });
        let task = Background::default();
        task.spawn(|stop| presence_loop::run(Arc::clone(&shared), stop));
        Self { shared, task }
    }

    /// Applies new orders.
    pub fn follow(&self, orders: Orders) {
        self.shared.orders.set(orders);
    }

    /// Its state, and changes of it.
    #[must_use]
    pub fn state(&self) -> StateReader<PresenceState> {
        self.shared.state.reader()
    }

    /// The last foreground window that is not Porchlight's own. It is known
    /// only while the owner shares their presence.
    #[must_use]
    pub fn last_window(&self) -> LastForeground {
        self.shared.last_foreground.recall()
    }

    /// Ends the wait after a failed heartbeat, if there is one.
    pub fn try_now(&self) {
        self.shared.now.notify_one();
    }

    /// The exact content of the next heartbeat; `None` while nothing is sent.
    #[must_use]
    pub fn preview(&self) -> Option<HeartbeatFields> {
        self.shared.state.with(|state| state.preview.clone())
    }

    /// The pause, while there is one.
    #[must_use]
    pub fn paused(&self) -> Option<Paused> {
        let mut overrides = self.shared.overrides.get();
        overrides.end_at(Timestamp::now());
        overrides.pause
    }

    /// Pauses presence. What is shown is withdrawn at once.
    pub fn pause(&self, pause: Pause) {
        let paused = pause.start(&Zoned::now());
        self.shared
            .change_overrides(|overrides| overrides.pause = Some(paused));
    }

    /// Ends the pause.
    pub fn resume(&self) {
        self.shared
            .change_overrides(|overrides| overrides.pause = None);
    }

    /// Shows this in place of the foreground app; `None` shows apps again.
    /// Whether the owner is away is still sent.
    ///
    /// # Errors
    /// When it exceeds the limits of a heartbeat; then nothing changes.
    pub fn fix(&self, status: Option<FixedStatus>) -> Result<(), Message> {
        self.shared
            .change_overrides(|overrides| overrides.fix(status))
    }

    /// Sends a goodbye where something is shown, and stops; takes at most three
    /// seconds. A second call does nothing.
    pub async fn stop(&self) {
        self.task.stop().await;
    }
}

#[cfg(test)]
mod tests;
