//! What this machine tells of its owner: the window in front, input, lock,
//! sleep and what plays. Each sense writes what it sees into one place, and
//! says there why it cannot where that is so.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::front::Front;

#[cfg(target_os = "linux")]
mod bus;
#[cfg(target_os = "linux")]
mod kde;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod lock;
#[cfg(target_os = "linux")]
mod logind;
#[cfg(target_os = "linux")]
mod media;
#[cfg(target_os = "linux")]
mod older_text;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod sleep;
#[cfg(target_os = "linux")]
mod wayland;
#[cfg(target_os = "linux")]
mod x11;

/// When input last came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// It cannot be known; why not is told beside it.
    Unknown,
    /// It comes now.
    Now,
    /// Then.
    Last(Instant),
}

/// The machine slept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Woke {
    /// When that was noticed, by the clock that stands still meanwhile.
    pub(super) at: Instant,
    /// For how long it slept.
    pub(super) slept: Duration,
}

/// Everything that is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) front: Front,
    pub(super) input: Input,
    /// Whether the session's own screen saver says that it is locked.
    pub(super) locked_by_session: bool,
    /// Whether logind says that the session is locked.
    pub(super) locked_by_login: bool,
    /// Whether a media player plays.
    pub(super) playing: bool,
    /// Whether the machine is about to sleep.
    pub(super) asleep: bool,
    /// The last sleep that was noticed.
    pub(super) woke: Option<Woke>,
    /// Why the session's screen saver cannot say whether it is locked.
    pub(super) no_session_lock: Option<String>,
    /// Why logind cannot.
    pub(super) no_login_lock: Option<String>,
    /// All else that is lacking; `lock` follows from the two above.
    pub(super) lacks: Lacks,
}

impl Sight {
    /// Whether the session is locked, by whoever's word.
    pub(super) fn locked(&self) -> bool {
        self.locked_by_session || self.locked_by_login
    }

    /// Whether the window in front was looked for at all.
    pub(super) fn has_looked(&self) -> bool {
        self.front != Front::Unknown || self.lacks.front.is_some()
    }

    /// What cannot be seen. One of the two who know of a lock is enough.
    pub(super) fn lacks(&self) -> Lacks {
        let both = self
            .no_session_lock
            .as_ref()
            .zip(self.no_login_lock.as_ref());
        Lacks {
            lock: both
                .map(|(session, login)| format!("{session}; {login}"))
                .or_else(|| self.lacks.lock.clone()),
            ..self.lacks.clone()
        }
    }
}

impl Default for Sight {
    fn default() -> Self {
        Self {
            front: Front::Unknown,
            input: Input::Unknown,
            locked_by_session: false,
            locked_by_login: false,
            playing: false,
            asleep: false,
            woke: None,
            no_session_lock: None,
            no_login_lock: None,
            lacks: Lacks::default(),
        }
    }
}

/// What cannot be seen here, each with its reason in words; `None` where it
/// can.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lacks {
    /// The program in front.
    pub front: Option<String>,
    /// Input, and so whether the owner is idle.
    pub input: Option<String>,
    /// Whether the session is locked.
    pub lock: Option<String>,
    /// Whether media play.
    pub media: Option<String>,
    /// That the machine is about to sleep. That it slept is noticed all the
    /// same where there is another way to know.
    pub sleep: Option<String>,
}

impl Lacks {
    /// All of them as sentences.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let lacks = [
            ("the program in front is not known", &self.front),
            ("whether you are idle is not known", &self.input),
            ("whether the screen is locked is not known", &self.lock),
            ("whether media play is not known", &self.media),
            ("sleep is not announced", &self.sleep),
        ];
        lacks
            .into_iter()
            .filter_map(|(what, why)| Some(format!("{what}: {}", why.as_ref()?)))
            .collect()
    }
}

/// Where the senses write.
#[derive(Debug, Clone)]
pub(super) struct Seen(watch::Sender<Sight>);

impl Seen {
    /// Changes what is seen; those who follow hear of it only when it differs.
    fn change(&self, change: impl FnOnce(&mut Sight)) {
        self.0.send_if_modified(|sight| {
            let before = sight.clone();
            change(sight);
            *sight != before
        });
    }
}

/// Opens all senses of this system. They close when `stop` is cancelled; the
/// reader then gets nothing more. Must be called on a tokio runtime.
pub(super) fn open(stop: &CancellationToken) -> watch::Receiver<Sight> {
    let (write, read) = watch::channel(Sight::default());
    let seen = Seen(write);
    #[cfg(target_os = "linux")]
    linux::open(&seen, stop);
    #[cfg(not(target_os = "linux"))]
    other::open(&seen, stop);
    read
}
