//! `docs/openapi.json` is what the service answers: its paths, methods and statuses in both directions,
//! and whatever schemathesis sends. What the other tests are answered is held against it, too
//! (`harness::answer`).

use std::collections::BTreeSet;
use std::path::PathBuf;

use futures_util::future::join_all;
use reqwest::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, RANGE,
};
use reqwest::{Method, RequestBuilder};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::broken_disk::{fill, small_disk};
use crate::harness::form::{file_part, form, text_part};
use crate::harness::ipinfo::FakeIpinfo;
use crate::harness::openapi::Operation;
use crate::harness::process::clean_command;
use crate::harness::stand_in::Reply;
use crate::harness::{TestService, answer_to, mmdb, pictures, raw, tool};

const DOCUMENT: &str = include_str!("../../docs/openapi.json");
const SCHEMATHESIS: &str = include_str!("schemathesis.toml");
const HOOKS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/service/schemathesis_hooks.py"
);
const ROUTER: &str = include_str!("../../crates/server/src/router.rs");

/// Everything that a setting can switch on.
const ALL_ON: [&str; 5] = [
    "devices.clients=true",
    "lanyard.enabled=true",
    "lanyard.id=1",
    "tools.lsky=true",
    "tools.chevereto=true",
];

/// Behind a proxy each request may come from a different address.
const PROXIED: [&str; 2] = [
    "server.client_ip=x-forwarded-for",
    "server.public_url=https://light.example",
];

/// Answers that need much around them, and the test that has each.
const ELSEWHERE: [(&str, &str, u16, &str, &str); 3] = [
    ("GET", "/i/{hash}", 302, REAL_STORE, REDIRECTED),
    ("GET", "/images/{hash}", 302, REAL_STORE, REDIRECTED),
    (
        "GET",
        "/socket",
        503,
        include_str!("lanyard.rs"),
        "the_socket_after_a_thousand_is_refused_late_and_check_is_answered_meanwhile",
    ),
];
const REAL_STORE: &str = include_str!("../object_store/real.rs");
const REDIRECTED: &str = "an_image_goes_to_the_store_and_readers_follow_it_there";

const HASH: &str = "00112233445566778899aabbccddeeff";

/// A service and the answers that came, of all services.
struct Caller<'a> {
    service: &'a TestService,
    seen: &'a mut Seen,
}

