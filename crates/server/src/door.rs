//! A door: one way into the service, with what it believes of those who come
//! through it.

use std::sync::Arc;

use porchlight_api::WebAddress;
use porchlight_core::Service;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::settings::{ClientIp, ServerSettings};

/// What every handler gets; cheap to clone.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) service: Service,
    pub(crate) limits: Arc<Limits>,
    /// Whose word is taken for the caller's address.
    pub(crate) client_ip: ClientIp,
    pub(crate) greeting: Arc<str>,
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
        Self {
            service,
            limits: Arc::new(limits),
            client_ip: settings.client_ip,
            greeting: settings.greeting.as_str().into(),
            public_url,
        }
    }
}
