//! The idle connections of a listener, oldest first: when the listener is nearly full, the oldest
//! is closed.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio_util::sync::CancellationToken;

/// The connections of one listener; clones are the same ones.
#[derive(Clone, Default)]
pub(crate) struct IdleConnections(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    next: u64,
    oldest_first: BTreeMap<u64, CancellationToken>,
}

impl IdleConnections {
    /// A connection that becomes idle.
    pub(crate) fn connection(&self) -> Arc<Connection> {
        let connection = Connection {
            idle: self.clone(),
            close: CancellationToken::new(),
            place: AtomicU64::new(0),
            used: AtomicBool::new(false),
        };
        connection.wait();
        Arc::new(connection)
    }

    /// Has the connection that has been idle longest closed.
    pub(crate) fn close_oldest(&self) {
        let oldest = self.lock().oldest_first.pop_first();
        if let Some((_, close)) = oldest {
            close.cancel();
        }
    }

    /// Every change under this lock is atomic, so a panic leaves no partial state.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection.
pub(crate) struct Connection {
    idle: IdleConnections,
    close: CancellationToken,
    place: AtomicU64,
    used: AtomicBool,
}

impl Connection {
    /// Whether there has been a request.
    pub(crate) fn has_requested(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Done when it is to make room for another.
    pub(crate) async fn closed(&self) {
        self.close.cancelled().await;
    }

    /// The head of a request is complete; the connection is idle again when the
    /// returned guard is dropped.
    pub(crate) fn request(self: &Arc<Self>) -> ActiveRequest {
        self.used.store(true, Ordering::Relaxed);
        self.leave();
        ActiveRequest(Arc::clone(self))
    }

    fn wait(&self) {
        let mut queue = self.idle.lock();
        queue.next += 1;
        let place = queue.next;
        queue.oldest_first.insert(place, self.close.clone());
        self.place.store(place, Ordering::Relaxed);
    }

    fn leave(&self) {
        let place = self.place.load(Ordering::Relaxed);
        self.idle.lock().oldest_first.remove(&place);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.leave();
    }
}

/// A request that is being answered.
pub(crate) struct ActiveRequest(Arc<Connection>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// The body of an answer, which is the end of its request.
pub(crate) struct Answer {
    pub(crate) body: Body,
    pub(crate) _request: ActiveRequest,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
