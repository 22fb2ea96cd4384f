//! Lanyard's protocol, message by message.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::socket::LanyardSocket;
use crate::harness::{TestService, answer, assert_error};
use crate::ten_answers;

fn at(application: &str) -> Value {
    json!({
        "application": application, "introduce": "Writing", "rgba": "1,2,3,1",
        "applicationOnline": true,
    })
}

async fn beat(service: &TestService, heartbeat: &Value) {
    let (status, body) = answer(service.heartbeat(heartbeat).await).await;
    assert_eq!(status, 200, "{body}");
}

/// A presence in Lanyard's form, without an app.
fn presence(status: &str) -> Value {
    json!({
        "discord_user": {
            "id": "1", "username": "porchlight", "global_name": null, "display_name": null,
            "avatar": null, "discriminator": "0", "public_flags": 0, "bot": false,
        },
        "discord_status": status,
        "active_on_discord_web": false, "active_on_discord_desktop": false,
        "active_on_discord_mobile": false, "active_on_discord_embedded": false,
        "active_on_discord_vr": false, "listening_to_spotify": false, "spotify": null,
        "activities": [],
        "kv": { "application": "", "introduce": "", "rgba": "", "device": "" },
    })
}

fn not_monitored() -> Value {
    json!({ "success": false, "error": {
        "code": "user_not_monitored", "message": "User is not being monitored by Lanyard",
    }})
}

#[tokio::test]
async fn a_request_is_answered_as_by_lanyard() {
    let service = TestService::start(&[]).await;
    let offline = json!({ "success": true, "data": presence("offline") });
    assert_eq!(service.json("/v1/users/1").await, offline);

    let before = porchlight_service::clock::timestamp::Timestamp::now().as_millis();
    beat(&service, &at("Editor")).await;
    let response = service.get("/v1/users/1").await;
    let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(header("access-control-allow-origin"), "*");
    assert_eq!(header("cache-control"), "no-store");
    let (_, body) = answer(response).await;
    let start = &body["data"]["activities"][0]["created_at"];
    let now = porchlight_service::clock::timestamp::Timestamp::now().as_millis();
    let start = start.as_i64().expect("a time");
    assert!((before..=now).contains(&start), "{start}");
    let mut online = presence("online");
    online["active_on_discord_desktop"] = true.into();
    online["activities"] = json!([{
        "type": 0, "id": "application", "name": "Editor", "details": "Writing",
        "created_at": start, "timestamps": { "start": start },
    }]);
    online["kv"] = json!({
        "application": "Editor", "introduce": "Writing", "rgba": "1,2,3,1",
        "device": "this-computer",
    });
    assert_eq!(body, json!({ "success": true, "data": online }));

    beat(&service, &json!({ "applicationOnline": false })).await;
    let mut away = presence("idle");
    away["kv"]["device"] = "this-computer".into();
    assert_eq!(service.json("/v1/users/1").await["data"], away);

    for id in ["2", "01", "1%20", "a", "%ff"] {
        let unknown = answer(service.get(&format!("/v1/users/{id}")).await).await;
        assert_eq!(unknown, (404, not_monitored()), "{id}");
    }
    let posted = service.request(Method::POST, "/v1/users/1").send().await;
    assert_error(posted.expect("an answer"), 405, "Method not allowed").await;
    assert_error(service.get("/socket").await, 400, "WebSocket required").await;
}

#[tokio::test]
async fn the_id_is_the_owners_and_off_is_off() {
    let id = "94490510688792576";
    let service = TestService::start(&[&format!("lanyard.id={id}")]).await;
    let body = service.json(&format!("/v1/users/{id}")).await;
    assert_eq!(body["data"]["discord_user"]["id"], id);
    assert_eq!(service.get("/v1/users/1").await.status(), 404);
    let (_socket, init) = LanyardSocket::subscribed(service.address(), id).await;
    assert_eq!(init["discord_user"]["id"], id);

    let service = TestService::start(&["lanyard.enabled=false"]).await;
    for path in ["/v1/users/1", "/socket"] {
        assert_error(service.get(path).await, 404, "Resource not found").await;
    }
    let began = Instant::now();
    let refused = LanyardSocket::open(service.address()).await;
    assert_eq!(refused.err(), Some(404));
    assert!(
        began.elapsed() >= Duration::from_secs(20),
        "it would try again at once"
    );
    let ended = TestService::builder().set("lanyard.id=me").refused().await;
    assert!(ended.stderr.contains("up to 20 digits"), "{ended:?}");
}

