//! A bound server that knows its address, and serves until it is stopped.

use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryFutureExt as _;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use crate::error::message::Message;
use crate::http::settings::{LimitsSettings, ServerSettings};
use crate::into_message;
use crate::router::drain_body::DrainedBody;
use crate::router::gate::{Gate, InFlight};
use crate::router::idle_connections::{
    AnswerOnItsWay, Connection, Counted, IdleConnections, PIECE,
};
use crate::router::listener_state::{ListenerState, PublicListener, Shared};
use crate::router::places::{SocketPermit, connections};
use crate::router::{router, socket};
use crate::service::Service;
use crate::state::StateReader;
use crate::text::address::WebAddress;

/// The time limit for the head of the first request.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection may stay open without the next request.
const IDLE_FOR: Duration = Duration::from_secs(15);
/// While the service stops, a connection is closed when for so long nothing of its request comes, it is
/// not worked on, and the system takes nothing of its answer.
const LAST_FOR: Duration = Duration::from_secs(5);
/// How long requests in flight may take then.
const FINISH_WITHIN: Duration = Duration::from_secs(60);
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
/// The socket's send buffer for a slow client, in bytes. The system reports
/// room again when a good part of it was sent; of the megabytes that it would
/// grow to by itself, a slow line does not send that much within
/// [`TAKE_WITHIN`].
const HELD_FOR_A_CALLER: u32 = 256 * 1024;
/// What is read ahead of a client, which bounds the head of a request, and what is held of an answer
/// beside the last piece of its body, in bytes.
const BUFFER: usize = PIECE;
/// Connections that may wait in the system's queue.
const QUEUE: u32 = 1024;
/// How often callers who have gone quiet are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(60);
/// How often an address that is in use is tried again, with a pause before each attempt.
const ATTEMPTS: u32 = 30;
/// After the system had no file handle left for a connection.
const BREATH: Duration = Duration::from_millis(100);

/// A server that listens and does not serve yet.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    state: ListenerState,
}

#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum BindError {
    InUse(SocketAddr),
    /// Another program uses the port of the public listener.
    ListenerInUse(SocketAddr),
    /// Anything else.
    Failed(SocketAddr, std::io::Error),
}

impl From<&BindError> for Message {
    fn from(error: &BindError) -> Self {
        match error {
            BindError::InUse(address) => {
                let address = address.to_string().into();
                Self::PortInUse { address }
            }
            BindError::ListenerInUse(address) => {
                crate::detail!(
                    "{address} is in use by another program: stop it, or choose another port with tunnel.port"
                )
            }
            BindError::Failed(address, why) => crate::detail!(
                "cannot listen on {address}: {why}",
                address = address.to_string()
            ),
        }
    }
}

into_message!(BindError);

/// Listens on the address of the settings. `public_url` is the public address of the settings, to which
/// plain HTTP is redirected.
///
/// # Errors
/// See [`BindError`].
pub async fn bind(
    service: Service,
    server: &ServerSettings,
    limits: &LimitsSettings,
    public_url: StateReader<Option<WebAddress>>,
    shared: Shared,
) -> Result<Bound, BindError> {
    let state = ListenerState::new(service, server, limits, public_url, shared);
    listen(server.listen, state).await
}

/// Binds the public listener that a tunnel leads to, on loopback.
///
/// # Errors
/// See [`BindError`].
pub async fn bind_public(
    service: Service,
    server: &ServerSettings,
    limits: &LimitsSettings,
    public_url: StateReader<Option<WebAddress>>,
    shared: Shared,
    public: PublicListener,
) -> Result<Bound, BindError> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, public.port));
    let state = ListenerState::public(service, server, limits, public_url, shared, public);
    listen(wanted, state).await.map_err(|error| match error {
        BindError::InUse(address) => BindError::ListenerInUse(address),
        other => other,
    })
}

