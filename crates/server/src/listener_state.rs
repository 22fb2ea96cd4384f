//! The state of a listener: the service, and which client addresses it trusts.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use porchlight_api::WebAddress;
use porchlight_api::state::StateReader;
use porchlight_core::Service;

use crate::edge::EdgeKey;
use crate::limits::Limits;
use crate::settings::{ClientIp, LimitsSettings, Network, ServerSettings};

/// The state of every handler; one reference, since it is cloned for every
/// request.
#[derive(Clone)]
pub(crate) struct ListenerState(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) limits: Limits,
    /// What the Worker signs its requests with.
    pub(crate) edge: Option<EdgeKey>,
    /// The header in which the owner's proxy passes the client address.
    client_ip: ClientIp,
    /// Peers whose forwarded client address is trusted.
    trusted_proxies: Vec<Network>,
    pub(crate) greeting: String,
    /// The public address, which may change while serving. On the owner's own listener only the
    /// address from the settings.
    pub(crate) public_url: StateReader<Option<WebAddress>>,
    /// The public listener's settings; `None` for the owner's own listener.
    pub(crate) public: Option<PublicListener>,
}

/// The listener that a tunnel leads to. All its requests come from the
/// internet.
#[derive(Debug, Clone)]
pub struct PublicListener {
    /// Its port on loopback; 0 takes a free one.
    pub port: u16,
    /// The header that this tunnel sets; [`ClientIp::Peer`] where it sets none,
    /// and all readers share one bucket, which is sized for it.
    pub client_ip: ClientIp,
    /// The tunnel's public address, while it has one.
    pub tunnel_url: StateReader<Option<WebAddress>>,
}

impl ListenerState {
    pub(crate) fn new(
        service: Service,
        settings: &ServerSettings,
        limits: &LimitsSettings,
        public_url: StateReader<Option<WebAddress>>,
    ) -> Self {
        Self(Arc::new(Parts {
            edge: edge_key(&service),
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
        public_url: StateReader<Option<WebAddress>>,
        public: PublicListener,
    ) -> Self {
        Self(Arc::new(Parts {
            edge: edge_key(&service),
            service,
            limits: Limits::new(limits),
            client_ip: public.client_ip,
            // The tunnel's program runs on this machine.
            trusted_proxies: ServerSettings::default().trusted_proxies,
            greeting: settings.greeting.clone(),
            public_url,
            public: Some(public),
        }))
    }
}

fn edge_key(service: &Service) -> Option<EdgeKey> {
    let secret = service.settings().edge.secret.as_ref();
    secret.map(EdgeKey::new)
}

impl Parts {
    /// Whether the callers of this listener cannot be distinguished: its tunnel sets no header.
    pub(crate) fn callers_are_unnamed(&self) -> bool {
        self.public.is_some() && self.client_ip == ClientIp::Peer
    }

    /// Whether, by the settings, only programs on this machine reach this listener.
    pub(crate) fn is_private(&self) -> bool {
        self.public.is_none()
            && self.client_ip == ClientIp::Peer
            && self.public_url.with(Option::is_none)
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
