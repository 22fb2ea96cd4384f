//! The handlers: extract, call core, reply. Here those that take nothing from the request.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::http::replies::SystemReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::{NO_STORE, fresh};

pub(crate) mod badge;
pub(crate) mod clients;
pub(crate) mod delivery;
pub(crate) mod document;
pub(crate) mod images;
pub(crate) mod ip;
pub(crate) mod lanyard;
pub(crate) mod presence;
pub(crate) mod random;
pub(crate) mod stats;
pub(crate) mod tools;
pub(crate) mod upload;

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
    (headers, state.greeting.clone()).into_response()
}

/// `GET /sysinfo`
pub(crate) async fn sysinfo(State(state): State<ListenerState>) -> Response {
    let output = state.service.system().html().await;
    fresh(&SystemReply {
        status: "success".to_owned(),
        output,
    })
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
