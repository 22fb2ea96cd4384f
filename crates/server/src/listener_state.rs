//! A door: one way into the service, with what it believes of those who come
//! through it.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use porchlight_api::WebAddress;
use porchlight_core::Service;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::settings::{ClientIp, LimitsSettings, Network, ServerSettings};

/// What every handler gets; one reference, since it is cloned for every request.
#[derive(Clone)]
pub(crate) struct ListenerState(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) limits: Limits,
    /// The header in which the owner's proxy passes the client address.
    client_ip: ClientIp,
    /// Peers whose forwarded client address is trusted.
    trusted_proxies: Vec<Network>,
    pub(crate) greeting: String,
    /// The public address, which may change while serving. On the owner's own listener only the
    /// address from the settings.
    pub(crate) public_url: watch::Receiver<Option<WebAddress>>,
    /// What is known of the tunnel that ends here; `None` at the owner's own
    /// door.
    pub(crate) public: Option<PublicListener>,
}

/// The door that a tunnel leads to. All who come through it come from the
/// world.
#[derive(Debug, Clone)]
pub struct PublicListener {
    /// Its port on loopback; 0 takes a free one.
    pub port: u16,
    /// The header that this tunnel sets; [`ClientIp::Peer`] where it sets none,
    /// and all readers share one bucket, which is sized for it.
    pub client_ip: ClientIp,
    /// The tunnel's address in the world, while it has one.
    pub tunnel_url: watch::Receiver<Option<WebAddress>>,
    /// How it is told that a public address leads to this very door.
    pub probe: Probe,
}

/// A path that nobody else knows, and what this door alone answers there.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Begins with a slash.
    pub path: String,
    /// The body of the answer.
    pub answer: String,
}

impl ListenerState {
    pub(crate) fn new(
        service: Service,
        settings: &ServerSettings,
        limits: &LimitsSettings,
        public_url: watch::Receiver<Option<WebAddress>>,
    ) -> Self {
        Self(Arc::new(Parts {
            service,
            limits: Limits::new(limits),
            client_ip: settings.client_ip,
            trusted_proxies: settings.trusted_proxies.clone(),
            greeting: settings.greeting.clone(),
            public_url,
            public: None,
        }))
    }

    pub(crate) fn public(
        service: Service,
        settings: &ServerSettings,
        limits: &LimitsSettings,
        public_url: watch::Receiver<Option<WebAddress>>,
        public: PublicListener,
    ) -> Self {
        let limits = match public.client_ip {
            ClientIp::Peer => Limits::of_all(limits),
            _ => Limits::new(limits),
        };
        Self(Arc::new(Parts {
            service,
            limits,
            client_ip: public.client_ip,
            // The tunnel's program runs on this machine.
            trusted_proxies: ServerSettings::default().trusted_proxies,
            greeting: settings.greeting.clone(),
            public_url,
            public: Some(public),
        }))
    }
}

impl Parts {
    /// Whether, by the settings, only programs on this machine reach this listener.
    pub(crate) fn is_private(&self) -> bool {
        self.public.is_none()
            && self.client_ip == ClientIp::Peer
            && self.public_url.borrow().is_none()
    }

    /// Where the client address of a request from this peer is read from.
    pub(crate) fn client_ip(&self, peer: SocketAddr) -> ClientIp {
        let address = peer.ip().to_canonical();
        let trusted = self.trusted_proxies.iter().any(|own| own.contains(address));
        if trusted {
            self.client_ip
        } else {
            ClientIp::Peer
        }
    }
}

impl Deref for ListenerState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
