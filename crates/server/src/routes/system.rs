//! `GET /sysinfo`.

use axum::extract::State;
use axum::response::Response;
use porchlight_api::SystemReply;

use crate::door::Door;
use crate::reply::fresh;

pub(crate) async fn sysinfo(State(door): State<Door>) -> Response {
    let output = door.service.system().html().await;
    fresh(&SystemReply {
        status: "success".to_owned(),
        output,
    })
}
