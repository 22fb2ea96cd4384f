//! Requests of the Worker: signed with the shared key, and passed on for readers.

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Method;
use reqwest::header::{HOST, HeaderName, ORIGIN};
use sha2::Sha256;

use crate::harness::{TestService, assert_error};

const KEY: &str = "a-key-of-this-test-and-of-no-other";
const EDGE: &str = "X-Porchlight-Edge";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const EVIL: &str = "https://evil.example";

fn hmac(text: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).expect("a key");
    hex::encode(mac.chain_update(text).finalize().into_bytes())
}

/// The signature of a request from `ip`, made `seconds` ago.
fn signed_before(seconds: i64, method: &Method, path: &str, ip: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.expect("after 1970").as_secs()).expect("a time");
    let time = now - seconds;
    let v1 = hmac(&format!("{time}\n{ip}\n{method}\n{path}"));
    format!("t={time}, ip={ip}, v1={v1}")
}

fn signed(method: &Method, path: &str, ip: &str) -> String {
    signed_before(0, method, path, ip)
}

async fn start(settings: &[&str]) -> TestService {
    let builder = TestService::builder().set(format!("edge.secret={KEY}"));
    builder.sets(settings).start().await
}

/// The status of `/check` for a reader at this address.
async fn read_by(service: &TestService, ip: &str) -> u16 {
    let request = service.request(Method::GET, "/check");
    let request = request.header(EDGE, signed(&Method::GET, "/check", ip));
    request.send().await.expect("an answer").status().as_u16()
}

#[tokio::test]
async fn every_response_has_the_header_of_the_service() {
    let service = start(&[]).await;
    for (method, path, headers, status) in [
        (Method::GET, "/", None, 200),
        (Method::HEAD, "/check", None, 200),
        (Method::GET, "/nowhere", None, 404),
        (Method::PUT, "/check", None, 405),
        (Method::POST, "/heartbeat", None, 401),
        (Method::OPTIONS, "/images/add", None, 204),
        (Method::GET, "/check", Some((ORIGIN, EVIL)), 403),
    ] {
        let mut request = service.request(method, path);
        if let Some((name, value)) = headers {
            request = request.header(name, value);
        }
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), status, "{path}");
        assert_eq!(answer.headers()["x-porchlight"], "1", "{path}");
    }
}

#[tokio::test]
async fn a_signed_request_passes_a_private_listener() {
    let service = start(&[]).await;
    let path = "/images/list?page=1&limit=%35";
    let ask = async |signature: &str, key: &str| {
        let request = service.request(Method::GET, path).header(key, signature);
        let request = request
            .header(HOST, "light.example")
            .header(ORIGIN, "https://blog.example");
        request.send().await.expect("an answer")
    };
    let signature = signed(&Method::GET, path, "203.0.113.9");
    let answer = ask(&signature, EDGE).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");

    for wrong in [
        signed_before(330, &Method::GET, path, "203.0.113.9"),
        signed_before(-330, &Method::GET, path, "203.0.113.9"),
        signed(&Method::POST, path, "203.0.113.9"),
        signed(&Method::GET, "/images/list", "203.0.113.9"),
        signature.replace("203.0.113.9", "203.0.113.8"),
        String::new(),
    ] {
        let answer = ask(&wrong, EDGE).await;
        assert_eq!(answer.status(), 403, "{wrong}");
    }
    let without_key = TestService::start(&[]).await;
    let request = without_key.request(Method::GET, path);
    let request = request.header(ORIGIN, EVIL).header(EDGE, &signature);
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), 403);
}

#[tokio::test]
async fn a_signed_request_counts_as_https_and_is_never_redirected() {
    let service = start(&[
        "server.client_ip=x-forwarded-for",
        "server.public_url=https://light.example",
    ])
    .await;
    let plain = |method: &Method, path: &str| {
        let request = service.request(method.clone(), path);
        request
            .header("X-Forwarded-For", "198.51.100.1")
            .header("X-Forwarded-Proto", "http")
    };
    let read = plain(&Method::GET, "/check");
    assert_eq!(read.send().await.expect("an answer").status(), 308);
    let read = plain(&Method::GET, "/check").header(EDGE, signed(&Method::GET, "/check", ""));
    assert_eq!(read.send().await.expect("an answer").status(), 200);
    let beat = plain(&Method::POST, "/heartbeat").bearer_auth(&service.heartbeat_token);
    let refused = beat.send().await.expect("an answer");
    assert_error(refused, 403, "HTTPS required").await;
    let beat = plain(&Method::POST, "/heartbeat")
        .header(EDGE, signed(&Method::POST, "/heartbeat", "203.0.113.9"))
        .bearer_auth(&service.heartbeat_token);
    assert_eq!(beat.send().await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn readers_are_counted_by_the_address_that_is_signed() {
    let service = start(&["limits.requests_per_second=1", "limits.burst=2"]).await;
    let mut refused = 0;
    for _ in 0..6 {
        refused += u32::from(read_by(&service, "203.0.113.1").await == 429);
    }
    assert!(refused >= 2, "{refused}");
    for number in 2..20 {
        let other = format!("203.0.113.{number}");
        assert_eq!(read_by(&service, &other).await, 200, "{other}");
    }
    // Those without an address share a limit that is sized for it.
    for _ in 0..20 {
        assert_eq!(read_by(&service, "").await, 200);
    }
}

#[tokio::test]
async fn the_custom_element_comes_from_the_service_too() {
    let service = TestService::start(&[]).await;
    let answer = service.get("/widget.js").await;
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(header("cache-control"), "public, max-age=3600");
    assert_eq!(header("access-control-allow-origin"), "*");
    let script = answer.text().await.expect("a script");
    assert!(script.contains("porch-light"), "{script}");
    let post = service.request(Method::POST, "/widget.js").send().await;
    assert_error(post.expect("an answer"), 405, "Method not allowed").await;
}

#[tokio::test]
async fn the_address_of_the_worker_alone_leaves_the_listener_private() {
    let service = start(&["edge.url=https://light.example"]).await;
    for (name, value) in [
        (ORIGIN, EVIL),
        (HOST, "light.example"),
        (SEC_FETCH_SITE, "cross-site"),
    ] {
        let request = service.request(Method::GET, "/check");
        let refused = request.header(name.clone(), value).send().await;
        assert_eq!(refused.expect("an answer").status(), 403, "{value}");
        let request = service.request(Method::GET, "/check").header(name, value);
        let request = request.header(EDGE, signed(&Method::GET, "/check", ""));
        assert_eq!(request.send().await.expect("an answer").status(), 200);
    }
}

#[tokio::test]
async fn plain_http_is_sent_to_the_address_of_the_worker_first() {
    let service = start(&[
        "edge.url=https://light.example",
        "server.public_url=https://old.example",
        "server.client_ip=x-forwarded-for",
    ])
    .await;
    let plain = service
        .request(Method::GET, "/check")
        .header("X-Forwarded-Proto", "http");
    let answer = plain.send().await.expect("an answer");
    assert_eq!(answer.headers()["location"], "https://light.example/check");
}
