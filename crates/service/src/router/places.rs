//! How many connections, sockets and bodies of unknown senders there may be: they are counted apart.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::{sleep, timeout};

use crate::http::api_error::ApiError;
use crate::router::client_address::ClientAddress;
use crate::router::error::ErrorReply;
use crate::router::limits::Wait;

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

/// The places for sockets of a process; clones are the same ones.
#[derive(Debug, Clone)]
pub struct SocketPlaces {
    free: Arc<Semaphore>,
    of_one: Shares,
    waiting: Arc<Semaphore>,
}

/// Given back when the last clone is dropped.
pub(crate) type SocketPermit = Arc<(OwnedSemaphorePermit, Share)>;

impl Default for SocketPlaces {
    fn default() -> Self {
        Self::new(sockets(handles()))
    }
}

impl SocketPlaces {
    fn new(places: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(places)),
            of_one: Shares::new(places / 8),
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
        }
    }

    /// A place for one socket of this address, which has at most an eighth of them.
    ///
    /// # Errors
    /// When it has enough, or all are taken.
    pub(crate) async fn place(&self, address: ClientAddress) -> Result<SocketPermit, ApiError> {
        if let Some(share) = self.of_one.take(address)
            && let Ok(place) = Arc::clone(&self.free).try_acquire_owned()
        {
            return Ok(Arc::new((place, share)));
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

/// How long a body waits for others.
const TURN_WITHIN: Duration = Duration::from_secs(30);

/// Turns of bodies whose sender is known only once they are read. One address has at most half of them,
/// and waits for no more.
pub(crate) struct BodyTurns {
    free: Semaphore,
    of_one: Shares,
}

/// Given back when it is dropped.
pub(crate) struct BodyTurn<'a> {
    _share: Share,
    _permit: SemaphorePermit<'a>,
}

impl BodyTurns {
    pub(crate) fn new(turns: usize) -> Self {
        Self {
            free: Semaphore::new(turns),
            of_one: Shares::new(turns / 2),
        }
    }

    /// A turn for a body from this address.
    ///
    /// # Errors
    /// When the address has enough, or others take too long.
    pub(crate) async fn turn(&self, address: ClientAddress) -> Result<BodyTurn<'_>, ErrorReply> {
        let share = self.of_one.take(address).ok_or(Wait(1))?;
        let permit = timeout(TURN_WITHIN, self.free.acquire()).await;
        let permit = permit.map_err(|_| ApiError::Timeout)?;
        Ok(BodyTurn {
            _share: share,
            _permit: permit.map_err(|_| ApiError::Internal)?,
        })
    }
}

/// How many of something one address has at a time; clones count together.
#[derive(Debug, Clone)]
pub(crate) struct Shares(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    most: usize,
    of: Mutex<HashMap<ClientAddress, usize>>,
}

/// Given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    counts: Arc<Counts>,
    address: ClientAddress,
}

impl Shares {
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Counts {
            most: most.max(1),
            of: Mutex::default(),
        }))
    }

    /// One more for this address; `None` when it has enough.
    pub(crate) fn take(&self, address: ClientAddress) -> Option<Share> {
        let mut of = self.0.of.lock();
        let count = of.entry(address).or_default();
        if *count >= self.0.most && !address.may_be_many() {
            return None;
        }
        *count += 1;
        Some(Share {
            counts: Arc::clone(&self.0),
            address,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let of = &self.counts.of;
        let mut of = of.lock();
        if let Some(count) = of.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                of.remove(&self.address);
            }
        }
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
