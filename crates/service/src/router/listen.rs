//! A bound server that knows its address, and serves until it is stopped.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::message::Message;
use crate::http::settings::LimitsSettings;
use crate::into_message;
use crate::router::connection::{self, Peer, Room};
use crate::router::listener_state::{ListenerParts, ListenerState, PublicListener, Shared};
use crate::router::places::connections;
use crate::router::router;
use crate::router::routes::picgo::{self, Editors};
use crate::service::Service;
use crate::settings::Settings;
use crate::uploads::picgo::PicGo;

/// How long requests in flight may take while the service stops.
const FINISH_WITHIN: Duration = Duration::from_secs(60);
/// The socket's send buffer for a slow client, in bytes. The system reports
/// room again when a good part of it was sent; of the megabytes that it would
/// grow to by itself, a slow line does not send that much within the time that
/// a client has to take some of an answer.
const HELD_FOR_A_CALLER: u32 = 256 * 1024;
/// Connections of editors at once.
const EDITORS: usize = 32;
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
    router: Router,
    state: ListenerState,
    /// Connections at once; more wait in the system's queue.
    most: usize,
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

/// Listens on this address, for the owner's own machine and what the settings let in.
///
/// # Errors
/// See [`BindError`].
pub async fn bind(
    service: Service,
    address: SocketAddr,
    shared: Shared,
) -> Result<Bound, BindError> {
    let state = ListenerParts::new(service, shared, None);
    listen(address, state, |state, _| router(state)).await
}

/// Binds the listener of editors at this port of loopback; 0 takes a free one.
///
/// # Errors
/// See [`BindError`].
pub async fn bind_picgo(
    service: Service,
    limits: &LimitsSettings,
    port: u16,
    from_editors: PicGo,
) -> Result<Bound, BindError> {
    // Only the limits: this listener is never public.
    let settings = Settings {
        limits: limits.clone(),
        ..Settings::default()
    };
    let state = ListenerParts::new(service, Shared::with(settings), None);
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let bound = listen(wanted, state, |state, address| {
        picgo::router(Editors::new(state, from_editors, address.port()))
    });
    Ok(Bound {
        most: EDITORS,
        ..bound.await?
    })
}

/// Binds the public listener that a tunnel leads to, on loopback.
///
/// # Errors
/// See [`BindError`].
pub async fn bind_public(
    service: Service,
    shared: Shared,
    public: PublicListener,
) -> Result<Bound, BindError> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, public.port));
    let state = ListenerParts::new(service, shared, Some(public));
    listen(wanted, state, |state, _| router(state)).await
}

async fn listen(
    wanted: SocketAddr,
    state: ListenerState,
    router: impl FnOnce(ListenerState, SocketAddr) -> Router,
) -> Result<Bound, BindError> {
    let failed = |error: std::io::Error| match is_in_use(&error) {
        true if state.public.is_some() => BindError::ListenerInUse(wanted),
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
        router: router(state.clone(), address),
        state,
        most: connections(),
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
        self.accept(stop).await.finish().await;
    }

    /// Serves until `stop`. The address is free when this returns.
    pub async fn accept(self, stop: CancellationToken) -> OpenConnections {
        let Self {
            listener,
            router,
            state,
            most,
            ..
        } = self;
        let (room, connections) = (Room::new(most), TaskTracker::new());
        let mut forget = tokio::time::interval(FORGET_EVERY);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = forget.tick() => state.limits().forget_the_quiet(),
                accepted = room.accept(&listener) => match accepted {
                    Ok((stream, address, place)) => {
                        let peer = Peer::of(address, stream.local_addr().ok());
                        connections.spawn(connection::serve(
                            stream,
                            place,
                            router.clone(),
                            peer,
                            room.clone(),
                            state.service.lanyard_messages(),
                            stop.clone(),
                        ));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(BREATH).await;
                    }
                },
            }
        }
        OpenConnections(connections)
    }
}

/// Connections of a server that accepts no more of them.
pub struct OpenConnections(TaskTracker);

impl OpenConnections {
    /// Waits until what is in flight is done or has taken too long.
    pub async fn finish(self) {
        self.0.close();
        if timeout(FINISH_WITHIN, self.0.wait()).await.is_err() {
            tracing::warn!("some requests were cut off: they had not finished in time");
        }
    }
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
}
