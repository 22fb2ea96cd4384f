//! The answer to the reachability probe.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, Request, header};
use porchlight_api::{Probe, WebAddress};

use crate::listener_state::ListenerState;
use crate::private::Caller;
use crate::reply::NO_STORE;

/// The answer, where this is a probe of this process.
pub(crate) fn answer(state: &ListenerState, request: &Request<Body>) -> Option<Response> {
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
