//! A request body that is drained when it is dropped early.
//!
//! An upload that is refused is answered while its client still sends. If the
//! connection were closed then, most clients would report a broken pipe and
//! never read why. So what is left is read and thrown away, within bounds.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::EXPECT;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::timeout;

use crate::router::idle_connections::Connection;

/// At most this much is drained.
const MOST: u64 = 8 * 1024 * 1024;
/// And not for longer than this, and only until the connection has to make room for another.
const LONGEST: Duration = Duration::from_secs(5);

/// The body of a request.
pub(crate) struct DrainedBody {
    body: Option<Incoming>,
    /// Not where its client sent `Expect: 100-continue`: it has not sent its body yet, so there is nothing
    /// to drain.
    is_drained: bool,
    connection: Arc<Connection>,
}

impl DrainedBody {
    /// Wraps the body of a request, and notes at its connection when nothing more of it is wanted.
    pub(crate) fn wrap(
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Request<axum::body::Body> {
        let is_drained = !request.headers().contains_key(EXPECT);
        request.map(|body| {
            if body.is_end_stream() {
                connection.has_body();
                return axum::body::Body::new(body);
            }
            axum::body::Body::new(Self {
                body: Some(body),
                is_drained,
                connection: Arc::clone(connection),
            })
        })
    }
}

impl Body for DrainedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if let Some(data) = frame
            .as_ref()
            .and_then(|frame| frame.as_ref().ok()?.data_ref())
        {
            self.connection.has_moved(data.len());
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl Drop for DrainedBody {
    fn drop(&mut self) {
        self.connection.has_body();
        let is_drained = self.is_drained;
        let body = self.body.take();
        if let Some(body) = body.filter(|body| is_drained && !body.is_end_stream()) {
            let connection = Arc::clone(&self.connection);
            tokio::spawn(async move {
                tokio::select! {
                    _ = timeout(LONGEST, drain(body)) => {}
                    // The place is wanted for another, and the answer was sent.
                    () = connection.closed() => {}
                }
            });
        }
    }
}

async fn drain(mut body: Incoming) {
    let mut left = MOST;
    while let Some(Ok(frame)) = body.frame().await {
        let size = frame.data_ref().map_or(0, Bytes::len) as u64;
        if size > left {
            return;
        }
        left -= size;
    }
}
