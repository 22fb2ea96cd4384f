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

/// Where the requests of one client go.
#[derive(Debug, Clone)]
pub(super) enum Destination {
    Fixed(Connections),
    Local(Arc<LocalService>),
}

/// The service of this machine, found before each request.
pub(super) struct LocalService {
    find: Find,
    timeout: Duration,
    last: Mutex<Connections>,
}

impl fmt::Debug for LocalService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalService").finish_non_exhaustive()
    }
}

impl Destination {
    pub(super) fn fixed(target: Endpoint, timeout: Duration) -> reqwest::Result<Self> {
        let http = http(timeout).build()?;
        Ok(Self::Fixed(Connections {
            target,
            http,
            timeout,
        }))
    }

    pub(super) fn local(first: Endpoint, find: Find, timeout: Duration) -> reqwest::Result<Self> {
        let last = Mutex::new(checked(first, &find, timeout)?);
        Ok(Self::Local(Arc::new(LocalService {
            find,
            timeout,
            last,
        })))
    }

    /// What the next request uses.
    ///
    /// # Errors
    /// When no service runs on this machine now.
    pub(super) fn now(&self) -> Result<Connections, ClientError> {
        let service = match self {
            Self::Fixed(connections) => return Ok(connections.clone()),
            Self::Local(service) => service,
        };
        let target = (service.find)().map_err(ClientError::NotRunning)?;
        let mut last = service.last.lock();
        if last.target != target {
            *last = checked(target, &service.find, service.timeout)
                .map_err(|error| ClientError::NotRunning(error.to_string()))?;
        }
        Ok(last.clone())
    }

    /// What the last request used.
    pub(super) fn last(&self) -> Endpoint {
        match self {
            Self::Fixed(connections) => connections.target.clone(),
            Self::Local(service) => {
                let last = service.last.lock();
                last.target.clone()
            }
        }
    }
}

/// Redirects are not followed: the token is for this address alone, and an image that was sent
/// cannot be sent again.
fn http(timeout: Duration) -> reqwest::ClientBuilder {
    crate::http::client_tls::http_client()
        .timeout(timeout)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
}

/// Connections on which nothing is sent before the service is found again.
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
    let http = http(timeout)
        .connector_layer(AndThenLayer::new(check))
        .build()?;
    Ok(Connections {
        target,
        http,
        timeout,
    })
}
