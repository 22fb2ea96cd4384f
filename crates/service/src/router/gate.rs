//! What every request passes, in this order: did it come safely, whose is it,
//! may it come at all, is it a preflight; and on the way out, what browsers on
//! other origins may read.
//!
//! Written as plain tower services, since every request pays for it.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use tower::{Layer, Service};

use crate::http::api_error::ApiError;
use crate::http::settings::ClientIp;
use crate::router::bearer::{MayBePlain, bearer_token, may_have_secret, recognise};
use crate::router::client_address::{ClientAddress, note_reader};
use crate::router::edge::{self, FromEdge};
use crate::router::error::ErrorReply;
use crate::router::limits::Wait;
use crate::router::listener_state::ListenerState;
use crate::router::places::Share;
use crate::router::private::Caller;
use crate::router::reply::NO_STORE;
use crate::router::routes::tools::{error_shape, takes_bare_tokens};
use crate::stats::{Endpoint, Reader, Stats};
use crate::text::address::{Probe, WebAddress};
use crate::tokens::Bearer;

const ALLOW_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, DELETE, OPTIONS");
const ALLOW_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, If-None-Match, Range, X-API-Key, token, X-Requested-With",
);
const EXPOSE_HEADERS: HeaderValue = HeaderValue::from_static("ETag, Retry-After, Location");
const A_DAY: HeaderValue = HeaderValue::from_static("86400");
const ANYONE: HeaderValue = HeaderValue::from_static("*");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

type Reply = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// The whole service behind its gate, for one connection.
#[derive(Clone)]
pub(crate) struct Gate<S> {
    inner: S,
    state: ListenerState,
    peer: SocketAddr,
    /// Whether the peer is on this machine.
    is_own: bool,
}

impl<S: Clone> Gate<S> {
    pub(crate) fn new(inner: S, state: ListenerState) -> Self {
        Self {
            inner,
            state,
            peer: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            is_own: false,
        }
    }

    /// The same for a connection whose other end is `peer`, and on this machine or not.
    pub(crate) fn for_peer(&self, peer: SocketAddr, is_own: bool) -> Self {
        Self {
            peer,
            is_own,
            ..self.clone()
        }
    }
}

impl<S> Service<Request<Body>> for Gate<S>
where
    S: Service<Request<Body>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Reply;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let (state, peer, is_own) = (self.state.clone(), self.peer, self.is_own);
        Box::pin(async move {
            let edge = state.of_edge(&request);
            let caller = match edge {
                Some(_) => Caller::Welcome,
                None => state.caller(&request),
            };
            let sender = Sender {
                peer,
                is_own,
                caller,
                edge: edge.as_ref(),
            };
            let admitted = admit(&state, &sender, &mut request).await;
            let readable = caller == Caller::Welcome || bearer_of(&request).is_some();
            let mut response = match admitted {
                Ok(share) => {
                    // A panic in a handler is one failed request and nothing more.
                    let answer = AssertUnwindSafe(inner.call(request)).catch_unwind().await;
                    let mut answer = match answer {
                        Ok(answer) => answer?,
                        Err(_) => ErrorReply::internal("a handler panicked").into_response(),
                    };
                    // It is in flight until its answer is taken.
                    answer.extensions_mut().insert(share);
                    answer
                }
                Err(refusal) => *refusal,
            };
            let headers = response.headers_mut();
            if readable {
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANYONE);
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSE_HEADERS);
            }
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
            headers.insert(edge::MARK, edge::OF_THE_SERVICE);
            if let Some(edge) = edge {
                headers.insert(edge::PROOF, edge.proof);
            }
            Ok(response)
        })
    }
}

struct Sender<'a> {
    peer: SocketAddr,
    /// Whether the peer is on this machine.
    is_own: bool,
    caller: Caller,
    /// What the Worker sends about it. The Worker itself speaks HTTPS with its readers.
    edge: Option<&'a FromEdge>,
}

impl Sender<'_> {
    fn client_address(&self, state: &ListenerState, headers: &HeaderMap) -> ClientAddress {
        match self.edge {
            Some(edge) => edge.ip.map_or(ClientAddress::Unnamed, ClientAddress::at),
            None if state.callers_are_unnamed() => ClientAddress::Unnamed,
            None => ClientAddress::of(state.client_ip(self.peer), headers, self.peer),
        }
    }

    fn reader(&self, state: &ListenerState, headers: &HeaderMap) -> Option<Reader> {
        match self.edge {
            Some(FromEdge { ip: Some(ip), .. }) => ClientAddress::reader_at(*ip),
            Some(FromEdge { ip: None, .. }) => Some(Reader::Unnamed),
            None => {
                let from_the_internet = state.public.is_some();
                let client_ip = state.client_ip(self.peer);
                ClientAddress::reader(client_ip, headers, self.peer, from_the_internet)
            }
        }
    }
}

/// Given back when the last clone is dropped; `None` for a request with a token.
pub(crate) type InFlight = Option<Arc<Share>>;

