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

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Zoned;
use tokio::sync::{Mutex, Notify, oneshot};

use crate::error::message::Message;
use crate::http::replies::HeartbeatFields;
use crate::presence::computer::settings::PresenceSettings;
use crate::presence::window::PrivateGroup;
use crate::state::background::Background;
use crate::state::{State, StateReader};

mod app_metadata;
mod away;
mod built_in;
mod colour;
mod content;
mod debounce;
mod end;
mod foreground;
mod known_apps;
mod last_foreground;
#[cfg(target_os = "linux")]
mod menu_entry;
mod overrides;
mod presence_loop;
mod reporter;
mod rules;
mod sensors;
pub mod settings;
mod shown_file;
#[cfg(windows)]
mod web_handlers;

pub use away::Away;
pub use content::{ClientReport, ClientTrack, of_client};
pub use end::End;
pub use last_foreground::{LastForeground, problems};
pub use overrides::{FixedStatus, Pause, Paused};
pub use reporter::{HeartbeatTarget, ReporterState};
pub use sensors::Unavailable;

use known_apps::KnownApps;
use last_foreground::Memory;
use overrides::{Overrides, OverridesFile};
use shown_file::ShownFile;

/// How long a change of the overrides waits for the disk. What is written later is written all the
/// same.
const WRITE_WITHIN: Duration = Duration::from_secs(2);

/// What to report, and where.
#[derive(Clone)]
pub struct PresenceOrders {
    /// Whether the owner has consented. Until then no sensor is started.
    pub enabled: bool,
    /// Rules, times and language.
    pub settings: PresenceSettings,
    /// The service of this process.
    pub own: HeartbeatTarget,
    /// Another service, to which this computer reports besides.
    pub other: Option<HeartbeatTarget>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PresenceState {
    /// The exact content of the next heartbeat; `None` while nothing is sent:
    /// without consent, during a pause, and before the first sensor state.
    pub preview: Option<HeartbeatFields>,
    /// Whether the owner has consented.
    pub enabled: bool,
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
    pub unavailable: Unavailable,
    /// Of the reports to the other service, where the settings name one and those to the own one
    /// arrive; else of the latter.
    pub reporter: ReporterState,
}

#[must_use]
pub fn built_in_programs() -> usize {
    built_in::list().len()
}

/// What is never shared, whatever the rules are.
#[must_use]
pub fn private_groups() -> &'static [PrivateGroup] {
    built_in::list().private()
}

/// Turns Porchlight's extension on in GNOME Shell, which reports the foreground window.
///
/// # Errors
/// When the Shell does not know the extension or refuses it, and where there is no GNOME Shell.
pub async fn turn_on_gnome_extension() -> Result<(), Message> {
    #[cfg(target_os = "linux")]
    return sensors::gnome::turn_on_in_session().await;
    #[cfg(not(target_os = "linux"))]
    Err(crate::detail!(
        "Porchlight has no way to ask on this system yet"
    ))
}

/// Reports the owner's presence to a service. Dropping it stops that too, but
/// without a goodbye; [`Presence::stop`] sends one.
pub struct Presence {
    shared: Arc<Shared>,
    task: Background,
}

/// Shared between the task and its handle.
struct Shared {
    orders: State<PresenceOrders>,
    overrides: State<Overrides>,
    kept: OverridesFile,
    /// Held while the overrides are written.
    one_at_a_time: Mutex<()>,
    writes: Background,
    state: State<PresenceState>,
    last_foreground: Memory,
    known_apps: KnownApps,
    now: Notify,
}

impl Shared {
    /// Changes the overrides: what the owner hides is hidden at once. They are written meanwhile,
    /// also when no caller waits for that.
    ///
    /// # Errors
    /// When they could not be written, so that they hold for this run only, or not in time.
    fn change_overrides(
        self: &Arc<Self>,
        change: impl FnOnce(&mut Overrides),
    ) -> impl Future<Output = Result<(), Message>> {
        let changed = self.overrides.update(|overrides| {
            let before = overrides.clone();
            change(overrides);
            *overrides != before
        });
        let written = changed.then(|| self.write_overrides());
        let late = self.kept.unwritten(io::ErrorKind::TimedOut.into());
        async move {
            let Some(written) = written else {
                return Ok(());
            };
            match tokio::time::timeout(WRITE_WITHIN, written).await {
                Ok(written) => written.map_err(Message::text)?,
                Err(_) => Err(late),
            }
        }
    }
}

