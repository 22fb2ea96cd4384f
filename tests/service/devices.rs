//! Devices beside the computer of the service: whose they are, who sees them, and which of them
//! `/check` shows.

use reqwest::Response;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use crate::harness::{TestService, answer, assert_error, eventually};
use crate::ten_answers;

/// A heartbeat of a phone that runs this app.
fn phone(application: &str) -> Value {
    json!({
        "battery": 80, "charging": true, "application": application, "introduce": "",
        "rgba": "1,2,3,1", "applicationOnline": true,
    })
}

fn computer(application: &str) -> Value {
    json!({
        "application": application, "introduce": "Writing", "rgba": "9,8,7,1",
        "applicationOnline": true,
    })
}

async fn beat(service: &TestService, heartbeat: &Value) {
    let (status, body) = answer(service.heartbeat(heartbeat).await).await;
    assert_eq!(status, 200, "{body}");
}

async fn listed(service: &TestService) -> Vec<Value> {
    let devices = service.json("/devices").await["devices"].take();
    devices.as_array().expect("a list").clone()
}

/// Runs `porchlight device` beside the service.
async fn device(service: &TestService, words: &[&str]) -> String {
    let ended = service.run(&[&["device"], words].concat()).await;
    assert!(ended.status.success(), "{ended:?}");
    ended.stdout
}

/// Waits until the list of readers has this many devices.
async fn lists(service: &TestService, count: usize) -> Vec<Value> {
    eventually(&format!("{count} devices"), async || {
        Some(listed(service).await).filter(|devices| devices.len() == count)
    })
    .await
}

/// A service with a phone that readers see.
struct WithPhone {
    service: TestService,
    token: String,
}

impl WithPhone {
    /// With this app on the phone.
    async fn new(settings: &[&str], application: &str) -> Self {
        let service = TestService::start(settings).await;
        let words = ["Phone of Anna", "--kind", "phone", "--allow"];
        let token = service.device(&words).await;
        let home = Self { service, token };
        home.beats(application).await;
        home
    }

    async fn beats(&self, application: &str) {
        self.beat(&phone(application)).await;
    }

    async fn beat(&self, heartbeat: &Value) {
        let response = self.service.heartbeat_by(&self.token, heartbeat).await;
        let (status, body) = answer(response).await;
        assert_eq!(status, 200, "{body}");
    }
}

async fn shown(service: &TestService) -> Value {
    service.json("/check").await["application"].take()
}

#[tokio::test]
async fn no_reader_learns_of_a_device_before_its_owner_has_allowed_it() {
    let service = TestService::builder().env("PORCHLIGHT_LOG", "trace");
    let service = service.set("devices.clients=true").start().await;
    let token = service
        .device(&["Pixel 8 of Anna", "--kind", "phone"])
        .await;
    let new = device(&service, &["list"]).await;
    assert!(!new.contains("waiting"), "before its first report: {new}");
    let beaten = service.heartbeat_by(&token, &phone("Maps")).await;
    let (status, echo) = answer(beaten).await;
    let expected = json!({
        "message": "Heartbeat received", "application": "Maps", "introduce": "",
        "rgba": "1,2,3,1", "applicationOnline": true,
    });
    assert_eq!((status, echo), (200, expected), "as the interface has it");
    let nothing = json!({
        "alive": false, "last_heartbeat": 0, "application": "", "introduce": "", "rgba": "",
        "applicationOnline": false,
    });
    assert_eq!(service.json("/check").await, nothing);
    assert_eq!(listed(&service).await, [] as [Value; 0]);
    for path in [
        "/",
        "/devices",
        "/devices?all=1",
        "/check",
        "/sysinfo",
        "/api_stats",
        "/api_stats/heartbeat",
        "/api_stats/pixel-8-of-anna",
        "/game_status",
        "/badge.json",
        "/badge.svg",
        "/card.svg",
        "/api/status/query",
        "/query",
    ] {
        let response = service.get(path).await;
        let headers = format!("{:?}", response.headers());
        let body = headers + &response.text().await.expect("text");
        let asked = path.contains("pixel");
        for secret in ["pixel", "anna", "Anna", "Maps"] {
            let is_named = body.contains(secret) && !(asked && secret != "Maps");
            assert!(!is_named, "{path}: {body}");
        }
    }
    let table = device(&service, &["list"]).await;
    assert!(table.contains("waiting"), "{table}");
    let waiting = device(&service, &["list", "--json"]).await;
    let waiting: Value = serde_json::from_str(&waiting).expect("JSON");
    assert_eq!(waiting[0]["id"], "pixel-8-of-anna");
    assert_eq!(waiting[0]["name"], "Pixel 8 of Anna");
    assert_eq!(waiting[0]["allowed"], false);
    device(&service, &["allow", "pixel-8-of-anna"]).await;
    let devices = lists(&service, 1).await;
    let check = service.json("/check").await;
    assert_eq!(check["alive"], true);
    assert_eq!(check["application"], "Maps");
    let expected = json!({
        "id": "pixel-8-of-anna", "name": "Pixel 8 of Anna", "kind": "phone", "online": true,
        "application": "Maps", "introduce": "", "rgba": "1,2,3,1",
        "last_heartbeat": check["last_heartbeat"],
    });
    assert_eq!(devices, [expected], "without the battery");
    let log = service.stderr();
    assert!(!log.contains("pixel-8") && !log.contains("Anna"), "{log}");
    assert!(!log.contains(&token), "{log}");
}

