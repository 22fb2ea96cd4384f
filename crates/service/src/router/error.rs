//! The one place where errors become a status and a body.

use std::sync::LazyLock;
use std::time::Instant;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_RANGE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use serde_json::Value;

use crate::db::DatabaseError;
use crate::http::api_error::{ApiError, ErrorBody};
use crate::images::{ImagesError, IngestError};
use crate::presence::ReportError;
use crate::router::repeats::Repeats;
use crate::router::reply::{NO_STORE, json};

/// The causes that were logged recently. One per process, like the log.
static REPEATS: LazyLock<Repeats> = LazyLock::new(Repeats::default);

#[derive(Debug)]
pub(crate) enum ErrorReply {
    /// An error of the interface.
    Api(ApiError),
    /// `Retry-After`, in seconds.
    Wait(u64),
    /// The range is outside of an image of this many bytes.
    OutsideOf(u64),
}

impl From<ApiError> for ErrorReply {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl ErrorReply {
    /// A failure inside: the cause goes to the log, here and only here.
    pub(crate) fn internal(cause: &(impl std::fmt::Display + ?Sized)) -> Self {
        log("a request failed", &cause.to_string());
        ApiError::Internal.into()
    }
}

/// An error as another program writes it: its status and its body, from those of this service.
pub(crate) type ErrorShape = fn(StatusCode, &str) -> (StatusCode, Value);

/// The answer with the body that another program has for errors, where it is one of this service that the
/// program may know.
pub(crate) fn in_shape(response: Response, shape: ErrorShape) -> Response {
    match response.extensions().get() {
        None | Some(ApiError::NotFound | ApiError::MethodNotAllowed) => response,
        Some(error) => {
            let (status, body) = shape(response.status(), &error.to_string());
            let (mut parts, _) = response.into_parts();
            parts.status = status;
            Response::from_parts(parts, Body::from(body.to_string()))
        }
    }
}

/// Logs a failure once a minute for each cause, however often it occurs.
fn log(what: &str, cause: &str) {
    if let Some(left_out) = REPEATS.log(&format!("{what}: {cause}"), Instant::now()) {
        let left_out = (left_out > 0).then_some(left_out);
        tracing::error!(%cause, left_out, "{what}");
    }
}

impl From<IngestError> for ErrorReply {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Duplicate(_) => ApiError::ImageExists.into(),
            IngestError::TooLarge => ApiError::ImageTooLarge.into(),
            IngestError::Unsupported => ApiError::UnsupportedFormat.into(),
            IngestError::Invalid(_) => ApiError::InvalidImage.into(),
            IngestError::StorageFull(cause) => {
                log("an upload found no room", &cause.to_string());
                ApiError::StorageFull.into()
            }
            other => Self::internal(&other),
        }
    }
}

impl From<DatabaseError> for ErrorReply {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Full(cause) => {
                log("the database found no room", &cause.to_string());
                ApiError::StorageFull.into()
            }
            other => Self::internal(&other),
        }
    }
}

impl From<ReportError> for ErrorReply {
    fn from(error: ReportError) -> Self {
        match error {
            // Its token is gone, too.
            ReportError::Forgotten => ApiError::Unauthorized.into(),
            ReportError::TooManyWaiting => ApiError::TooManyDevices.into(),
            ReportError::Database(error) => error.into(),
        }
    }
}

impl From<ImagesError> for ErrorReply {
    fn from(error: ImagesError) -> Self {
        match error {
            ImagesError::Database(error) => error.into(),
            ImagesError::Gone(_) => ApiError::ImageNotFound.into(),
            other => Self::internal(&other),
        }
    }
}

impl IntoResponse for ErrorReply {
    fn into_response(self) -> Response {
        let (error, header) = match self {
            Self::Api(error) => (error, None),
            Self::Wait(seconds) => {
                let wait = (RETRY_AFTER, HeaderValue::from(seconds));
                (ApiError::TooManyRequests, Some(wait))
            }
            Self::OutsideOf(size) => {
                let range = HeaderValue::from_str(&format!("bytes */{size}"));
                let range = range.ok().map(|range| (CONTENT_RANGE, range));
                (ApiError::RangeNotSatisfiable, range)
            }
        };
        let status = StatusCode::from_u16(error.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = json(status, NO_STORE, &ErrorBody::from(error));
        response.headers_mut().extend(header);
        response.extensions_mut().insert(error);
        response
    }
}