impl Caller<'_> {
    /// Sends a request whose answer has to be this one, and documented.
    async fn send(
        &mut self,
        (method, path): (&str, &str),
        address: &str,
        expected: u16,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Value {
        let named = method.parse().expect("a method");
        let request = with(self.service.request(named, address));
        let response = request.send().await.expect("an answer");
        let (status, body) = answer_to(Some(method), response).await;
        assert_eq!(status, expected, "{method} {address}: {body}");
        self.seen
            .insert((method.to_owned(), path.to_owned(), status));
        body
    }

    /// The same to an address of the operation.
    async fn call(
        &mut self,
        operation: Operation,
        expected: u16,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) {
        let name = (operation.method, operation.path);
        self.send(name, &address(operation), expected, with).await;
    }

    /// `GET` of an address of this path, without a token.
    async fn get(&mut self, path: &str, address: &str, expected: u16) -> Value {
        self.send(("GET", path), address, expected, |request| request)
            .await
    }

    /// `POST` with a token.
    async fn post(
        &mut self,
        path: &str,
        expected: u16,
        token: &str,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Value {
        self.send(("POST", path), path, expected, |request| {
            with(request.bearer_auth(token))
        })
        .await
    }
}

/// An address of the path.
fn address(operation: Operation) -> String {
    let path = operation.path.replace("{about}", "profile");
    let path = path.replace("{hash}", HASH).replace("{key}", HASH);
    path.replace("{id}", "1")
        .replace("{sha256}", &HASH.repeat(2))
}

/// A body that is one file.
fn file(field: &str, bytes: &[u8]) -> impl FnOnce(RequestBuilder) -> RequestBuilder + use<> {
    let (kind, body) = form(&[file_part(field, "a.png", "image/png", bytes)]);
    move |request| request.header(CONTENT_TYPE, kind).body(body)
}

fn body(value: Value) -> impl FnOnce(RequestBuilder) -> RequestBuilder {
    move |request| request.json(&value)
}

fn picture() -> Vec<u8> {
    pictures::png(&pictures::scene(pictures::next_seed(), 24, 16))
}

#[tokio::test]
async fn the_document_and_its_page_are_served_and_revalidated() {
    let service = TestService::start(&[]).await;
    let document: Value = serde_json::from_str(DOCUMENT).expect("JSON");
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    for path in ["/openapi.json", "/docs"] {
        let response = service.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
        let tag = response.headers()[ETAG].clone();
        if path == "/openapi.json" {
            assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
            assert_eq!(response.text().await.expect("text"), DOCUMENT);
        } else {
            let policy = response.headers()[CONTENT_SECURITY_POLICY].clone();
            let policy = policy.to_str().expect("text").to_owned();
            assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"));
            assert!(!policy.contains("unsafe") && !policy.contains("http"));
            let page = response.text().await.expect("text");
            for remote in ["src=", "http:", "https:", "@import", " url("] {
                assert!(!page.contains(remote), "{remote}");
            }
        }
        let again = service
            .request(Method::GET, path)
            .header(IF_NONE_MATCH, tag);
        assert_eq!(again.send().await.expect("an answer").status(), 304);
    }
}

#[tokio::test]
async fn the_paths_and_methods_of_the_document_are_those_of_the_router() {
    let routes = ROUTER.split(".route(").skip(1).map(|after| {
        let path = after.split('"').nth(1).expect("a path");
        path.replace("{*", "{")
    });
    let documented = Operation::all().map(|operation| operation.path.to_owned());
    assert_eq!(
        routes.collect::<BTreeSet<_>>(),
        documented.collect::<BTreeSet<_>>()
    );
    let service = TestService::start(&ALL_ON).await;
    for operation in Operation::all() {
        let put = service.request(Method::PUT, &address(operation));
        let response = put.send().await.expect("an answer");
        assert_eq!(response.status(), 405, "{}", operation.path);
        let allowed = response.headers()[ALLOW].to_str().expect("text").to_owned();
        let allowed = allowed.split(',').filter(|method| *method != "HEAD");
        let here = Operation::all().filter(|other| other.path == operation.path);
        assert_eq!(
            allowed.collect::<BTreeSet<_>>(),
            here.map(|other| other.method).collect::<BTreeSet<_>>(),
            "{}",
            operation.path
        );
    }
}

#[tokio::test]
async fn each_documented_answer_is_given() {
    let mut seen = BTreeSet::new();
    admission(&mut seen).await;
    switched_off(&mut seen).await;
    presence(&mut seen).await;
    images(&mut seen).await;
    facts(&mut seen).await;
    upload_apis(&mut seen).await;
    clients(&mut seen).await;
    full_disk(&mut seen).await;
    slow_bodies(&mut seen).await;
    for (method, path, status, tests, name) in ELSEWHERE {
        assert!(tests.contains(&format!("async fn {name}(")), "{name}");
        seen.insert((method.to_owned(), path.to_owned(), status));
    }
    let documented = Operation::all().flat_map(|one| {
        let named = move |status| (one.method.to_owned(), one.path.to_owned(), status);
        one.statuses().map(named)
    });
    let never: Vec<_> = documented.filter(|answer| !seen.contains(answer)).collect();
    assert!(never.is_empty(), "{never:#?}");
}

type Seen = BTreeSet<(String, String, u16)>;

/// What the gate answers on every path, and a database without its tokens.
async fn admission(seen: &mut Seen) {
    let limits = ["limits.requests_per_second=1", "limits.burst=1"];
    let limited = TestService::builder().sets(&ALL_ON).sets(&limits);
    let service = &limited.start().await;
    for one in Operation::all() {
        let mut tries = 0..20;
        while !seen.contains(&(one.method.to_owned(), one.path.to_owned(), 429)) {
            tries.next().expect("a limit");
            let request = service.request(one.method.parse().expect("a method"), &address(one));
            let response = request.send().await.expect("an answer");
            let (status, _) = answer_to(Some(one.method), response).await;
            seen.insert((one.method.to_owned(), one.path.to_owned(), status));
        }
    }
    let behind_a_proxy = TestService::builder().sets(&ALL_ON).sets(&PROXIED);
    let service = &behind_a_proxy.start().await;
    let mut caller = Caller { service, seen };
    let from = |scheme: &'static str, number: usize| {
        move |request: RequestBuilder| {
            let address = format!("10.0.{}.{}", number / 250, number % 250);
            let request = request.header("X-Forwarded-For", address);
            request.header("X-Forwarded-Proto", scheme)
        }
    };
    for (number, one) in Operation::all().enumerate() {
        let foreign = |request: RequestBuilder| request.header(HOST, "evil.example");
        caller.call(one, 403, foreign).await;
        if one.statuses().any(|status| status == 308) {
            caller.call(one, 308, from("http", number)).await;
        }
        if one.takes_a_token() {
            let from = from("https", number);
            let wrong = |request| from(request).bearer_auth("wrong").json(&json!({}));
            caller.call(one, 401, wrong).await;
        }
    }
    let database = service.data_dir().join("porchlight.db");
    let database = Connection::open(database).expect("a database");
    database.execute("DROP TABLE token", []).expect("dropped");
    for (number, one) in Operation::all().enumerate() {
        let from = from("https", 1000 + number);
        let unknown = |request| from(request).bearer_auth("unknown");
        caller.call(one, 500, unknown).await;
    }
}

