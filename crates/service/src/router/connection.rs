//! One connection, from its first request to its end.
//!
//! hyper bounds the head of a request; it does not bound a slow reader, nor does it know which
//! connection is idle when the listener is full.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use bytes::Bytes;
use futures_util::{FutureExt as _, TryFutureExt as _};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::io::InspectWriter;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::presence::lanyard::LanyardMessages;
use crate::router::places::{InFlight, SocketPermit};
use crate::router::request_body::{LAST_SILENCE, RequestBody};
use crate::router::socket;
use crate::state::StateReader;

/// The time limit for the head of the first request.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection may stay open without the next request.
const IDLE_FOR: Duration = Duration::from_secs(15);
/// One in so many connections may be one that has made room, and whose client has not taken the last
/// answer yet. More are closed at once: a crowd must not keep the places.
const LEAVING: usize = 16;
/// A connection that makes room is closed when the system takes nothing of what is left of its last
/// answer for so long. It takes more only when a third of its buffer is free again, so less than this
/// would cut off clients that read slowly.
const STALLED_FOR: Duration = Duration::from_secs(10);
/// How often the progress of a connection that is to end is checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// So long the client of such a connection has to take what was sent.
const LEAVE_WITHIN: Duration = Duration::from_secs(2);
/// A client that reads nothing of a response for this long is disconnected.
const TAKE_WITHIN: Duration = Duration::from_secs(30);
/// What is read ahead of a client, which bounds the head of a request, and what is held of an answer
/// beside the last piece of its body, in bytes.
pub(crate) const BUFFER: usize = 64 * 1024;

/// The places for the connections of a listener. When it is nearly full, the connection that has been
/// idle longest makes room.
pub(crate) struct Room {
    most: usize,
    free: Arc<Semaphore>,
    leaving: Semaphore,
    /// Idle connections wait here, and are woken in the order in which they came.
    idle: Notify,
}

impl Room {
    /// With this many places.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let leaving = most / LEAVING;
        Arc::new(Self {
            most: most - leaving,
            free: Arc::new(Semaphore::new(most - leaving)),
            leaving: Semaphore::new(leaving),
            idle: Notify::new(),
        })
    }

    /// The next connection, and its place, once there is one for it.
    pub(crate) async fn accept(
        &self,
        listener: &TcpListener,
    ) -> std::io::Result<(TcpStream, SocketAddr, Option<OwnedSemaphorePermit>)> {
        let place = Arc::clone(&self.free).acquire_owned().await;
        let (stream, peer) = listener.accept().await?;
        if self.free.available_permits() < self.most / 4 {
            self.idle.notify_one();
            // Where none is idle, this is for nobody: the next one that is must not get it.
            let _ = self.idle.notified().now_or_never();
        }
        Ok((stream, peer, place.ok()))
    }
}

/// The other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// Whether it is a program on this machine.
    pub(crate) is_own: bool,
}

impl Peer {
    /// The peer at `address` that has called `called`. A program on this machine that calls an address of
    /// the network comes from that address.
    pub(crate) fn of(address: SocketAddr, called: Option<SocketAddr>) -> Self {
        let is_own = address.ip().to_canonical().is_loopback()
            || called.is_some_and(|called| called.ip() == address.ip());
        Self { address, is_own }
    }
}

/// What a connection does now.
#[derive(Default)]
struct Progress {
    /// Odd during a request, from its head until its answer is handed over to be sent.
    turns: AtomicU64,
    /// Whether there is no answer to it yet.
    is_worked_for: AtomicBool,
    /// Bytes that the system has taken to send.
    sent: AtomicU64,
    /// Its place as a socket, once its request to become one is accepted.
    socket: OnceLock<SocketPermit>,
}

/// From the head of a request until its answer is handed over.
struct ActiveRequest(Arc<Progress>);

impl ActiveRequest {
    fn begin(progress: &Arc<Progress>) -> Self {
        progress.is_worked_for.store(true, Ordering::Relaxed);
        progress.turns.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(progress))
    }

    /// The answer to it, to which it belongs from now on. It is in flight until its last piece is sent.
    fn answered(
        self,
        mut response: axum::response::Response,
    ) -> Response<impl Body<Data = Bytes, Error = axum::Error>> {
        self.0.is_worked_for.store(false, Ordering::Relaxed);
        if let Some(place) = response.extensions_mut().remove() {
            // Nothing is requested after it.
            let _ = self.0.socket.set(place);
        }
        let in_flight: Option<InFlight> = response.extensions_mut().remove();
        response.map(|body| {
            body.map_frame(move |frame| {
                let _until_it_is_dropped = (&self, &in_flight);
                frame
            })
        })
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.turns.fetch_add(1, Ordering::Relaxed);
    }
}

type Line = Pin<Box<TimeoutStream<TcpStream>>>;

