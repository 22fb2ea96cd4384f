//! A blog on another origin reads everything, errors included, and its gallery
//! deletes with a token.

use reqwest::Method;
use reqwest::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HOST,
    HeaderMap, IF_NONE_MATCH, ORIGIN, RANGE,
};

use crate::harness::{TestService, pictures};

const BLOG: &str = "https://blog.example";
/// A listener that the blog may read.
const PUBLIC: &str = "server.public_url=https://light.example";

fn words(headers: &HeaderMap, name: reqwest::header::HeaderName) -> Vec<String> {
    let value = headers.get(&name).unwrap_or_else(|| panic!("no {name}"));
    let text = value.to_str().expect("text");
    text.split(',')
        .map(|word| word.trim().to_ascii_lowercase())
        .collect()
}

fn assert_open_to_all(headers: &HeaderMap, case: &str) {
    assert_eq!(
        headers.get(ACCESS_CONTROL_ALLOW_ORIGIN).expect(case),
        "*",
        "{case}"
    );
    assert!(
        !headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS),
        "{case}"
    );
    let exposed = words(headers, ACCESS_CONTROL_EXPOSE_HEADERS);
    for name in ["etag", "retry-after", "location"] {
        assert!(exposed.contains(&name.to_owned()), "{case}: {exposed:?}");
    }
}

#[tokio::test]
async fn every_answer_may_be_read_by_every_origin() {
    let service = TestService::start(&["images.max_upload_bytes=100000", PUBLIC]).await;
    let photo = pictures::photo();
    let hash = service.stored(photo.clone()).await;
    let image = format!("/i/{hash}");
    let beyond = format!("bytes={}-", u32::MAX);
    let get = |path: &str| service.request(Method::GET, path);
    let delete = service.request(Method::DELETE, &format!("/images/{hash}"));
    let cases = [
        ("200", get("/check"), 200),
        ("200 of an image", get(&image), 200),
        ("206", get(&image).header(RANGE, "bytes=0-9"), 206),
        (
            "304",
            get(&image).header(IF_NONE_MATCH, format!("\"{hash}\"")),
            304,
        ),
        ("400", get("/images/list?page=0"), 400),
        ("401", service.request(Method::POST, "/heartbeat"), 401),
        ("403", delete.bearer_auth(&service.heartbeat_token), 403),
        ("404 of a path", get("/nowhere"), 404),
        (
            "404 of an image",
            get("/i/00112233445566778899aabbccddeeff"),
            404,
        ),
        ("405", service.request(Method::PUT, "/check"), 405),
        ("416", get(&image).header(RANGE, beyond), 416),
        ("HEAD", service.request(Method::HEAD, "/check"), 200),
    ];
    for (case, request, status) in cases {
        // With and without an Origin, so that a shared cache keeps an answer
        // that is good for both.
        let plain = request
            .try_clone()
            .expect("no body")
            .send()
            .await
            .expect("an answer");
        let crossing = request
            .header(HOST, "light.example")
            .header(ORIGIN, BLOG)
            .send()
            .await
            .expect("an answer");
        for response in [plain, crossing] {
            assert_eq!(response.status(), status, "{case}");
            assert_open_to_all(response.headers(), case);
        }
    }
    for (case, bytes, status) in [
        ("409", photo, 409),
        ("413", vec![0; 150_000], 413),
        ("415", b"no picture".to_vec(), 415),
        ("201", pictures::photo(), 201),
    ] {
        let response = service.upload(bytes).await;
        assert_eq!(response.status(), status, "{case}");
        assert_open_to_all(response.headers(), case);
    }
}

#[tokio::test]
async fn a_429_may_be_read_by_every_origin() {
    let service = TestService::start(&["limits.requests_per_second=1", "limits.burst=1"]).await;
    let calls = futures_util::future::join_all((0..30).map(|_| service.get("/check"))).await;
    let response = calls
        .iter()
        .find(|response| response.status() == 429)
        .expect("a 429");
    assert_open_to_all(response.headers(), "429");
}

#[tokio::test]
async fn a_preflight_allows_the_requests_of_a_gallery() {
    let service = TestService::start(&[PUBLIC]).await;
    for (path, method) in [
        ("/check", "GET"),
        ("/heartbeat", "POST"),
        ("/images/add", "POST"),
        ("/images/00112233445566778899aabbccddeeff", "DELETE"),
        ("/i/00112233445566778899aabbccddeeff", "GET"),
        ("/api/1/upload", "POST"),
        ("/api/upload", "POST"),
        ("/nowhere", "GET"),
    ] {
        let response = service
            .request(Method::OPTIONS, path)
            .header(HOST, "light.example")
            .header(ORIGIN, BLOG)
            .header("Access-Control-Request-Method", method)
            .header(
                "Access-Control-Request-Headers",
                "authorization, content-type, x-api-key, token, x-requested-with",
            )
            .send()
            .await
            .expect("an answer");
        assert_eq!(response.status(), 204, "{path}");
        let headers = response.headers();
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(headers[ACCESS_CONTROL_MAX_AGE], "86400");
        assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        let methods = words(headers, ACCESS_CONTROL_ALLOW_METHODS);
        assert_eq!(methods, ["get", "head", "post", "delete", "options"]);
        let names = words(headers, ACCESS_CONTROL_ALLOW_HEADERS);
        let allowed = [
            "authorization",
            "content-type",
            "if-none-match",
            "range",
            "x-api-key",
            "token",
            "x-requested-with",
        ];
        assert_eq!(names, allowed);
        assert!(response.bytes().await.expect("a body").is_empty());
    }
}
