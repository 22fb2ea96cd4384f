//! The handlers: extract, call core, reply. Here those that take nothing from the request.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::json;

use crate::router::error::ErrorShape;
use crate::router::listener_state::ListenerState;
use crate::router::reply::{NO_STORE, fresh};

pub(crate) mod badge;
pub(crate) mod clients;
pub(crate) mod delivery;
pub(crate) mod document;
pub(crate) mod images;
pub(crate) mod ip;
pub(crate) mod lanyard;
pub(crate) mod picgo;
pub(crate) mod presence;
pub(crate) mod random;
pub(crate) mod stats;
pub(crate) mod tools;
pub(crate) mod upload;

/// The shape of errors on this path, where that is another program's.
pub(crate) fn error_shape(path: &str) -> Option<ErrorShape> {
    match path {
        "/api/device/set" | "/device/set" => Some(clients::sleepy_error),
        "/api/upload" => Some(tools::lsky_1_error),
        "/api/1/upload" | "/api/1/upload/" => Some(tools::chevereto_error),
        _ if path.starts_with("/api/v1/") => Some(tools::lsky_error),
        _ => None,
    }
}

/// The script of the custom element for blogs.
pub const WIDGET: &str = include_str!("../../../../../edge/widget.js");

/// `GET /`
pub(crate) async fn greeting(State(state): State<ListenerState>) -> Response {
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        ),
        (CACHE_CONTROL, NO_STORE),
    ];
    (headers, state.settings().server.greeting.clone()).into_response()
}

/// `GET /sysinfo`
pub(crate) async fn sysinfo(State(state): State<ListenerState>) -> Response {
    let output = state.service.system().html().await;
    fresh(&json!({ "status": "success", "output": output }))
}

/// `GET /game_status`
pub(crate) async fn game_status(State(state): State<ListenerState>) -> Response {
    fresh(&state.service.game().status().await)
}

/// `GET /widget.js`
pub(crate) async fn widget() -> Response {
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
