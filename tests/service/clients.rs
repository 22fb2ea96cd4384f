//! The clients of sleepy, live-dashboard and mx-space, by the requests that they send: right ones and
//! wrong ones.

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::harness::{TestService, answer, eventually};

const ON: &str = "devices.clients=true";

/// A service with a token of scope `heartbeat` that is called "Anna's Phone", and its device allowed
/// once it has reported.
struct Home {
    service: TestService,
    token: String,
}

impl Home {
    async fn new(settings: &[&str]) -> Self {
        let service = TestService::builder().set(ON).sets(settings).start().await;
        let words = [
            "token",
            "new",
            "--name",
            "Anna's Phone",
            "--scope",
            "heartbeat",
        ];
        let made = service.run(&words).await;
        assert!(made.status.success(), "{made:?}");
        let token = made.stdout.trim().to_owned();
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
    let home = Home::new(&[]).await;
    let body = json!({
        "secret": home.token, "id": "pixel", "show_name": "A name of the client", "using": true,
        "status": "Maps", "fields": { "battery": 70 },
    });
    let set = answer(sent(home.post("/api/device/set", &body)).await).await;
    assert_eq!(set, success());
    let query = home.service.json("/api/status/query").await;
    assert_eq!(query["device"], json!({}), "it waits");
    home.allow().await;
    let device = home.listed().await.expect("a device");
    assert_eq!(device["id"], "anna-s-phone", "of the token");
    assert_eq!(device["name"], "Anna's Phone");
    assert_eq!(home.shown().await, of("Maps", "", true));
    assert_eq!(home.service.json("/check").await["application"], "Maps");

    for path in ["/api/status/query", "/query"] {
        let mut query = home.service.json(path).await;
        assert!(query["time"].take().as_i64() > Some(1_700_000_000));
        let last = query["last_updated"].take();
        let expected = json!({
            "success": true, "time": null, "last_updated": null,
            "status": { "id": 0, "name": "在线", "desc": "", "color": "awake" },
            "device": { "anna-s-phone": {
                "show_name": "Anna's Phone", "using": true, "status": "Maps", "fields": {},
                "last_updated": last,
            } },
        });
        assert_eq!(query, expected, "{path}");
    }

    // The alias, the path of version 4, and the other places of the secret.
    let old = json!({ "secret": home.token, "id": "a", "using": true, "app_name": "Camera" });
    assert_eq!(
        answer(sent(home.post("/device/set", &old)).await).await,
        success()
    );
    assert_eq!(home.shown().await, of("Camera", "", true));
    let body = json!({ "id": "a", "using": true, "status": "App C" });
    let with_header = home
        .post("/api/device/set", &body)
        .header("Sleepy-Secret", &home.token);
    assert_eq!(answer(sent(with_header).await).await, success());
    assert_eq!(home.shown().await, of("App C", "", true));
    let body = json!({ "id": "a", "using": true, "status": "App D" });
    let with_bearer = home.post("/api/device/set", &body).bearer_auth(&home.token);
    assert_eq!(answer(sent(with_bearer).await).await, success());
    assert_eq!(home.shown().await, of("App D", "", true));
    let query = [
        ("secret", home.token.as_str()),
        ("id", "a"),
        ("using", "true"),
        ("status", "App E"),
        ("battery", "70"),
        ("further", "key"),
    ];
    for path in ["/api/device/set", "/device/set"] {
        let request = home.service.request(Method::GET, path).query(&query);
        assert_eq!(answer(sent(request).await).await, success());
    }
    assert_eq!(home.shown().await, of("App E", "", true));

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
async fn errors_of_sleepys_paths_are_in_its_shape_and_wrong_secrets_are_limited() {
    let home = Home::new(&[]).await;
    let refused = |code: u16, details: &str, message: &str| {
        let body = json!({
            "success": false, "code": code, "details": details, "message": message,
        });
        (code, body)
    };
    let forbidden = refused(403, "Forbidden", "Forbidden");
    for (more, expected) in [
        (
            json!({ "id": "" }),
            refused(400, "Invalid device", "Bad Request"),
        ),
        (
            json!({ "id": null }),
            refused(400, "Invalid device", "Bad Request"),
        ),
        (
            json!({ "using": "maybe" }),
            refused(400, "Invalid request body", "Bad Request"),
        ),
        (
            json!({ "status": ["a"] }),
            refused(400, "Invalid request body", "Bad Request"),
        ),
        // A token that may do everything has no place in an address or a body.
        (json!({ "secret": home.service.admin_token }), forbidden),
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
    assert_eq!((status, &body["details"]), (403, &json!("HTTPS required")));
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

    let larger = json!({ "process": "Editor", "iconBase64": "A".repeat(3 * 1024 * 1024) });
    let expected = (413, json!({ "error": "Request body too large" }));
    assert_eq!(report(larger).await, expected);
    for (body, status) in [
        (json!({ "process": "Editor", "key": "wrong" }), 401),
        (json!({ "process": "Editor" }), 401),
        (json!({ "process": 7, "key": home.token }), 400),
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
