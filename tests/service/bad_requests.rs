//! Requests that no well-behaved client sends: hostile paths, text that is no
//! UTF-8, and what is no HTTP at all.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use crate::harness::{
    RequestBuilder, TestService, answer, assert_error, files, form, pictures, raw,
};

/// Texts in the place of a hash, exactly as they go over the wire.
const HOSTILE: [&str; 14] = [
    "%00",
    "00112233445566778899aabbccddee%00",
    "00112233445566778899aabbccddeeff%00",
    "..%2f",
    "..%2fporchlight.db",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2fsettings.toml",
    "..%5c..%5csettings.toml",
    "%2fetc%2fpasswd",
    "%ff%fe",
    "%c0%ae%c0%ae%c0%af",
    "%",
    "%zz",
    "'%20OR%201=1--",
];

#[tokio::test]
async fn a_hostile_hash_is_an_image_not_found() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let not_found = json!({ "error": "Image not found" });
    let bearer = format!("Bearer {}", service.admin_token);
    for text in HOSTILE {
        for path in [format!("/i/{text}"), format!("/images/{text}")] {
            let reply = raw::request(service.address(), "GET", &path, &[]).await;
            assert_eq!(
                (reply.status, reply.json()),
                (404, not_found.clone()),
                "GET {path}"
            );
            assert_eq!(
                reply.header("access-control-allow-origin"),
                Some("*"),
                "GET {path}"
            );
        }
        let path = format!("/images/{text}");
        let headers = [("Authorization", bearer.as_str())];
        let reply = raw::request(service.address(), "DELETE", &path, &headers).await;
        assert_eq!(
            (reply.status, reply.json()),
            (404, not_found.clone()),
            "DELETE {path}"
        );

        let path = format!("/images/by-source/{text}");
        let reply = raw::request(service.address(), "GET", &path, &headers).await;
        assert_eq!(reply.status, 404, "{path}");
    }
    assert_eq!(files::stored_hashes(service.data_dir()), [hash.as_str()]);
    assert!(pictures::is_webp(&service.webp(&hash).await));
}

#[tokio::test]
async fn dots_in_a_path_lead_nowhere() {
    let service = TestService::start(&[]).await;
    for path in [
        "/../settings.toml",
        "/images/../../porchlight.db",
        "/i/../../porchlight.db",
        "/./check",
        "/images/%2e%2e/porchlight.db",
        "/i/00112233445566778899aabbccddeeff/../../porchlight.db",
    ] {
        let reply = raw::request(service.address(), "GET", path, &[]).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(!reply.body.starts_with(b"SQLite"), "{path}");
    }
}

#[tokio::test]
async fn a_hostile_key_of_a_statistic_is_just_unknown() {
    let service = TestService::start(&[]).await;
    for text in [
        "%00",
        "..%2f..%2fetc%2fpasswd",
        "'%20OR%201=1--",
        "%E7%81%AF",
    ] {
        let path = format!("/api_stats/{text}");
        let reply = raw::request(service.address(), "GET", &path, &[]).await;
        assert_eq!(
            (reply.status, &reply.json()["count"]),
            (200, &json!(0)),
            "{text}"
        );
    }
    // What is no UTF-8 cannot come back as it was asked.
    let reply = raw::request(service.address(), "GET", "/api_stats/%ff%fe", &[]).await;
    assert!([200, 400, 404].contains(&reply.status), "{}", reply.head);
    assert_ne!(reply.json(), json!(null));
}

