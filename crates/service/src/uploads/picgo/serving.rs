//! Accepts connections and serves them, each with time limits.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Connections at once; more wait in the system's queue.
const CONNECTIONS: usize = 32;
/// The pause after the system had no file handle left for a connection.
const BREATH: Duration = Duration::from_millis(100);

/// Serves until `stop`, and then until the requests in flight are answered. The head of a request
/// has to arrive within `head_within`; a connection may be idle for the same time. Dropping this
/// cuts all connections.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    head_within: Duration,
    stop: CancellationToken,
) {
    let open = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, router.clone(), head_within);
                    connections.spawn(open.watch(connection));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection of an editor could not be accepted");
                    tokio::time::sleep(BREATH).await;
                }
            },
        }
    }
    drop(listener);
    open.shutdown().await;
}

fn connection(
    stream: TcpStream,
    router: Router,
    head_within: Duration,
) -> impl GracefulConnection<Error = hyper::Error> + Send + 'static {
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_within)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}
