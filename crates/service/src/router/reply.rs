//! Replies as JSON, and their `Cache-Control`.

use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

/// For everything that is true only now.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// For what may be cached if it is revalidated each time.
pub(crate) const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
/// For what never changes under its name.
pub(crate) const A_YEAR: HeaderValue =
    HeaderValue::from_static("public, max-age=31536000, immutable");
/// For redirects to the object store: it may move.
pub(crate) const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(crate) fn json(status: StatusCode, cache: HeaderValue, body: &impl Serialize) -> Response {
    let (status, bytes) = match serde_json::to_vec(body) {
        Ok(bytes) => (status, bytes),
        Err(error) => {
            tracing::error!(%error, "a reply could not be written as JSON");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                br#"{"error":"Internal server error"}"#.to_vec(),
            )
        }
    };
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.headers_mut().insert(CACHE_CONTROL, cache);
    response
}

/// `body` as JSON that is not cached: the reply of most endpoints.
pub(crate) fn fresh(body: &impl Serialize) -> Response {
    json(StatusCode::OK, NO_STORE, body)
}
