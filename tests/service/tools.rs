//! The upload APIs of Lsky Pro and Chevereto 1, by the requests that their programs send: right ones
//! and wrong ones.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::future::join_all;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, LOCATION};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::form::{content_type, file_part, form, text_part};
use crate::harness::raw;
use crate::harness::{RequestBuilder, TestService, answer, eventually, pictures};

const LSKY: &str = "tools.lsky=true";
const CHEVERETO: &str = "tools.chevereto=true";

const PATHS: [(Method, &str); 9] = [
    (Method::POST, "/api/v1/upload"),
    (Method::GET, "/api/v1/images"),
    (Method::DELETE, "/api/v1/images/{hash}"),
    (Method::GET, "/api/v1/profile"),
    (Method::GET, "/api/v1/strategies"),
    (Method::GET, "/api/v1/albums"),
    (Method::POST, "/api/upload"),
    (Method::POST, "/api/1/upload"),
    (Method::POST, "/api/1/upload/"),
];

async fn sent(request: RequestBuilder) -> Response {
    request.send().await.expect("an answer")
}

fn picture() -> Vec<u8> {
    pictures::png(&pictures::scene(pictures::next_seed(), 24, 16))
}

/// A form with these texts before the image.
fn posted(
    service: &TestService,
    path: &str,
    field: &str,
    bytes: &[u8],
    texts: &[(&str, &str)],
) -> RequestBuilder {
    let mut parts: Vec<_> = texts
        .iter()
        .map(|(name, text)| text_part(name, text.as_bytes()))
        .collect();
    parts.push(file_part(field, "a shot.png", "image/png", bytes));
    let (kind, body) = form(&parts);
    let request = service.request(Method::POST, path);
    request.header(CONTENT_TYPE, kind).body(body)
}

