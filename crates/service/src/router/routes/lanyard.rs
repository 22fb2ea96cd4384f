//! `GET /v1/users/{id}` and `/socket`: Lanyard's protocol, whose clients then show the owner.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

use crate::http::api_error::ApiError;
use crate::presence::lanyard::LanyardAnswer;
use crate::router::bearer::{Arrival, note_reader};
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::{NO_STORE, fresh, json};

fn while_on(state: &ListenerState) -> Result<(), ApiError> {
    let is_on = state.service.presence().decisions().lanyard.enabled;
    is_on.then_some(()).ok_or(ApiError::NotFound)
}

/// `GET /v1/users/{id}`
pub(crate) async fn user(
    State(state): State<ListenerState>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, ErrorReply> {
    while_on(&state)?;
    let answer = state.service.lanyard();
    let body = id.as_ref().ok().and_then(|Path(id)| answer.for_id(id));
    Ok(match body {
        Some(body) => fresh(body),
        None => json(StatusCode::NOT_FOUND, NO_STORE, &LanyardAnswer::of_nobody()),
    })
}

/// `/socket`: the connection becomes a socket when this is answered; see [`crate::router::listen`].
pub(crate) async fn socket(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let accepted = create_response_with_body(&request, Body::empty);
    if let Err(off) = while_on(&state) {
        // Most clients try again at once.
        if accepted.is_ok() {
            state.shared.sockets.wait().await;
        }
        return Err(off.into());
    }
    let mut response = accepted.map_err(|_| ApiError::WebSocketRequired)?;
    let address = Arrival::of(request.extensions()).address;
    let place = state.shared.sockets.place(address).await?;
    note_reader(state.service.stats(), &request, true);
    response.extensions_mut().insert(place);
    Ok(response)
}