#[tokio::test]
async fn a_decision_of_another_process_counts_within_a_second() {
    let home = WithPhone::new(&[], "Maps").await;
    let service = &home.service;
    for (decision, count) in [("hide", 0), ("allow", 1)].repeat(3) {
        device(service, &[decision, "phone-of-anna"]).await;
        tokio::select! {
            biased;
            _ = lists(service, count) => {}
            () = ten_answers(service) => panic!("{decision} counts late"),
        }
    }
}

#[tokio::test]
async fn a_device_that_is_hidden_is_not_seen_and_does_not_wait() {
    let home = WithPhone::new(&[], "Maps").await;
    let service = &home.service;
    device(service, &["hide", "phone-of-anna"]).await;
    lists(service, 0).await;
    home.beats("Camera").await;
    assert_eq!(listed(service).await, [] as [Value; 0]);
    let table = device(service, &["list"]).await;
    assert!(table.contains("hidden"), "{table}");
    device(service, &["allow", "phone-of-anna"]).await;
    assert_eq!(lists(service, 1).await[0]["application"], "Camera");
}

#[tokio::test]
async fn this_computer_is_listed_by_its_kind_and_first() {
    let home = WithPhone::new(&[], "Maps").await;
    let service = &home.service;
    beat(service, &computer("Editor")).await;
    let devices = lists(service, 2).await;
    assert_eq!(devices[0]["id"], "this-computer");
    assert_eq!(devices[0]["name"], devices[0]["kind"]);
    assert_eq!(devices[0]["application"], "Editor");
    assert_eq!(devices[0]["introduce"], "Writing", "as it was sent");
    assert_eq!(devices[1]["id"], "phone-of-anna");
    let away = json!({ "applicationOnline": false });
    beat(service, &away).await;
    assert_eq!(listed(service).await[0]["online"], false);
}

#[tokio::test]
async fn check_shows_the_device_that_was_used_last() {
    let home = WithPhone::new(&[], "Maps").await;
    let service = &home.service;
    beat(service, &computer("Editor")).await;
    assert_eq!(shown(service).await, "Editor");
    home.beats("Maps").await;
    assert_eq!(shown(service).await, "Editor", "nothing has changed there");
    home.beats("Camera").await;
    assert_eq!(shown(service).await, "Camera");
    beat(service, &computer("Editor")).await;
    assert_eq!(shown(service).await, "Camera");
    beat(service, &computer("Terminal")).await;
    assert_eq!(shown(service).await, "Terminal");
    beat(service, &json!({ "applicationOnline": false })).await;
    let check = service.json("/check").await;
    assert_eq!(check["application"], "Camera", "the computer is away");
    assert_eq!(check["applicationOnline"], true);
}

#[tokio::test]
async fn a_device_that_is_forgotten_loses_its_token_and_its_id_is_free() {
    let home = WithPhone::new(&[], "Maps").await;
    let service = &home.service;
    assert_eq!(shown(service).await, "Maps");
    device(service, &["forget", "phone-of-anna"]).await;
    let response = service.heartbeat_by(&home.token, &phone("Stolen")).await;
    assert_error(response, 401, "Unauthorized").await;
    lists(service, 0).await;
    assert_eq!(shown(service).await, "");
    let token = service.device(&["Phone of Anna", "--allow"]).await;
    let response = service.heartbeat_by(&token, &phone("Camera")).await;
    assert_eq!(response.status(), 200);
    assert_eq!(listed(service).await[0]["id"], "phone-of-anna");
    let response = service.heartbeat_by(&home.token, &phone("Stolen")).await;
    assert_error(response, 401, "Unauthorized").await;

    // Without its token it is no longer shown, until its owner forgets it.
    let revoked = service.run(&["token", "revoke", "phone-of-anna"]).await;
    assert!(revoked.status.success(), "{revoked:?}");
    eventually("nothing is shown", async || {
        (shown(service).await == "").then_some(())
    })
    .await;
}

