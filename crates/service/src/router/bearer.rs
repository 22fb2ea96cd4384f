//! Authentication as extractors: a handler that needs a token takes it as an
//! argument, so that it cannot forget to check it.

use axum::extract::FromRequestParts;
use http::header::{self, AUTHORIZATION};
use http::request::Parts;
use http::{Extensions, HeaderMap, Request};

use crate::devices::DeviceId;
use crate::http::api_error::ApiError;
use crate::router::client_address::ClientAddress;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::stats::{Reader, Stats};
use crate::tokens::Bearer;
use crate::tokens::scope::Scope;

/// The token of the one header `Authorization: Bearer <token>`, where `may_be_bare` also of
/// `Authorization: <token>`; `None` for any other form. Two such headers are ambiguous, and count as
/// none.
pub(crate) fn bearer_token(headers: &HeaderMap, may_be_bare: bool) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    let value = value.to_str().ok()?;
    let bare = may_be_bare.then_some(("bearer", value));
    let (scheme, token) = value.split_once(' ').or(bare)?;
    let token = token.trim();
    let is_one = scheme.eq_ignore_ascii_case("bearer")
        && !token.is_empty()
        && !token.contains(char::is_whitespace);
    is_one.then_some(token)
}

/// Whether a request may have a secret in its address, or in a header that other programs have for it.
pub(crate) fn may_have_secret(path: &str, headers: &HeaderMap) -> bool {
    let paths = [
        "/api/device/set",
        "/device/set",
        "/api/upload",
        "/api/1/upload",
        "/api/1/upload/",
    ];
    let names = ["sleepy-secret", "token", "x-api-key"];
    paths.contains(&path) || names.iter().any(|name| headers.contains_key(*name))
}

/// A caller whose token may post heartbeats, and has not posted too many: those of this device, or of
/// this computer.
pub(crate) struct MayReport(pub(crate) Option<DeviceId>);
/// A caller whose token may add images.
pub(crate) struct MayUpload;
/// A caller whose token may do everything.
pub(crate) struct MayDelete;

/// How a request came, as the gate leaves it. Its secret may be in its body or its address.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub(crate) address: ClientAddress,
    pub(crate) may_be_plain: bool,
    /// The token in `Authorization`, where that is known.
    pub(crate) bearer: Option<Bearer>,
}

impl Arrival {
    /// What the gate has left; a request that it has not seen is trusted with nothing.
    pub(crate) fn of(left: &Extensions) -> Self {
        left.get().cloned().unwrap_or(Self {
            address: ClientAddress::Unnamed,
            may_be_plain: true,
            bearer: None,
        })
    }

    /// The address of a caller whose `Authorization` names no token.
    pub(crate) fn unknown(&self) -> Option<ClientAddress> {
        self.bearer.is_none().then_some(self.address)
    }

    /// Refuses a secret that may have come over plain HTTP.
    pub(crate) fn checked(self) -> Result<Self, ErrorReply> {
        match self.may_be_plain {
            true => Err(ApiError::HttpsRequired.into()),
            false => Ok(self),
        }
    }
}

/// Notes who reads, and whether a blog asks for the owner's status.
pub(crate) fn note_reader<B>(stats: &Stats, request: &Request<B>, asks_status: bool) {
    let reader = request.extensions().get::<Reader>();
    let has_token = Arrival::of(request.extensions()).bearer.is_some();
    // A blog under development is on this machine, and no reader.
    let may_be_a_blog =
        reader.is_some() || request.headers().contains_key(header::ORIGIN) && !has_token;
    if asks_status && may_be_a_blog {
        stats.status_is_asked();
    }
    if let Some(reader) = reader {
        stats.read_by(*reader);
    }
}

/// Whose secret this is. It is held to the same rules as a token in `Authorization`, which counts
/// before it.
pub(crate) async fn of_secret(
    state: &ListenerState,
    arrival: &Arrival,
    secret: Option<&str>,
) -> Result<Bearer, ErrorReply> {
    if let Some(bearer) = &arrival.bearer {
        return Ok(bearer.clone());
    }
    let address = arrival.clone().checked()?.address;
    let bearer = recognise(state, address, secret).await?;
    let bearer = bearer.ok_or(ApiError::Unauthorized)?;
    state.limits().bearer(&bearer)?;
    Ok(bearer)
}

/// The token; `None` when it is unknown. One that is neither stored nor was recognised counts
/// against its sender, and against all senders of such tokens, before the database is queried.
pub(crate) async fn recognise(
    state: &ListenerState,
    address: ClientAddress,
    token: Option<&str>,
) -> Result<Option<Bearer>, ErrorReply> {
    let tokens = state.service.tokens();
    if !token.is_some_and(|token| tokens.was_recognised(token)) {
        state.limits().unknown_token(address)?;
    }
    match token {
        None => Ok(None),
        Some(token) => tokens
            .recognise(token)
            .await
            .map_err(|error| ErrorReply::internal(&error)),
    }
}

fn allow(parts: &Parts, needed: Scope) -> Result<Bearer, ErrorReply> {
    match Arrival::of(&parts.extensions).bearer {
        Some(bearer) if bearer.scope.covers(needed) => Ok(bearer),
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
        state.limits().heartbeat(&bearer)?;
        Ok(Self(bearer.device))
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