#[tokio::test]
async fn a_phone_is_mobile_and_no_device_is_named_that_is_not_listed() {
    let service = TestService::start(&[]).await;
    let token = service.device(&["Pixel 8", "--kind", "phone"]).await;
    let phone = json!({ "application": "Maps", "applicationOnline": true });
    assert_eq!(service.heartbeat_by(&token, &phone).await.status(), 200);
    let (mut socket, init) = LanyardSocket::subscribed(service.address(), "1").await;
    assert_eq!(init, presence("offline"), "it waits");
    let allowed = service.run(&["device", "allow", "pixel-8"]).await;
    assert!(allowed.status.success(), "{allowed:?}");
    let update = socket.update().await;
    assert_eq!(update["discord_status"], "online");
    assert_eq!(update["active_on_discord_mobile"], true);
    assert_eq!(update["active_on_discord_desktop"], false);
    assert_eq!(update["kv"]["device"], "pixel-8");
    assert_eq!(update["activities"][0]["name"], "Maps");

    let service = TestService::start(&["devices.show=false"]).await;
    beat(&service, &at("Editor")).await;
    let data = service.json("/v1/users/1").await["data"].take();
    assert_eq!(data["kv"]["device"], "");
}

#[tokio::test]
async fn an_open_socket_shows_nothing_of_a_device_that_waits_is_hidden_or_forgotten() {
    let service = TestService::start(&[]).await;
    let (mut socket, _) = LanyardSocket::subscribed(service.address(), "1").await;
    let token = service.device(&["Pixel 8"]).await;
    let phone = async |token: &str, application: &str| {
        let report = json!({ "application": application, "applicationOnline": true });
        let beaten = service.heartbeat_by(token, &report).await;
        assert_eq!(beaten.status(), 200);
    };
    let decide = async |what: &str| {
        let decided = service.run(&["device", what, "pixel-8"]).await;
        assert!(decided.status.success(), "{decided:?}");
    };
    phone(&token, "Waiting").await;
    decide("allow").await;
    let shown = socket.update().await;
    assert_eq!(
        shown["kv"]["application"], "Waiting",
        "the first that is sent"
    );
    decide("hide").await;
    assert_eq!(socket.update().await, presence("offline"));
    phone(&token, "Hidden").await;
    decide("forget").await;
    let token = service.device(&["Pixel 8"]).await;
    phone(&token, "Another").await;
    decide("allow").await;
    let shown = socket.update().await;
    assert_eq!(
        shown["kv"]["application"], "Another",
        "the next that is sent"
    );
}