#[tokio::test]
async fn twenty_devices_may_wait_and_no_token_makes_two_of_them() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let mut tokens = Vec::new();
    for number in 0..22 {
        tokens.push(service.device(&[&format!("Phone {number}")]).await);
    }
    let beat = async |number: usize| {
        let beaten = service.heartbeat_by(&tokens[number], &phone("Maps")).await;
        beaten.status().as_u16()
    };
    for id in ["a", "b", "phone-1"] {
        let mut made_up = phone("Maps");
        made_up["device"] = json!(id);
        let response = service.heartbeat_by(&tokens[0], &made_up).await;
        assert_error(response, 403, "Forbidden").await;
    }
    for number in 0..20 {
        assert_eq!(beat(number).await, 200);
    }
    let response = service.heartbeat_by(&tokens[20], &phone("Maps")).await;
    assert_error(response, 403, "Too many devices are waiting").await;
    assert_eq!(beat(7).await, 200);
    device(&service, &["allow", "phone-7"]).await;
    assert_eq!(beat(20).await, 200);
    assert_eq!(beat(21).await, 403);
    device(&service, &["forget", "phone-0"]).await;
    assert_eq!(beat(21).await, 200);
}

#[tokio::test]
async fn a_wrong_parameter_of_a_device_is_named_and_changes_nothing() {
    let home = WithPhone::new(&["devices.share_battery=true"], "Maps").await;
    let service = &home.service;
    let before = listed(service).await;
    assert_eq!(
        (&before[0]["battery"], &before[0]["charging"]),
        (&json!(80), &json!(true))
    );
    let long = "x".repeat(65);
    for (name, wrong) in [
        ("device", json!("")),
        ("device", json!("a b")),
        ("device", json!("../check")),
        ("device", json!(long)),
        ("device", json!(["phone-of-anna"])),
        ("deviceName", json!("")),
        ("deviceName", json!(" \u{202e}")),
        ("deviceName", json!("a\nb")),
        ("deviceName", json!(long)),
        ("kind", json!("toaster")),
        ("kind", json!(true)),
        ("battery", json!(101)),
        ("battery", json!(-1)),
        ("battery", json!(50.5)),
        ("battery", json!("full")),
        ("charging", json!("maybe")),
        ("charging", json!(2)),
        ("application", json!("a\nb")),
        ("rgba", json!("red")),
    ] {
        let mut heartbeat = phone("Changed");
        heartbeat[name] = wrong.clone();
        let response = service.heartbeat_by(&home.token, &heartbeat).await;
        assert_error(response, 400, &format!("Invalid {name}")).await;
    }
    assert_eq!(listed(service).await, before);
    // Empty and missing ones are none.
    let named = json!({
        "device": "phone-of-anna", "deviceName": "Another name", "kind": "tablet",
    });
    home.beat(&named).await;
    let devices = listed(service).await;
    assert_eq!(devices[0]["name"], "Phone of Anna", "as its owner calls it");
    assert_eq!(devices[0]["kind"], "phone");
    assert_eq!(devices[0].get("battery"), None);
    assert_eq!(devices[0]["online"], false);
}

#[tokio::test]
async fn the_private_list_and_the_rules_hold_for_what_a_device_sends() {
    let rules = "presence.rules=[\
        { program = 'Diary', hide = true }, { title = 'divorce', hide = true }, \
        { program = 'Maps', name = 'A map', introduce = 'Somewhere' }]";
    let home = WithPhone::new(&[rules, "presence.language=en"], "Zettel").await;
    let service = &home.service;
    let nothing = json!(["", "", "255,180,84,1"]);
    for (application, introduce, expected) in [
        ("Zettel", "", json!(["Zettel", "", "1,2,3,1"])),
        // A title is not shared without consent.
        ("Zettel", "Plans of 2027", json!(["Zettel", "", "1,2,3,1"])),
        ("KeePassXC", "", nothing.clone()),
        ("Browser", "A page — Private Browsing", nothing.clone()),
        ("Browser", "Online banking", nothing.clone()),
        ("Diary", "", nothing.clone()),
        ("Zettel", "My divorce", nothing.clone()),
        ("Maps", "Home", json!(["A map", "Somewhere", "1,2,3,1"])),
        (
            "code",
            "secret.rs",
            json!(["Visual Studio Code", "Writing code", "0,122,204,1"]),
        ),
    ] {
        let mut heartbeat = phone(application);
        heartbeat["introduce"] = json!(introduce);
        home.beat(&heartbeat).await;
        let (check, devices) = (service.json("/check").await, listed(service).await);
        for seen in [&check, &devices[0]] {
            let seen = json!([seen["application"], seen["introduce"], seen["rgba"]]);
            assert_eq!(seen, expected, "{application}, {introduce}");
        }
    }
    // With a token of this computer a heartbeat is the interface's.
    beat(service, &computer("KeePassXC")).await;
    assert_eq!(shown(service).await, "KeePassXC");
}