async fn switched_off(seen: &mut Seen) {
    let service = &TestService::start(&["lanyard.enabled=false"]).await;
    let mut caller = Caller { service, seen };
    for one in Operation::all() {
        let tags = ["Lanyard", "Devices", "Upload APIs"];
        if tags.contains(&one.tag()) {
            caller.call(one, 404, |request| request).await;
        }
    }
}

async fn presence(seen: &mut Seen) {
    let service = &TestService::start(&ALL_ON).await;
    let mut caller = Caller { service, seen };
    let token = &service.heartbeat_token;
    let wrong = body(json!({ "rgba": "red" }));
    caller.post("/heartbeat", 400, token, wrong).await;
    let large = body(json!({ "introduce": "a".repeat(70_000) }));
    caller.post("/heartbeat", 413, token, large).await;
    let phone = json!({ "device": "phone", "deviceName": "Phone", "kind": "phone", "battery": 50 });
    caller.post("/heartbeat", 200, token, body(phone)).await;
    let here = json!({ "application": "Zed", "rgba": "1,2,3,0.5", "applicationOnline": true });
    caller.post("/heartbeat", 200, token, body(here)).await;
    for path in [
        "/check",
        "/devices",
        "/badge.json",
        "/badge.svg",
        "/card.svg",
    ] {
        caller.get(path, path, 200).await;
    }
    caller.get("/v1/users/{id}", "/v1/users/1", 200).await;
    caller.get("/v1/users/{id}", "/v1/users/2", 404).await;
    caller.get("/socket", "/socket", 400).await;
    let upgrade = |request: RequestBuilder| {
        request
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    };
    caller
        .send(("GET", "/socket"), "/socket", 101, upgrade)
        .await;
}

