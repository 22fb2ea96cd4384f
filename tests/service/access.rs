//! Tokens: who may do what, and that no token ever leaks.

use std::sync::atomic::{AtomicU8, Ordering};

use reqwest::header::AUTHORIZATION;
use reqwest::{Method, Response};
use serde_json::json;

use crate::harness::{TestService, answer, assert_error, files, form, pictures, random_token, raw};

const UNKNOWN: &str = "/images/00112233445566778899aabbccddeeff";
const SOURCE: &str =
    "/images/by-source/00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

const PROTECTED: [(&str, &str); 4] = [
    ("POST", "/heartbeat"),
    ("POST", "/images/add"),
    ("DELETE", UNKNOWN),
    ("GET", SOURCE),
];

static NEXT_READER: AtomicU8 = AtomicU8::new(1);

async fn call(service: &TestService, method: &str, path: &str, authorization: &str) -> Response {
    let method: Method = method.parse().expect("a method");
    // Each call from its own address, in the configured header: wrong tokens
    // from one address are soon limited.
    let reader = NEXT_READER.fetch_add(1, Ordering::Relaxed);
    let mut request = service
        .request(method, path)
        .header("X-Forwarded-For", format!("203.0.113.{reader}"));
    if !authorization.is_empty() {
        request = request.header(AUTHORIZATION, authorization);
    }
    request.send().await.expect("an answer")
}

#[tokio::test]
async fn without_a_valid_token_the_answer_is_401() {
    let service = TestService::start(&["server.client_ip=x-forwarded-for"]).await;
    let admin = service.admin_token.clone();
    let unknown = random_token();
    for (method, path) in PROTECTED {
        for authorization in [
            String::new(),
            "Bearer".to_owned(),
            format!("Basic {admin}"),
            admin.clone(),
            format!("Bearer {unknown}"),
            format!("Bearer {}", &admin[1..]),
        ] {
            let response = call(&service, method, path, &authorization).await;
            assert_error(response, 401, "Unauthorized").await;
        }
    }
}

#[tokio::test]
async fn a_token_elsewhere_than_in_the_header_counts_for_nothing() {
    let service = TestService::start(&[]).await;
    let path = format!(
        "/heartbeat?token={0}&access_token={0}",
        service.heartbeat_token
    );
    assert_error(call(&service, "POST", &path, "").await, 401, "Unauthorized").await;
    let request = service
        .request(Method::POST, "/heartbeat")
        .header("Cookie", format!("token={}", service.heartbeat_token));
    assert_error(
        request.send().await.expect("an answer"),
        401,
        "Unauthorized",
    )
    .await;
}

/// A proxy and the service might each pick a different one of them.
#[tokio::test]
async fn two_tokens_at_once_are_none() {
    let service = TestService::start(&[]).await;
    let good = format!("Bearer {}", service.admin_token);
    for (first, second) in [
        (good.as_str(), good.as_str()),
        (&good, "Bearer wrong"),
        ("Bearer wrong", &good),
        ("Basic bGlnaHQ6bGlnaHQ=", &good),
        (&good, ""),
    ] {
        let headers = [("Authorization", first), ("Authorization", second)];
        let reply = raw::request(service.address(), "POST", "/heartbeat", &headers).await;
        let unauthorized = json!({ "error": "Unauthorized" });
        assert_eq!((reply.status, reply.json()), (401, unauthorized));
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn each_scope_may_do_its_own_and_admin_everything() {
    let service = TestService::start(&[]).await;
    let tokens = [
        ("heartbeat", service.token("heartbeat").await),
        ("upload", service.token("upload").await),
        ("admin", service.token("admin").await),
    ];
    for (scope, token) in &tokens {
        let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
        let upload = service
            .request(Method::POST, "/images/add")
            .bearer_auth(token)
            .header("content-type", content_type)
            .body(body);
        let authorization = format!("Bearer {token}");
        let answers = [
            call(&service, "POST", "/heartbeat", &authorization).await,
            upload.send().await.expect("an answer"),
            call(&service, "DELETE", UNKNOWN, &authorization).await,
            call(&service, "GET", SOURCE, &authorization).await,
        ];
        let expected = match *scope {
            "heartbeat" => [200, 403, 403, 403],
            "upload" => [403, 201, 403, 404],
            _ => [200, 201, 404, 404],
        };
        let statuses = answers
            .each_ref()
            .map(|response| response.status().as_u16());
        assert_eq!(statuses, expected, "{scope}");
        for response in answers {
            if response.status() == 403 {
                assert_error(response, 403, "Forbidden").await;
            }
        }
    }
}

#[tokio::test]
async fn a_refused_caller_changes_nothing() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let path = format!("/images/{hash}");
    let heartbeat = format!("Bearer {}", service.heartbeat_token);
    assert_error(
        call(&service, "DELETE", &path, "").await,
        401,
        "Unauthorized",
    )
    .await;
    assert_error(
        call(&service, "DELETE", &path, &heartbeat).await,
        403,
        "Forbidden",
    )
    .await;
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);

    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    for (authorization, status) in [("Bearer wrong", 401), (heartbeat.as_str(), 403)] {
        let request = service
            .request(Method::POST, "/images/add")
            .header(AUTHORIZATION, authorization)
            .header("content-type", content_type.clone())
            .body(body.clone());
        assert_eq!(request.send().await.expect("an answer").status(), status);
    }
    assert_eq!(service.count().await, 1);

    let upload = format!("Bearer {}", service.token("upload").await);
    for authorization in ["Bearer wrong", &upload] {
        let path = "/heartbeat?application=Intruder";
        let response = call(&service, "POST", path, authorization).await;
        assert!(response.status().is_client_error());
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn a_refusal_does_not_reveal_whether_the_image_exists() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let known = call(
        &service,
        "DELETE",
        &format!("/images/{hash}"),
        "Bearer wrong",
    )
    .await;
    let unknown = call(&service, "DELETE", UNKNOWN, "Bearer wrong").await;
    let malformed = call(&service, "DELETE", "/images/zz", "Bearer wrong").await;
    let (known, unknown) = (answer(known).await, answer(unknown).await);
    assert_eq!(known, (401, json!({ "error": "Unauthorized" })));
    assert_eq!(unknown, known);
    assert_eq!(answer(malformed).await, known);
}

#[tokio::test]
async fn tokens_never_appear_in_replies_logs_or_files() {
    let service = TestService::builder()
        .env("PORCHLIGHT_LOG", "trace")
        .start()
        .await;
    let made = service.token("admin").await;
    let wrong = random_token();
    let secrets = [
        service.admin_token.clone(),
        service.heartbeat_token.clone(),
        made.clone(),
        wrong.clone(),
    ];
    let mut output = String::new();
    for (method, path) in PROTECTED {
        for token in &secrets {
            let authorization = format!("Bearer {token}");
            let response = call(&service, method, path, &authorization).await;
            output.push_str(&format!("{:?}", response.headers()));
            output.push_str(&response.text().await.expect("text"));
        }
    }
    for path in ["/", "/sysinfo", "/check", "/api_stats", "/nowhere"] {
        output.push_str(&service.get(path).await.text().await.expect("text"));
    }
    output.push_str(&service.stderr());
    output.push_str(&service.stdout());
    for file in files::below(&service.data_dir().join("logs")) {
        output.push_str(&String::from_utf8_lossy(
            &std::fs::read(file).expect("readable"),
        ));
    }
    for secret in &secrets {
        assert!(!output.contains(secret), "a token leaks");
    }
}
