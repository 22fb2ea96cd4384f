//! What each kind of token may say, by every route that reports: the one of a device speaks for that
//! device alone.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::openapi::Operation;
use crate::harness::{RequestBuilder, TestService, answer};

const SETTINGS: [&str; 5] = [
    "devices.clients=true",
    "lanyard.enabled=true",
    "tools.lsky=true",
    "tools.chevereto=true",
    "limits.requests_per_second=0",
];

/// How the owner of a token that was found would name this computer.
const OTHERS: [&str; 3] = ["this-computer", "tablet", "made-up"];

/// Whether it records what is in use.
fn reports(operation: &Operation) -> bool {
    let is_of_client = operation.tag() == "Devices" && operation.method == "POST";
    operation.path == "/heartbeat" || is_of_client || operation.path.ends_with("/device/set")
}

/// A request that says in the words of all clients what is in use.
fn saying(
    service: &TestService,
    operation: &Operation,
    token: &str,
    device: Option<&str>,
    application: &str,
) -> RequestBuilder {
    let path = operation.path.replace("{about}", "profile");
    let path = path.replace("{id}", "1").replace("{key}", "none");
    let path = path.replace("{hash}", "none").replace("{sha256}", "none");
    let mut body = json!({
        "application": application, "introduce": "Hacked", "rgba": "1,2,3,1",
        "applicationOnline": true, "id": "this-computer", "status": application, "using": true,
        "app_id": application, "window_title": "Hacked", "secret": token, "key": token,
        "process": { "name": application, "description": "Hacked" },
    });
    if let Some(device) = device {
        body["device"] = json!(device);
    }
    let method: Method = operation.method.parse().expect("a method");
    let request = service.request(method, &path).bearer_auth(token);
    if operation.method == "POST" {
        return request.json(&body);
    }
    let texts = body.as_object().expect("an object").iter();
    let texts = texts.filter_map(|(name, value)| Some((name, value.as_str()?)));
    request.query(&texts.collect::<Vec<_>>())
}

/// What readers see: the app of `/check`, of this computer, and all answers as one text.
async fn seen(service: &TestService) -> (Value, Value, String) {
    let check = service.json("/check").await;
    let devices = service.json("/devices").await;
    let own = devices["devices"].as_array().expect("a list").iter();
    let own = own.filter(|device| device["id"] == "this-computer");
    let own: Vec<_> = own.map(|device| device["application"].clone()).collect();
    assert_eq!(own.len(), 1, "{devices}");
    let badge = service.json("/badge.json").await;
    let all = format!("{check} {devices} {badge}");
    (check["application"].clone(), own[0].clone(), all)
}

#[tokio::test]
async fn each_token_speaks_for_its_own_device_by_every_route() {
    let service = TestService::start(&SETTINGS).await;
    let bound = service.device(&["Phone", "--allow"]).await;
    service.device(&["Tablet", "--allow"]).await;
    let upload = service.token("upload").await;
    let stored = service.token("heartbeat").await;
    let own = [&service.heartbeat_token, &stored, &service.admin_token];
    let others = OTHERS.map(Some);
    let mut tried = 0;
    for operation in Operation::all().filter(reports) {
        let says = async |token: &str, device: Option<&str>| {
            let request = saying(&service, &operation, token, device, "Editor");
            let (status, body) = answer(request.send().await.expect("an answer")).await;
            (
                status,
                body["error"].as_str().unwrap_or_default().to_owned(),
            )
        };
        let (of_clients, named) = match operation.path {
            "/heartbeat" => (200, 403),
            _ => (403, 403),
        };
        tried += 1;
        let what = operation.path;
        for token in own {
            assert_eq!(says(token, None).await.0, of_clients, "{what}");
            for device in others.into_iter().chain([Some("phone")]) {
                assert_eq!(says(token, device).await.0, named, "{what}");
            }
        }
        assert_eq!(says(&upload, None).await.0, 403, "{what}");
        for device in [None, Some("phone")] {
            assert_eq!(says(&bound, device).await.0, 200, "{what}");
        }
        for device in others {
            // Clients of other programs have no such parameter.
            let (status, error) = says(&bound, device).await;
            match operation.path {
                "/heartbeat" => assert_eq!(error, "Forbidden"),
                _ => assert_eq!(status, 200, "{what}"),
            }
        }
    }
    assert!(tried >= 8, "{tried} routes");
}

#[tokio::test]
async fn the_token_of_a_device_is_never_shown_as_this_computer_nor_past_the_private_list() {
    let rule = "presence.rules=[{ program = 'Diary', hide = true }]";
    let settings = [&SETTINGS[..], &[rule, "presence.language=en"]].concat();
    let service = TestService::start(&settings).await;
    let token = service.device(&["Phone", "--allow"]).await;
    let own = json!({ "application": "Writer", "applicationOnline": true });
    assert_eq!(service.heartbeat(&own).await.status(), 200);
    for application in ["KeePassXC", "Diary", "Telegram"] {
        let is_private = application != "Telegram";
        for operation in Operation::all() {
            for device in OTHERS.map(Some).into_iter().chain([None, Some("phone")]) {
                let request = saying(&service, &operation, &token, device, application);
                request.send().await.expect("an answer");
            }
            let (check, own, all) = seen(&service).await;
            let what = format!("{} {}: {all}", operation.method, operation.path);
            assert_eq!(own, "Writer", "{what}");
            assert!(!all.contains("Hacked"), "{what}");
            assert!(!is_private || !all.contains(application), "{what}");
            assert!(
                ["Writer", "Telegram", ""].contains(&check.as_str().expect("text")),
                "{what}"
            );
            if reports(&operation) && !is_private {
                assert!(all.contains(application), "{what}");
            }
        }
    }
}