async fn images(seen: &mut Seen) {
    let service = &TestService::start(&["images.max_upload_bytes=200000"]).await;
    let mut caller = Caller { service, seen };
    let token = &service.admin_token;
    let random = "/random_image";
    caller.get(random, random, 404).await;
    let (add, bytes) = ("/images/add", picture());
    let stored = caller.post(add, 201, token, file("image", &bytes)).await;
    let hash = stored["hash"].as_str().expect("a hash");
    caller.post(add, 409, token, file("image", &bytes)).await;
    caller.post(add, 400, token, file("other", &bytes)).await;
    caller
        .post(add, 413, token, file("image", &[0; 300_000]))
        .await;
    caller.post(add, 415, token, file("image", b"text")).await;
    let half = file("image", &bytes[..bytes.len() / 2]);
    caller.post(add, 422, token, half).await;

    caller.get(random, random, 200).await;
    caller.get(random, "/random_image?form=json", 200).await;
    caller.get(random, "/random_image?form=redirect", 302).await;
    caller.get(random, "/random_image?form=a", 400).await;
    caller.get("/images/list", "/images/list", 200).await;
    caller
        .get("/images/list", "/images/list?detail=1", 200)
        .await;
    caller.get("/images/list", "/images/list?page=0", 400).await;
    caller.get("/images/count", "/images/count", 200).await;
    for path in ["/i/{hash}", "/images/{hash}"] {
        let address = &path.replace("{hash}", hash);
        let name = ("GET", path);
        caller.get(path, address, 200).await;
        caller.get(path, &path.replace("{hash}", HASH), 404).await;
        let tag = format!("\"{hash}\"");
        let known = |request: RequestBuilder| request.header(IF_NONE_MATCH, tag);
        caller.send(name, address, 304, known).await;
        for (range, status) in [("bytes=0-9", 206), ("bytes=999999-", 416)] {
            let ranged = |request: RequestBuilder| request.header(RANGE, range);
            caller.send(name, address, status, ranged).await;
        }
    }
    caller
        .get("/i/{hash}", &format!("/i/{hash}?w=1"), 400)
        .await;

    let by_source = ("GET", "/images/by-source/{sha256}");
    let allowed = |request: RequestBuilder| request.bearer_auth(token);
    let source = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&bytes));
    for (source, status) in [(source, 200), (HASH.repeat(2), 404)] {
        let address = format!("/images/by-source/{source}");
        caller.send(by_source, &address, status, allowed).await;
    }
    let delete = ("DELETE", "/images/{hash}");
    for status in [200, 404] {
        let address = format!("/images/{hash}");
        caller.send(delete, &address, status, allowed).await;
    }
}

async fn facts(seen: &mut Seen) {
    let ipinfo = FakeIpinfo::start().await;
    let service = &TestService::start(&[&ipinfo.setting()]).await;
    let mut caller = Caller { service, seen };
    for path in [
        "/",
        "/sysinfo",
        "/game_status",
        "/api_stats",
        "/widget.js",
        "/openapi.json",
        "/docs",
    ] {
        caller.get(path, path, 200).await;
    }
    for path in ["/openapi.json", "/docs"] {
        let any = |request: RequestBuilder| request.header(IF_NONE_MATCH, "*");
        caller.send(("GET", path), path, 304, any).await;
    }
    caller.get("/ipcheck", "/ipcheck?ip=8.8.8.8", 200).await;
    caller.get("/ipcheck", "/ipcheck", 400).await;
    ipinfo.fails(Some(Reply::html(403, "<h1>No</h1>")));
    caller.get("/ipcheck", "/ipcheck?ip=8.8.4.4", 502).await;
    let key = "/api_stats/{key}";
    caller.get(key, "/api_stats/images/list", 200).await;
    caller.get(key, "/api_stats/%ff", 404).await;
}

