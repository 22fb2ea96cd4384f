//! What every request passes, in this order: did it come safely, whose is it,
//! may it come at all, is it a preflight; and on the way out, what browsers on
//! other origins may read.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};

use crate::http::api_error::ApiError;
use crate::http::settings::ClientIp;
use crate::router::bearer::{Arrival, bearer_token, may_have_secret, note_reader, recognise};
use crate::router::client_address::{ClientAddress, forwarded, on_this_machine};
use crate::router::connection::Peer;
use crate::router::edge::{self, FromEdge};
use crate::router::error::{ErrorReply, in_shape};
use crate::router::listener_state::ListenerState;
use crate::router::places::InFlight;
use crate::router::private::Caller;
use crate::router::reply::NO_STORE;
use crate::router::routes::error_shape;
use crate::router::routes::tools::takes_bare_tokens;
use crate::stats::{Endpoint, Reader, Stats};
use crate::text::address::{Probe, WebAddress};

const ALLOW_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, DELETE, OPTIONS");
const ALLOW_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, If-None-Match, Range, X-API-Key, token, X-Requested-With",
);
const EXPOSE_HEADERS: HeaderValue = HeaderValue::from_static("ETag, Retry-After, Location");
const A_DAY: HeaderValue = HeaderValue::from_static("86400");
const ANYONE: HeaderValue = HeaderValue::from_static("*");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The layer around all routes.
pub(crate) async fn pass(
    State(state): State<ListenerState>,
    mut request: Request<Body>,
    next: Next,
) -> Response {
    let edge = state.of_edge(&request);
    let caller = match edge {
        Some(_) => Caller::Welcome,
        None => state.caller(&request),
    };
    let peer = request.extensions().get().copied();
    let sender = Sender {
        peer: peer.unwrap_or(UNKNOWN),
        caller,
        edge: edge.as_ref(),
    };
    let shape = error_shape(request.uri().path());
    let early = early(&state, &sender, &request);
    let admitted = match early {
        Some(answer) => Err(answer),
        None => {
            let admitted = admit(&state, &sender, &mut request).await;
            admitted.map_err(IntoResponse::into_response)
        }
    };
    let is_known = Arrival::of(request.extensions()).bearer.is_some();
    let readable = caller == Caller::Welcome || is_known;
    let mut response = match admitted {
        Ok(_) if request.method() == Method::OPTIONS => preflight(),
        Ok(share) => {
            // A panic in a handler is one failed request and nothing more.
            let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
            let mut answer = answer
                .unwrap_or_else(|_| ErrorReply::internal("a handler panicked").into_response());
            // It is in flight until its answer is taken.
            answer.extensions_mut().insert(share);
            answer
        }
        Err(answer) => answer,
    };
    if let Some(shape) = shape {
        response = in_shape(response, shape);
    }
    let headers = response.headers_mut();
    if readable {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANYONE);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSE_HEADERS);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert(edge::MARK, edge::OF_THE_SERVICE);
    response
}

/// A request that came by no connection is trusted with nothing.
const UNKNOWN: Peer = Peer {
    address: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
    is_own: false,
};

struct Sender<'a> {
    peer: Peer,
    caller: Caller,
    /// What the Worker sends about it. The Worker itself speaks HTTPS with its readers.
    edge: Option<&'a FromEdge>,
}

impl Sender<'_> {
    /// The address that the Worker or the configured header names.
    fn named(&self, state: &ListenerState, headers: &HeaderMap) -> Option<IpAddr> {
        match self.edge {
            Some(edge) => edge.ip,
            None => forwarded(state.client_ip(self.peer.address), headers),
        }
    }

    fn client_address(&self, state: &ListenerState, headers: &HeaderMap) -> ClientAddress {
        match self.named(state, headers) {
            Some(address) => ClientAddress::at(address),
            None if self.edge.is_some() || state.callers_are_unnamed() => ClientAddress::Unnamed,
            None => ClientAddress::at(self.peer.address.ip()),
        }
    }

    /// A tunnel with a plain HTTP address carries only plain HTTP. Otherwise, only
    /// a proxy that is trusted for addresses is trusted for the scheme.
    fn came_over_plain_http(&self, state: &ListenerState, headers: &HeaderMap) -> bool {
        let is_plain = |url: &Option<WebAddress>| url.as_ref().is_some_and(|url| !url.is_https());
        let public = state.public.as_ref();
        let by_a_plain_tunnel = || public.is_some_and(|public| public.tunnel_url.with(is_plain));
        let by_a_plain_proxy = || {
            let is_trusted = state.client_ip(self.peer.address) != ClientIp::Peer;
            is_trusted && forwarded_scheme(headers) == Some("http")
        };
        self.edge.is_none() && (by_a_plain_tunnel() || by_a_plain_proxy())
    }

    /// For a tunnel that adds no headers only its address is known, and that only while it leads here.
    /// For a request from another machine, a proxy has to report the original scheme.
    fn may_have_come_over_plain_http(&self, state: &ListenerState, headers: &HeaderMap) -> bool {
        let is_unknown = || match &state.public {
            Some(public) => {
                public.client_ip == ClientIp::Peer && public.tunnel_url.with(Option::is_none)
            }
            None => !self.peer.is_own && forwarded_scheme(headers) != Some("https"),
        };
        self.came_over_plain_http(state, headers) || self.edge.is_none() && is_unknown()
    }

    /// The reader for the statistics; `None` for the owner's own calls, made on this machine. A call from
    /// the internet without a trusted address is an unnamed reader's.
    fn reader(&self, state: &ListenerState, headers: &HeaderMap) -> Option<Reader> {
        match self.named(state, headers) {
            Some(address) => ClientAddress::reader_at(address),
            None => {
                let is_away = self.edge.is_some()
                    || state.public.is_some()
                    || !on_this_machine(self.peer.address.ip());
                is_away.then_some(Reader::Unnamed)
            }
        }
    }
}

