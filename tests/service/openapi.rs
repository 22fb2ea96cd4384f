//! `docs/openapi.json` is what the service answers: its paths, methods, statuses and the fields of its
//! answers in both directions, and whatever schemathesis sends. What all other tests are answered is held
//! against it, too (`harness::openapi`).

use std::collections::BTreeSet;
use std::path::PathBuf;

use futures_util::future::join_all;
use reqwest::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, RANGE,
};
use reqwest::{Method, Response};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::broken_disk::{fill, small_disk};
use crate::harness::desktop::Desktop;
use crate::harness::form::{file_part, form, text_part};
use crate::harness::ipinfo::FakeIpinfo;
use crate::harness::openapi::{self, Operation};
use crate::harness::process::clean_command;
use crate::harness::stand_in::Reply;
use crate::harness::steam::FakeSteam;
use crate::harness::{
    RequestBuilder, TestService, answer, browser, eventually, mmdb, pictures, program, raw, tool,
};

const DOCUMENT: &str = include_str!("../../docs/openapi.json");
const SCHEMATHESIS: &str = include_str!("schemathesis.toml");
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/openapi.json");
const HOOKS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/service/schemathesis_hooks.py"
);
const ROUTER: &str = include_str!("../../crates/service/src/router/mod.rs");

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
const ELSEWHERE: [(&str, &str, &str); 5] = [
    ("POST /images/add 409 ", REAL_STORE, BODIES_OF_B),
    ("GET /i/{hash} 302", REAL_STORE, REDIRECTED),
    // The same handler.
    ("GET /i/{hash}/{name} 302", REAL_STORE, REDIRECTED),
    ("GET /images/{hash} 302", REAL_STORE, REDIRECTED),
    (
        "GET /socket 503",
        include_str!("lanyard.rs"),
        "the_socket_after_a_thousand_is_refused_late_and_check_is_answered_meanwhile",
    ),
];
const REAL_STORE: &str = include_str!("../object_store/real.rs");
const BODIES_OF_B: &str = "the_bodies_are_those_of_behaviour_b";
const REDIRECTED: &str = "an_image_goes_to_the_store_and_readers_follow_it_there";

const HASH: &str = "00112233445566778899aabbccddeeff";

/// Who calls this service.
struct Caller<'a>(&'a TestService);

