//! The tunnel to the internet: another program, which is started, supervised,
//! and restarted.
//!
//! It counts as up when a request through its public address has reached this
//! very process, and for no longer than that stays true.

mod child;
mod edge;
mod install;
mod plan;
mod probe;
mod program;
mod supervise;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use porchlight_api::state::{State, StateReader};
use porchlight_api::{Message, Probe, Timestamp, WebAddress};
use tokio::sync::Notify;

use crate::background::Background;

pub use edge::{EdgeProber, FoundAtEdge};
pub use install::Installer;
pub use plan::{InvalidTunnel, Plan, TrustedHeader};
pub use probe::{Prober, Reached};
pub use program::startable;

/// The program that runs another one for as long as its own standard input is
/// open. So a tunnel ends with this process, however that ends.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The program.
    pub program: PathBuf,
    /// Its arguments before the command line that it runs.
    pub arguments: Vec<OsString>,
}

/// What the tunnel is doing, and why it cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TunnelState {
    /// Its program was started and has not named an address yet.
    Starting,
    /// The address is being probed.
    Checking {
        /// The public address.
        address: WebAddress,
    },
    /// It is up.
    Up {
        /// The public address.
        address: WebAddress,
        /// Since when it has led here without a break.
        since: Timestamp,
        /// What the last look from outside took.
        round_trip: Duration,
        /// A proxy on the way changes `Host`, so that pages of readers are refused.
        host_rewritten: bool,
    },
    /// It ended or led nowhere, and is started again.
    Waiting {
        /// What went wrong.
        why: Message,
        /// In how long it is started again.
        pause: Duration,
        /// When that is.
        next_try: Timestamp,
    },
    /// The program is not installed, or the file that the settings name cannot
    /// be started. It is searched for repeatedly.
    Missing {
        /// Its name, or the path of the file.
        program: String,
        /// What is wrong with the file that the settings name.
        why: Option<Message>,
        /// The line that installs it, where there is one for all.
        install: Option<&'static str>,
    },
    /// It was stopped.
    Stopped,
}

/// A tunnel that is kept up until it is stopped.
#[derive(Debug)]
pub struct Tunnel {
    state: StateReader<TunnelState>,
    now: Arc<Notify>,
    supervising: Background,
}

impl Tunnel {
    /// Starts it. `address` holds the public address while that leads here.
    /// Must be called on a tokio runtime.
    ///
    /// # Errors
    /// When no HTTPS client can be set up to look from outside.
    pub fn start(
        plan: Plan,
        holder: Holder,
        probe: Probe,
        address: State<Option<WebAddress>>,
    ) -> Result<Self, reqwest::Error> {
        let write_state = State::new(TunnelState::Starting);
        let state = write_state.reader();
        let now = Arc::new(Notify::new());
        let prober = probe::Prober::new(probe)?;
        let supervising = Background::default();
        supervising.spawn(|stop| {
            let supervisor = supervise::Supervisor {
                plan,
                holder,
                prober,
                address,
                state: write_state,
                now: Arc::clone(&now),
                stop,
            };
            supervisor.run()
        });
        Ok(Self {
            state,
            now,
            supervising,
        })
    }

    /// Its state, and changes of it.
    #[must_use]
    pub fn state(&self) -> StateReader<TunnelState> {
        self.state.clone()
    }

    /// Starts it again at once, where it waits for that or for its program to
    /// be installed.
    pub fn try_now(&self) {
        // Without a wait, an attempt is in progress already.
        self.now.notify_waiters();
    }

    /// Ends the program and waits until it is gone, some seconds at most. A
    /// second call does nothing.
    pub async fn stop(&self) {
        self.supervising.stop().await;
    }
}

/// In words, for the log.
impl std::fmt::Display for TunnelState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::Checking { address } => {
                write!(f, "seeing whether {address} leads here")
            }
            Self::Up {
                address,
                host_rewritten,
                ..
            } => {
                write!(f, "up at {address}")?;
                let rewritten = host_rewritten.then_some(
                    ", but a proxy on the way changes the header Host, so pages of readers are \
                     refused; in nginx: proxy_set_header Host $host;",
                );
                f.write_str(rewritten.unwrap_or_default())
            }
            Self::Waiting { why, pause, .. } => {
                write!(f, "{why}; starting again in {} s", pause.as_secs())
            }
            Self::Missing { why: Some(why), .. } => why.fmt(f),
            Self::Missing {
                program, install, ..
            } => {
                write!(f, "the program `{program}` is not installed")?;
                install.map_or(Ok(()), |line| write!(f, ": {line}"))
            }
            Self::Stopped => f.write_str("stopped"),
        }
    }
}
