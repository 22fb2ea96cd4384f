//! HTTPS only: what happens to a request that a trusted proxy marks as plain
//! HTTP.

use reqwest::Method;
use reqwest::header::{HOST, LOCATION};

use crate::harness::{RequestBuilder, TestService, assert_error, form, pictures};

const BEHIND_A_PROXY: [&str; 2] = [
    "server.client_ip=x-forwarded-for",
    "server.public_url=https://light.example",
];

fn plain(service: &TestService, method: Method, path: &str) -> RequestBuilder {
    service
        .request(method, path)
        .header("X-Forwarded-For", "203.0.113.9")
        .header("X-Forwarded-Proto", "http")
}

#[tokio::test]
async fn readers_are_sent_to_the_https_address() {
    let service = TestService::start(&BEHIND_A_PROXY).await;
    let hash = service.stored(pictures::photo()).await;
    for path in [
        "/".to_owned(),
        "/check".to_owned(),
        "/images/list?page=2&limit=5".to_owned(),
        format!("/i/{hash}?w=320"),
        "/api_stats//".to_owned(),
        "/nowhere/%E7%81%AF?a=%20b".to_owned(),
    ] {
        for method in [Method::GET, Method::HEAD] {
            // A name that leads here by DNS: its page must not learn whose service this is.
            let rebound = plain(&service, method.clone(), &path).header(HOST, "evil.example");
            let rebound = rebound.send().await.expect("an answer");
            assert_eq!(rebound.status(), 403, "{path}");
            assert!(!rebound.headers().contains_key(LOCATION), "{path}");
            let request = plain(&service, method, &path).header(HOST, "light.example");
            let response = request.send().await.expect("an answer");
            assert_eq!(response.status(), 308, "{path}");
            let expected = format!("https://light.example{path}");
            assert_eq!(response.headers()[LOCATION], expected, "{path}");
            assert_eq!(
                response.headers()["access-control-allow-origin"],
                "*",
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn a_path_that_looks_like_a_url_stays_a_path() {
    let service = TestService::start(&BEHIND_A_PROXY).await;
    let response = plain(&service, Method::GET, "//evil.example/x")
        .send()
        .await;
    let response = response.expect("an answer");
    if response.status() == 308 {
        let location = response.headers()[LOCATION].to_str().expect("text");
        assert!(location.starts_with("https://light.example/"), "{location}");
    }
}

#[tokio::test]
async fn a_token_over_plain_http_is_refused() {
    let service = TestService::start(&BEHIND_A_PROXY).await;
    let hash = service.stored(pictures::photo()).await;
    let path = format!("/images/{hash}");
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let requests = [
        plain(&service, Method::POST, "/heartbeat").bearer_auth(&service.heartbeat_token),
        plain(&service, Method::DELETE, &path).bearer_auth(&service.admin_token),
        plain(&service, Method::DELETE, &path).bearer_auth("wrong"),
        plain(&service, Method::GET, "/check").bearer_auth(&service.admin_token),
        plain(&service, Method::POST, "/images/add")
            .bearer_auth(&service.admin_token)
            .header("content-type", content_type)
            .body(body),
    ];
    for request in requests {
        let response = request.send().await.expect("an answer");
        assert_error(response, 403, "HTTPS required").await;
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn requests_over_https_are_answered() {
    let service = TestService::start(&BEHIND_A_PROXY).await;
    for name in ["https", "HTTPS"] {
        let request = service
            .request(Method::POST, "/heartbeat")
            .header("X-Forwarded-For", "203.0.113.9")
            .header("X-Forwarded-Proto", name)
            .bearer_auth(&service.heartbeat_token);
        assert_eq!(
            request.send().await.expect("an answer").status(),
            200,
            "{name}"
        );
    }
    assert_eq!(service.get("/check").await.status(), 200);
}

#[tokio::test]
async fn without_an_https_address_readers_are_answered_and_tokens_refused() {
    for settings in [
        &["server.client_ip=x-forwarded-for"][..],
        &[
            "server.client_ip=x-forwarded-for",
            "server.public_url=http://light.example",
        ],
    ] {
        let service = TestService::start(settings).await;
        let read = plain(&service, Method::GET, "/check");
        assert_eq!(read.send().await.expect("an answer").status(), 200);
        let beat =
            plain(&service, Method::POST, "/heartbeat").bearer_auth(&service.heartbeat_token);
        assert_error(beat.send().await.expect("an answer"), 403, "HTTPS required").await;
    }
}

#[tokio::test]
async fn headers_of_untrusted_peers_are_ignored() {
    let service = TestService::start(&["server.public_url=https://light.example"]).await;
    let read = plain(&service, Method::GET, "/check")
        .send()
        .await
        .expect("an answer");
    assert_eq!(read.status(), 200);
    let beat = plain(&service, Method::POST, "/heartbeat").bearer_auth(&service.heartbeat_token);
    assert_eq!(beat.send().await.expect("an answer").status(), 200);
}
