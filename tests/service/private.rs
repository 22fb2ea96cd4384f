//! While the listener is private, only programs and pages of this machine can read it, whatever
//! page is open in the owner's browser.

use reqwest::Method;
use reqwest::header::{HOST, ORIGIN, REFERER};
use serde_json::json;

use crate::harness::{TestService, answer, form, pictures, raw};

const EVIL: &str = "https://evil.example";
const SITE: &str = "Sec-Fetch-Site";

type Headers<'a> = &'a [(&'a str, &'a str)];

/// The status of the answer, and whether a page on another origin may read it.
async fn ask(
    service: &TestService,
    method: Method,
    path: &str,
    headers: Headers<'_>,
) -> (u16, bool) {
    let mut request = service.request(method.clone(), path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.expect("an answer");
    let cors = |name: &&str| name.starts_with("access-control-");
    let names: Vec<&str> = response
        .headers()
        .keys()
        .map(|name| name.as_str())
        .collect();
    let readable = names.iter().any(cors);
    let status = response.status().as_u16();
    if status == 403 && method != Method::HEAD {
        assert!(!readable, "{path}: {names:?}");
        assert_eq!(
            answer(response).await,
            (403, json!({ "error": "Forbidden" }))
        );
    }
    (status, readable)
}

#[tokio::test]
async fn pages_of_other_origins_cannot_read_a_private_listener() {
    let service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    for path in [
        "/",
        "/check",
        "/sysinfo",
        "/images/list",
        "/images/count",
        "/api_stats",
        "/nowhere",
    ] {
        for headers in [
            &[("Origin", EVIL)][..],
            &[("Origin", "null")],
            &[("Origin", "app://obsidian.md")],
            &[
                ("Origin", "http://localhost.evil.example"),
                (SITE, "cross-site"),
            ],
            &[(SITE, "cross-site")],
            &[
                (SITE, "cross-site"),
                ("Referer", "https://evil.example/localhost"),
            ],
            &[("Host", "evil.example")],
            &[("Host", "192.168.1.2:4780")],
        ] {
            for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::POST] {
                let answered = ask(&service, method.clone(), path, headers).await;
                assert_eq!(answered, (403, false), "{method} {path} {headers:?}");
            }
        }
    }
    // A local blog, programs, and an address that the owner types.
    let port = service.address().port();
    for headers in [
        &[][..],
        &[("Origin", "http://localhost:5173"), (SITE, "cross-site")],
        &[("Origin", "https://blog.localhost")],
        &[
            (SITE, "cross-site"),
            ("Referer", "http://127.0.0.1:1313/post"),
        ],
        &[(SITE, "none")],
        &[("Host", "localhost")],
        &[("Host", &format!("light.localhost:{port}"))],
        &[("Host", "[::1]:4780")],
    ] {
        assert_eq!(
            ask(&service, Method::GET, "/check", headers).await,
            (200, true),
            "{headers:?}"
        );
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn other_origins_can_show_an_image_but_not_read_it() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    for path in [
        format!("/i/{hash}"),
        format!("/i/{hash}.webp?w=320"),
        format!("/images/{hash}"),
    ] {
        for headers in [
            &[("Origin", EVIL)][..],
            &[("Origin", "null")],
            &[(SITE, "cross-site")],
        ] {
            for method in [Method::GET, Method::HEAD] {
                assert_eq!(
                    ask(&service, method, &path, headers).await,
                    (200, false),
                    "{path}"
                );
            }
        }
        assert_eq!(
            ask(&service, Method::GET, &path, &[("Host", "evil.example")])
                .await
                .0,
            403
        );
        assert_eq!(
            ask(&service, Method::DELETE, &path, &[("Origin", EVIL)])
                .await
                .0,
            403
        );
        assert_eq!(ask(&service, Method::GET, &path, &[]).await, (200, true));
    }
    // Only image hashes count; other names could be guessed.
    for path in [
        "/random_image",
        "/images/list",
        "/images/..%2flist",
        "/i/%2e%2e",
    ] {
        assert_eq!(
            ask(&service, Method::GET, path, &[("Origin", EVIL)])
                .await
                .0,
            403,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_valid_token_is_accepted_from_any_origin() {
    let service = TestService::start(&[]).await;
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let upload = service
        .request(Method::POST, "/images/add")
        .header(ORIGIN, "app://obsidian.md")
        .header(HOST, "light.example")
        .bearer_auth(&service.admin_token)
        .header("content-type", content_type)
        .body(body);
    assert_eq!(upload.send().await.expect("an answer").status(), 201);
    let guess = service
        .request(Method::GET, "/check")
        .header(ORIGIN, EVIL)
        .header(REFERER, EVIL)
        .bearer_auth("guessed");
    assert_eq!(guess.send().await.expect("an answer").status(), 403);
    // A program that names no host is no browser.
    let reply = raw::send(service.address(), b"GET /check HTTP/1.0\r\n\r\n").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_public_listener_answers_all_origins_at_its_public_address_alone() {
    let public_url = "server.public_url=https://light.example";
    for settings in [
        &[public_url][..],
        &[public_url, "server.client_ip=x-forwarded-for"],
        &["server.client_ip=x-forwarded-for"],
        &["server.client_ip=cf-connecting-ip"],
    ] {
        let service = TestService::start(settings).await;
        let image = format!("/i/{}", service.stored(pictures::photo()).await);
        let get = async |path: &str, headers: Headers<'_>| {
            ask(&service, Method::GET, path, headers).await
        };
        let pages = [("Origin", EVIL), ("Origin", "null"), (SITE, "cross-site")];
        for page in pages {
            // A page that the owner visits must not learn who visits it.
            for path in ["/check", "/nowhere", &image] {
                assert_eq!(
                    get(path, &[page]).await,
                    (403, false),
                    "{settings:?} {page:?}"
                );
            }
            for name in ["X-Forwarded-For", "Forwarded", "CF-Connecting-IP"] {
                let proxied = get("/check", &[page, (name, "192.0.2.1")]).await;
                assert_eq!(proxied, (200, true), "{settings:?} {page:?}");
                let asks = [page, ("Access-Control-Request-Headers", name)];
                let preflight = ask(&service, Method::OPTIONS, "/check", &asks).await;
                assert_eq!(preflight, (403, false), "{settings:?} {page:?}");
            }
            let by_name = get("/check", &[page, ("Host", "light.example")]).await;
            let expected = match settings.contains(&public_url) {
                true => (200, true),
                false => (403, false),
            };
            assert_eq!(by_name, expected, "{settings:?} {page:?}");
        }
        for headers in [
            &[][..],
            &[("Origin", "http://localhost:1313"), (SITE, "cross-site")],
        ] {
            assert_eq!(get("/check", headers).await, (200, true), "{settings:?}");
        }
        // A name that leads here by DNS: its page may set any header.
        let rebound = [("Host", "evil.example"), ("X-Forwarded-For", "192.0.2.1")];
        assert_eq!(get("/check", &rebound).await, (403, false), "{settings:?}");
    }
}

#[tokio::test]
async fn refused_pages_do_not_use_the_owners_rate_limit() {
    let service = TestService::start(&["limits.requests_per_second=1", "limits.burst=5"]).await;
    for _ in 0..40 {
        assert_eq!(
            ask(&service, Method::GET, "/check", &[("Origin", EVIL)])
                .await
                .0,
            403
        );
    }
    assert_eq!(service.get("/check").await.status(), 200);
}
