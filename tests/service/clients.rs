//! The clients of sleepy, live-dashboard and mx-space, by the requests that they send: right ones and
//! wrong ones.

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{Builder, RequestBuilder, TestService, answer, eventually};

const ON: &str = "devices.clients=true";

/// A service with the device "Anna's Phone", which waits once it has reported.
struct Home {
    service: TestService,
    token: String,
}

impl Home {
    async fn new(settings: &[&str]) -> Self {
        Self::of(TestService::builder().sets(settings)).await
    }

    async fn of(service: Builder) -> Self {
        let service = service.sets(&[ON, "presence.language=en"]).start().await;
        let token = service.device(&["Anna's Phone"]).await;
        Self { service, token }
    }

    fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.service.request(Method::POST, path).json(body)
    }

    /// A report of live-dashboard.
    async fn live(&self, body: Value) -> (u16, Value) {
        let request = self.post("/api/report", &body).bearer_auth(&self.token);
        answer(sent(request).await).await
    }

    async fn set(&self, more: Value) -> (u16, Value) {
        let mut body = json!({ "secret": self.token, "id": "any", "using": true });
        let members = body.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        answer(sent(self.post("/api/device/set", &body)).await).await
    }

    async fn allow(&self) {
        let ended = self.service.run(&["device", "allow", "anna-s-phone"]).await;
        assert!(ended.status.success(), "{ended:?}");
        eventually("the phone", async || self.listed().await).await;
    }

    /// The device as readers see it.
    async fn listed(&self) -> Option<Value> {
        let devices = self.service.json("/devices").await["devices"].take();
        devices.get(0).cloned()
    }

    /// Application, line, whether online.
    async fn shown(&self) -> (String, String, bool) {
        let device = self.listed().await.expect("a device");
        let text = |name: &str| device[name].as_str().expect("text").to_owned();
        (
            text("application"),
            text("introduce"),
            device["online"] == true,
        )
    }
}

async fn sent(request: RequestBuilder) -> Response {
    request.send().await.expect("an answer")
}

fn of(application: &str, introduce: &str, online: bool) -> (String, String, bool) {
    (application.to_owned(), introduce.to_owned(), online)
}

fn ok() -> (u16, Value) {
    (200, json!({ "ok": true }))
}

fn success() -> (u16, Value) {
    (200, json!({ "success": true }))
}

