//! Where the service answers on this machine, for the life of the process.
//!
//! `porchlight serve` ends where it cannot listen. The tray app goes on: its owner sees why, and it is
//! tried again when that is asked for and whenever settings change. Until then it listens on a free
//! port for its own parts and for other commands: nothing is sent to a program that has the port of
//! the settings.
//!
//! When `server.listen` changes, the new listener is bound before the old one closes; on the same
//! port the old one closes first, and comes back where the new one fails.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::options::Kind;
use crate::error::message::Message;
use crate::router::listen::{self, BindError, Bound};
use crate::router::listener_state::Shared;
use crate::service::Service;
use crate::state::{State, StateReader};

/// The listener; clones are the same one.
#[derive(Clone)]
pub struct Listener(Arc<Parts>);

struct Parts {
    service: Service,
    shared: Shared,
    state: Mutex<ListenerStatus>,
    /// The address that this process's own parts and other commands call, without a trailing slash.
    own_url: State<String>,
    /// One change at a time.
    turn: tokio::sync::Mutex<()>,
    /// Ends all listening, when that is wanted.
    stop: CancellationToken,
    /// Listening ended without being asked to.
    ended: CancellationToken,
    serving: TaskTracker,
}

struct ListenerStatus {
    /// What the settings were when it was last tried.
    wanted: SocketAddr,
    /// Where it listens, or should.
    address: SocketAddr,
    /// Where it does listen.
    own: SocketAddr,
    /// Why it does not listen where the settings want it.
    trouble: Option<Message>,
    /// What listens at `own`.
    open: Option<OpenListener>,
}

/// A listener that serves.
struct OpenListener {
    close: CancellationToken,
    /// Its address is free again.
    closed: CancellationToken,
}

impl Listener {
    /// Listens at the address of the settings. Callers wait until [`Self::serve`] has
    /// what this gives back.
    ///
    /// # Errors
    /// When it cannot listen there; for the tray app, when it can nowhere.
    pub async fn bind(
        kind: Kind,
        wanted: SocketAddr,
        service: &Service,
        shared: Shared,
    ) -> Result<(Self, Bound), BindError> {
        let bind = async |address| listen::bind(service.clone(), address, shared.clone()).await;
        let (bound, trouble) = match bind(wanted).await {
            Err(error) if kind == Kind::Desktop => {
                tracing::error!("{error}");
                let free = (Ipv4Addr::LOCALHOST, 0).into();
                (bind(free).await?, Some(error.into()))
            }
            bound => (bound?, None),
        };
        let own = bound.address();
        let state = ListenerStatus {
            wanted,
            address: if trouble.is_none() { own } else { wanted },
            own,
            trouble,
            open: None,
        };
        let parts = Parts {
            service: service.clone(),
            shared,
            state: Mutex::new(state),
            own_url: State::new(local_url(own)),
            turn: tokio::sync::Mutex::default(),
            stop: CancellationToken::new(),
            ended: CancellationToken::new(),
            serving: TaskTracker::new(),
        };
        Ok((Self(Arc::new(parts)), bound))
    }

