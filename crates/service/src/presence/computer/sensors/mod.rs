//! The sensors of this machine: the foreground window, input, lock, sleep and
//! media playback. Each sensor writes its state into one shared value, or the
//! reason why it is unavailable.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::foreground::{Foreground, Track};
use crate::error::message::Message;
use crate::state::{State, StateReader};

#[cfg(target_os = "linux")]
mod bus;
#[cfg(target_os = "linux")]
mod compositor;
#[cfg(target_os = "linux")]
pub(super) mod gnome;
#[cfg(target_os = "linux")]
mod kde;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod lock;
#[cfg(target_os = "linux")]
mod logind;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "linux")]
mod media;
#[cfg(any(target_os = "linux", windows, test))]
mod players;
#[cfg(target_os = "linux")]
mod sleep;
#[cfg(target_os = "linux")]
mod wayland;
#[cfg(any(windows, test))]
mod windows;
#[cfg(target_os = "linux")]
mod x11;

/// Two readings of the last input that differ by less are the same.
#[cfg(any(windows, target_os = "macos"))]
const JITTER: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// It is unavailable; the reason is in [`Unavailable`].
    Unknown,
    #[cfg(target_os = "linux")]
    Now,
    Last(Instant),
}

/// The machine slept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Woke {
    /// When that was noticed, by the clock that does not advance during sleep.
    pub(super) at: Instant,
    pub(super) slept: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SensorState {
    pub(super) front: Foreground,
    pub(super) input: Input,
    /// Whether the session's screen saver reports it as locked, or Windows.
    pub(super) locked_by_session: bool,
    /// Whether logind reports the session as locked.
    pub(super) locked_by_login: bool,
    pub(super) playing: bool,
    /// What the media players play, where tracks are read.
    pub(super) tracks: Vec<Track>,
    pub(super) asleep: bool,
    pub(super) woke: Option<Woke>,
    pub(super) no_session_lock: Option<Message>,
    pub(super) no_login_lock: Option<Message>,
    /// All other unavailable sensors; `lock` follows from the two above.
    pub(super) unavailable: Unavailable,
}

impl SensorState {
    /// Whether the session is locked, by any source.
    pub(super) fn locked(&self) -> bool {
        self.locked_by_session || self.locked_by_login
    }

    /// Whether the foreground window has been queried at all.
    pub(super) fn has_looked(&self) -> bool {
        self.front != Foreground::Unknown || self.unavailable.front.is_some()
    }

    /// Takes a reading of the last input, if there is one.
    #[cfg(any(windows, target_os = "macos"))]
    fn read_input(&mut self, last: Option<Instant>) {
        self.unavailable.input = last.is_none().then_some(crate::detail!(
            "Porchlight has no way to ask on this system yet"
        ));
        self.input = match (self.input, last) {
            (_, None) => Input::Unknown,
            (Input::Last(known), Some(last)) if last.saturating_duration_since(known) < JITTER => {
                Input::Last(known)
            }
            (_, Some(last)) => Input::Last(last),
        };
    }

    /// The unavailable sensors. One of the two sources of the lock is enough.
    pub(super) fn unavailable(&self) -> Unavailable {
        let both = self
            .no_session_lock
            .as_ref()
            .zip(self.no_login_lock.as_ref());
        Unavailable {
            lock: both
                .map(|(session, login)| session.clone().and(login.clone()))
                .or_else(|| self.unavailable.lock.clone()),
            ..self.unavailable.clone()
        }
    }
}

impl Default for SensorState {
    fn default() -> Self {
        Self {
            front: Foreground::Unknown,
            input: Input::Unknown,
            locked_by_session: false,
            locked_by_login: false,
            playing: false,
            tracks: Vec::new(),
            asleep: false,
            woke: None,
            no_session_lock: None,
            no_login_lock: None,
            unavailable: Unavailable::default(),
        }
    }
}

/// The unavailable sensors, each with its reason; `None` where it is
/// available.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unavailable {
    pub front: Option<Message>,
    /// Input, and so whether the owner is idle.
    pub input: Option<Message>,
    pub lock: Option<Message>,
    pub media: Option<Message>,
    /// That the machine is about to sleep. That it slept is still noticed where
    /// its clocks show it.
    pub sleep: Option<Message>,
}

impl Unavailable {
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let unavailable = [
            ("the program in front is not known", &self.front),
            ("whether you are idle is not known", &self.input),
            ("whether the screen is locked is not known", &self.lock),
            ("whether media play is not known", &self.media),
            ("sleep is not announced", &self.sleep),
        ];
        unavailable
            .into_iter()
            .filter_map(|(what, why)| Some(format!("{what}: {}", why.as_ref()?)))
            .collect()
    }
}

#[derive(Debug, Clone)]
pub(super) struct StateWriter(State<SensorState>);

impl StateWriter {
    /// Changes the state; subscribers are notified only when it differs.
    fn change(&self, change: impl FnOnce(&mut SensorState)) {
        self.0.update(change);
    }
}

/// Starts all sensors of this system. They stop when `stop` is cancelled; the
/// reader then gets nothing more. `reads_tracks`: whether media players are asked what they play, on
/// Linux and Windows. Must be called on a tokio runtime.
#[cfg_attr(
    target_os = "macos",
    allow(unused_variables, reason = "macOS has no tracks")
)]
pub(super) fn open(stop: &CancellationToken, reads_tracks: bool) -> StateReader<SensorState> {
    let write = State::new(SensorState::default());
    let read = write.reader();
    let writer = StateWriter(write);
    #[cfg(target_os = "linux")]
    linux::open(&writer, stop, reads_tracks);
    #[cfg(windows)]
    windows::open(&writer, stop, reads_tracks);
    #[cfg(target_os = "macos")]
    macos::open(&writer, stop);
    read
}
