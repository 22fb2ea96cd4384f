//! `GET /game_status`.

use axum::extract::State;
use axum::response::Response;

use crate::listener_state::ListenerState;
use crate::reply::fresh;

pub(crate) async fn game_status(State(state): State<ListenerState>) -> Response {
    fresh(&state.service.game().status().await)
}
