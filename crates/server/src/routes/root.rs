//! `GET /`: the greeting.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::listener_state::ListenerState;
use crate::reply::NO_STORE;

pub(crate) async fn greeting(State(state): State<ListenerState>) -> Response {
    let headers = [
        (
            CONTENT_TYPE,
            http::HeaderValue::from_static("text/plain; charset=utf-8"),
        ),
        (CACHE_CONTROL, NO_STORE),
    ];
    (headers, state.greeting.clone()).into_response()
}