#[tokio::test]
async fn the_paths_of_other_clients_are_not_there_until_they_are_switched_on() {
    let service = TestService::start(&[]).await;
    for (method, path) in [
        (Method::POST, "/api/device/set"),
        (Method::GET, "/api/device/set?secret=x&id=a"),
        (Method::POST, "/device/set"),
        (Method::GET, "/api/status/query"),
        (Method::GET, "/query"),
        (Method::POST, "/api/report"),
        (Method::GET, "/api/report"),
        (Method::GET, "/api/health"),
        (Method::POST, "/api/health-data"),
        (Method::POST, "/api/process-reporter"),
    ] {
        let request = service.request(method.clone(), path);
        let request = request.bearer_auth(&service.heartbeat_token);
        let expected = (404, json!({ "error": "Resource not found" }));
        assert_eq!(
            answer(sent(request).await).await,
            expected,
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn a_client_of_sleepy_reports_as_it_is() {
    let home = Home::new(&["devices.share_battery=true"]).await;
    let body = json!({
        "secret": home.token, "id": "pixel", "show_name": "A name of the client", "using": true,
        "status": "Telegram", "fields": { "battery": 70 },
    });
    let set = answer(sent(home.post("/api/device/set", &body)).await).await;
    assert_eq!(set, success());
    let query = home.service.json("/api/status/query").await;
    assert_eq!(query["device"], json!({}), "it waits");
    home.allow().await;
    let device = home.listed().await.expect("a device");
    assert_eq!(device["id"], "anna-s-phone", "of the token");
    assert_eq!(device["name"], "Anna's Phone");
    assert_eq!(home.shown().await, of("Telegram", "Chatting", true));
    assert_eq!(home.service.json("/check").await["application"], "Telegram");

    for path in ["/api/status/query", "/query"] {
        let mut query = home.service.json(path).await;
        assert!(query["time"].take().as_i64() > Some(1_700_000_000));
        let last = query["last_updated"].take();
        let expected = json!({
            "success": true, "time": null, "last_updated": null,
            "status": { "id": 0, "name": "在线", "desc": "", "color": "awake" },
            "device": { "anna-s-phone": {
                "show_name": "Anna's Phone", "using": true, "status": "Telegram", "fields": {},
                "last_updated": last,
            } },
        });
        assert_eq!(query, expected, "{path}");
    }

    // The clients for Android: the alias, the path of version 4, an empty status and a number as id.
    for (app_name, application, battery, charging) in [
        ("[85%] Quillpad", "Quillpad", 85, false),
        ("[86% +] Quillpad", "Quillpad", 86, true),
        ("微信[7%]🔋", "WeChat", 7, false),
        ("Quillpad[100%]⚡", "Quillpad", 100, true),
    ] {
        let old = json!({
            "secret": home.token, "id": 0, "show_name": "OnePlus", "using": true,
            "status": "", "app_name": app_name,
        });
        let set = sent(home.post("/device/set", &old)).await;
        assert_eq!(answer(set).await, success(), "{app_name}");
        let device = home.listed().await.expect("a device");
        assert_eq!(device["application"], application, "{app_name}");
        assert_eq!(device["battery"], battery, "{app_name}");
        assert_eq!(device["charging"], charging, "{app_name}");
    }

    // The other places of the secret.
    let body = json!({ "id": "a", "using": true, "status": "Firefox" });
    let with_header = home
        .post("/api/device/set", &body)
        .header("Sleepy-Secret", &home.token);
    assert_eq!(answer(sent(with_header).await).await, success());
    assert_eq!(home.shown().await.0, "Firefox");
    let body = json!({ "id": "a", "using": true, "status": "Telegram" });
    let with_bearer = home.post("/api/device/set", &body).bearer_auth(&home.token);
    assert_eq!(answer(sent(with_bearer).await).await, success());
    assert_eq!(home.shown().await.0, "Telegram");
    let query = [
        ("secret", home.token.as_str()),
        ("id", "a"),
        ("using", "yes"),
        ("status", "Spotify"),
        ("battery", "70"),
        ("further", "key"),
    ];
    for path in ["/api/device/set", "/device/set"] {
        let request = home.service.request(Method::GET, path).query(&query);
        assert_eq!(answer(sent(request).await).await, success());
    }
    assert_eq!(home.shown().await.0, "Spotify");

    assert_eq!(
        home.set(json!({ "using": false, "status": "Screen off" }))
            .await,
        success()
    );
    assert_eq!(home.shown().await, of("", "", false), "at once");
    assert_eq!(home.service.json("/check").await["alive"], false);
    let log = home.service.stderr();
    assert!(!log.contains(&home.token), "{log}");
}

#[tokio::test]
async fn sleepys_one_text_needs_the_consent_that_titles_and_media_need() {
    let home = Home::new(&[]).await;
    let phone = json!({ "app_name": "[85%] Maps" });
    assert_eq!(home.set(phone).await, success());
    home.allow().await;
    let maps = ("Maps", "");
    let (code, firefox) = (
        ("Visual Studio Code", "Writing code"),
        ("Firefox", "Browsing the web"),
    );
    for (status, expected) in [
        // What the clients for Windows and for browsers send.
        ("plan.rs - house - Visual Studio Code", code),
        ("A letter to Anna - Mozilla Firefox", firefox),
        ("[♪A secret song] A letter - Mozilla Firefox", firefox),
        ("♪A secret song-Someone-An album", ("", "")),
        ("A letter to Anna", ("", "")),
        ("https://example.org/?key=7", ("", "")),
        ("[12%] Maps", maps),
        // On the list of what stays private, also beside a battery.
        ("[12%] KeePassDX", ("", "")),
        ("支付宝[12%]🔋", ("", "")),
        ("com.eg.android.AlipayGphone[12%]🔋", ("", "")),
    ] {
        assert_eq!(home.set(json!({ "status": status })).await, success());
        let (application, line) = expected;
        assert_eq!(home.shown().await, of(application, line, true), "{status}");
        let device = home.listed().await.expect("a device");
        assert_eq!(device.get("battery"), None, "{status}");
    }
}

#[tokio::test]
async fn asking_about_an_address_with_a_secret_reports_nothing() {
    let home = Home::new(&[]).await;
    assert_eq!(home.set(json!({ "status": "Firefox" })).await, success());
    home.allow().await;
    let path = format!("/api/device/set?id=a&status=Maps&secret={}", home.token);
    for method in [Method::HEAD, Method::PUT, Method::DELETE] {
        let request = home.service.request(method.clone(), &path);
        assert_eq!(sent(request).await.status(), 405, "{method}");
    }
    let preflight = home.service.request(Method::OPTIONS, &path);
    assert_eq!(sent(preflight).await.status(), 204);
    assert_eq!(home.shown().await.0, "Firefox");
}

#[tokio::test]
async fn errors_of_sleepys_paths_are_in_its_shape_and_wrong_secrets_are_limited() {
    let home = Home::new(&[]).await;
    let refused = |code: u16, message: &str, details: &str| {
        let body = json!({
            "success": false, "code": code, "details": details, "message": message,
        });
        (code, body)
    };
    let forbidden = refused(403, "Forbidden", "Forbidden");
    for (more, expected) in [
        // The device is that of the token.
        (json!({ "id": "" }), success()),
        (json!({ "id": null }), success()),
        (json!({ "id": "this-computer" }), success()),
        (
            json!({ "using": "maybe" }),
            refused(400, "Invalid request body", "Bad Request"),
        ),
        (
            json!({ "status": ["a"] }),
            refused(400, "Invalid request body", "Bad Request"),
        ),
        // Other tokens may do more, and have no place in an address or a body.
        (
            json!({ "secret": home.service.admin_token }),
            forbidden.clone(),
        ),
        (json!({ "secret": home.service.heartbeat_token }), forbidden),
    ] {
        assert_eq!(home.set(more.clone()).await, expected, "{more}");
    }
    let unauthorized = refused(401, "Unauthorized", "Unauthorized");
    let mut statuses = Vec::new();
    for number in 0..40 {
        let (status, body) = home
            .set(json!({ "secret": format!("guess {number}") }))
            .await;
        if status == 401 {
            assert_eq!((status, body), unauthorized);
        }
        statuses.push(status);
    }
    assert_eq!((statuses[0], statuses[39]), (401, 429), "{statuses:?}");
    assert_eq!(
        home.set(json!({ "status": "Maps" })).await,
        success(),
        "the right one counts"
    );
    assert_eq!(home.listed().await, None, "and waits");
}

#[tokio::test]
async fn a_wrong_secret_is_limited_in_each_of_its_places_and_in_no_log() {
    let guess = "a-guess-of-somebody";
    let (json_body, query) = (
        json!({ "secret": guess, "id": "a" }),
        [("secret", guess), ("id", "a")],
    );
    let key = json!({ "key": guess, "process": "Editor" });
    let live = json!({ "app_id": "a" });
    type Place<'a> = (&'a str, Box<dyn Fn(&Home) -> RequestBuilder + 'a>);
    let places: [Place<'_>; 7] = [
        (
            "body",
            Box::new(|home| home.post("/api/device/set", &json_body)),
        ),
        (
            "old body",
            Box::new(|home| home.post("/device/set", &json_body)),
        ),
        (
            "query",
            Box::new(|home| {
                home.service
                    .request(Method::GET, "/device/set")
                    .query(&query)
            }),
        ),
        (
            "header",
            Box::new(|home| {
                let request = home.service.request(Method::GET, "/api/device/set?id=a");
                request.header("Sleepy-Secret", guess)
            }),
        ),
        (
            "bearer",
            Box::new(|home| home.post("/api/report", &live).bearer_auth(guess)),
        ),
        ("none", Box::new(|home| home.post("/api/report", &live))),
        (
            "key",
            Box::new(|home| home.post("/api/process-reporter", &key)),
        ),
    ];
    for (place, request) in places {
        let service = TestService::builder().env("PORCHLIGHT_LOG", "trace");
        let home = Home::of(service.set("limits.requests_per_second=0")).await;
        let mut statuses = Vec::new();
        for _ in 0..40 {
            statuses.push(sent(request(&home)).await.status().as_u16());
        }
        assert_eq!(
            (statuses[0], statuses[39]),
            (401, 429),
            "{place}: {statuses:?}"
        );
        let log = home.service.stderr();
        assert!(
            !log.contains(guess) && !log.contains(&home.token),
            "{place}: {log}"
        );
    }
}

#[tokio::test]
async fn a_secret_over_plain_http_is_refused_and_sent_nowhere_else() {
    let public = "server.public_url=https://light.example";
    let home = Home::new(&[public, "server.client_ip=x-forwarded-for"]).await;
    let plain = |request: RequestBuilder| {
        let request = request.header("Host", "light.example");
        request.header("X-Forwarded-Proto", "http")
    };
    let path = format!("/api/device/set?id=a&using=true&secret={}", home.token);
    let response = sent(plain(home.service.request(Method::GET, &path))).await;
    assert_eq!(response.headers().get("location"), None);
    let (status, body) = answer(response).await;
    assert_eq!((status, &body["message"]), (403, &json!("HTTPS required")));
    let body = json!({ "key": home.token, "process": "Editor" });
    let response = sent(plain(home.post("/api/process-reporter", &body))).await;
    let expected = (403, json!({ "error": "HTTPS required" }));
    assert_eq!(answer(response).await, expected);
    let response = sent(
        home.post("/api/process-reporter", &body)
            .header("Host", "light.example")
            .header("X-Forwarded-Proto", "https"),
    );
    assert_eq!(answer(response.await).await, (200, json!({ "ok": 1 })));
}

#[tokio::test]
async fn a_client_of_live_dashboard_reports_as_it_is() {
    let consents = ["presence.share_titles=true", "presence.share_music=true"];
    let home = Home::new(&[&consents[..], &["devices.share_battery=true"]].concat()).await;
    let health = sent(home.service.request(Method::GET, "/api/health")).await;
    assert_eq!(answer(health).await, ok());
    // A clock that is wrong by years.
    let report = json!({
        "app_id": "org.example.quill", "app_label": "Quillpad", "window_title": "A note",
        "timestamp": "1999-01-01T00:00:00Z",
        "extra": { "battery_percent": 79.6, "battery_charging": true },
    });
    assert_eq!(home.live(report.clone()).await, ok());
    home.allow().await;
    assert_eq!(home.shown().await, of("Quillpad", "A note", true));
    let device = home.listed().await.expect("a device");
    assert_eq!(
        (&device["battery"], &device["charging"]),
        (&json!(80), &json!(true))
    );
    let now = home.service.json("/check").await["last_heartbeat"].as_i64();
    assert!(now > Some(1_700_000_000), "by the clock of the service");

    let long = "月".repeat(300);
    let mut other = report.clone();
    other["window_title"] = json!(long);
    assert_eq!(home.live(other.clone()).await, ok());
    assert_eq!(home.shown().await, of("Quillpad", &long, true));
    other["window_title"] = json!("x\n".repeat(4_000));
    assert_eq!(home.live(other).await, ok());
    let (_, line, _) = home.shown().await;
    assert_eq!(line.chars().count(), 2_000);
    assert!(!line.contains('\n'));

    // What has another type is not there, as at live-dashboard.
    for (extra, battery) in [
        (json!({ "battery_percent": 100 }), json!(100)),
        (json!({ "battery_percent": 0 }), json!(0)),
        (json!({ "battery_percent": 101 }), Value::Null),
        (json!({ "battery_percent": -1 }), Value::Null),
        (json!({ "battery_percent": "80" }), Value::Null),
        (
            json!({ "battery_percent": 50, "battery_charging": "no", "music": 7 }),
            json!(50),
        ),
        (json!("none"), Value::Null),
    ] {
        let mut report = report.clone();
        report["extra"] = extra.clone();
        assert_eq!(home.live(report).await, ok(), "{extra}");
        let device = home.listed().await.expect("a device");
        assert_eq!(device["battery"], battery, "{extra}");
        assert_eq!(device["charging"], Value::Null, "{extra}");
    }

    let playing = json!({
        "app_id": "org.example.quill", "app_label": "Quillpad",
        "extra": { "music": { "title": "Clair de lune", "artist": "Debussy", "app": "Spotify" } },
    });
    assert_eq!(home.live(playing).await, ok());
    let line = "♪ Clair de lune – Debussy";
    assert_eq!(home.shown().await, of("Quillpad", line, true));
    let private = json!({ "app_id": "com.x8bit.bitwarden", "app_label": "Bitwarden" });
    assert_eq!(home.live(private).await, ok());
    assert_eq!(home.shown().await, of("", "", true));
    assert_eq!(home.live(json!({ "app_id": "android" })).await, ok());
    assert_eq!(home.shown().await, of("", "", true));
    assert_eq!(
        home.live(json!({ "app_id": "idle", "window_title": "x" }))
            .await,
        ok()
    );
    assert_eq!(home.shown().await, of("", "", false));
    assert_eq!(home.service.json("/check").await["alive"], true, "away");
    // The app for Android names packages and no title.
    for (package, application) in [
        ("com.tencent.mm", "WeChat"),
        ("org.example.quill", "org.example.quill"),
        ("com.eg.android.AlipayGphone", ""),
        ("com.chinamworld.main", ""),
    ] {
        let report = json!({ "app_id": package, "window_title": "" });
        assert_eq!(home.live(report).await, ok());
        assert_eq!(home.shown().await.0, application, "{package}");
    }

    for wrong in [
        json!({}),
        json!({ "app_id": 7 }),
        json!([]),
        json!({ "app_label": "a" }),
    ] {
        let expected = (400, json!({ "error": "Invalid request body" }));
        assert_eq!(home.live(wrong.clone()).await, expected, "{wrong}");
    }
    for path in ["/api/report", "/api/health-data"] {
        for (token, status) in [("wrong", 401), (home.service.admin_token.as_str(), 403)] {
            let request = home.post(path, &report).bearer_auth(token);
            let (answered, body) = answer(sent(request).await).await;
            assert_eq!(answered, status, "{path}: {body}");
        }
        let (status, _) = answer(sent(home.post(path, &report)).await).await;
        assert_eq!(status, 401, "{path}");
    }
    let health = home
        .post("/api/health-data", &json!({ "steps": 7 }))
        .bearer_auth(&home.token);
    assert_eq!(answer(sent(health).await).await, ok());
}

#[tokio::test]
async fn a_client_of_mx_space_reports_as_it_is() {
    let home = Home::new(&["presence.share_titles=true", "presence.share_music=true"]).await;
    let report = async |mut body: Value| {
        body["key"] = json!(home.token);
        body["timestamp"] = json!(1);
        answer(sent(home.post("/api/process-reporter", &body)).await).await
    };
    let done = (200, json!({ "ok": 1 }));
    assert_eq!(report(json!({ "process": "Editor" })).await, done);
    home.allow().await;
    assert_eq!(home.shown().await, of("Editor", "", true));
    // An icon of a megabyte is dropped.
    let icon = "A".repeat(1024 * 1024);
    let process = json!({ "name": "Quillpad", "description": "A note", "iconBase64": icon });
    assert_eq!(report(json!({ "process": process })).await, done);
    assert_eq!(home.shown().await, of("Quillpad", "A note", true));
    let media = json!({ "title": "Clair de lune", "artist": "Debussy", "duration": 300 });
    let process = json!({ "name": "Spotify", "iconUrl": "https://icons.example/a.png" });
    assert_eq!(
        report(json!({ "process": process, "media": media })).await,
        done
    );
    let (application, line, _) = home.shown().await;
    assert_eq!(
        (application.as_str(), line.as_str()),
        ("Spotify", "♪ Clair de lune – Debussy")
    );

    // The player is another program than the one in front, or nobody knows which.
    for (player, line) in [
        ("Spotify", "♪ Clair de lune – Debussy"),
        ("Safari", ""),
        ("", ""),
    ] {
        let media = json!({ "title": "Clair de lune", "artist": "Debussy", "processName": player });
        let process = json!({ "name": "Quillpad" });
        assert_eq!(
            report(json!({ "process": process, "media": media })).await,
            done
        );
        assert_eq!(home.shown().await, of("Quillpad", line, true), "{player}");
    }
    let process = json!({ "name": "Spotify" });
    assert_eq!(report(json!({ "process": process })).await, done);

    let larger = json!({ "process": "Editor", "iconBase64": "A".repeat(3 * 1024 * 1024) });
    let expected = (413, json!({ "error": "Request body too large" }));
    assert_eq!(report(larger).await, expected);
    for (body, status) in [
        (json!({ "process": "Editor", "key": "wrong" }), 401),
        (json!({ "process": "Editor" }), 401),
        (json!({ "process": 7, "key": home.token }), 400),
        (json!({ "process": { "name": 7 }, "key": home.token }), 400),
        (json!({ "process": ["Editor"], "key": home.token }), 400),
        (
            json!({ "process": "Editor", "key": home.service.admin_token }),
            403,
        ),
    ] {
        let (answered, _) = answer(sent(home.post("/api/process-reporter", &body)).await).await;
        assert_eq!(answered, status, "{body}");
    }
    let (application, ..) = home.shown().await;
    assert_eq!(application, "Spotify");
}

#[tokio::test]
async fn bodies_that_are_deep_large_or_twofold_change_nothing() {
    let home = Home::new(&[]).await;
    assert_eq!(home.set(json!({ "status": "Firefox" })).await, success());
    home.allow().await;
    let token = &home.token;
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let wide = "x".repeat(65 * 1024);
    let bodies = [
        (
            400,
            format!(r#"{{"secret":"{token}","id":"a","fields":{deep}}}"#),
        ),
        (
            413,
            format!(r#"{{"secret":"{token}","id":"a","fields":"{wide}"}}"#),
        ),
        (
            400,
            format!(r#"{{"secret":"{token}","id":"a","status":"Maps"#),
        ),
        (
            400,
            format!(r#"[{{"secret":"{token}","id":"a","status":"Maps"}}]"#),
        ),
    ];
    for (status, body) in bodies {
        let request = home.service.request(Method::POST, "/api/device/set");
        let request = request
            .header("Content-Type", "application/json")
            .body(body);
        let (answered, body) = answer(sent(request).await).await;
        assert_eq!(answered, status, "{body}");
        assert_eq!(
            (&body["success"], &body["code"]),
            (&json!(false), &json!(status))
        );
    }
    let bodies = [
        (
            400,
            "/api/report",
            r#"{"app_id":"Maps","app_id":"Camera"}"#.to_owned(),
        ),
        (
            400,
            "/api/report",
            format!(r#"{{"app_id":"Maps","extra":{deep}}}"#),
        ),
        (
            413,
            "/api/report",
            format!(r#"{{"app_id":"Maps","extra":"{wide}"}}"#),
        ),
        (
            400,
            "/api/process-reporter",
            format!(r#"{{"key":"{token}","process":{deep}}}"#),
        ),
        (
            400,
            "/api/process-reporter",
            format!(r#"{{"key":"{token}","key":"x","process":"Maps"}}"#),
        ),
    ];
    for (status, path, body) in bodies {
        let request = home.service.request(Method::POST, path).bearer_auth(token);
        let (answered, answer) = answer(sent(request.body(body)).await).await;
        assert_eq!(answered, status, "{path}: {answer}");
    }
    assert_eq!(home.shown().await.0, "Firefox");
    // Of two values of one name the last counts, of the body and the address the body.
    let twofold = format!(r#"{{"secret":"x","secret":"{token}","id":"a","status":"Telegram"}}"#);
    let request = home
        .service
        .request(Method::POST, "/api/device/set?secret=y&status=Maps");
    assert_eq!(answer(sent(request.body(twofold)).await).await, success());
    assert_eq!(home.shown().await.0, "Telegram");
}