impl Caller<'_> {
    /// Sends a request whose answer has to have this status.
    async fn send(
        &self,
        method: &str,
        address: &str,
        expected: u16,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Value {
        let named = method.parse().expect("a method");
        let request = with(self.0.request(named, address));
        let (status, body) = answer(request.send().await.expect("an answer")).await;
        assert_eq!(status, expected, "{method} {address}: {body}");
        body
    }

    /// The same to an address of the operation.
    async fn call(
        &self,
        operation: Operation,
        expected: u16,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) {
        self.send(operation.method, &address(operation), expected, with)
            .await;
    }

    /// `GET` without a token; `HEAD` has the same answer without its body.
    async fn get(&self, address: &str, expected: u16) {
        let [got, head] =
            [Method::GET, Method::HEAD].map(|method| self.0.request(method, address).send());
        let (got, head) = (
            got.await.expect("an answer"),
            head.await.expect("an answer"),
        );
        for answer in [&got, &head] {
            assert_eq!(answer.status(), expected, "{address}");
        }
        let kind = |answer: &Response| answer.headers().get(CONTENT_TYPE).cloned();
        assert_eq!(kind(&head), kind(&got), "{address}");
        assert!(head.bytes().await.expect("no body").is_empty(), "{address}");
    }

    /// `POST` with a token.
    async fn post(
        &self,
        path: &str,
        expected: u16,
        token: &str,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Value {
        self.send("POST", path, expected, |request| {
            with(request.bearer_auth(token))
        })
        .await
    }
}

/// An address of the path.
fn address(operation: Operation) -> String {
    let path = operation.path.replace("{about}", "profile");
    let path = path.replace("{hash}", HASH).replace("{key}", HASH);
    let path = path.replace("{name}", "a.webp");
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

/// Opens all operations of the page; their names and statuses, once all are shown.
const SHOWN: &str = r#"
    const about = document.getElementById("about").textContent;
    const all = [...document.querySelectorAll("main section > details")];
    for (const operation of all) operation.open = true;
    if (about.includes("could not")) return { about, operations: [] };
    if (!all.length || !all.every((operation) => operation.querySelector(".body"))) return null;
    const texts = (operation, places) => [...operation.querySelectorAll(places)].map((one) => one.textContent);
    const search = document.querySelector("input");
    search.value = "get badge";
    search.dispatchEvent(new Event("input"));
    return {
      about,
      operations: all.map((operation) => ({
        name: texts(operation, ":scope > summary > :not(:last-child)").join(" "),
        statuses: texts(operation, ".body > dl:last-child > dt").map(Number),
      })),
      found: all.filter((operation) => operation.checkVisibility()).map((operation) => operation.id),
    };
"#;

#[tokio::test]
async fn the_page_shows_every_operation_in_a_browser() {
    let service = TestService::start(&[]).await;
    let desktop = Desktop::start_without_tray(&[]).await;
    let (page, _driver) = browser::open(&desktop, &[]).await;
    page.goto(&service.url("/docs")).await.expect("a page");
    let shown = eventually("the operations", async || {
        let shown = page.execute(SHOWN, Vec::new()).await;
        shown.ok().filter(|shown| !shown.is_null())
    })
    .await;
    let all: Vec<_> = Operation::all()
        .map(|one| {
            let statuses: Vec<_> = one.statuses().collect();
            json!({ "name": format!("{} {}", one.method, one.path), "statuses": statuses })
        })
        .collect();
    let mut operations = shown["operations"].as_array().expect("a list").clone();
    operations.sort_by_key(|one| all.iter().position(|other| other == one));
    assert_eq!(operations, all, "{}", shown["about"]);
    assert_eq!(shown["found"], json!(["get/badge.json", "get/badge.svg"]));
    page.close().await.expect("an open browser");
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
        let here = Operation::all().filter(|other| other.path == operation.path);
        let mut methods: BTreeSet<_> = here.map(|other| other.method).collect();
        // A GET that reports has no HEAD.
        if methods.contains("GET") && !operation.path.ends_with("/device/set") {
            methods.insert("HEAD");
        }
        assert_eq!(
            allowed.split(',').collect::<BTreeSet<_>>(),
            methods,
            "{}",
            operation.path
        );
        let head = service.request(Method::HEAD, &address(operation));
        let status = head.send().await.expect("an answer").status();
        assert_eq!(
            status != 405,
            methods.contains("HEAD"),
            "{}",
            operation.path
        );
    }
}

#[tokio::test]
async fn each_documented_answer_is_given() {
    admission().await;
    switched_off().await;
    presence().await;
    images().await;
    facts().await;
    upload_apis().await;
    clients().await;
    slow_bodies().await;
    let may_mount = full_disk().await;
    for (_, tests, name) in ELSEWHERE {
        assert!(tests.contains(&format!("async fn {name}(")), "{name}");
    }
    let mut never = openapi::never_seen();
    never.retain(|what| {
        !ELSEWHERE
            .iter()
            .any(|(elsewhere, ..)| what.starts_with(elsewhere))
    });
    // Where nothing may be mounted, `broken_disk` says so.
    never.retain(|what| may_mount || !what.contains(" 507"));
    assert!(never.is_empty(), "{never:#?}");
}

/// What the gate answers on every path, and a database without its tokens.
async fn admission() {
    let limits = ["limits.requests_per_second=1", "limits.burst=1"];
    let limited = TestService::builder().sets(&ALL_ON).sets(&limits);
    let service = &limited.start().await;
    for one in Operation::all() {
        // At once, so that none waits for the answers to the others until a second is over.
        let requests = (0..20).map(|_| {
            let request = service.request(one.method.parse().expect("a method"), &address(one));
            request.send()
        });
        let mut answers = join_all(requests).await.into_iter();
        let limited = answers.any(|answer| answer.expect("an answer").status() == 429);
        assert!(limited, "{} {}", one.method, address(one));
    }
    let behind_a_proxy = TestService::builder().sets(&ALL_ON).sets(&PROXIED);
    let service = &behind_a_proxy.start().await;
    let caller = Caller(service);
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

async fn switched_off() {
    let service = &TestService::start(&["lanyard.enabled=false"]).await;
    let caller = Caller(service);
    for one in Operation::all() {
        let tags = ["Lanyard", "Devices", "Upload APIs"];
        if tags.contains(&one.tag()) {
            caller.call(one, 404, |request| request).await;
        }
    }
}

async fn presence() {
    let shared = ["devices.share_battery=true", "presence.share_music=true"];
    let service = TestService::builder().sets(&ALL_ON).sets(&shared);
    let service = &service.start().await;
    let caller = Caller(service);
    let token = &service.heartbeat_token;
    let wrong = body(json!({ "rgba": "red" }));
    caller.post("/heartbeat", 400, token, wrong).await;
    let large = body(json!({ "introduce": "a".repeat(70_000) }));
    caller.post("/heartbeat", 413, token, large).await;
    let here = json!({ "application": "Zed", "rgba": "1,2,3,0.5", "applicationOnline": true });
    caller.post("/heartbeat", 200, token, body(here)).await;
    let token = service.device(&["Phone", "--allow"]).await;
    let report = json!({
        "app_id": "org.example.quill", "app_label": "Quillpad",
        "extra": {
            "battery_percent": 50, "battery_charging": true,
            "music": { "title": "Clair de lune", "artist": "Debussy", "app": "Spotify" },
        },
    });
    let reported = body(report);
    caller.post("/api/report", 200, &token, reported).await;
    let devices = service.json("/devices").await;
    assert_eq!(devices["devices"].as_array().map(Vec::len), Some(2));
    for path in [
        "/check",
        "/devices",
        "/badge.json",
        "/badge.svg",
        "/card.svg",
        "/api/status/query",
        "/query",
    ] {
        caller.get(path, 200).await;
    }
    caller.get("/v1/users/1", 200).await;
    caller.get("/v1/users/2", 404).await;
    caller.get("/socket", 400).await;
    let upgrade = |request: RequestBuilder| {
        request
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    };
    caller.send("GET", "/socket", 101, upgrade).await;
}

async fn images() {
    let service = &TestService::start(&["images.max_upload_bytes=200000"]).await;
    let caller = Caller(service);
    let token = &service.admin_token;
    let random = "/random_image";
    caller.get(random, 404).await;
    let (add, bytes) = ("/images/add", picture());
    let detailed = "/images/add?detail=1";
    let stored = caller
        .post(detailed, 201, token, file("image", &bytes))
        .await;
    let hash = stored["hash"].as_str().expect("a hash");
    caller.post(add, 409, token, file("image", &bytes)).await;
    let again = |request: RequestBuilder| {
        let request = request.header(CONTENT_TYPE, "image/png");
        request.body(bytes.clone())
    };
    let accepted = "/images/add?duplicate=ok&detail=1&name=a.png&album=";
    caller.post(accepted, 200, token, again).await;
    caller.post(add, 400, token, file("other", &bytes)).await;
    caller
        .post(add, 413, token, file("image", &[0; 300_000]))
        .await;
    caller.post(add, 415, token, file("image", b"text")).await;
    let half = file("image", &bytes[..bytes.len() / 2]);
    caller.post(add, 422, token, half).await;

    caller.get(random, 200).await;
    caller.get("/random_image?form=json", 200).await;
    caller.get("/random_image?form=redirect", 302).await;
    caller.get("/random_image?form=a", 400).await;
    caller.get("/images/list", 200).await;
    caller.get("/images/list?detail=1", 200).await;
    caller.get("/images/list?page=0", 400).await;
    caller.get("/images/count", 200).await;
    for path in ["/i/{hash}", "/i/{hash}/a.webp", "/images/{hash}"] {
        let address = &path.replace("{hash}", hash);
        caller.get(address, 200).await;
        caller.get(&path.replace("{hash}", HASH), 404).await;
        let tag = format!("\"{hash}\"");
        let known = |request: RequestBuilder| request.header(IF_NONE_MATCH, tag);
        caller.send("GET", address, 304, known).await;
        for (range, status) in [("bytes=0-9", 206), ("bytes=999999-", 416)] {
            let ranged = |request: RequestBuilder| request.header(RANGE, range);
            caller.send("GET", address, status, ranged).await;
        }
    }
    caller.get(&format!("/i/{hash}?w=1"), 400).await;
    caller.get(&format!("/i/{hash}/a.webp?w=1"), 400).await;

    let allowed = |request: RequestBuilder| request.bearer_auth(token);
    let source = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&bytes));
    for (source, status) in [(source, 200), (HASH.repeat(2), 404)] {
        let address = format!("/images/by-source/{source}?detail=1");
        caller.send("GET", &address, status, allowed).await;
    }
    for status in [200, 404] {
        let address = format!("/images/{hash}");
        caller.send("DELETE", &address, status, allowed).await;
    }
}

