//! The tunnel to the internet: another program, which is started, supervised,
//! and restarted.
//!
//! It counts as up when a request through its public address has reached this
//! very process, and for no longer than that stays true.

mod child;
mod plan;
mod probe;
mod program;
pub mod settings;
mod supervise;
pub mod window;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use crate::state::{State, StateReader};
use crate::text::address::{Probe, WebAddress};
use crate::tunnel::window::TunnelState;
use tokio::sync::Notify;

use crate::state::background::Background;

pub use plan::{InvalidTunnel, Plan, TrustedHeader};
pub use probe::{Prober, Reached};
pub use program::startable;

/// The program that runs another one for as long as its own standard input is
/// open. So a tunnel ends with this process, however that ends.
#[derive(Debug, Clone)]
pub struct Holder {
    pub program: PathBuf,
    /// Its arguments before the command line that it runs.
    pub arguments: Vec<OsString>,
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

    #[must_use]
    pub fn state(&self) -> StateReader<TunnelState> {
        self.state.clone()
    }

    /// Notifying its waiters starts it again at once, where it waits for that or for its program to be
    /// installed. Without a wait, an attempt is in progress already.
    #[must_use]
    pub fn retry(&self) -> Arc<Notify> {
        Arc::clone(&self.now)
    }

    /// Ends the program and waits until it is gone, some seconds at most. A
    /// second call does nothing.
    pub async fn stop(&self) {
        self.supervising.stop().await;
    }
}