#[tokio::test]
async fn titles_are_shared_with_consent() {
    let home = WithPhone::new(&["presence.share_titles=true"], "Zettel").await;
    let service = &home.service;
    let mut heartbeat = phone("Zettel");
    heartbeat["introduce"] = json!("Plans of 2027");
    home.beat(&heartbeat).await;
    assert_eq!(service.json("/check").await["introduce"], "Plans of 2027");
}

#[tokio::test]
async fn devices_and_what_the_owner_decided_survive_a_restart() {
    let mut home = WithPhone::new(&[], "Maps").await;
    let service = &mut home.service;
    device(service, &["rename", "phone-of-anna", "The phone"]).await;
    let renamed = eventually("another name", async || {
        let devices = listed(service).await;
        (devices[0]["name"] == "The phone").then_some(devices)
    })
    .await;
    let table = device(service, &["list"]).await;
    assert!(
        table.contains("phone-of-anna") && table.contains("allowed"),
        "{table}"
    );
    service.kill().await;
    service.restart().await;
    assert_eq!(listed(service).await, renamed);
    assert_eq!(shown(service).await, "Maps");

    let ended = service.run(&["device", "allow", "other"]).await;
    assert!(
        ended.stderr.contains("no device has the id other"),
        "{ended:?}"
    );
    assert_eq!(ended.status.code(), Some(1));
    let ended = service.run(&["device", "allow", "a b"]).await;
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}

/// The headers of an answer that differ between two runs of one request.
const VARYING: [&str; 1] = ["date"];

async fn raw(response: Response) -> (u16, Vec<(String, String)>, String) {
    let text = |value: &HeaderValue| value.to_str().expect("text").to_owned();
    let mut headers: Vec<_> = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), text(value)))
        .filter(|(name, _)| !VARYING.contains(&name.as_str()))
        .collect();
    headers.sort();
    let status = response.status().as_u16();
    (status, headers, response.text().await.expect("text"))
}