async fn facts() {
    let ipinfo = FakeIpinfo::start().await;
    let steam = FakeSteam::playing().await;
    let settings = TestService::builder().sets(&steam.settings());
    let service = &settings.set(ipinfo.setting()).start().await;
    let caller = Caller(service);
    for path in [
        "/",
        "/sysinfo",
        "/game_status",
        "/api_stats",
        "/widget.js",
        "/openapi.json",
        "/docs",
    ] {
        caller.get(path, 200).await;
    }
    for path in ["/openapi.json", "/docs"] {
        let any = |request: RequestBuilder| request.header(IF_NONE_MATCH, "*");
        caller.send("GET", path, 304, any).await;
    }
    caller.get("/ipcheck?ip=8.8.8.8", 200).await;
    caller.get("/ipcheck", 400).await;
    ipinfo.fails(Some(Reply::html(403, "<h1>No</h1>")));
    caller.get("/ipcheck?ip=8.8.4.4", 502).await;
    caller.get("/api_stats/images/list", 200).await;
    caller.get("/api_stats/%ff", 404).await;
}

async fn upload_apis() {
    let settings = TestService::builder().sets(&ALL_ON);
    let service = settings.set("images.max_upload_bytes=200000");
    let service = &service.start().await;
    let caller = Caller(service);
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
    caller.send("GET", list, 200, allowed).await;
    for about in ["profile", "strategies", "albums"] {
        let address = format!("/api/v1/{about}");
        caller.send("GET", &address, 200, allowed).await;
    }
    let key = stored["data"]["key"].as_str().expect("a key");
    for _ in ["deleted", "unknown"] {
        let address = format!("/api/v1/images/{key}");
        caller.send("DELETE", &address, 200, allowed).await;
    }
}