/// A request of Twikoo 1.7.9 (npm: twikoo-func, `utils/image.js`), as its axios and form-data send it.
struct OfTwikoo {
    head: &'static str,
    /// The parts of the form before the bytes of the image, and after them.
    form: [&'static str; 2],
}

const TWIKOO_LSKY: OfTwikoo = OfTwikoo {
    head: "POST /api/v1/upload HTTP/1.1
Accept: application/json, text/plain, */*
Content-Type: multipart/form-data; boundary=--------------------------ae80747352be18b623b7f987
Authorization: Bearer TOKEN
User-Agent: axios/1.21.1
Content-Length: LENGTH
Accept-Encoding: gzip, compress, deflate, br
Host: HOST
Connection: keep-alive

",
    form: [
        r#"----------------------------ae80747352be18b623b7f987
Content-Disposition: form-data; name="file"; filename="a-shot.png"
Content-Type: image/png

"#,
        "
----------------------------ae80747352be18b623b7f987--
",
    ],
};

const TWIKOO_CHEVERETO: OfTwikoo = OfTwikoo {
    head: "POST /api/1/upload HTTP/1.1
Accept: application/json, text/plain, */*
Content-Type: multipart/form-data; boundary=--------------------------7b911cdfe8ea9886f3a23a80
User-Agent: axios/1.21.1
Content-Length: LENGTH
Accept-Encoding: gzip, compress, deflate, br
Host: HOST
Connection: keep-alive

",
    form: [
        r#"----------------------------7b911cdfe8ea9886f3a23a80
Content-Disposition: form-data; name="key"

TOKEN
----------------------------7b911cdfe8ea9886f3a23a80
Content-Disposition: form-data; name="source"; filename="a-shot.png"
Content-Type: image/png

"#,
        r#"
----------------------------7b911cdfe8ea9886f3a23a80
Content-Disposition: form-data; name="format"

json
----------------------------7b911cdfe8ea9886f3a23a80--
"#,
    ],
};

/// What Twikoo's request is answered with, with status 200.
async fn of_twikoo(service: &TestService, twikoo: &OfTwikoo, token: &str, image: &[u8]) -> Value {
    let lines = |text: &str| text.replace('\n', "\r\n").replace("TOKEN", token);
    let [before, after] = twikoo.form.map(lines);
    let body = [before.as_bytes(), image, after.as_bytes()].concat();
    let head = lines(twikoo.head).replace("LENGTH", &body.len().to_string());
    let head = head.replace("HOST", &service.address().to_string());
    let reply = raw::send(service.address(), &[head.as_bytes(), &body].concat()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

async fn is_image(service: &TestService, link: &Value) {
    let link = link.as_str().expect("an address");
    let picture = service.http.get(link).send().await.expect("an answer");
    assert_eq!(picture.status(), 200, "{link}");
    assert_eq!(picture.headers()[CONTENT_TYPE], "image/webp");
}

#[tokio::test]
async fn upload_apis_are_not_there_until_they_are_switched_on() {
    let service = TestService::start(&[]).await;
    let ask = async |method: &Method, path: &str| {
        let request = service.request(method.clone(), path);
        answer(sent(request.bearer_auth(&service.admin_token)).await).await
    };
    for (method, path) in &PATHS {
        let found = ask(method, path).await;
        let nothing = (404, json!({ "error": "Resource not found" }));
        assert_eq!(found, nothing, "{path}");
    }
    // They follow the settings without a restart.
    let file = service.data_dir().join("settings.toml");
    std::fs::write(&file, "[tools]\nlsky = true\n").expect("written");
    eventually("Lsky Pro's API", async || {
        let (status, body) = ask(&Method::GET, "/api/v1/profile").await;
        (status == 200).then_some(body)
    })
    .await;
    assert_eq!(ask(&Method::POST, "/api/1/upload").await.0, 404);
    assert_eq!(ask(&Method::GET, "/api/v1/unknown").await.0, 404);
    assert_eq!(ask(&Method::GET, "/api/v1/upload").await.0, 405);
}

#[tokio::test]
async fn programs_for_lsky_pro_upload_list_and_delete() {
    let service = TestService::start(&[LSKY]).await;
    let token = service.token("upload").await;
    let bytes = picture();
    // The second time, as PicGo's plugin, the image is there.
    let first = of_twikoo(&service, &TWIKOO_LSKY, &token, &bytes).await;
    assert_eq!(first["status"], true, "{first}");
    let image = &first["data"];
    is_image(&service, &image["links"]["url"]).await;
    is_image(&service, &image["links"]["thumbnail_url"]).await;
    let expected = (&json!("image/webp"), &json!(24), &json!(16));
    assert_eq!(
        (&image["mimetype"], &image["width"], &image["height"]),
        expected
    );
    let again = posted(&service, "/api/v1/upload", "file", &bytes, &[]);
    let again = answer(sent(again.header(AUTHORIZATION, &token)).await).await;
    assert_eq!(again, (200, first.clone()));
    assert_eq!(service.count().await, 1);

    let get = async |path: &str| {
        let request = service.request(Method::GET, path);
        answer(sent(request.header(AUTHORIZATION, &token)).await)
            .await
            .1
    };
    let listed = get("/api/v1/images").await;
    assert_eq!(listed["data"]["data"], json!([image]));
    assert_eq!(listed["data"]["total"], 1);
    assert_eq!(
        get("/api/v1/images?page=2").await["data"]["data"],
        json!([])
    );
    assert_eq!(
        get("/api/v1/images?page=x").await["message"],
        "Invalid page"
    );
    assert_eq!(get("/api/v1/profile").await["data"]["image_num"], 1);
    assert_eq!(
        get("/api/v1/strategies").await["data"]["strategies"][0]["id"],
        1
    );
    assert_eq!(get("/api/v1/albums").await["data"]["data"], json!([]));
    let all = listed.to_string();
    assert!(!all.contains("a shot"), "names are the owner's: {all}");

    let delete = async |token: &str| {
        let path = format!("/api/v1/images/{}", image["key"].as_str().expect("a key"));
        let request = service.request(Method::DELETE, &path);
        answer(sent(request.header(AUTHORIZATION, token)).await).await
    };
    let forbidden = json!({ "status": false, "message": "Forbidden", "data": {} });
    assert_eq!(delete(&token).await, (403, forbidden));
    let (status, gone) = delete(&service.admin_token).await;
    assert_eq!((status, &gone["status"]), (200, &json!(true)), "{gone}");
    let missing = json!({ "status": false, "message": "Image not found", "data": {} });
    assert_eq!(delete(&service.admin_token).await, (200, missing));
    assert_eq!(service.count().await, 0);
}

#[tokio::test]
async fn programs_for_the_first_lsky_pro_upload_with_a_token_in_a_header_or_the_form() {
    let service = TestService::start(&[LSKY]).await;
    let token = service.token("upload").await;
    let bytes = picture();
    let request = posted(&service, "/api/upload", "image", &bytes, &[]);
    let (status, first) = answer(sent(request.header("token", &token)).await).await;
    assert_eq!((status, &first["code"]), (200, &json!(200)), "{first}");
    is_image(&service, &first["data"]["url"]).await;
    let inside = posted(
        &service,
        "/api/upload",
        "image",
        &bytes,
        &[("token", &token)],
    );
    assert_eq!(answer(sent(inside).await).await, (200, first));
}

#[tokio::test]
async fn programs_for_chevereto_upload_files_and_base64_and_no_addresses() {
    let service = TestService::start(&[CHEVERETO]).await;
    let token = service.token("upload").await;
    let bytes = picture();
    let first = of_twikoo(&service, &TWIKOO_CHEVERETO, &token, &bytes).await;
    assert_eq!(first["status_code"], 200, "{first}");
    let texts = [("key", token.as_str())];
    let path = "/api/1/upload";
    is_image(&service, &first["image"]["url"]).await;
    is_image(&service, &first["image"]["thumb"]["url"]).await;

    // The same image again, whatever way it comes.
    let text = BASE64_STANDARD.encode(&bytes);
    let data = format!("data:image/png;base64,{text}");
    let (kind, source) = form(&[text_part("source", text.as_bytes())]);
    let post = |path: &str| service.request(Method::POST, path);
    let in_query = format!("/api/1/upload/?key={token}");
    for (way, request) in [
        (
            "header",
            posted(&service, path, "source", &bytes, &[]).header("X-API-Key", &token),
        ),
        ("query", posted(&service, &in_query, "source", &bytes, &[])),
        (
            "bearer",
            posted(&service, path, "source", &bytes, &[]).bearer_auth(&token),
        ),
        (
            "base64 in a form",
            post(&in_query).header(CONTENT_TYPE, kind).body(source),
        ),
        (
            "encoded form",
            post(path).form(&[("key", &token), ("source", &data)]),
        ),
        (
            "form that is not encoded",
            post(&in_query)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(format!("source={text}")),
        ),
        (
            "JSON",
            post(path).json(&json!({ "key": token, "source": data })),
        ),
    ] {
        assert_eq!(
            answer(sent(request).await).await,
            (200, first.clone()),
            "{way}"
        );
    }
    assert_eq!(service.count().await, 1);

    let url = first["image"]["url"].as_str().expect("an address");
    let formatted = |format| {
        posted(
            &service,
            path,
            "source",
            &bytes,
            &[texts[0], ("format", format)],
        )
    };
    let text = sent(formatted("txt")).await;
    assert_eq!(text.text().await.expect("a text"), url);
    let elsewhere = sent(formatted("redirect")).await;
    assert_eq!(elsewhere.status(), 302);
    assert_eq!(elsewhere.headers()[LOCATION], url);

    for (source, status, message) in [
        ("https://example.com/a.png", 400, "Invalid request body"),
        ("", 400, "Invalid request body"),
        ("bm8gcGljdHVyZQ==", 415, "Unsupported image format"),
    ] {
        let request = post(&in_query).form(&[("source", source)]);
        let (answered, body) = answer(sent(request).await).await;
        assert_eq!(answered, status, "{source}: {body}");
        assert_eq!(body["status_code"], status, "{source}");
        assert_eq!(body["error"], json!({ "message": message, "code": status }));
    }
    let none = post(&in_query).form(&[("format", "json")]);
    assert_eq!(sent(none).await.status(), 400);
    let large = "A".repeat(2 << 20);
    let (kind, body) = form(&[
        text_part("source", large.as_bytes()),
        text_part("format", b"json"),
    ]);
    for request in [
        post(&in_query).form(&[("source", &large)]),
        post(&in_query).header(CONTENT_TYPE, kind).body(body),
    ] {
        assert_eq!(sent(request).await.status(), 413);
    }
}

#[tokio::test]
async fn programs_for_lsky_pro_list_and_delete_with_the_token_in_its_header() {
    let service = TestService::start(&[LSKY]).await;
    let token = service.token("upload").await;
    let texts = [("album", "cats")];
    let in_album = posted(&service, "/images/add", "image", &picture(), &texts);
    let (_, image) = answer(sent(in_album.bearer_auth(&token)).await).await;
    let image = image["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(
        service.json("/images/list?album=cats").await["pagination"]["total"],
        1
    );
    let ask = async |method: Method, path: &str, token: &str| {
        let request = service.request(method, path);
        answer(sent(request.header("token", token)).await).await
    };
    for what in ["images", "profile", "strategies", "albums"] {
        let path = format!("/api/v1/{what}");
        let (status, body) = ask(Method::GET, &path, &token).await;
        assert_eq!((status, &body["status"]), (200, &json!(true)), "{body}");
        assert!(!body.to_string().contains("cats"), "albums are the owner's");
        assert_eq!(ask(Method::GET, &path, "").await.0, 401, "{path}");
    }
    let albums = ask(Method::GET, "/api/v1/albums", &service.admin_token)
        .await
        .1;
    assert_eq!(albums["data"]["data"], json!([]));
    let path = format!("/api/v1/images/{image}");
    assert_eq!(ask(Method::DELETE, &path, &token).await.0, 403);
    let admin = &service.admin_token;
    let (status, body) = ask(Method::DELETE, &path, admin).await;
    assert_eq!((status, &body["status"]), (200, &json!(true)), "{body}");
    assert_eq!(service.count().await, 0);
}

#[tokio::test]
async fn an_empty_header_does_not_hide_the_token_elsewhere() {
    let service = TestService::start(&[LSKY, CHEVERETO]).await;
    let token = service.token("upload").await;
    let texts = [("key", token.as_str()), ("token", token.as_str())];
    for (path, field, header) in [
        ("/api/upload", "image", "token"),
        ("/api/1/upload", "source", "X-API-Key"),
        ("/api/1/upload?key=", "source", "X-API-Key"),
    ] {
        let request = posted(&service, path, field, &picture(), &texts);
        let (status, body) = answer(sent(request.header(header, "")).await).await;
        assert_eq!(status, 200, "{path}: {body}");
        let in_query = format!("/api/1/upload?key={token}");
        let request = posted(&service, &in_query, "source", &picture(), &[]);
        assert_eq!(sent(request.header(header, "")).await.status(), 200);
        let request = posted(&service, path, field, &picture(), &[]);
        assert_eq!(sent(request.header(header, "")).await.status(), 401);
    }
}

/// Where a program may put its token: the API, and a request with it.
type Place = (&'static str, fn(&TestService, &str) -> RequestBuilder);

const PLACES: [Place; 9] = [
    ("bare", |service, token| {
        posted(service, "/api/v1/upload", "file", &picture(), &[]).header(AUTHORIZATION, token)
    }),
    ("bearer", |service, token| {
        posted(service, "/api/v1/upload", "file", &picture(), &[]).bearer_auth(token)
    }),
    ("list", |service, token| {
        let request = service.request(Method::GET, "/api/v1/images");
        request.header(AUTHORIZATION, token)
    }),
    ("header", |service, token| {
        posted(service, "/api/upload", "image", &picture(), &[]).header("token", token)
    }),
    ("field", |service, token| {
        posted(
            service,
            "/api/upload",
            "image",
            &picture(),
            &[("token", token)],
        )
    }),
    ("key", |service, token| {
        posted(
            service,
            "/api/1/upload",
            "source",
            &picture(),
            &[("key", token)],
        )
    }),
    ("API key", |service, token| {
        posted(service, "/api/1/upload", "source", &picture(), &[]).header("X-API-Key", token)
    }),
    ("query", |service, token| {
        let path = format!("/api/1/upload?key={token}");
        posted(service, &path, "source", &picture(), &[])
    }),
    ("header of the list", |service, token| {
        let request = service.request(Method::GET, "/api/v1/images");
        request.header("token", token)
    }),
];

#[tokio::test]
async fn a_wrong_token_is_limited_in_each_of_its_places_and_in_no_log() {
    let guess = "a-guess-of-somebody";
    for (place, request) in PLACES {
        let service = TestService::builder().env("PORCHLIGHT_LOG", "trace");
        let service = service
            .sets(&[LSKY, CHEVERETO, "limits.requests_per_second=0"])
            .start()
            .await;
        let reporter = &service.heartbeat_token;
        assert_eq!(
            sent(request(&service, reporter)).await.status(),
            403,
            "{place}"
        );
        let mut statuses = Vec::new();
        for _ in 0..40 {
            let response = sent(request(&service, guess)).await;
            statuses.push(response.status().as_u16());
            let has_wait = response.headers().contains_key("retry-after");
            assert_eq!(has_wait, response.status() == 429, "{place}");
            let (_, body) = answer(response).await;
            assert!(
                body.get("error").is_none_or(Value::is_object),
                "{place}: {body}"
            );
        }
        // On a slow machine one more may be let through meanwhile.
        let is_limited = statuses[0] == 401 && statuses[20..].contains(&429);
        assert!(is_limited, "{place}: {statuses:?}");
        assert_eq!(service.count().await, 0);
        let log = service.stderr();
        assert!(
            !log.contains(guess) && !log.contains(reporter),
            "{place}: {log}"
        );
    }
}

#[tokio::test]
async fn a_token_in_a_cookie_or_at_another_path_is_none() {
    let service = TestService::start(&[LSKY, CHEVERETO]).await;
    let token = &service.admin_token;
    for (path, field) in [
        ("/api/v1/upload", "file"),
        ("/api/upload", "image"),
        ("/api/1/upload", "source"),
    ] {
        let request = posted(&service, path, field, &picture(), &[]);
        let cookie = format!("token={token}; key={token}; X-API-Key={token}");
        assert_eq!(
            sent(request.header(COOKIE, cookie)).await.status(),
            401,
            "{path}"
        );
    }
    let (status, _) = answer(
        sent(posted(
            &service,
            "/images/add",
            "image",
            &picture(),
            &[("token", token)],
        ))
        .await,
    )
    .await;
    assert_eq!(status, 401);
    let bare = service.request(Method::POST, "/images/add");
    assert_eq!(sent(bare.header(AUTHORIZATION, token)).await.status(), 401);
}

#[tokio::test]
async fn a_token_over_plain_http_is_refused_and_sent_nowhere_else() {
    let public = "server.public_url=https://light.example";
    let proxy = "server.client_ip=x-forwarded-for";
    let service = TestService::start(&[LSKY, CHEVERETO, public, proxy]).await;
    let token = service.token("upload").await;
    let over = |request: RequestBuilder, scheme: &str| {
        let request = request.header("Host", "light.example");
        sent(request.header("X-Forwarded-Proto", scheme))
    };
    for (place, request) in PLACES {
        let response = over(request(&service, &token), "http").await;
        assert_eq!(response.status(), 403, "{place}");
        let (_, body) = answer(response).await;
        assert!(
            body.to_string().contains("HTTPS required"),
            "{place}: {body}"
        );
        let response = over(request(&service, &token), "https").await;
        let (status, body) = answer(response).await;
        assert_eq!(status, 200, "{place}: {body}");
        // Links are made from the public address.
        if place != "list" {
            assert!(
                body.to_string().contains("https://light.example/i/"),
                "{body}"
            );
        }
    }
    let asked = service.request(Method::GET, &format!("/api/1/upload?key={token}"));
    let response = over(asked, "http").await;
    assert_eq!(response.headers().get(LOCATION), None);
}

#[tokio::test]
async fn what_is_no_image_is_refused_in_the_shape_of_each_api() {
    let service = TestService::start(&[LSKY, CHEVERETO, "images.max_upload_bytes=2000"]).await;
    let token = &service.admin_token;
    let large = vec![0; 3_000];
    for (bytes, message, status) in [
        (&b"no picture"[..], "Unsupported image format", 415),
        (&large, "Image too large", 413),
        (b"", "Image file is required", 400),
    ] {
        let upload = async |path, field| {
            let request = posted(&service, path, field, bytes, &[]);
            answer(sent(request.bearer_auth(token)).await).await
        };
        let lsky = json!({ "status": false, "message": message, "data": {} });
        assert_eq!(upload("/api/v1/upload", "file").await, (200, lsky));
        let (answered, first) = upload("/api/upload", "image").await;
        assert_eq!((answered, &first["code"]), (200, &json!(status)));
        assert_eq!(first["msg"], message);
        let (answered, body) = upload("/api/1/upload", "source").await;
        assert_eq!(
            (answered, &body["error"]["message"]),
            (status, &json!(message))
        );
    }
    assert_eq!(service.count().await, 0);
}

/// A form without a token so far, whose image does not end.
async fn endless(service: &TestService, address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(service.address())
        .await
        .expect("a connection");
    let head = format!(
        "POST /api/1/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {}\r\n\
         Content-Length: 100000\r\nExpect: 100-continue\r\nX-Forwarded-Proto: https\r\n\
         X-Forwarded-For: {address}\r\n\r\n",
        content_type()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream
}

#[tokio::test]
async fn two_forms_are_received_at_a_time_whose_token_is_inside_and_one_of_an_address() {
    let service = TestService::start(&[CHEVERETO, "server.client_ip=x-forwarded-for"]).await;
    let token = service.token("upload").await;
    let status = async |stream: &mut TcpStream| {
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    };
    let mut waiting = Vec::new();
    for address in ["203.0.113.1", "203.0.113.2"] {
        // The service asks for the body of a form that it reads.
        let mut stream = endless(&service, address).await;
        assert_eq!(status(&mut stream).await, "HTTP/1.1 100");
        waiting.push(stream);
    }
    let mut same = endless(&service, "203.0.113.1").await;
    assert_eq!(status(&mut same).await, "HTTP/1.1 429");
    let mut third = endless(&service, "203.0.113.3").await;
    // One with its token before the form is no such form.
    let path = "/api/1/upload";
    let known = posted(&service, path, "source", &picture(), &[]).header("X-API-Key", &token);
    assert_eq!(sent(known).await.status(), 200);
    let mut answer = [0; 12];
    assert!(
        third.try_read(&mut answer).is_err(),
        "a third form is read beside two others"
    );
    drop(waiting.pop());
    assert_eq!(status(&mut third).await, "HTTP/1.1 100");
}

#[tokio::test]
async fn an_upload_of_a_stored_image_has_its_address_while_it_is_deleted() {
    let service = TestService::start(&[LSKY, "limits.requests_per_second=0"]).await;
    let picture = picture();
    let upload = async || {
        let request = posted(&service, "/api/v1/upload", "file", &picture, &[]);
        let (_, body) = answer(sent(request.bearer_auth(&service.admin_token)).await).await;
        assert_eq!(body["status"], true, "{body}");
        body["data"]["key"].as_str().expect("a hash").to_owned()
    };
    for _ in 0..60 {
        let hash = upload().await;
        let uploads = join_all((0..8).map(|_| upload()));
        let (hashes, deleted) = tokio::join!(uploads, service.delete(&hash));
        assert_eq!(deleted.status(), 200);
        assert!(hashes.iter().all(|other| *other == hash), "{hashes:?}");
    }
}
