//! The endpoint table: every path answers, in the right type, to the right
//! methods, and nothing else does.

use reqwest::Method;
use reqwest::header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use serde_json::json;

use crate::harness::{TestService, assert_error, pictures};

/// Everything a reader can GET; `{hash}` is a stored image. The requested
/// address is private, so that no provider is called.
const READ: [&str; 14] = [
    "/",
    "/sysinfo",
    "/check",
    "/devices",
    "/random_image",
    "/images/{hash}",
    "/i/{hash}",
    "/images/list",
    "/images/count",
    "/game_status",
    "/ipcheck?ip=10.0.0.1",
    "/api_stats",
    "/api_stats/check",
    "/api_stats/nothing",
];

#[tokio::test]
async fn every_read_endpoint_answers_200_in_its_type() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    for path in READ {
        let response = service.get(&path.replace("{hash}", &hash)).await;
        assert_eq!(response.status(), 200, "{path}");
        let kind = response.headers()[CONTENT_TYPE]
            .to_str()
            .expect("text")
            .to_owned();
        let expected = match path {
            "/" => "text/plain",
            "/random_image" | "/images/{hash}" | "/i/{hash}" => "image/webp",
            _ => "application/json",
        };
        assert!(kind.starts_with(expected), "{path}: {kind}");
        if expected == "application/json" {
            let body = response.bytes().await.expect("a body");
            let text = std::str::from_utf8(&body).expect("UTF-8");
            serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        }
    }
}

#[tokio::test]
async fn every_read_endpoint_answers_head_as_it_answers_get_without_a_body() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    for path in READ {
        let path = path.replace("{hash}", &hash);
        let get = service.get(&path).await;
        let head = service
            .request(Method::HEAD, &path)
            .send()
            .await
            .expect("an answer");
        assert_eq!(head.status(), get.status(), "{path}");
        for name in [CONTENT_TYPE, CACHE_CONTROL] {
            assert_eq!(
                head.headers().get(&name),
                get.headers().get(&name),
                "{path}: {name}"
            );
        }
        // These two differ at every call.
        if path != "/sysinfo" && path != "/api_stats" {
            let (ours, theirs) = (
                head.headers().get(CONTENT_LENGTH),
                get.headers().get(CONTENT_LENGTH),
            );
            assert!(
                ours.is_none() || ours == theirs,
                "{path}: {ours:?}, {theirs:?}"
            );
        }
        assert!(head.bytes().await.expect("a body").is_empty(), "{path}");
    }
    let missing = service
        .request(Method::HEAD, "/nowhere")
        .send()
        .await
        .expect("an answer");
    assert_eq!(missing.status(), 404);
    assert!(missing.bytes().await.expect("a body").is_empty());
}

#[tokio::test]
async fn an_unknown_path_is_not_found_whatever_the_method() {
    let service = TestService::start(&[]).await;
    for path in [
        "/nowhere",
        "/check/more",
        "/images/a/b/c",
        "/Check",
        "/images/list/2",
        "/wp-login.php",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE, Method::PUT] {
            let response = service
                .request(method, path)
                .send()
                .await
                .expect("an answer");
            assert_error(response, 404, "Resource not found").await;
        }
    }
}

