//! The body of an upload, bounded in bytes and in time before anything parses it.
//!
//! The form parser buffers what it cannot return yet and searches the whole buffer again for every
//! frame. So this body passes on small chunks, and ends with an error when too many bytes were
//! neither part of a field nor skipped.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame};
use tokio::time::{Instant, Sleep, sleep};

use crate::http::api_error::ApiError;

/// The maximum size of a form beyond its image, in bytes.
pub(crate) const FORM: u64 = 64 * 1024;
/// The maximum number of bytes that the parser gets at once.
const PIECE: usize = 32 * 1024;
/// The maximum number of bytes outside of fields: boundaries, part headers, text before the first
/// part, and a few chunks that wait to be parsed.
const BESIDE: u64 = FORM + 4 * PIECE as u64;
/// The time limit for a small body.
const AT_LEAST: Duration = Duration::from_secs(60);
/// Each time this many bytes arrive, the time limit grows by one second.
const A_SECOND: u64 = 16 * 1024;
/// A client that sends nothing for this time counts as disconnected.
const SILENCE: Duration = Duration::from_secs(30);

/// A body of at most this many bytes. When it is cut off, its error becomes the answer.
pub(crate) struct Bounded {
    body: Body,
    /// Received and not yet passed on.
    piece: Bytes,
    /// Whether the parser got a chunk and has to process it first.
    passed: bool,
    largest: u64,
    came: u64,
    given: u64,
    taken: TakenBytes,
    began: Instant,
    deadline: Pin<Box<Sleep>>,
}

/// How many bytes of fields the parser has returned.
#[derive(Clone, Default)]
pub(crate) struct TakenBytes(Arc<AtomicU64>);

impl TakenBytes {
    pub(crate) fn chunk(&self, chunk: &Bytes) {
        self.0.fetch_add(chunk.len() as u64, Ordering::Relaxed);
    }
}

impl Bounded {
    /// `taken` has to count every chunk that the parser returns.
    pub(crate) fn new(body: Body, largest: u64, taken: TakenBytes) -> Self {
        Self {
            body,
            piece: Bytes::new(),
            passed: false,
            largest,
            came: 0,
            given: 0,
            taken,
            began: Instant::now(),
            deadline: Box::pin(sleep(SILENCE)),
        }
    }

    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<(), BoxError>>> {
        while self.piece.is_empty() {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
                ready!(self.deadline.as_mut().poll(context));
                return Poll::Ready(Some(Err(ApiError::Timeout.into())));
            };
            match frame {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                Some(Ok(frame)) => self.piece = frame.into_data().unwrap_or_default(),
            }
            self.came += self.piece.len() as u64;
            let whole = self.began + AT_LEAST + Duration::from_secs(self.came / A_SECOND);
            let now = Instant::now();
            if now >= whole {
                return Poll::Ready(Some(Err(ApiError::Timeout.into())));
            }
            self.deadline.as_mut().reset(whole.min(now + SILENCE));
        }
        Poll::Ready(Some(Ok(())))
    }
}

impl HttpBody for Bounded {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if std::mem::take(&mut self.passed) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        match ready!(self.poll_piece(context)) {
            None => return Poll::Ready(None),
            Some(Err(refused)) => return Poll::Ready(Some(Err(refused))),
            Some(Ok(())) => {}
        }
        let beside = self.given - self.taken.0.load(Ordering::Relaxed);
        if self.came > self.largest || beside > BESIDE {
            return Poll::Ready(Some(Err(ApiError::ImageTooLarge.into())));
        }
        let size = self.piece.len().min(PIECE);
        let piece = self.piece.split_to(size);
        self.given += size as u64;
        self.passed = true;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}