/// Serves a connection until its client leaves, `stop`, or it makes room for another. Its errors concern
/// only its client.
pub(crate) async fn serve(
    stream: TcpStream,
    mut place: Option<OwnedSemaphorePermit>,
    router: Router,
    peer: Peer,
    room: Arc<Room>,
    messages: StateReader<Option<LanyardMessages>>,
    stop: CancellationToken,
) {
    let progress = Arc::<Progress>::default();
    let requests = serve_requests(stream, &progress, router, peer, &room.idle, &stop);
    // Nothing of it is held for a socket.
    let Some((stream, read)) = Box::pin(requests).await else {
        return;
    };
    if progress.socket.get().is_some() {
        place.take();
        socket::serve(stream, read, messages, stop).await;
    } else if let Ok(_turn) = room.leaving.try_acquire() {
        place.take();
        close_gracefully(stream).await;
    }
}

/// Returns a connection that has become a socket, with what was read of it already; and one that is to
/// close before its client does, and whose sending side is closed.
async fn serve_requests(
    stream: TcpStream,
    progress: &Arc<Progress>,
    router: Router,
    peer: Peer,
    idle: &Notify,
    stop: &CancellationToken,
) -> Option<(Line, Vec<u8>)> {
    // Small answers go out at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(TAKE_WITHIN));
    let sending = Arc::clone(progress);
    let stream = InspectWriter::new(Box::pin(stream), move |sent: &[u8]| {
        sending.sent.fetch_add(sent.len() as u64, Ordering::Relaxed);
    });
    let makes_room = CancellationToken::new();
    let answer = hyper::service::service_fn(|request: Request<Incoming>| {
        let active = ActiveRequest::begin(progress);
        let mut request = RequestBody::wrap(request, &makes_room, stop);
        request.extensions_mut().insert(peer);
        let answer = router.clone().call(request);
        answer.map_ok(|answer| active.answered(answer))
    });
    let mut served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_FOR)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), answer);
    let has_requested = || progress.turns.load(Ordering::Relaxed) > 0;
    let head_until = Instant::now() + HEAD_WITHIN;
    let (mut stopping, mut is_early) = (false, true);
    // Its turn to make room.
    let mut turn = pin!(idle.notified());
    let mut seen = 0;
    // Once it makes room or the service stops: what was sent, and since when there is no more.
    let mut leaves = None;
    loop {
        let next = poll_fn(|context| {
            if let Poll::Ready(ended) = served.poll_without_shutdown(context) {
                return Poll::Ready(Some(ended));
            }
            let turns = progress.turns.load(Ordering::Relaxed);
            if turns != seen {
                seen = turns;
                turn.set(idle.notified());
            }
            match turns.is_multiple_of(2) && leaves.is_none() {
                true => turn.as_mut().poll(context).map(|()| None),
                false => Poll::Pending,
            }
        });
        tokio::select! {
            next = next => match next {
                Some(Ok(())) => break,
                Some(Err(_)) => return None,
                None if !has_requested() => return None,
                None => {
                    makes_room.cancel();
                    leaves = Some((progress.sent.load(Ordering::Relaxed), Instant::now()));
                    Pin::new(&mut served).graceful_shutdown();
                }
            },
            () = sleep_until(head_until), if is_early => {
                is_early = false;
                if !has_requested() {
                    return None;
                }
            }
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                leaves = Some((progress.sent.load(Ordering::Relaxed), Instant::now()));
                Pin::new(&mut served).graceful_shutdown();
            }
            () = sleep(LOOK_EVERY), if leaves.is_some() => {
                let sent = progress.sent.load(Ordering::Relaxed);
                let longest = if stopping { LAST_SILENCE } else { STALLED_FOR };
                match leaves {
                    Some((before, since))
                        if before == sent && !progress.is_worked_for.load(Ordering::Relaxed) =>
                    {
                        if since.elapsed() >= longest {
                            return None;
                        }
                    }
                    _ => leaves = Some((sent, Instant::now())),
                }
            }
        }
    }
    let parts = served.into_parts();
    let mut stream = parts.io.into_inner().into_inner();
    if progress.socket.get().is_some() {
        return Some((stream, parts.read_buf.to_vec()));
    }
    let closed = stream.shutdown().await;
    (closed.is_ok() && leaves.is_some()).then_some((stream, Vec::new()))
}

/// Lets the client take the last answer. To close the connection at once would drop what it has not
/// taken yet if it sends anything more.
async fn close_gracefully(mut stream: impl AsyncRead + Unpin) {
    let mut rest = [0; 1024];
    let leave = async { while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {} };
    let _ = timeout(LEAVE_WITHIN, leave).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_on_this_machine_is_own_by_any_of_its_addresses() {
        let address = |text: &str| text.parse().expect("an address");
        let called = Some(address("192.0.2.5:4780"));
        let is_own = |peer| Peer::of(address(peer), called).is_own;
        assert!(is_own("192.0.2.5:50000"));
        assert!(is_own("127.0.0.1:50000"));
        assert!(!is_own("192.0.2.6:50000"));
    }
}