async fn upload_apis(seen: &mut Seen) {
    let settings = TestService::builder().sets(&ALL_ON);
    let service = settings.set("images.max_upload_bytes=200000");
    let service = &service.start().await;
    let mut caller = Caller { service, seen };
    let token = &service.admin_token;
    let bytes = picture();
    for path in ["/api/1/upload", "/api/1/upload/"] {
        caller.post(path, 200, token, file("source", &bytes)).await;
        let (kind, redirected) = form(&[
            text_part("format", b"redirect"),
            file_part("source", "a.png", "image/png", &bytes),
        ]);
        let redirect =
            |request: RequestBuilder| request.header(CONTENT_TYPE, kind).body(redirected);
        caller.post(path, 302, token, redirect).await;
        caller.post(path, 400, token, body(json!({}))).await;
        caller
            .post(path, 413, token, file("source", &[0; 300_000]))
            .await;
        caller.post(path, 415, token, file("source", b"text")).await;
        let half = file("source", &bytes[..bytes.len() / 2]);
        caller.post(path, 422, token, half).await;
    }
    caller
        .post("/api/upload", 200, token, file("image", &bytes))
        .await;
    caller
        .post("/api/upload", 200, token, file("image", b"text"))
        .await;
    let upload = "/api/v1/upload";
    let stored = caller.post(upload, 200, token, file("file", &bytes)).await;
    caller.post(upload, 200, token, file("file", b"text")).await;
    let allowed = |request: RequestBuilder| request.bearer_auth(token);
    let list = "/api/v1/images";
    caller.send(("GET", list), list, 200, allowed).await;
    for about in ["profile", "strategies", "albums"] {
        let address = format!("/api/v1/{about}");
        let name = ("GET", "/api/v1/{about}");
        caller.send(name, &address, 200, allowed).await;
    }
    let key = stored["data"]["key"].as_str().expect("a key");
    for _ in ["deleted", "unknown"] {
        let address = format!("/api/v1/images/{key}");
        let name = ("DELETE", "/api/v1/images/{key}");
        caller.send(name, &address, 200, allowed).await;
    }
}

async fn clients(seen: &mut Seen) {
    let service = &TestService::start(&ALL_ON).await;
    let mut caller = Caller { service, seen };
    let token = &service.heartbeat_token;
    let large = || body(json!({ "id": "a", "status": "a".repeat(2_200_000) }));
    for path in ["/api/device/set", "/device/set"] {
        let allowed = |request: RequestBuilder| request.bearer_auth(token);
        let address = format!("{path}?id=a&using=yes&status=Maps");
        caller.send(("GET", path), &address, 200, allowed).await;
        caller.send(("GET", path), path, 400, allowed).await;
        let set = body(json!({ "id": "a", "using": true, "status": "Maps" }));
        caller.post(path, 200, token, set).await;
        caller.post(path, 400, token, body(json!({}))).await;
        caller.post(path, 413, token, large()).await;
    }
    for path in ["/api/status/query", "/query", "/api/health"] {
        caller.get(path, path, 200).await;
    }
    let health = "/api/health-data";
    caller.post(health, 200, token, body(json!({}))).await;
    for path in ["/api/report", "/api/process-reporter"] {
        let report = json!({ "app_id": "a", "process": "Zed" });
        caller.post(path, 200, token, body(report)).await;
        for wrong in [
            json!({ "app_id": 1, "process": 1 }),
            json!(["a", "b", null]),
        ] {
            caller.post(path, 400, token, body(wrong)).await;
        }
        caller.post(path, 413, token, large()).await;
    }
}

/// A body for an operation that stores something.
fn stored_by(path: &str) -> Box<dyn FnOnce(RequestBuilder) -> RequestBuilder> {
    match path {
        "/images/add" => Box::new(file("image", &picture())),
        "/api/1/upload" | "/api/1/upload/" => Box::new(file("source", &picture())),
        _ => Box::new(body(json!({
            "application": "a".repeat(200), "introduce": "b".repeat(2000), "id": "a",
            "status": "c".repeat(200), "app_id": "d", "process": "e".repeat(200),
        }))),
    }
}

