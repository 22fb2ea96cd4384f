//! Where the service answers on this machine, for the life of the process.
//!
//! `porchlight serve` ends where it cannot listen. The tray app goes on: its
//! owner sees why, and it is tried again when that is asked for and whenever
//! settings are saved. Its own parts (heartbeats, watched folders, editors)
//! call the service over HTTP and bring a token, so until then it listens on a
//! free port for them: nothing is sent to a program that has the port of the settings.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::options::Kind;
use crate::error::message::Message;
use crate::http::settings::{LimitsSettings, ServerSettings};
use crate::router::listen::{BindError, Bound};
use crate::router::listener_state::Shared;
use crate::service::Service;
use crate::settings::Settings;
use crate::settings::difference::Subscription;
use crate::settings::meta::SettingsPart;
use crate::state::StateReader;
use crate::text::address::WebAddress;

/// The listener; clones are the same one.
#[derive(Clone)]
pub struct Listener(Arc<Parts>);

struct Parts {
    service: Service,
    limits: LimitsSettings,
    /// The address in the settings.
    public_url: StateReader<Option<WebAddress>>,
    shared: Shared,
    state: Mutex<State>,
    /// Tried again once at a time.
    turn: tokio::sync::Mutex<()>,
    /// Ends all listening, when that is wanted.
    stop: CancellationToken,
    /// Listening ended, whether that was wanted or not.
    ended: CancellationToken,
    serving: TaskTracker,
}

struct State {
    /// What the settings were when it was last tried.
    wanted: SocketAddr,
    /// Where it listens, or should.
    address: SocketAddr,
    /// Where this process's own parts call.
    own: SocketAddr,
    /// Why it does not listen at `address`.
    trouble: Option<Message>,
}

impl Listener {
    /// Listens at the address of the settings. Callers wait until [`Self::serve`] has
    /// what this gives back.
    ///
    /// # Errors
    /// When it cannot listen there; for the tray app, when it can nowhere.
    pub async fn bind(
        kind: Kind,
        settings: &Settings,
        service: &Service,
        public_url: StateReader<Option<WebAddress>>,
        shared: Shared,
    ) -> Result<(Self, Bound), BindError> {
        let wanted = settings.server.listen;
        let bind = async |server: &ServerSettings| {
            let (service, public_url) = (service.clone(), public_url.clone());
            let limits = &settings.limits;
            crate::router::listen::bind(service, server, limits, public_url, shared.clone()).await
        };
        let (bound, trouble) = match bind(&settings.server).await {
            Err(error) if kind == Kind::Desktop => {
                tracing::error!("{error}");
                let free = ServerSettings {
                    listen: (Ipv4Addr::LOCALHOST, 0).into(),
                    ..settings.server.clone()
                };
                (bind(&free).await?, Some(error.into()))
            }
            bound => (bound?, None),
        };
        let own = bound.address();
        let state = State {
            wanted,
            address: if trouble.is_none() { own } else { wanted },
            own,
            trouble,
        };
        let parts = Parts {
            service: service.clone(),
            limits: settings.limits.clone(),
            public_url,
            shared,
            state: Mutex::new(state),
            turn: tokio::sync::Mutex::default(),
            stop: CancellationToken::new(),
            ended: CancellationToken::new(),
            serving: TaskTracker::new(),
        };
        Ok((Self(Arc::new(parts)), bound))
    }

    /// Serves until [`Self::stop`].
    pub fn serve(&self, bound: Bound) {
        let address = bound.address();
        let parts = Arc::clone(&self.0);
        let serving = tokio::spawn(bound.serve(parts.stop.clone()));
        self.0.serving.spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(%error, "serving has failed");
            }
            parts.has_ended(address);
        });
    }

    /// Tries again where it does not listen; whether it listens now. The
    /// address is that of these settings.
    pub async fn try_again(&self, server: &ServerSettings) -> bool {
        let _one_at_a_time = self.0.turn.lock().await;
        let (address, wanted) = {
            let state = self.0.state.lock();
            if state.trouble.is_none() {
                return true;
            }
            // A port that was chosen is kept while the settings stay.
            let same = server.listen == state.wanted;
            let address = if same { state.address } else { server.listen };
            (address, server.listen)
        };
        let server = ServerSettings {
            listen: address,
            ..server.clone()
        };
        let parts = &self.0;
        let (service, public_url) = (parts.service.clone(), parts.public_url.clone());
        let shared = parts.shared.clone();
        let bound =
            crate::router::listen::bind(service, &server, &parts.limits, public_url, shared);
        let bound = bound.await;
        let mut state = self.0.state.lock();
        (state.wanted, state.address) = (wanted, address);
        match bound {
            Ok(bound) => {
                state.address = bound.address();
                state.trouble = None;
                drop(state);
                tracing::info!(address = %bound.address(), "the service is up here, too");
                self.serve(bound);
                true
            }
            Err(error) => {
                tracing::warn!("{error}");
                state.trouble = Some(error.into());
                false
            }
        }
    }

    /// Tries again with each change of the settings where it does not listen.
    pub fn follow(&self, mut changes: Subscription) {
        let listener = self.clone();
        tokio::spawn(async move {
            while let Some(change) = changes.next().await {
                if listener.port().is_ok() {
                    continue;
                }
                let wanted = &change.new_settings().server;
                if listener.try_again(wanted).await {
                    change.counts_now(|started| started.server.listen = wanted.listen);
                } else if let Err(why) = listener.port() {
                    change.failed(SettingsPart::Listener, why);
                }
            }
        });
    }

    /// The address on this machine that is shown to the owner, without a trailing
    /// slash.
    pub fn url(&self) -> String {
        local_url(self.0.state.lock().address)
    }

    /// The address that this process's own parts call, without a trailing
    /// slash.
    pub fn own_url(&self) -> String {
        local_url(self.0.state.lock().own)
    }

    /// The port that callers find it at, or why there is none.
    pub fn port(&self) -> Result<u16, Message> {
        let state = self.0.state.lock();
        match &state.trouble {
            None => Ok(state.address.port()),
            Some(trouble) => Err(trouble.clone()),
        }
    }

    /// Cancelled when it is to stop.
    pub fn stopping(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// Done when it has stopped listening, also when that was not asked for.
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
        let mut state = self.state.lock();
        if !self.stop.is_cancelled() {
            tracing::error!(%address, "the service has stopped listening by itself");
            if state.address == address {
                state.trouble = Some(crate::detail!(
                    "it stopped listening on {address}; the log says more"
                ));
            }
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