impl Shared {
    /// Writes the overrides, also when no caller waits for that.
    fn write_overrides(self: &Arc<Self>) -> oneshot::Receiver<Result<(), Message>> {
        let shared = Arc::clone(self);
        let (done, written) = oneshot::channel();
        let what = "the change of presence.json";
        self.writes
            .spawn_within(WRITE_WITHIN, what, |_| async move {
                let _turn = shared.one_at_a_time.lock().await;
                // The latest, where there was another change meanwhile.
                let latest = shared.overrides.get();
                // The caller may have stopped waiting.
                let _ = done.send(shared.kept.write(&latest).await);
            });
        written
    }

    /// Writes what is left of a pause or a status that has an end: the next run goes on from
    /// there.
    fn keep_what_is_left(self: &Arc<Self>) {
        if self.overrides.with(|overrides| overrides.left().is_some()) {
            drop(self.write_overrides());
        }
    }
}

impl Presence {
    /// Starts reporting. `folder` is where pause and fixed status are stored
    /// across runs. Must be called on a tokio runtime.
    #[must_use]
    pub fn start(folder: &Path, orders: PresenceOrders) -> Self {
        let kept = OverridesFile::in_folder(folder);
        let shown = ["presence-shown", "presence-shown-elsewhere"]
            .map(|name| ShownFile::read(folder.join(name)));
        let mut overrides = kept.read();
        overrides.end_what_is_over();
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
            one_at_a_time: Mutex::default(),
            writes: Background::default(),
            state: State::new(state),
            last_foreground: Memory::default(),
            known_apps: KnownApps::default(),
            now: Notify::new(),
        });
        let task = Background::default();
        task.spawn(|stop| presence_loop::run(Arc::clone(&shared), shown, stop));
        Self { shared, task }
    }

    pub fn follow(&self, orders: PresenceOrders) {
        self.shared.orders.set(orders);
    }

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

    /// The `program` of a rule for the app that readers know by this name, which is that of the
    /// program's own names; `None` where no program on this machine is known by it.
    pub async fn program_of(&self, application: String) -> Option<String> {
        let settings = self.shared.orders.with(|orders| orders.settings.clone());
        let known = self.shared.known_apps.named(&application, &settings);
        let found =
            tokio::task::spawn_blocking(move || known_apps::program_of(&application, known));
        found.await.ok().flatten()
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

    #[must_use]
    pub fn paused(&self) -> Option<Paused> {
        let mut overrides = self.shared.overrides.get();
        overrides.end_what_is_over();
        overrides.pause
    }

    /// Pauses presence. What is shown is withdrawn at once, also before the returned future is
    /// waited for.
    ///
    /// # Errors
    /// When the pause cannot be written; it is in force, but ends with this run.
    pub fn pause(&self, pause: Pause) -> impl Future<Output = Result<(), Message>> {
        let paused = pause.start(&Zoned::now());
        self.shared
            .change_overrides(move |overrides| overrides.pause = Some(paused))
    }

    /// Ends the pause, also before the returned future is waited for.
    ///
    /// # Errors
    /// When that cannot be written; it has ended, but the next run may be paused again.
    pub fn resume(&self) -> impl Future<Output = Result<(), Message>> {
        self.shared
            .change_overrides(|overrides| overrides.pause = None)
    }

    /// Shows this in place of the foreground app; `None` shows apps again.
    /// Whether the owner is away is still sent.
    ///
    /// # Errors
    /// When it exceeds the limits of a heartbeat; then nothing changes. When it cannot be written; it
    /// is shown, but only by this run.
    pub async fn fix(&self, status: Option<FixedStatus>) -> Result<(), Message> {
        if let Some(status) = &status {
            status.check()?;
        }
        self.shared
            .change_overrides(move |overrides| overrides.fix(status))
            .await
    }

    /// Sends a goodbye where something is shown, and stops, when also the last change of the overrides
    /// is written; takes at most three seconds. A second call does nothing.
    pub async fn stop(&self) {
        self.shared.keep_what_is_left();
        tokio::join!(self.task.stop(), self.shared.writes.stop());
    }
}

#[cfg(test)]
mod tests;
