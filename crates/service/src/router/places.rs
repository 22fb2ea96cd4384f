//! How many connections, sockets and bodies of unknown senders there may be: they are counted apart.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::http::api_error::ApiError;
use crate::router::client_address::ClientAddress;
use crate::router::error::ErrorReply;

/// Connections at once of a listener, where the system has handles for them; more wait in its queue.
const CONNECTIONS: usize = 1024;
/// The local and the public listener share the file handles, so that a crowd at one leaves room at the
/// other.
const LISTENERS: usize = 2;
/// Handles that are kept for files, the database and calls of our own.
const HANDLES_KEPT: usize = 256;
/// Sockets at once, where the system has handles for them.
const MOST: usize = 1000;
/// A client that finds no place is refused after this: most try again at once.
const REFUSED_AFTER: Duration = Duration::from_secs(20);
/// Clients that may wait for that. More are refused at once: those who wait hold connections.
const MOST_WAITING: usize = 128;

/// Given back when the last clone is dropped; `None` for a request with a token.
pub(crate) type InFlight = Option<Arc<Share>>;

/// Places of something, of which one address has some at most; clones are the same ones.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    of_one: Shares,
}

/// Given back when it is dropped.
pub(crate) struct Place {
    _share: Share,
    _permit: OwnedSemaphorePermit,
}

/// How long a place is waited for.
const TURN_WITHIN: Duration = Duration::from_secs(30);

impl Places {
    pub(crate) fn new(places: usize, of_one: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(places)),
            of_one: Shares::new(of_one),
        }
    }

    /// A place for this address; `None` where it has enough, or all are taken.
    fn now(&self, address: ClientAddress) -> Option<Place> {
        let share = self.of_one.take(address).ok()?;
        let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
        Some(Place {
            _share: share,
            _permit: permit,
        })
    }

    /// A place for this address once there is one.
    ///
    /// # Errors
    /// When the address has enough, or others take too long.
    pub(crate) async fn turn(&self, address: ClientAddress) -> Result<Place, ErrorReply> {
        let share = self.of_one.take(address)?;
        let permit = timeout(TURN_WITHIN, Arc::clone(&self.free).acquire_owned()).await;
        let permit = permit.map_err(|_| ApiError::Timeout)?;
        Ok(Place {
            _share: share,
            _permit: permit.map_err(|_| ApiError::Internal)?,
        })
    }
}

/// The places for sockets of a process; clones are the same ones.
#[derive(Debug, Clone)]
pub struct SocketPlaces {
    places: Places,
    waiting: Arc<Semaphore>,
}

/// Given back when the last clone is dropped.
pub(crate) type SocketPermit = Arc<Place>;

impl Default for SocketPlaces {
    fn default() -> Self {
        Self::new(sockets(handles()))
    }
}

impl SocketPlaces {
    fn new(places: usize) -> Self {
        Self {
            places: Places::new(places, places / 8),
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
        }
    }

    /// A place for one socket of this address, which has at most an eighth of them.
    ///
    /// # Errors
    /// When it has enough, or all are taken.
    pub(crate) async fn place(&self, address: ClientAddress) -> Result<SocketPermit, ApiError> {
        if let Some(place) = self.places.now(address) {
            return Ok(Arc::new(place));
        }
        self.wait().await;
        Err(ApiError::TooManySockets)
    }

    /// Waits before a client is refused, unless too many do.
    pub(crate) async fn wait(&self) {
        if let Ok(_waits) = self.waiting.try_acquire() {
            sleep(REFUSED_AFTER).await;
        }
    }
}

/// How many of something one address has at a time; clones count together.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    most: usize,
    of: Arc<Mutex<HashMap<ClientAddress, Arc<Semaphore>>>>,
}

/// Given back when it is dropped.
pub(crate) type Share = OwnedSemaphorePermit;

impl Shares {
    fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            of: Arc::default(),
        }
    }

    /// One more for this address.
    ///
    /// # Errors
    /// When it has enough.
    pub(crate) fn take(&self, address: ClientAddress) -> Result<Share, ErrorReply> {
        let most = match address.may_be_many() {
            true => Semaphore::MAX_PERMITS,
            false => self.most,
        };
        let mut of = self.of.lock();
        // Who has none any longer is forgotten.
        of.retain(|_, taken| Arc::strong_count(taken) > 1);
        let left = of.entry(address);
        let left = left.or_insert_with(|| Arc::new(Semaphore::new(most)));
        let share = Arc::clone(left).try_acquire_owned();
        share.map_err(|_| ErrorReply::Wait(1))
    }
}

/// The requests in flight of each address without a token, at a listener. A quarter of the connections
/// is more than the burst that an address may have.
pub(crate) fn in_flight() -> Shares {
    Shares::new(connections() / 4)
}

/// How many connections of a listener the system's limit of open handles leaves room for.
pub(crate) fn connections() -> usize {
    connections_of(handles())
}

fn connections_of(handles: usize) -> usize {
    let share = handles / LISTENERS;
    let most = (share / 2).max(share.saturating_sub(HANDLES_KEPT));
    CONNECTIONS.min(most).max(1)
}

/// How many sockets it leaves room for beside those.
fn sockets(handles: usize) -> usize {
    let others = LISTENERS * connections_of(handles) + HANDLES_KEPT;
    MOST.min(handles.saturating_sub(others).max(handles / 8))
}

/// How many handles the process may have.
fn handles() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let limit: Option<u64> = None;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    limit.unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_and_sockets_leave_handles_for_the_work() {
        for (handles, connections, places) in [
            (128, 32, 16),
            (1024, 256, 256),
            (2048, 768, 256),
            (4096, 1024, 1000),
            (usize::MAX, 1024, 1000),
        ] {
            assert_eq!(connections_of(handles), connections, "{handles}");
            assert_eq!(sockets(handles), places, "{handles}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_without_a_place_is_refused_late_and_a_crowd_at_once() {
        let places = SocketPlaces {
            waiting: Arc::new(Semaphore::new(1)),
            ..SocketPlaces::new(1)
        };
        let one = ClientAddress::Unnamed;
        let first = places.place(one).await.expect("a place");
        let began = tokio::time::Instant::now();
        let (second, third) = tokio::join!(places.place(one), async {
            let refused = places.place(one).await;
            (refused, began.elapsed())
        });
        assert_eq!(second.err(), Some(ApiError::TooManySockets));
        assert_eq!(began.elapsed(), REFUSED_AFTER);
        assert!(third.0.is_err() && third.1.is_zero());
        drop(first);
        assert!(places.place(one).await.is_ok());
    }
}