async fn listen(wanted: SocketAddr, state: ListenerState) -> Result<Bound, BindError> {
    let failed = |error: std::io::Error| match is_in_use(&error) {
        true => BindError::InUse(wanted),
        false => BindError::Failed(wanted, error),
    };
    let mut bound = listener(wanted);
    // There an address that is nobody else's is free only when the connections of the last listener
    // have ended, also those of a process before this one.
    if cfg!(windows) {
        for _ in 0..ATTEMPTS {
            match &bound {
                Err(error) if is_in_use(error) => {}
                _ => break,
            }
            tokio::time::sleep(BREATH).await;
            bound = listener(wanted);
        }
    }
    let listener = bound.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Bound {
        listener,
        address,
        state,
    })
}

/// On Windows an address that another program has for itself is refused with `WSAEACCES`.
fn is_in_use(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::AddrInUse
        || cfg!(windows) && error.raw_os_error() == Some(10013)
}

fn listener(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A port is free again at once after a stop. On Windows the same option would share it with another
    // program, and it can be taken from whoever does not exclude that.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    #[cfg(windows)]
    crate::files::windows::bind_alone(&socket)?;
    // Connections have it from their listener.
    socket.set_send_buffer_size(HELD_FOR_A_CALLER)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

impl Bound {
    /// Where it listens, with the port that was chosen.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`, and then until what is in flight is done or has
    /// taken too long.
    pub async fn serve(self, stop: CancellationToken) {
        let Self {
            listener, state, ..
        } = self;
        let service = router(state.clone());
        let most = connections();
        let places = most - most / LEAVING;
        let room = Arc::new(Semaphore::new(places));
        let leaving = Arc::new(Semaphore::new(most / LEAVING));
        let idle = IdleConnections::default();
        let sockets = TaskTracker::new();
        let mut forget = tokio::time::interval(FORGET_EVERY);
        loop {
            let next = async {
                let place = Arc::clone(&room).acquire_owned().await;
                (place, listener.accept().await)
            };
            tokio::select! {
                () = stop.cancelled() => break,
                _ = forget.tick() => state.limits.forget_the_quiet(),
                (place, accepted) = next => match accepted {
                    Ok((stream, peer)) => {
                        if room.available_permits() < places / 4 {
                            idle.close_oldest();
                        }
                        let called = stream.local_addr().ok();
                        let service = service.for_peer(peer, is_own(peer, called));
                        let served = serve_connection(
                            stream,
                            service,
                            idle.connection(),
                            stop.clone(),
                        );
                        let leaving = Arc::clone(&leaving);
                        let (sockets, stop) = (sockets.clone(), stop.clone());
                        let messages = state.service.lanyard_messages();
                        tokio::spawn(async move {
                            match served.await {
                                Served::Ended => {}
                                Served::MakesRoom(stream) => {
                                    if let Ok(_turn) = leaving.try_acquire() {
                                        drop(place);
                                        close_gracefully(stream).await;
                                    }
                                }
                                // By a task of its own, which holds nothing of the connection's.
                                Served::IsSocket(stream, read, socket_place) => {
                                    sockets.spawn(async move {
                                        socket::serve(stream, read, messages, stop).await;
                                        drop(socket_place);
                                    });
                                }
                            }
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(BREATH).await;
                    }
                },
            }
        }
        drop(listener);
        let all = u32::try_from(places).unwrap_or(u32::MAX);
        let finish = async {
            let _all = room.acquire_many(all).await;
            sockets.close();
            sockets.wait().await;
        };
        if timeout(FINISH_WITHIN, finish).await.is_err() {
            tracing::warn!("some requests were cut off: they had not finished in time");
        }
    }
}

type Line = Pin<Box<TimeoutStream<TcpStream>>>;

/// How a connection is left.
enum Served {
    Ended,
    /// It makes room for another. Its sending side is closed.
    MakesRoom(Line),
    /// It is a socket from now on, of which this was read already, and has this place.
    IsSocket(Line, Vec<u8>, SocketPermit),
}

/// Serves one connection until its client leaves, `stop`, it makes room for another, or it becomes a
/// socket. Its errors concern only its client.
async fn serve_connection(
    stream: TcpStream,
    service: Gate<axum::Router>,
    connection: Arc<Connection>,
    stop: CancellationToken,
) -> Served {
    // Small answers go out at once.
    let _ = stream.set_nodelay(true);
    let known = Arc::clone(&connection);
    let answer = hyper::service::service_fn(move |request: Request<Incoming>| {
        let under_way = known.request();
        let answer = service.clone().call(DrainedBody::wrap(request, &known));
        let known = Arc::clone(&known);
        answer.map_ok(move |mut response| {
            known.is_answered();
            if let Some(place) = response.extensions_mut().remove::<SocketPermit>() {
                // Nothing is requested after it.
                let _ = known.socket.set(place);
            }
            let in_flight: Option<InFlight> = response.extensions_mut().remove();
            response.map(|body| AnswerOnItsWay::new(body, under_way, in_flight.flatten()))
        })
    });
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(TAKE_WITHIN));
    let stream = Counted {
        stream: Box::pin(stream),
        connection: Arc::clone(&connection),
    };
    let mut served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_FOR)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), answer);
    let head_until = Instant::now() + HEAD_WITHIN;
    let (mut stopping, mut is_early) = (false, true);
    // Once it makes room or the service stops: its last progress, and since when there is no other.
    let mut leaves = None;
    loop {
        tokio::select! {
            ended = poll_fn(|context| served.poll_without_shutdown(context)) => match ended {
                Ok(()) => break,
                Err(_) => return Served::Ended,
            },
            () = sleep_until(head_until), if is_early => {
                is_early = false;
                if !connection.has_requested() {
                    return Served::Ended;
                }
            }
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                leaves = Some((connection.progress(), Instant::now()));
                Pin::new(&mut served).graceful_shutdown();
            }
            () = connection.closed(), if leaves.is_none() => {
                if !connection.has_requested() {
                    return Served::Ended;
                }
                leaves = Some((connection.progress(), Instant::now()));
                Pin::new(&mut served).graceful_shutdown();
            }
            () = sleep(LOOK_EVERY), if leaves.is_some() => {
                let progress = connection.progress();
                let (is_busy, longest) = match stopping {
                    true => (connection.is_worked_for(), LAST_FOR),
                    false => (!progress.is_idle(), STALLED_FOR),
                };
                match leaves {
                    Some((before, since)) if !is_busy && before == progress => {
                        if since.elapsed() >= longest {
                            return Served::Ended;
                        }
                    }
                    _ => leaves = Some((progress, Instant::now())),
                }
            }
        }
    }
    let parts = served.into_parts();
    let mut stream = parts.io.into_inner().stream;
    if let Some(place) = connection.socket.get() {
        return Served::IsSocket(stream, parts.read_buf.to_vec(), Arc::clone(place));
    }
    match stream.shutdown().await {
        Ok(()) if leaves.is_some() => Served::MakesRoom(stream),
        _ => Served::Ended,
    }
}