#[tokio::test]
async fn a_heartbeat_without_a_device_is_answered_and_shown_byte_for_byte_as_before() {
    for (settings, echo, check) in [
        (
            "heartbeat.fields=true",
            r#"{"message":"Heartbeat received","application":"KeePassXC","introduce":"Online banking","rgba":"9,8,7,1","applicationOnline":true}"#,
            r#"{"alive":true,"last_heartbeat":T,"application":"KeePassXC","introduce":"Online banking","rgba":"9,8,7,1","applicationOnline":true}"#,
        ),
        (
            "heartbeat.fields=false",
            r#"{"message":"Heartbeat received"}"#,
            r#"{"alive":true,"last_heartbeat":T}"#,
        ),
    ] {
        let settings = [
            settings,
            "devices.clients=true",
            "devices.share_battery=true",
        ];
        let service = TestService::start(&settings).await;
        let token = service.device(&["Phone", "--allow"]).await;
        let beaten = service.heartbeat_by(&token, &phone("Maps")).await;
        assert_eq!(beaten.status(), 200);
        // What the list and the rules would hide; names of parameters that are new count for nothing.
        let heartbeat = json!({
            "application": "KeePassXC", "introduce": "Online banking", "rgba": "9,8,7,1",
            "applicationOnline": true, "deviceName": 7, "kind": [], "battery": "full",
            "charging": "no",
        });
        let beaten = raw(service.heartbeat(&heartbeat).await).await;
        let (_, headers, body) = raw(service.get("/check").await).await;
        let last = service.json("/check").await["last_heartbeat"].to_string();
        let expected = |body: &str| {
            let body = body.replace(":T", &format!(":{last}"));
            let length = ("content-length".to_owned(), body.len().to_string());
            let mut headers: Vec<(String, String)> = [
                ("access-control-allow-origin", "*"),
                (
                    "access-control-expose-headers",
                    "ETag, Retry-After, Location",
                ),
                ("cache-control", "no-store"),
                ("content-type", "application/json"),
                ("x-content-type-options", "nosniff"),
                ("x-porchlight", "1"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
            headers.push(length);
            headers.sort();
            (200, headers, body)
        };
        assert_eq!(beaten, expected(echo), "{settings:?}");
        assert_eq!((200, headers, body), expected(check), "{settings:?}");
    }
}

#[tokio::test]
async fn without_fields_the_last_heartbeat_is_the_last_of_any_device() {
    let home = WithPhone::new(&["heartbeat.fields=false"], "Maps").await;
    let service = &home.service;
    let last = async || {
        service.json("/check").await["last_heartbeat"]
            .as_i64()
            .expect("a time")
    };
    home.beats("Camera").await;
    let of_phone = last().await;
    let of_computer = eventually("a later second", async || {
        beat(service, &computer("Editor")).await;
        Some(last().await).filter(|last| *last > of_phone)
    })
    .await;
    let devices = listed(service).await;
    assert_eq!(devices[0]["last_heartbeat"], of_computer);
    assert_eq!(devices[1]["last_heartbeat"], of_phone);
}

#[tokio::test]
async fn a_rule_that_is_written_while_nothing_runs_holds_from_the_start() {
    let mut home = WithPhone::new(&[], "Zettel").await;
    home.service.restart().await;
    assert_eq!(shown(&home.service).await, "Zettel");
    let rule = "presence.rules=[{ program = 'Zettel', hide = true }]";
    home.service.restart_with(&[rule]).await;
    let service = &home.service;
    assert_eq!(shown(service).await, "");
    assert_eq!(listed(service).await[0]["application"], "");
    home.beats("Maps").await;
    assert_eq!(shown(service).await, "Maps");
}

#[tokio::test]
async fn heartbeats_while_a_device_is_hidden_and_forgotten_leave_nothing_in_view() {
    let home = WithPhone::new(&["limits.requests_per_second=0"], "Maps").await;
    let service = &home.service;
    let reports = async {
        for number in 0.. {
            let heartbeat = phone(&format!("Secret {number}"));
            let response = service.heartbeat_by(&home.token, &heartbeat).await;
            if response.status() != 200 {
                return assert_error(response, 401, "Unauthorized").await;
            }
        }
    };
    let decides = async {
        for _ in 0..5 {
            device(service, &["hide", "phone-of-anna"]).await;
            device(service, &["allow", "phone-of-anna"]).await;
        }
        device(service, &["forget", "phone-of-anna"]).await;
    };
    tokio::join!(reports, decides);
    lists(service, 0).await;
    assert_eq!(shown(service).await, "");
}

#[tokio::test]
async fn a_device_is_offline_when_its_report_ends() {
    let home = WithPhone::new(&["heartbeat.alive_seconds=1"], "Maps").await;
    let service = &home.service;
    home.beats("Maps").await;
    let devices = eventually("the phone is offline", async || {
        let devices = listed(service).await;
        (devices[0]["online"] == false).then_some(devices)
    })
    .await;
    assert_eq!(devices[0]["application"], "");
    let check = service.json("/check").await;
    assert_eq!(check["alive"], false);
    assert_eq!(check["last_heartbeat"], devices[0]["last_heartbeat"]);
}

#[tokio::test]
async fn the_list_can_be_switched_off_and_needs_no_fields() {
    let mut home = WithPhone::new(&[], "Maps").await;
    home.service.restart_with(&["devices.show=false"]).await;
    assert_eq!(listed(&home.service).await, [] as [Value; 0]);
    assert_eq!(shown(&home.service).await, "Maps");
    let fields = ["devices.show=true", "heartbeat.fields=false"];
    home.service.restart_with(&fields).await;
    let service = &home.service;
    home.beats("Maps").await;
    let beaten = service.heartbeat_by(&home.token, &phone("Camera")).await;
    assert_eq!(
        answer(beaten).await,
        (200, json!({ "message": "Heartbeat received" }))
    );
    let devices = listed(service).await;
    assert_eq!(devices[0]["online"], true);
    assert_eq!(devices[0]["application"], "");
    let check = service.json("/check").await;
    assert_eq!(check.as_object().expect("an object").len(), 2, "{check}");
}
