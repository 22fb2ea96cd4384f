//! The idle connections of a listener, oldest first: when the listener is nearly full, the oldest
//! is closed.

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use crate::router::gate::InFlight;
use crate::router::places::SocketPermit;

/// An answer is given out in pieces of so many bytes: each fills the buffer of a connection, so the next
/// is asked for when this one is sent.
pub(crate) const PIECE: usize = 64 * 1024;

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
            has_body: AtomicBool::new(false),
            moved: AtomicU64::new(0),
            socket: OnceLock::new(),
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
        self.0.lock()
    }
}

pub(crate) struct Connection {
    idle: IdleConnections,
    close: CancellationToken,
    /// In the queue; 0 during a request.
    place: AtomicU64,
    used: AtomicBool,
    /// Whether the body of the last request came, and there is no answer to it yet.
    has_body: AtomicBool,
    /// Bytes that the system has taken to send, and those of bodies that came.
    moved: AtomicU64,
    /// Its place as a socket, once its request to become one is accepted.
    pub(crate) socket: OnceLock<SocketPermit>,
}

impl Connection {
    pub(crate) fn has_requested(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Where this is the same later, nothing has happened meanwhile.
    pub(crate) fn progress(&self) -> Progress {
        Progress {
            place: self.place.load(Ordering::Relaxed),
            moved: self.moved.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn has_moved(&self, bytes: usize) {
        self.moved.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Nothing more of the body of its request is wanted, or there is none.
    pub(crate) fn has_body(&self) {
        self.has_body.store(true, Ordering::Relaxed);
    }

    /// From now on its answer is sent.
    pub(crate) fn is_answered(&self) {
        self.has_body.store(false, Ordering::Relaxed);
    }

    /// Whether a request that came is worked on: what it wants may be half done.
    pub(crate) fn is_worked_for(&self) -> bool {
        !self.progress().is_idle() && self.has_body.load(Ordering::Relaxed)
    }

    /// Done when it is to make room for another.
    pub(crate) async fn closed(&self) {
        self.close.cancelled().await;
    }

    /// The head of a request is complete; the connection is idle again when the
    /// returned guard is dropped.
    pub(crate) fn request(self: &Arc<Self>) -> ActiveRequest {
        self.used.store(true, Ordering::Relaxed);
        self.has_body.store(false, Ordering::Relaxed);
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
        let place = self.place.swap(0, Ordering::Relaxed);
        self.idle.lock().oldest_first.remove(&place);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.leave();
    }
}

/// What a connection has done until now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    /// In the queue; 0 during a request.
    place: u64,
    moved: u64,
}

impl Progress {
    pub(crate) fn is_idle(self) -> bool {
        self.place != 0
    }
}

pub(crate) struct ActiveRequest(Arc<Connection>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// The body of an answer, which is the end of its request.
pub(crate) struct AnswerOnItsWay {
    body: Body,
    /// What came of the body and is not given out yet.
    left: Bytes,
    request: Option<ActiveRequest>,
    _in_flight: InFlight,
}

impl AnswerOnItsWay {
    pub(crate) fn new(body: Body, request: ActiveRequest, in_flight: InFlight) -> Self {
        Self {
            body,
            left: Bytes::new(),
            request: Some(request),
            _in_flight: in_flight,
        }
    }
}

impl HttpBody for AnswerOnItsWay {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // Hyper drops a body once it has the last frame, also where most of that is not sent yet.
        if self.left.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)).transpose()? {
                Some(frame) => match frame.into_data() {
                    Ok(data) => self.left = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                None => return Poll::Ready(None),
            }
            if self.body.is_end_stream() {
                // All that is left is to send it, which may be the end of a connection that makes room.
                self.request = None;
            }
        }
        let size = self.left.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.left.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (left, body) = (self.left.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(left + body.lower());
        if let Some(upper) = body.upper() {
            hint.set_upper(left + upper);
        }
        hint
    }
}

/// The stream of a connection, which counts what is sent.
pub(crate) struct Counted<S> {
    pub(crate) stream: S,
    pub(crate) connection: Arc<Connection>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        read: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.connection.has_moved(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, parts))?;
        self.connection.has_moved(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn a_connection_rests_while_it_is_idle_and_sends_nothing() {
        let connection = IdleConnections::default().connection();
        let first = connection.progress();
        assert!(first.is_idle());
        let request = connection.request();
        assert!(!connection.progress().is_idle());
        drop(request);
        let second = connection.progress();
        assert!(second.is_idle() && second != first);
        assert!(connection.progress() == second);
        let mut stream = Counted {
            stream: tokio::io::sink(),
            connection: Arc::clone(&connection),
        };
        stream.write_all(b"an answer").await.expect("a sink");
        assert!(connection.progress() != second);
    }
}