async fn full_disk(seen: &mut Seen) {
    let mount = tempfile::tempdir().expect("a temporary folder");
    let Some(wrapper) = small_disk(mount.path(), 16) else {
        // Where nothing may be mounted, `broken_disk` says so.
        for one in Operation::all() {
            seen.insert((one.method.to_owned(), one.path.to_owned(), 507));
        }
        return;
    };
    let service = TestService::builder().sets(&ALL_ON).wrapped_in(&wrapper);
    let service = &service.data_dir(mount.path().join("data")).start().await;
    let mut hashes = Vec::new();
    for _ in 0..3 {
        hashes.push(service.stored(pictures::photo()).await);
    }
    // The service's own mount namespace.
    let seen_by_it = PathBuf::from(format!("/proc/{}/root", service.pid()));
    let inside = mount.path().strip_prefix("/").expect("an absolute path");
    fill(&seen_by_it.join(inside).join("filler"));
    let full = Operation::all().filter(|one| one.statuses().any(|status| status == 507));
    for one in full {
        let answer = (one.method.to_owned(), one.path.to_owned(), 507);
        // The last page of the database may have room for one more.
        for hash in &hashes {
            let path = one.path.replace("{hash}", hash);
            let request = service.request(one.method.parse().expect("a method"), &path);
            let token = match one.tag() {
                "Devices" => &service.heartbeat_token,
                _ => &service.admin_token,
            };
            let request = request.bearer_auth(token);
            let request = match one.method {
                "POST" => stored_by(one.path)(request),
                _ => request.query(&[("id", "a"), ("status", &"c".repeat(200))]),
            };
            let response = request.send().await.expect("an answer");
            let (status, _) = answer_to(Some(one.method), response).await;
            seen.insert((one.method.to_owned(), one.path.to_owned(), status));
            if seen.contains(&answer) {
                break;
            }
        }
    }
}

/// Bodies that begin and stop, all at once: each is waited for.
async fn slow_bodies(seen: &mut Seen) {
    let service = &TestService::start(&ALL_ON).await;
    let slow = Operation::all().filter(|one| one.statuses().any(|status| status == 408));
    let sent = slow.map(async |one| {
        let token = match one.tag() {
            "Devices" => &service.heartbeat_token,
            _ => &service.admin_token,
        };
        let (kind, part) = form(&[text_part("a", b"b")]);
        let (kind, start) = match one.path {
            "/images/add" | "/api/1/upload" | "/api/1/upload/" => (kind.as_str(), &part[..20]),
            _ => ("application/json", &b"{"[..]),
        };
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: {kind}\r\nContent-Length: 1000\r\n\r\n",
            one.path,
            service.address()
        );
        let reply = raw::send(service.address(), &[head.as_bytes(), start].concat()).await;
        (one.method.to_owned(), one.path.to_owned(), reply.status)
    });
    seen.extend(join_all(sent).await);
}

/// Checks what schemathesis sends for about this many seconds as each of three callers. The limits of
/// rates are off; that of wrong tokens is not, so each request comes from a different address.
async fn fuzzed(seconds: u32, more: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let addresses = folder.path().join("addresses.mmdb");
    let known = [("8.8.8.0/24", json!({ "country": { "iso_code": "US" } }))];
    mmdb::write(&addresses, "GeoLite2-City", 128, &known);
    let service = TestService::builder()
        .sets(&ALL_ON)
        .set(PROXIED[0])
        .set("limits.requests_per_second=0")
        .set(format!("ip.mmdb={}", addresses.display()))
        .start()
        .await;
    service.stored(pictures::photo()).await;
    service.heartbeat(&json!({ "application": "Zed" })).await;
    let (admin, heartbeat) = (&service.admin_token, &service.heartbeat_token);
    for token in [Some(admin), Some(heartbeat), None] {
        let auth = token.map(|token| format!("\n[auth.openapi.token]\nbearer = \"{token}\"\n"));
        let config = [SCHEMATHESIS, &auth.unwrap_or_default()].concat();
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("schemathesis.toml"), config).expect("written");
        let program = tool::path("schemathesis");
        let mut command = clean_command(&program.to_string_lossy(), folder.path());
        command
            .current_dir(folder.path())
            .env("SCHEMATHESIS_HOOKS", HOOKS)
            .args(["run", "--checks", "all", "--max-time", &seconds.to_string()])
            .args(more)
            .args(["--url", &service.url(""), &service.url("/openapi.json")]);
        let ended = command.output().await.expect("schemathesis");
        let printed = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success(), "{printed}");
    }
}

#[tokio::test]
async fn schemathesis_finds_nothing_in_a_short_run() {
    // The same requests each time; the long run has others.
    fuzzed(8, &["--seed", "1"]).await;
}

#[tokio::test]
#[ignore = "minutes: `cargo xtask verify --only openapi`"]
async fn schemathesis_finds_nothing_in_a_long_run() {
    fuzzed(120, &[]).await;
}