#[tokio::test]
async fn a_known_path_with_a_wrong_method_names_the_right_ones() {
    let service = TestService::start(&[]).await;
    let image = "/images/00112233445566778899aabbccddeeff";
    let short = "/i/00112233445566778899aabbccddeeff";
    let table: [(&str, &[&str], &[&str]); 16] = [
        ("/", &["GET", "HEAD"], &["POST", "PUT", "DELETE"]),
        (
            "/sysinfo",
            &["GET", "HEAD"],
            &["POST", "PUT", "DELETE", "PATCH"],
        ),
        ("/heartbeat", &["POST"], &["GET", "HEAD", "PUT", "DELETE"]),
        ("/check", &["GET", "HEAD"], &["POST", "PUT", "DELETE"]),
        ("/devices", &["GET", "HEAD"], &["POST", "DELETE"]),
        ("/random_image", &["GET", "HEAD"], &["POST", "DELETE"]),
        (image, &["GET", "HEAD", "DELETE"], &["POST", "PUT", "PATCH"]),
        (short, &["GET", "HEAD"], &["POST", "PUT", "DELETE"]),
        ("/images/add", &["POST"], &["GET", "HEAD", "PUT", "DELETE"]),
        ("/images/list", &["GET", "HEAD"], &["POST", "DELETE"]),
        ("/images/count", &["GET", "HEAD"], &["POST", "DELETE"]),
        ("/game_status", &["GET", "HEAD"], &["POST", "DELETE"]),
        ("/ipcheck", &["GET", "HEAD"], &["POST", "DELETE"]),
        ("/api_stats", &["GET", "HEAD"], &["POST", "DELETE"]),
        ("/api_stats/check", &["GET", "HEAD"], &["POST", "DELETE"]),
        (
            "/api_stats/images/list",
            &["GET", "HEAD"],
            &["POST", "DELETE"],
        ),
    ];
    for (path, right, wrong) in table {
        for &method in wrong {
            let method: Method = method.parse().expect("a method");
            let response = service
                .request(method.clone(), path)
                .send()
                .await
                .expect("an answer");
            assert_eq!(response.status(), 405, "{method} {path}");
            let allow = response.headers()[ALLOW].to_str().expect("text").to_owned();
            let allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
            for name in right {
                assert!(allowed.contains(name), "{method} {path}: {allow}");
            }
            assert!(
                !allowed.contains(&method.as_str()),
                "{method} {path}: {allow}"
            );
            if method != Method::HEAD {
                assert_error(response, 405, "Method not allowed").await;
            }
        }
    }
}

#[tokio::test]
async fn the_root_serves_the_configured_greeting_as_plain_text() {
    let service = TestService::start(&[]).await;
    let greeting = service.get("/").await.text().await.expect("text");
    assert!(
        !greeting.trim().is_empty() && greeting.len() < 500,
        "{greeting}"
    );

    let service = TestService::start(&["server.greeting=Come in, 灯亮着"]).await;
    let response = service.get("/").await;
    let kind = response.headers()[CONTENT_TYPE]
        .to_str()
        .expect("text")
        .to_lowercase();
    assert!(
        kind.starts_with("text/plain") && kind.contains("utf-8"),
        "{kind}"
    );
    assert_eq!(response.text().await.expect("text"), "Come in, 灯亮着");
}

#[tokio::test]
async fn changing_responses_are_never_cached() {
    let service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    for path in [
        "/random_image",
        "/check",
        "/devices",
        "/game_status",
        "/sysinfo",
        "/api_stats",
        "/api_stats/check",
        "/api_stats/nothing",
        "/images/list",
    ] {
        let response = service.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()[CACHE_CONTROL], "no-store", "{path}");
    }
}

#[tokio::test]
async fn the_bodies_have_exactly_the_fields_of_the_interface() {
    let service = TestService::start(&["game.local_steam=false"]).await;
    assert_eq!(service.json("/images/count").await, json!({ "count": 0 }));
    assert_eq!(
        service.json("/game_status").await,
        json!({ "status": "在线" })
    );

    let system = service.json("/sysinfo").await;
    assert_eq!(system["status"], "success");
    assert!(system["output"].is_string());
    assert_eq!(system.as_object().expect("an object").len(), 2);

    let stat = service.json("/api_stats/nothing").await;
    assert_eq!(
        stat,
        json!({ "key": "nothing", "count": 0, "lastUpdated": null })
    );

    let address = service.json("/ipcheck?ip=10.0.0.1").await;
    let fields = [
        "city", "country", "hostname", "ip", "loc", "org", "postal", "region", "timezone",
    ];
    for field in fields {
        let expected = if field == "ip" { "10.0.0.1" } else { "" };
        assert_eq!(address[field], expected, "{field}");
    }
    assert_eq!(address.as_object().expect("an object").len(), fields.len());
}

#[tokio::test]
async fn no_answer_reveals_an_internal_error() {
    let service = TestService::start(&[]).await;
    for path in [
        "/images/list?page=abc",
        "/ipcheck",
        "/i/zz",
        "/api_stats/%2e%2e",
        "/i/%00?w=1",
    ] {
        let response = service.get(path).await;
        assert!(
            response.status().is_client_error() || response.status() == 200,
            "{path}"
        );
    }
    assert!(
        !service.stderr().contains("panicked"),
        "{}",
        service.stderr()
    );
}
