//! The one place where errors become a status and a body.

use std::sync::LazyLock;
use std::time::Instant;

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_RANGE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use crate::db::DatabaseError;
use crate::http::api_error::{ApiError, ErrorBody};
use crate::http::replies::DuplicateReply;
use crate::images::{ImagesError, IngestError};
use crate::presence::ReportError;
use crate::router::limits::Wait;
use crate::router::repeats::Repeats;
use crate::router::reply::{NO_STORE, fresh, json};
use crate::settings::sections::Delivery;
use crate::text::image_hash::ImageHash;

/// The causes that were logged recently. One per process, like the log.
static REPEATS: LazyLock<Repeats> = LazyLock::new(Repeats::default);

#[derive(Debug)]
pub(crate) enum ErrorReply {
    /// An error of the interface.
    Api(ApiError),
    /// The image is there already; which field names it depends on the behaviour.
    Duplicate(ImageHash, Delivery),
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
    /// The error of the interface that it is.
    pub(crate) fn error(&self) -> ApiError {
        match self {
            Self::Api(error) => *error,
            Self::Duplicate(..) => ApiError::ImageExists,
            Self::Wait(_) => ApiError::TooManyRequests,
            Self::OutsideOf(_) => ApiError::RangeNotSatisfiable,
        }
    }

    /// The answer with the body that another program has for errors.
    pub(crate) fn in_shape(self, shape: impl FnOnce(StatusCode, String) -> Value) -> Response {
        let message = self.error().to_string();
        let mut response = self.into_response();
        let body = fresh(&shape(response.status(), message));
        *response.body_mut() = body.into_body();
        response
    }

    /// A failure inside: the cause goes to the log, here and only here.
    pub(crate) fn internal(cause: &(impl std::fmt::Display + ?Sized)) -> Self {
        log("a request failed", &cause.to_string());
        ApiError::Internal.into()
    }

    pub(crate) fn of_ingest(error: IngestError, delivery: Delivery) -> Self {
        match error {
            IngestError::Duplicate(image) => Self::Duplicate(image.hash, delivery),
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

/// Logs a failure once a minute for each cause, however often it occurs.
fn log(what: &str, cause: &str) {
    if let Some(left_out) = REPEATS.log(&format!("{what}: {cause}"), Instant::now()) {
        let left_out = (left_out > 0).then_some(left_out);
        tracing::error!(%cause, left_out, "{what}");
    }
}

impl From<Wait> for ErrorReply {
    fn from(Wait(seconds): Wait) -> Self {
        Self::Wait(seconds)
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
        match self {
            Self::Api(error) => {
                let status = StatusCode::from_u16(error.status())
                    .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                json(status, NO_STORE, &ErrorBody::from(error))
            }
            Self::Duplicate(hash, delivery) => {
                let (existing_hash, hash) = match delivery {
                    Delivery::Direct => (Some(hash), None),
                    Delivery::Redirect => (None, Some(hash)),
                };
                let error = ApiError::ImageExists.to_string();
                json(
                    StatusCode::CONFLICT,
                    NO_STORE,
                    &DuplicateReply {
                        error,
                        existing_hash,
                        hash,
                    },
                )
            }
            Self::Wait(seconds) => {
                let mut response = Self::Api(ApiError::TooManyRequests).into_response();
                response
                    .headers_mut()
                    .insert(RETRY_AFTER, HeaderValue::from(seconds));
                response
            }
            Self::OutsideOf(size) => {
                let mut response = Self::Api(ApiError::RangeNotSatisfiable).into_response();
                if let Ok(range) = HeaderValue::from_str(&format!("bytes */{size}")) {
                    response.headers_mut().insert(CONTENT_RANGE, range);
                }
                response
            }
        }
    }
}