async fn clients() {
    let service = &TestService::start(&ALL_ON).await;
    let caller = Caller(service);
    let token = &service.device(&["Phone"]).await;
    let large = || body(json!({ "id": "a", "status": "a".repeat(2_200_000) }));
    for path in ["/api/device/set", "/device/set"] {
        let allowed = |request: RequestBuilder| request.bearer_auth(token);
        let address = format!("{path}?id=a&using=yes&status=Maps");
        caller.send("GET", &address, 200, allowed).await;
        let wrong = format!("{path}?using=maybe");
        caller.send("GET", &wrong, 400, allowed).await;
        let set = body(json!({ "id": "a", "using": true, "status": "Maps" }));
        caller.post(path, 200, token, set).await;
        let wrong = body(json!({ "using": "maybe" }));
        caller.post(path, 400, token, wrong).await;
        caller.post(path, 413, token, large()).await;
    }
    caller.get("/api/health", 200).await;
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

/// Whether a small disk may be mounted.
async fn full_disk() -> bool {
    let mount = tempfile::tempdir().expect("a temporary folder");
    let Some(wrapper) = small_disk(mount.path(), 16) else {
        return false;
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
    let inside = seen_by_it.join(inside);
    let pid = service.pid().to_string();
    let mut added = clean_command("nsenter", mount.path());
    added.args(["--mount", "--target", &pid]);
    if wrapper.iter().any(|word| word == "-rm") {
        added.args(["--user", "--preserve-credentials"]);
    }
    added.args([&program(), "device", "add", "Phone", "--data-dir"]);
    let added = added.arg(mount.path().join("data")).output().await;
    let added = added.expect("nsenter");
    assert!(added.status.success(), "{added:?}");
    let device = String::from_utf8(added.stdout).expect("UTF-8");
    fill(&inside.join("filler"));
    let full = Operation::all().filter(|one| one.statuses().any(|status| status == 507));
    for one in full {
        // The last page of the database may have room for one more.
        for hash in &hashes {
            let path = one.path.replace("{hash}", hash);
            let request = service.request(one.method.parse().expect("a method"), &path);
            let token = match one.tag() {
                "Devices" => device.trim(),
                _ => service.admin_token.as_str(),
            };
            let request = request.bearer_auth(token);
            let request = match one.method {
                "POST" => stored_by(one.path)(request),
                _ => request.query(&[("id", "a"), ("status", &"c".repeat(200))]),
            };
            if request.send().await.expect("an answer").status() == 507 {
                break;
            }
        }
    }
    true
}

/// Bodies that begin and stop, all at once: each is waited for.
async fn slow_bodies() {
    let service = &TestService::start(&ALL_ON).await;
    let device = &service.device(&["Phone"]).await;
    let slow = Operation::all().filter(|one| one.statuses().any(|status| status == 408));
    let sent = slow.map(async |one| {
        let token = match one.tag() {
            "Devices" => device,
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
        raw::send(service.address(), &[head.as_bytes(), start].concat()).await
    });
    join_all(sent).await;
}

/// Checks what schemathesis sends within these bounds as each of three callers, who get past the check of
/// their tokens wherever they may. The limits of rates are off; that of wrong tokens is not, so each request
/// comes from a different address.
async fn fuzzed(bounds: &[&str]) {
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
    let (admin, device) = (&service.admin_token, &service.device(&["Phone"]).await);
    for token in [Some(admin), Some(device), None] {
        let auth = token.map(|token| format!("\n[auth.openapi.token]\nbearer = \"{token}\"\n"));
        let config = [SCHEMATHESIS, &auth.unwrap_or_default()].concat();
        let folder = tempfile::tempdir().expect("a folder");
        let answers = folder.path().join("answers");
        std::fs::write(folder.path().join("schemathesis.toml"), config).expect("written");
        let program = tool::path("schemathesis");
        let mut command = clean_command(&program.to_string_lossy(), folder.path());
        command
            .current_dir(folder.path())
            .env("SCHEMATHESIS_HOOKS", HOOKS)
            .env("ANSWERS", &answers)
            .args(["run", "--checks", "all"])
            .args(bounds)
            // From the file, since the path of a document that is loaded is not tested.
            .args(["--url", &service.url(""), FILE]);
        let ended = command.output().await.expect("schemathesis");
        let printed = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success(), "{printed}");
        // Of other methods, and to callers who may not call it.
        let refused = ["204", "401", "403", "405", "429"];
        let answers = std::fs::read_to_string(answers).expect("the answers");
        let answers = answers.lines().filter_map(|line| line.rsplit_once(' '));
        let answers = answers.filter(|(_, status)| !refused.contains(status));
        let tested: BTreeSet<_> = answers.map(|(operation, _)| operation.to_owned()).collect();
        let allowed = Operation::all().filter(|one| {
            !one.takes_a_token()
                || token == Some(device) && (one.tag() == "Devices" || one.path == "/heartbeat")
                || token == Some(admin) && one.tag() != "Devices"
        });
        let never = allowed.map(|one| format!("{} {}", one.method, one.path));
        let never: Vec<_> = never.filter(|one| !tested.contains(one)).collect();
        assert!(never.is_empty(), "not reached: {never:#?}\n{printed}");
    }
}

#[tokio::test]
async fn schemathesis_finds_nothing_in_a_short_run() {
    // The same requests each time; the long run has others.
    fuzzed(&["--max-examples", "5", "--seed", "1"]).await;
}

#[tokio::test]
#[ignore = "minutes: `cargo xtask verify --only openapi`"]
async fn schemathesis_finds_nothing_in_a_long_run() {
    fuzzed(&["--max-time", "120"]).await;
}
