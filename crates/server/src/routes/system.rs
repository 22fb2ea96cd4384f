//! `GET /sysinfo`.

use axum::extract::State;
use axum::response::Response;
use porchlight_api::SystemReply;

use crate::listener_state::ListenerState;
use crate::reply::fresh;

pub(crate) async fn sysinfo(State(state): State<ListenerState>) -> Response {
    let output = state.service.system().html().await;
    fresh(&SystemReply {
        status: "success".to_owned(),
        output,
    })
}
