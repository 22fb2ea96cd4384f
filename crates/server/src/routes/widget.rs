//! `GET /widget.js`: the custom element for blogs.

use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

/// The script of the custom element.
pub const WIDGET: &str = include_str!("../../../../edge/widget.js");

pub(crate) async fn script() -> Response {
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/javascript; charset=utf-8"),
        ),
        (
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ),
    ];
    (headers, WIDGET).into_response()
}
