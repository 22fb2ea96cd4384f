//! `GET /`: is anybody there?

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::door::Door;
use crate::reply::NO_STORE;

pub(crate) async fn greeting(State(door): State<Door>) -> Response {
    let headers = [
        (
            CONTENT_TYPE,
            http::HeaderValue::from_static("text/plain; charset=utf-8"),
        ),
        (CACHE_CONTROL, NO_STORE),
    ];
    (headers, door.greeting.clone()).into_response()
}