/// Lets a request in, or answers it here.
async fn admit(
    state: &ListenerState,
    sender: &Sender<'_>,
    request: &mut Request<Body>,
) -> Result<InFlight, Box<Response>> {
    let shape = error_shape(request.uri().path());
    let refused = |error: ErrorReply| Box::new(shape(error));
    // Before the limits: a flood of readers does not make the tunnel look dead.
    if (!state.is_private() || sender.edge.is_some())
        && let Some(answer) = answer_to_probe(state, request)
    {
        return Err(Box::new(answer));
    }
    let has_token = request.headers().contains_key(header::AUTHORIZATION);
    // Before the redirect, which would name the public address.
    if sender.caller == Caller::Foreign && !has_token {
        return Err(refused(ApiError::Forbidden.into()));
    }
    let client_ip = state.client_ip(sender.peer);
    let signed = sender.edge.is_some();
    let plain = !signed && came_over_plain_http(state, client_ip, request.headers());
    let has_secret = may_have_secret(request.uri().path(), request.headers());
    if plain
        && !has_secret
        && let Some(elsewhere) = https_address(state, request)
    {
        return Err(Box::new(elsewhere));
    }
    let may_be_plain =
        plain || !signed && may_have_come_over_plain_http(state, sender.is_own, request.headers());
    if has_token && may_be_plain {
        return Err(refused(ApiError::HttpsRequired.into()));
    }
    let address = sender.client_address(state, request.headers());
    let wait = |Wait(seconds): Wait| refused(ErrorReply::Wait(seconds));
    let bearer = match has_token {
        false => None,
        true => {
            let may_be_bare = takes_bare_tokens(request.uri().path());
            let token = bearer_token(request.headers(), may_be_bare);
            recognise(state, address, token).await.map_err(refused)?
        }
    };
    let share = match bearer {
        Some(bearer) => {
            // Before the limit, so that a page reads its refusal.
            let within = state.limits.bearer(&bearer);
            request.extensions_mut().insert(bearer);
            within.map_err(wait)?;
            None
        }
        None if sender.caller == Caller::Foreign => {
            return Err(refused(ApiError::Forbidden.into()));
        }
        None => {
            state.limits.reader(address).map_err(wait)?;
            let share = state.in_flight.take(address).ok_or(Wait(1));
            Some(Arc::new(share.map_err(wait)?))
        }
    };
    if request.method() == Method::OPTIONS {
        return Err(Box::new(preflight()));
    }
    request.extensions_mut().insert(address);
    request.extensions_mut().insert(MayBePlain(may_be_plain));
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
        let mut response = Response::new(Body::from(probe.answer.clone()));
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, NO_STORE);
        if is_rewritten(request) {
            headers.insert(Probe::ADDRESS, HeaderValue::from_static(Probe::REWRITTEN));
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

fn bearer_of(request: &Request<Body>) -> Option<&Bearer> {
    request.extensions().get()
}

fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, ALLOW_METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOW_HEADERS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, A_DAY);
    response
}

/// For a tunnel that adds no headers only its address is known, and that only while it leads here.
/// For a request from another machine, a proxy has to report the original scheme.
fn may_have_come_over_plain_http(state: &ListenerState, is_own: bool, headers: &HeaderMap) -> bool {
    match &state.public {
        Some(public) => {
            public.client_ip == ClientIp::Peer && public.tunnel_url.with(Option::is_none)
        }
        None => !is_own && forwarded_scheme(headers) != Some("https"),
    }
}

/// A tunnel with a plain HTTP address carries only plain HTTP. Otherwise, only
/// a proxy that is trusted for addresses is trusted for the scheme.
fn came_over_plain_http(state: &ListenerState, client_ip: ClientIp, headers: &HeaderMap) -> bool {
    let is_plain = |url: &Option<WebAddress>| url.as_ref().is_some_and(|url| !url.is_https());
    if let Some(public) = &state.public
        && public.tunnel_url.with(is_plain)
    {
        return true;
    }
    client_ip != ClientIp::Peer && forwarded_scheme(headers) == Some("http")
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
/// the request names. A token that came over plain HTTP goes no further.
fn https_address(state: &ListenerState, request: &Request<Body>) -> Option<Response> {
    let readable = matches!(*request.method(), Method::GET | Method::HEAD);
    if !readable || request.headers().contains_key(header::AUTHORIZATION) {
        return None;
    }
    let public = state
        .public_url
        .get()
        .filter(|address| address.is_https())?;
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    let location = HeaderValue::from_str(&public.join(path)).ok()?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response.headers_mut().insert(header::LOCATION, location);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, NO_STORE);
    Some(response)
}

/// Counts the calls that reach one endpoint, and their readers.
#[derive(Clone)]
pub(crate) struct Counted {
    endpoint: Endpoint,
    stats: Stats,
}

impl Counted {
    pub(crate) fn new(endpoint: Endpoint, stats: Stats) -> Self {
        Self { endpoint, stats }
    }
}

impl<S> Layer<S> for Counted {
    type Service = CountedService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CountedService {
            inner,
            counted: self.clone(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct CountedService<S> {
    inner: S,
    counted: Counted,
}

impl<S> Service<Request<Body>> for CountedService<S>
where
    S: Service<Request<Body>, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Reply;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let call = self.counted.stats.call(self.counted.endpoint);
        let asks_status = matches!(self.counted.endpoint, Endpoint::Check | Endpoint::Devices);
        note_reader(&self.counted.stats, &request, asks_status);
        let answer = self.inner.call(request);
        Box::pin(async move {
            let response = answer.await?;
            call.answered(response.status().as_u16());
            Ok(response)
        })
    }
}

#[cfg(test)]
mod tests;
