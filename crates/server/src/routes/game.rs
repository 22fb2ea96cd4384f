//! `GET /game_status`.

use axum::extract::State;
use axum::response::Response;

use crate::door::Door;
use crate::reply::fresh;

pub(crate) async fn game_status(State(door): State<Door>) -> Response {
    fresh(&door.service.game().status().await)
}