#[tokio::test]
async fn numbers_beyond_all_numbers_are_refused_by_name() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let page = service.get("/images/list?page=99999999999999999999").await;
    assert_error(page, 400, "Invalid page").await;
    let limit = service.get("/images/list?limit=99999999999999999999").await;
    assert_error(limit, 400, "Invalid limit").await;
    let both = service.json("/images/list?page=9223372036854775807&limit=9223372036854775807");
    assert_eq!(both.await["images"], json!([]));
    let range = service.request(Method::GET, &format!("/i/{hash}"));
    let range = range
        .header("Range", "bytes=99999999999999999999-")
        .send()
        .await;
    assert!([200, 416].contains(&range.expect("an answer").status().as_u16()));
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn text_that_is_no_utf8_is_refused_and_changes_nothing() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    service.heartbeat(&json!({ "application": "Lamp" })).await;
    let before = service.json("/check").await;
    let beat = |path: &str| -> RequestBuilder {
        service
            .request(Method::POST, path)
            .bearer_auth(&service.heartbeat_token)
    };
    let urlencoded = "application/x-www-form-urlencoded";
    let (multipart, body) = form::form(&[form::text_part("application", b"\xff\xfe")]);
    let requests = [
        (
            "form",
            beat("/heartbeat")
                .header(CONTENT_TYPE, urlencoded)
                .body("application=%ff%fe"),
        ),
        (
            "raw form",
            beat("/heartbeat")
                .header(CONTENT_TYPE, urlencoded)
                .body(b"application=\xff".to_vec()),
        ),
        (
            "multipart",
            beat("/heartbeat")
                .header(CONTENT_TYPE, multipart)
                .body(body),
        ),
        ("query", beat("/heartbeat?application=%ff%fe")),
        (
            "JSON",
            beat("/heartbeat")
                .header(CONTENT_TYPE, "application/json")
                .body(b"{\"application\":\"\xff\"}".to_vec()),
        ),
    ];
    for (case, request) in requests {
        let (status, body) = answer(request.send().await.expect("an answer")).await;
        let text = body["error"].as_str().unwrap_or_default();
        assert_eq!(status, 400, "{case}: {body}");
        assert!(
            ["Invalid request body", "Invalid application"].contains(&text),
            "{case}: {body}"
        );
    }
    assert_eq!(service.json("/check").await, before);
}

#[tokio::test]
async fn a_heartbeat_larger_than_any_heartbeat_is_refused() {
    let service = TestService::start(&[]).await;
    for content_type in ["application/json", "application/x-www-form-urlencoded"] {
        let response = service
            .request(Method::POST, "/heartbeat")
            .bearer_auth(&service.heartbeat_token)
            .header(CONTENT_TYPE, content_type)
            .body(vec![b'a'; 5_000_000])
            .send()
            .await
            .expect("an answer");
        assert_eq!(response.status(), 413, "{content_type}");
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn a_body_in_broken_chunks_is_refused_and_changes_nothing() {
    let service = TestService::start(&[]).await;
    let (multipart, _) = form::form(&[]);
    let chunks = [
        ("no length", "zz\r\napplication=Lamp\r\n0\r\n\r\n"),
        ("a negative length", "-5\r\napplication=Lamp\r\n0\r\n\r\n"),
        ("a length beyond all", "fffffffffffffffff\r\na\r\n0\r\n\r\n"),
        ("too short a length", "4\r\napplication=Lamp\r\n0\r\n\r\n"),
        ("no end of the length", "10 application=Lamp 0 "),
    ];
    for kind in [
        "application/json",
        "application/x-www-form-urlencoded",
        &multipart,
    ] {
        for (case, body) in chunks {
            let request = format!(
                "POST /heartbeat HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
                 Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n{body}",
                service.heartbeat_token
            );
            let reply = raw::send(service.address(), request.as_bytes()).await;
            let refusal = json!({ "error": "Invalid request body" });
            assert_eq!(
                (reply.status, reply.json()),
                (400, refusal),
                "{kind}: {case}"
            );
        }
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn requests_that_are_not_http_are_refused() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let long_path = format!(
        "GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "a".repeat(200_000)
    );
    let long_header = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n",
        "a".repeat(2_000_000)
    );
    let many_headers = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
        "X-A: b\r\n".repeat(5_000)
    );
    let requests: [&[u8]; 9] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00\x01\x02\x03\r\n\r\n",
        b"POST /heartbeat HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        long_path.as_bytes(),
        long_header.as_bytes(),
        many_headers.as_bytes(),
    ];
    for request in requests {
        let mut request = request.to_vec();
        // The end, for a service that still waits for more of it.
        request.extend_from_slice(b"Connection: close\r\n\r\n");
        let reply = raw::send(service.address(), &request).await;
        assert!(
            reply.status == 0 || (400..500).contains(&reply.status),
            "{}",
            reply.head
        );
    }
    assert!(pictures::is_webp(&service.webp(&hash).await));
    assert!(
        !service.stderr().contains("panicked"),
        "{}",
        service.stderr()
    );
}
