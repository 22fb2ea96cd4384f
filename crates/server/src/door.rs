//! A door: one way into the service, with what it believes of those who come
//! through it.

use std::ops::Deref;
use std::sync::Arc;

use porchlight_api::WebAddress;
use porchlight_core::Service;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::settings::{ClientIp, LimitsSettings, ServerSettings};

/// Readers who cannot be told apart may together do this many times what one
/// of them may.
const EVERYONE: u64 = 20;

/// What every handler gets; one reference, since it is cloned for every request.
#[derive(Clone)]
pub(crate) struct Door(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) limits: Limits,
    /// Whose word is taken for the caller's address.
    pub(crate) client_ip: ClientIp,
    pub(crate) greeting: String,
    /// The address that the world uses, which may change while serving.
    pub(crate) public_url: watch::Receiver<Option<WebAddress>>,
    /// What is known of the tunnel that ends here; `None` at the owner's own
    /// door.
    pub(crate) front: Option<FrontDoor>,
}

/// The door that a tunnel leads to. All who come through it come from the
/// world.
#[derive(Debug, Clone)]
pub struct FrontDoor {
    /// Its port on loopback; 0 takes a free one.
    pub port: u16,
    /// The header that this tunnel sets; [`ClientIp::Peer`] where it sets none,
    /// and all readers share one bucket, which is sized for it.
    pub client_ip: ClientIp,
    /// The tunnel's address in the world, while it has one.
    pub tunnel_url: watch::Receiver<Option<WebAddress>>,
    /// How it is told that a public address leads to this very door.
    pub knock: Knock,
}

/// A path that nobody else knows, and what this door alone answers there.
#[derive(Debug, Clone)]
pub struct Knock {
    /// Begins with a slash.
    pub path: String,
    /// The body of the answer.
    pub answer: String,
}

impl Door {
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
            greeting: settings.greeting.clone(),
            public_url,
            front: None,
        }))
    }

    pub(crate) fn front(
        service: Service,
        settings: &ServerSettings,
        limits: &LimitsSettings,
        public_url: watch::Receiver<Option<WebAddress>>,
        front: FrontDoor,
    ) -> Self {
        let mut limits = limits.clone();
        if front.client_ip == ClientIp::Peer {
            limits.requests_per_second = limits.requests_per_second.saturating_mul(EVERYONE);
            limits.burst = limits.burst.saturating_mul(EVERYONE);
        }
        Self(Arc::new(Parts {
            service,
            limits: Limits::new(&limits),
            client_ip: front.client_ip,
            greeting: settings.greeting.clone(),
            public_url,
            front: Some(front),
        }))
    }
}

impl Deref for Door {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
