//! Where requests go: an address that was given, or the service that runs on
//! this machine, which can stop and start again elsewhere.

use std::fmt;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use tower::util::AndThenLayer;

use super::ClientError;

/// A service and the token for it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The address, without a trailing slash.
    pub base: String,
    /// Sent with every request that needs one.
    pub token: SecretString,
}

impl PartialEq for Endpoint {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base && self.token.expose_secret() == other.token.expose_secret()
    }
}

/// Finds the service that runs on this machine now, or returns why there is none. It must not
/// block.
pub type Find = Arc<dyn Fn() -> Result<Endpoint, String> + Send + Sync>;

/// A target and the connections to it.
#[derive(Debug, Clone)]
pub(super) struct Connections {
    pub(super) target: Endpoint,
    pub(super) http: reqwest::Client,
    /// How long one request may take.
    pub(super) timeout: Duration,
}

/// Where the requests of one client go; clones are the same one.
#[derive(Clone)]
pub(super) struct Destination {
    find: Find,
    timeout: Duration,
    last: Arc<Mutex<Connections>>,
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Destination").finish_non_exhaustive()
    }
}

impl Destination {
    /// That of the service which is found before each request; `first` was found last.
    pub(super) fn new(first: Endpoint, find: Find, timeout: Duration) -> reqwest::Result<Self> {
        let last = Arc::new(Mutex::new(checked(first, &find, timeout)?));
        Ok(Self {
            find,
            timeout,
            last,
        })
    }

    /// What the next request uses.
    ///
    /// # Errors
    /// When no service runs on this machine now.
    pub(super) fn now(&self) -> Result<Connections, ClientError> {
        let target = (self.find)().map_err(ClientError::NotRunning)?;
        let mut last = self.last.lock();
        if last.target != target {
            *last = checked(target, &self.find, self.timeout)
                .map_err(|error| ClientError::NotRunning(error.to_string()))?;
        }
        Ok(last.clone())
    }

    /// What the last request used.
    pub(super) fn last(&self) -> Endpoint {
        self.last.lock().target.clone()
    }
}

/// Connections on which nothing is sent before the service is found again. Redirects are not followed:
/// the token is for this address alone, and an image that was sent cannot be sent again.
///
/// The service listens from before it can be found until after it can no longer be found. So a
/// connection that is open while it is found leads to it, and not to a program that got its port
/// later.
fn checked(target: Endpoint, find: &Find, timeout: Duration) -> reqwest::Result<Connections> {
    let (find, wanted) = (Arc::clone(find), target.clone());
    let check = move |connection| {
        let is_there = find().is_ok_and(|found| found == wanted);
        let gone = || "it has stopped, and another program may have its port".into();
        ready(is_there.then_some(connection).ok_or_else(gone))
    };
    let http = crate::http::client_tls::http_client()
        .timeout(timeout)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connector_layer(AndThenLayer::new(check))
        .build()?;
    Ok(Connections {
        target,
        http,
        timeout,
    })
}
