//! The body of an upload, bounded in bytes and in time before anything parses it.
//!
//! The form parser keeps what it cannot hand out yet in memory and searches all
//! of it again for every frame. So this body passes small pieces on, and ends
//! with an error when too much of it was neither part of a field nor skipped.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame};
use porchlight_api::ApiError;
use tokio::time::{Instant, Sleep, sleep};

/// What a form may weigh beyond its largest picture, in bytes.
pub(crate) const FORM: u64 = 64 * 1024;
/// The parser gets no more than this at once.
const PIECE: usize = 32 * 1024;
/// What may have come in and not be part of a field: boundaries, headers of
/// parts, text before the first part, and a few pieces that wait to be parsed.
const BESIDE: u64 = FORM + 4 * PIECE as u64;
/// Time for a body that is small or comes fast.
const AT_LEAST: Duration = Duration::from_secs(60);
/// Bytes that are worth one second more.
const A_SECOND: u64 = 16 * 1024;
/// A client that sends nothing for so long has gone.
const SILENCE: Duration = Duration::from_secs(30);

/// A body of at most so many bytes. Where it ends too early, its error is the
/// answer.
pub(crate) struct Bounded {
    body: Body,
    /// Came in and was not passed on yet.
    piece: Bytes,
    /// Whether the parser had a piece and has to look at it first.
    passed: bool,
    largest: u64,
    came: u64,
    given: u64,
    taken: Taken,
    began: Instant,
    deadline: Pin<Box<Sleep>>,
}

/// How many bytes of fields the parser has handed out.
#[derive(Clone, Default)]
pub(crate) struct Taken(Arc<AtomicU64>);

impl Taken {
    /// Notes a chunk of a field.
    pub(crate) fn chunk(&self, chunk: &Bytes) {
        self.0.fetch_add(chunk.len() as u64, Ordering::Relaxed);
    }
}

impl Bounded {
    /// `taken` has to learn of every chunk that comes out of the parser.
    pub(crate) fn new(body: Body, largest: u64, taken: Taken) -> Self {
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