#[tokio::test]
async fn subscriptions_are_answered_and_followed_as_by_lanyard() {
    let service = TestService::start(&[]).await;
    beat(&service, &at("First")).await;
    let address = service.address();
    let first = service.json("/v1/users/1").await["data"].take();
    let map = json!({ "1": first });
    for (subscribe, expected) in [
        (json!({ "subscribe_to_id": "1" }), &first),
        (json!({ "subscribe_to_id": "2" }), &json!({})),
        (json!({ "subscribe_to_id": 1 }), &json!({})),
        (json!({ "subscribe_to_ids": ["2", "1"] }), &map),
        (json!({ "subscribe_to_ids": ["2", 1] }), &json!({})),
        (json!({ "subscribe_to_ids": [] }), &json!({})),
        (json!({ "subscribe_to_all": true }), &map),
    ] {
        // Some clients do not wait for the first message.
        let mut socket = LanyardSocket::open(address).await.expect("a place");
        let message = json!({ "op": 2, "d": subscribe });
        socket.send(&message.to_string()).await;
        let hello = json!({ "op": 1, "d": { "heartbeat_interval": 30000 } });
        assert_eq!(socket.next().await, hello);
        let init = json!({ "op": 0, "t": "INIT_STATE", "d": expected });
        assert_eq!(socket.next().await, init, "{subscribe}");
    }

    let (mut followed, _) = LanyardSocket::subscribed(address, "1").await;
    let (mut nobody, _) = LanyardSocket::subscribed(address, "2").await;
    let (mut left, _) = LanyardSocket::subscribed(address, "1").await;
    let (mut stays, _) = LanyardSocket::subscribed(address, "1").await;
    left.send(r#"{"op":4,"d":{"unsubscribe_from_ids":["1"]}}"#)
        .await;
    stays
        .send(r#"{"op":4,"d":{"unsubscribe_from_id":"2"}}"#)
        .await;
    // Answered when the message before has been read.
    for socket in [&mut left, &mut stays] {
        socket.send(r#"{"op":2,"d":{"subscribe_to_id":"2"}}"#).await;
        assert_eq!(socket.next().await["d"], json!({}));
    }
    beat(&service, &at("Second")).await;
    let second = service.json("/v1/users/1").await["data"].take();
    assert_eq!(followed.update().await, second);
    assert_eq!(stays.update().await, second);
    for socket in [&mut nobody, &mut left] {
        socket.send(r#"{"op":2,"d":{"subscribe_to_id":"2"}}"#).await;
        assert_eq!(socket.next().await["d"], json!({}), "nothing came before");
    }
}

#[tokio::test]
async fn a_change_arrives_within_a_second_and_nothing_when_nothing_has_changed() {
    let service = TestService::start(&[]).await;
    beat(&service, &at("First")).await;
    let (mut socket, init) = LanyardSocket::subscribed(service.address(), "1").await;
    assert_eq!(init["activities"][0]["name"], "First");
    for round in 0..10 {
        // The first of these is as the one before.
        let before = if round == 0 {
            "First".to_owned()
        } else {
            format!("App {round}")
        };
        beat(&service, &at(&before)).await;
        let next = format!("App {}", round + 1);
        beat(&service, &at(&next)).await;
        let update = tokio::select! {
            biased;
            update = socket.update() => update,
            () = ten_answers(&service) => panic!("{next} is late"),
        };
        assert_eq!(update["activities"][0]["name"], next);
    }
}

#[tokio::test]
async fn wrong_messages_are_answered_with_lanyards_codes() {
    let service = TestService::start(&[]).await;
    let long = json!({ "op": 3, "d": "x".repeat(5_000) }).to_string();
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    for (message, code, reason) in [
        ("", 4006, "invalid_payload"),
        ("hello", 4006, "invalid_payload"),
        ("[]", 4006, "invalid_payload"),
        (&deep, 4006, "invalid_payload"),
        ("{}", 4004, "unknown_opcode"),
        (r#"{"op":0}"#, 4004, "unknown_opcode"),
        (r#"{"op":5}"#, 4004, "unknown_opcode"),
        (r#"{"op":"2"}"#, 4004, "unknown_opcode"),
        (r#"{"op":-2}"#, 4004, "unknown_opcode"),
        (r#"{"op":2}"#, 4005, "requires_data_object"),
        (r#"{"op":2,"d":{}}"#, 4005, "requires_data_object"),
        (r#"{"op":2,"d":[]}"#, 4005, "requires_data_object"),
        (r#"{"op":2,"d":{"subscribe":"1"}}"#, 4006, "invalid_payload"),
        (
            r#"{"op":2,"d":{"subscribe_to_ids":"1"}}"#,
            4006,
            "invalid_payload",
        ),
        (
            r#"{"op":2,"d":{"subscribe_to_all":false}}"#,
            4006,
            "invalid_payload",
        ),
        (&long, 1009, "message_too_large"),
    ] {
        let mut socket = LanyardSocket::open(service.address())
            .await
            .expect("a place");
        socket.next().await;
        socket.send(message).await;
        let expected = Some((code, reason.to_owned()));
        assert_eq!(socket.closed().await, expected, "{message}");
    }
    // A heartbeat alone, and an end to nothing, are no mistakes.
    let mut socket = LanyardSocket::open(service.address())
        .await
        .expect("a place");
    socket.next().await;
    for message in [r#"{"op":3}"#, r#"{"op":4}"#, r#"{"op":3,"d":7}"#] {
        socket.send(message).await;
    }
    socket.send(r#"{"op":2,"d":{"subscribe_to_id":"2"}}"#).await;
    assert_eq!(socket.next().await["t"], "INIT_STATE");
}

#[tokio::test]
async fn the_end_of_a_report_and_the_stop_of_the_service_are_sent() {
    let mut service = TestService::start(&["heartbeat.alive_seconds=2"]).await;
    beat(&service, &at("Editor")).await;
    let (mut socket, init) = LanyardSocket::subscribed(service.address(), "1").await;
    assert_eq!(init["discord_status"], "online");
    assert_eq!(socket.update().await, presence("offline"));
    beat(&service, &at("Editor")).await;
    assert_eq!(socket.update().await["discord_status"], "online");
    service.terminate();
    assert_eq!(socket.update().await, presence("offline"));
    assert_eq!(socket.closed().await, Some((1001, String::new())));
    service.stop().await;
}

#[tokio::test]
async fn a_killed_service_shows_offline_and_then_online_again() {
    let mut service = TestService::start(&["heartbeat.alive_seconds=2"]).await;
    beat(&service, &at("Editor")).await;
    let (mut socket, _) = LanyardSocket::subscribed(service.address(), "1").await;
    service.kill().await;
    assert_eq!(socket.closed().await, None);
    service.restart().await;
    let (mut socket, init) = LanyardSocket::subscribed(service.address(), "1").await;
    let seen = match init["discord_status"] == "online" {
        // The report before goes on.
        true => socket.update().await,
        false => init,
    };
    assert_eq!(seen, presence("offline"));
    beat(&service, &at("Editor")).await;
    assert_eq!(socket.update().await["discord_status"], "online");
}

#[tokio::test]
async fn a_silent_client_is_disconnected_after_a_minute() {
    let service = TestService::start(&[]).await;
    let (mut socket, _) = LanyardSocket::subscribed(service.address(), "1").await;
    let began = Instant::now();
    assert_eq!(socket.closed().await, Some((1000, String::new())));
    let took = began.elapsed().as_secs();
    assert!((58..=65).contains(&took), "{took} s");
}

#[tokio::test]
async fn a_message_in_parts_without_end_is_too_many() {
    let service = TestService::start(&[]).await;
    let (mut socket, _) = LanyardSocket::subscribed(service.address(), "1").await;
    // A text that goes on, and its empty parts.
    socket.send_bytes(&[0x01, 0x80, 0, 0, 0, 0]).await;
    let part = [0x00, 0x80, 0, 0, 0, 0];
    socket.send_bytes(&part.repeat(20_000)).await;
    let closed = socket.closed().await;
    assert_eq!(closed, Some((1008, "too_many_messages".to_owned())));
}

/// How many connections the process has.
#[cfg(target_os = "linux")]
fn connections(service: &TestService) -> usize {
    let folder = format!("/proc/{}/fd", service.pid());
    let handles = std::fs::read_dir(folder).expect("it runs").flatten();
    let targets = handles.filter_map(|handle| std::fs::read_link(handle.path()).ok());
    targets
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_slow_reader_is_cut_off_and_the_others_are_not() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let (mut reader, _) = LanyardSocket::subscribed(service.address(), "1").await;
    let reading =
        tokio::spawn(async move { while reader.update().await["kv"]["application"] != "end" {} });
    beat(&service, &at("Editor")).await;
    let before = connections(&service);
    let mut slow = LanyardSocket::with_little_room(service.address()).await;
    slow.send(r#"{"op":2,"d":{"subscribe_to_id":"1"}}"#).await;
    let mut number = 0;
    crate::harness::eventually("the slow reader is cut off", async || {
        number += 1;
        let mut long = at(&number.to_string());
        long["introduce"] = "喵".repeat(2_000).into();
        beat(&service, &long).await;
        (number > 1 && connections(&service) <= before).then_some(())
    })
    .await;
    beat(&service, &at("end")).await;
    reading.await.expect("the reader is served");
}

#[cfg(unix)]
#[tokio::test]
async fn the_socket_after_a_thousand_is_refused_late_and_check_is_answered_meanwhile() {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut handles = getrlimit(Resource::Nofile);
    handles.current = handles.maximum;
    setrlimit(Resource::Nofile, handles).expect("within the hard limit");
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let mut open = Vec::new();
    for _ in 0..1_000 {
        let (socket, _) = LanyardSocket::subscribed(service.address(), "1").await;
        open.push(socket);
    }
    let began = Instant::now();
    let refused = async {
        let refused = LanyardSocket::open(service.address()).await;
        (refused.err(), began.elapsed())
    };
    let ((refused, took), ()) = tokio::join!(refused, async {
        for _ in 0..20 {
            assert_eq!(service.get("/check").await.status(), 200);
        }
        beat(&service, &at("Editor")).await;
        for socket in &mut open {
            assert_eq!(socket.update().await["discord_status"], "online");
        }
    });
    assert_eq!(refused, Some(503));
    assert!(took >= Duration::from_secs(20), "{took:?}");
    drop(open);
    crate::harness::eventually("a place", async || {
        LanyardSocket::open(service.address()).await.ok()
    })
    .await;
}
