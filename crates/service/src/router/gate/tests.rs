//! Which peers the gate trusts, for peers that a test cannot connect from.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use tower::ServiceExt as _;

use super::*;
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::router::listener_state::{ListenerParts, Shared};
use crate::router::router;
use crate::service::Service as Core;
use crate::settings::Settings;
use crate::tokens::scope::Scope;

const TOKEN: &str = "a-token-of-this-test";

/// The status of each of these requests at a listener behind a proxy.
async fn statuses(trusted: &[&str], requests: &[(&str, Method, Option<&str>)]) -> Vec<u16> {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Core::open(folder.path(), Settings::default(), Clock::system())
        .await
        .expect("a new data folder");
    service
        .tokens()
        .accept_for_this_run(Scope::Admin, &TOKEN.to_owned().into());
    let network = |text: &&str| (*text).to_owned().try_into().expect("a network");
    let mut settings = Settings::default();
    settings.server.client_ip = ClientIp::XForwardedFor;
    settings.server.trusted_proxies = trusted.iter().map(network).collect();
    settings.server.public_url = Some("https://light.example".parse().expect("an address"));
    let state = ListenerParts::new(service, Shared::with(settings), None);
    let gate = router(state);
    let mut statuses = Vec::new();
    for (peer, method, scheme) in requests {
        let mut request = Request::builder().method(method).uri("/heartbeat");
        if *method == Method::GET {
            request = request.uri("/check");
        } else {
            request = request.header("authorization", format!("Bearer {TOKEN}"));
        }
        if let Some(scheme) = scheme {
            request = request.header("x-forwarded-proto", *scheme);
        }
        let mut request = request.body(Body::empty()).expect("a request");
        let peer = peer.parse().expect("an address");
        request.extensions_mut().insert(Peer::of(peer, None));
        let answer = gate.clone().oneshot(request).await;
        statuses.push(answer.expect("an answer").status().as_u16());
    }
    statuses
}

/// What listeners share where the Worker signs with this key.
fn with_key(key: &str) -> Shared {
    let mut settings = Settings::default();
    settings.edge.secret = Some(key.into());
    Shared::with(settings)
}

#[tokio::test]
async fn a_token_from_another_machine_needs_https() {
    let away = "192.0.2.9:1000";
    let (get, post) = (Method::GET, Method::POST);
    let requests = [
        (away, post.clone(), None),
        (away, post.clone(), Some("http")),
        (away, post.clone(), Some("https, http")),
        (away, post.clone(), Some("https")),
        (away, get.clone(), None),
        // An untrusted peer's header causes no redirect.
        (away, get.clone(), Some("http")),
        ("[2001:db8::1]:1000", post.clone(), None),
        ("127.0.0.1:1000", post.clone(), None),
        ("[::ffff:127.0.0.1]:1000", post.clone(), None),
        ("127.0.0.1:1000", post.clone(), Some("http")),
        ("127.0.0.1:1000", get.clone(), Some("http")),
        ("[::1]:1000", get, Some("http")),
    ];
    let defaults = ["127.0.0.0/8", "::1"];
    assert_eq!(
        statuses(&defaults, &requests).await,
        [403, 403, 403, 200, 200, 200, 403, 200, 200, 403, 308, 308]
    );
}

#[tokio::test]
async fn a_proxy_on_another_machine_is_trusted_when_configured() {
    let (inside, outside) = ("10.1.2.3:1000", "11.1.2.3:1000");
    let requests = [
        (inside, Method::GET, Some("http")),
        (inside, Method::POST, Some("https")),
        (inside, Method::POST, None),
        (outside, Method::GET, Some("http")),
        ("127.0.0.1:1000", Method::GET, Some("http")),
        ("127.0.0.1:1000", Method::POST, None),
    ];
    assert_eq!(
        statuses(&["10.0.0.0/8"], &requests).await,
        [308, 200, 403, 200, 200, 200]
    );
}

#[tokio::test]
async fn the_own_listener_answers_the_probe_of_the_worker_alone() {
    let key = "a-key-of-this-test";
    let folder = tempfile::tempdir().expect("a folder");
    let service = Core::open(folder.path(), Settings::default(), Clock::system()).await;
    let service = service.expect("a new data folder");
    let probe = service.probe().clone();
    let gate = router(ListenerParts::new(service, with_key(key), None));
    let peer = Peer::of("127.0.0.1:1000".parse().expect("an address"), None);
    let ask = async |signature: Option<String>| {
        let request = Request::builder()
            .uri(&probe.path)
            .header("host", "localhost");
        let request = signature.iter().fold(request, |request, signature| {
            request.header("x-porchlight-edge", signature)
        });
        let mut request = request.body(Body::empty()).expect("a request");
        request.extensions_mut().insert(peer);
        let answer = gate.clone().oneshot(request).await;
        let answer = answer.expect("an answer");
        let status = answer.status().as_u16();
        let body = axum::body::to_bytes(answer.into_body(), 1024).await;
        (status, body.expect("a body"))
    };
    let now = Timestamp::now().as_seconds();
    let signed = |key: &str| {
        let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("a key");
        let mac = mac.chain_update(format!("{now}\n\nGET\n{}", probe.path));
        let v1 = hex::encode(mac.finalize().into_bytes());
        Some(format!("t={now}, ip=, v1={v1}"))
    };
    assert_eq!(ask(signed(key)).await, (200, probe.answer.clone().into()));
    assert_eq!(ask(signed("another key")).await.0, 404);
    assert_eq!(ask(None).await.0, 404);
}