/// The answer to what is no matter of who may do what: a probe, or a way that leads elsewhere.
fn early(state: &ListenerState, sender: &Sender<'_>, request: &Request<Body>) -> Option<Response> {
    // Before the limits: a flood of readers does not make the tunnel look dead.
    let answer = (!state.is_private() || sender.edge.is_some())
        .then(|| answer_to_probe(state, request))
        .flatten();
    // The redirect would name the public address.
    let may_know = sender.caller != Caller::Foreign;
    let is_sent_on = may_know && sender.came_over_plain_http(state, request.headers());
    answer.or_else(|| is_sent_on.then(|| https_address(state, request)).flatten())
}

/// Lets a request in, or refuses it.
async fn admit(
    state: &ListenerState,
    sender: &Sender<'_>,
    request: &mut Request<Body>,
) -> Result<InFlight, ErrorReply> {
    let has_token = request.headers().contains_key(header::AUTHORIZATION);
    if sender.caller == Caller::Foreign && !has_token {
        return Err(ApiError::Forbidden.into());
    }
    let may_be_plain = sender.may_have_come_over_plain_http(state, request.headers());
    if has_token && may_be_plain {
        return Err(ApiError::HttpsRequired.into());
    }
    let address = sender.client_address(state, request.headers());
    let bearer = match has_token {
        false => None,
        true => {
            let may_be_bare = takes_bare_tokens(request.uri().path());
            let token = bearer_token(request.headers(), may_be_bare);
            recognise(state, address, token).await?
        }
    };
    // Before the limit, so that a page reads its refusal.
    request.extensions_mut().insert(Arrival {
        address,
        may_be_plain,
        bearer: bearer.clone(),
    });
    let share = match bearer {
        Some(bearer) => {
            state.limits().bearer(&bearer)?;
            None
        }
        None if sender.caller == Caller::Foreign => return Err(ApiError::Forbidden.into()),
        None => {
            state.limits().reader(address)?;
            Some(Arc::new(state.in_flight.take(address)?))
        }
    };
    // A request with a token, valid or not, is not a reader.
    let may_read = !has_token && matches!(*request.method(), Method::GET | Method::HEAD);
    if may_read && let Some(reader) = sender.reader(state, request.headers()) {
        request.extensions_mut().insert(reader);
    }
    Ok(share)
}

/// The answer, where this is a reachability probe of this process.
fn answer_to_probe(state: &ListenerState, request: &Request<Body>) -> Option<Response> {
    let probe = state.service.probe();
    (request.uri().path() == probe.path).then(|| {
        let body = Body::from(probe.answer.clone());
        let mut response = ([(header::CACHE_CONTROL, NO_STORE)], body).into_response();
        if is_rewritten(request) {
            let rewritten = HeaderValue::from_static(Probe::REWRITTEN);
            response.headers_mut().insert(Probe::ADDRESS, rewritten);
        }
        response
    })
}

/// Whether a page that reads the address that a probe was sent to would be refused here, since
/// something on the way has changed `Host`.
fn is_rewritten(request: &Request<Body>) -> bool {
    let address = request.headers().get(Probe::ADDRESS);
    let address = address.and_then(|address| address.to_str().ok()?.parse().ok());
    address.is_some_and(|address: WebAddress| {
        Caller::of_public(request, |host| address.host().eq_ignore_ascii_case(host))
            == Caller::Foreign
    })
}

fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOW_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOW_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, A_DAY),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// The original scheme as the last proxy reports it.
fn forwarded_scheme(headers: &HeaderMap) -> Option<&'static str> {
    let last = headers.get_all(FORWARDED_PROTO).iter().next_back()?;
    let scheme = last.to_str().ok()?.rsplit(',').next()?.trim();
    ["http", "https"]
        .into_iter()
        .find(|known| scheme.eq_ignore_ascii_case(known))
}

/// The same path at the HTTPS address of the settings, never at the host that
/// the request names. A secret that came over plain HTTP goes no further.
fn https_address(state: &ListenerState, request: &Request<Body>) -> Option<Response> {
    let (headers, uri) = (request.headers(), request.uri());
    let has_secret =
        headers.contains_key(header::AUTHORIZATION) || may_have_secret(uri.path(), headers);
    if has_secret || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let public = state.public_url()?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let location = HeaderValue::from_str(&public.join(path)).ok()?;
    let headers = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, NO_STORE),
    ];
    let redirect = (StatusCode::PERMANENT_REDIRECT, headers);
    public.is_https().then(|| redirect.into_response())
}

/// Counts the calls that reach one endpoint, and their readers.
pub(crate) async fn count(
    State((endpoint, stats)): State<(Endpoint, Stats)>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let call = stats.call(endpoint);
    let asks_status = matches!(endpoint, Endpoint::Check | Endpoint::Devices);
    note_reader(&stats, &request, asks_status);
    let response = next.run(request).await;
    call.answered(response.status().as_u16());
    response
}

#[cfg(test)]
mod tests;
