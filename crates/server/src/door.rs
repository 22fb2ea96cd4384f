//! A door: one way into the service, with what it believes of those who come
//! through it.

use std::ops::Deref;
use std::sync::Arc;

use porchlight_api::WebAddress;
use porchlight_core::Service;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::settings::{ClientIp, ServerSettings};

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
}

impl Door {
    pub(crate) fn new(
        service: Service,
        settings: &ServerSettings,
        limits: Limits,
        public_url: watch::Receiver<Option<WebAddress>>,
    ) -> Self {
        Self(Arc::new(Parts {
            service,
            limits,
            client_ip: settings.client_ip,
            greeting: settings.greeting.clone(),
            public_url,
        }))
    }
}

impl Deref for Door {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
