//! The body of a request: bounded in time, and drained when it is dropped early.
//!
//! An upload that is refused is answered while its client still sends. If the connection were closed
//! then, most clients would report a broken pipe and never read why. So what is left is read and thrown
//! away, within bounds.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use bytes::Bytes;
use http::Request;
use http::header::EXPECT;
use http_body_util::{BodyExt as _, LengthLimitError};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::http::api_error::ApiError;

/// The time limit for a small body.
const AT_LEAST: Duration = Duration::from_secs(60);
/// Each time this many bytes arrive, the time limit grows by one second.
const A_SECOND: u64 = 16 * 1024;
/// A client that sends nothing for this time counts as disconnected.
const SILENCE: Duration = Duration::from_secs(30);
/// The same while the service stops.
pub(crate) const LAST_SILENCE: Duration = Duration::from_secs(5);
/// At most this much is drained.
const DRAINED: u64 = 8 * 1024 * 1024;
/// And not for longer than this, and only until the connection has to make room for another.
const DRAINED_FOR: Duration = Duration::from_secs(5);

/// The body of a request. When it is cut off, its error becomes the answer; see [`refusal`].
pub(crate) struct RequestBody {
    body: Option<Incoming>,
    /// Not where its client sent `Expect: 100-continue`: it has not sent its body yet, so there is nothing
    /// to drain.
    is_drained: bool,
    came: u64,
    /// From the first time that it was wanted on.
    limit: Option<Limit>,
    makes_room: CancellationToken,
    stop: CancellationToken,
}

struct Limit {
    began: Instant,
    deadline: Pin<Box<Sleep>>,
    /// `None` once the service stops.
    stopping: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl RequestBody {
    /// Wraps the body of a request whose connection is to close on `makes_room`, and whose service stops
    /// on `stop`.
    pub(crate) fn wrap(
        request: Request<Incoming>,
        makes_room: &CancellationToken,
        stop: &CancellationToken,
    ) -> Request<axum::body::Body> {
        let is_drained = !request.headers().contains_key(EXPECT);
        request.map(|body| match body.is_end_stream() {
            true => axum::body::Body::empty(),
            false => axum::body::Body::new(Self {
                body: Some(body),
                is_drained,
                came: 0,
                limit: None,
                makes_room: makes_room.clone(),
                stop: stop.clone(),
            }),
        })
    }
}

impl Limit {
    fn new(stop: &CancellationToken) -> Self {
        Self {
            began: Instant::now(),
            deadline: Box::pin(sleep(SILENCE)),
            stopping: Some(Box::pin(stop.clone().cancelled_owned())),
        }
    }

    /// Ready when the rest is not waited for any longer.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(stopping) = &mut self.stopping
            && stopping.as_mut().poll(context).is_ready()
        {
            self.stopping = None;
            let last = (Instant::now() + LAST_SILENCE).min(self.deadline.deadline());
            self.deadline.as_mut().reset(last);
        }
        self.deadline.as_mut().poll(context)
    }

    /// Notes that so many bytes came in all; `false` where that took too long.
    fn extend(&mut self, came: u64) -> bool {
        let silence = self.stopping.as_ref().map_or(LAST_SILENCE, |_| SILENCE);
        let now = Instant::now();
        let whole = self.began + AT_LEAST + Duration::from_secs(came / A_SECOND);
        self.deadline.as_mut().reset(whole.min(now + silence));
        now < whole
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        let limit = this.limit.get_or_insert_with(|| Limit::new(&this.stop));
        let Poll::Ready(frame) = Pin::new(body).poll_frame(context) else {
            ready!(limit.poll(context));
            return Poll::Ready(Some(Err(ApiError::Timeout.into())));
        };
        let Some(frame) = frame.transpose()? else {
            return Poll::Ready(None);
        };
        this.came += frame.data_ref().map_or(0, Bytes::len) as u64;
        Poll::Ready(Some(match limit.extend(this.came) {
            true => Ok(frame),
            false => Err(ApiError::Timeout.into()),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.body.as_ref().map(Body::size_hint);
        hint.unwrap_or_default()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let is_drained = self.is_drained;
        let body = self.body.take();
        if let Some(body) = body.filter(|body| is_drained && !body.is_end_stream()) {
            let makes_room = self.makes_room.clone();
            tokio::spawn(async move {
                let drained = timeout(DRAINED_FOR, drain(body));
                // The place is wanted for another, and the answer was sent.
                makes_room.run_until_cancelled(drained).await
            });
        }
    }
}

async fn drain(mut body: Incoming) {
    let mut left = DRAINED;
    while let Some(Ok(frame)) = body.frame().await {
        let size = frame.data_ref().map_or(0, Bytes::len) as u64;
        let Some(rest) = left.checked_sub(size) else {
            return;
        };
        left = rest;
    }
}

/// Why a body could not be read, which is somewhere in the chain of causes; `too_large` where it had more
/// bytes than its reader takes.
pub(crate) fn refusal(error: &(dyn Error + 'static), too_large: ApiError) -> ApiError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref() {
            return *refusal;
        }
        if error.is::<LengthLimitError>() {
            return too_large;
        }
        cause = error.source();
    }
    ApiError::InvalidBody
}
