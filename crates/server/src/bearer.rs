//! Authentication as extractors: a handler that needs a token takes it as an
//! argument, so that it cannot forget to check it.

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use porchlight_api::ApiError;
use porchlight_api::Scope;
use porchlight_core::tokens::Bearer;

use crate::error::ErrorReply;
use crate::limits::Wait;
use crate::listener_state::ListenerState;

/// The token of the one header `Authorization: Bearer <token>`; `None` for any
/// other form. Two such headers are ambiguous, and count as none.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    let is_one = scheme.eq_ignore_ascii_case("bearer")
        && !token.is_empty()
        && !token.contains(char::is_whitespace);
    is_one.then_some(token)
}

/// A caller whose token may post heartbeats, and has not posted too many.
pub(crate) struct MayReport(pub(crate) Bearer);
/// A caller whose token may add images.
pub(crate) struct MayUpload;
/// A caller whose token may do everything.
pub(crate) struct MayDelete;

fn allow(parts: &Parts, needed: Scope) -> Result<Bearer, ErrorReply> {
    // Put there by the gate, which has recognised the token.
    match parts.extensions.get::<Bearer>() {
        Some(bearer) if bearer.scope.covers(needed) => Ok(*bearer),
        Some(_) => Err(ApiError::Forbidden.into()),
        None => Err(ApiError::Unauthorized.into()),
    }
}

impl FromRequestParts<ListenerState> for MayReport {
    type Rejection = ErrorReply;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ListenerState,
    ) -> Result<Self, ErrorReply> {
        let bearer = allow(parts, Scope::Heartbeat)?;
        let limited = state.limits.heartbeat(bearer);
        limited.map_err(|Wait(seconds)| ErrorReply::Wait(seconds))?;
        Ok(Self(bearer))
    }
}

impl FromRequestParts<ListenerState> for MayUpload {
    type Rejection = ErrorReply;

    async fn from_request_parts(parts: &mut Parts, _: &ListenerState) -> Result<Self, ErrorReply> {
        allow(parts, Scope::Upload).map(|_| Self)
    }
}

impl FromRequestParts<ListenerState> for MayDelete {
    type Rejection = ErrorReply;

    async fn from_request_parts(parts: &mut Parts, _: &ListenerState) -> Result<Self, ErrorReply> {
        allow(parts, Scope::Admin).map(|_| Self)
    }
}