/// Lets the client take the last answer. To close the connection at once would drop what it has not
/// taken yet if it sends anything more.
async fn close_gracefully(mut stream: impl AsyncRead + Unpin) {
    let mut rest = [0; 1024];
    let leave = async { while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {} };
    let _ = timeout(LEAVE_WITHIN, leave).await;
}

/// Whether the peer of a connection is a program on this machine. One that calls an
/// address of the network comes from that address.
pub(crate) fn is_own(peer: SocketAddr, called: Option<SocketAddr>) -> bool {
    peer.ip().to_canonical().is_loopback() || called.is_some_and(|called| called.ip() == peer.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the option a program that wants to share the address gets it.
    #[tokio::test]
    async fn no_other_program_can_listen_at_the_same_address() {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let first = listener(any).expect("a listener");
        let address = first.local_addr().expect("an address");
        assert!(listener(address).is_err());
        let other = TcpSocket::new_v4().expect("a socket");
        other.set_reuseaddr(true).expect("an option");
        let taken = other.bind(address).and_then(|()| other.listen(1));
        assert!(taken.is_err(), "it is shared");
    }

    #[test]
    fn a_program_on_this_machine_is_own_by_any_of_its_addresses() {
        let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let called = Some(address("192.0.2.5:4780"));
        assert!(is_own(address("192.0.2.5:50000"), called));
        assert!(is_own(address("127.0.0.1:50000"), called));
        assert!(!is_own(address("192.0.2.6:50000"), called));
    }
}