    /// Serves until [`Self::stop`], or until it listens elsewhere.
    pub fn serve(&self, bound: Bound) {
        let address = bound.address();
        let parts = Arc::clone(&self.0);
        let (close, closed) = (parts.stop.child_token(), CancellationToken::new());
        let (closing, is_closed) = (close.clone(), closed.clone().drop_guard());
        let serving = tokio::spawn(async move {
            let open = bound.accept(closing).await;
            drop(is_closed);
            open.finish().await;
        });
        let closing = close.clone();
        self.0.serving.spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(%error, "serving has failed");
            }
            if !closing.is_cancelled() {
                parts.has_ended(address);
            }
        });
        let mut state = self.0.state.lock();
        state.own = address;
        state.open = Some(OpenListener { close, closed });
        drop(state);
        self.0.own_url.set(local_url(address));
    }

    /// Listens where these settings want it, if it does not yet.
    ///
    /// # Errors
    /// Why it does not; then it listens where it did.
    pub async fn follow(&self, wanted: SocketAddr) -> Result<(), Message> {
        let _one_at_a_time = self.0.turn.lock().await;
        let (address, old, open) = {
            let mut state = self.0.state.lock();
            let is_same = wanted == state.wanted;
            if is_same && state.trouble.is_none() {
                return Ok(());
            }
            state.wanted = wanted;
            // A port that was chosen is kept while the settings stay.
            let address = if is_same { state.address } else { wanted };
            (address, state.own, state.open.take())
        };
        let shares_port = open.is_some() && address.port() == old.port();
        let open = match open {
            Some(open) if shares_port => {
                open.close.cancel();
                open.closed.cancelled().await;
                None
            }
            open => open,
        };
        let parts = &self.0;
        let bind = async |at| listen::bind(parts.service.clone(), at, parts.shared.clone()).await;
        let error = match bind(address).await {
            Ok(bound) => {
                {
                    let mut state = parts.state.lock();
                    (state.address, state.trouble) = (bound.address(), None);
                }
                tracing::info!(address = %bound.address(), "the service listens here now");
                self.serve(bound);
                if let Some(open) = open {
                    open.close.cancel();
                }
                return Ok(());
            }
            Err(error) => Message::from(error),
        };
        tracing::warn!("{error}");
        parts.state.lock().trouble = Some(error.clone());
        // What others reached must not stay open where the settings let in this machine alone.
        let is_closed = |address: SocketAddr| address.ip().to_canonical().is_loopback();
        let again = if is_closed(wanted) && !is_closed(old) {
            Some((Ipv4Addr::LOCALHOST, 0).into())
        } else {
            shares_port.then_some(old)
        };
        match (open, again) {
            (Some(open), None) => parts.state.lock().open = Some(open),
            (None, None) => {}
            (open, Some(again)) => {
                if let Some(open) = open {
                    open.close.cancel();
                }
                match bind(again).await {
                    Ok(bound) => {
                        if again != old {
                            parts.state.lock().address = wanted;
                        }
                        self.serve(bound);
                    }
                    Err(why) => {
                        tracing::error!("{why}");
                        parts.ended.cancel();
                    }
                }
            }
        }
        Err(error)
    }

    /// The address on this machine that is shown to the owner, without a trailing
    /// slash.
    pub fn url(&self) -> String {
        local_url(self.0.state.lock().address)
    }

    /// The address that this process's own parts and other commands call, without a trailing slash;
    /// now and whenever it changes.
    pub fn own_url(&self) -> StateReader<String> {
        self.0.own_url.reader()
    }

    /// The port that callers find it at, or why there is none.
    pub fn port(&self) -> Result<u16, Message> {
        let state = self.0.state.lock();
        match &state.trouble {
            Some(trouble) if state.address != state.own || state.open.is_none() => {
                Err(trouble.clone())
            }
            _ => Ok(state.address.port()),
        }
    }

    /// Cancelled when it is to stop.
    pub fn stopping(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// Done when it has stopped listening without being asked to.
    pub async fn ended(&self) {
        self.0.ended.cancelled().await;
    }

    /// Stops, when what is in flight is finished.
    pub async fn stop(&self) {
        self.0.stop.cancel();
        self.0.serving.close();
        self.0.serving.wait().await;
    }
}

impl Parts {
    fn has_ended(&self, address: SocketAddr) {
        tracing::error!(%address, "the service has stopped listening by itself");
        let mut state = self.state.lock();
        if state.own == address {
            state.trouble = Some(crate::detail!(
                "it stopped listening on {address}; the log says more"
            ));
            state.open = None;
        }
        drop(state);
        self.ended.cancel();
    }
}

fn local_url(address: SocketAddr) -> String {
    let mut local = address;
    // A listener on all addresses is reached on loopback, too.
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => local.set_ip(Ipv4Addr::LOCALHOST.into()),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => local.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{local}")
}

#[cfg(test)]
mod tests;
