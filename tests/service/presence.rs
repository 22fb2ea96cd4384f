//! The heartbeat and what `/check` makes of it: how long the owner counts as
//! there, and what outlives the process.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{TestService, answer, eventually, pictures};

fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    i64::try_from(since.as_secs()).expect("before the end of time")
}

fn at_work() -> Value {
    json!({
        "application": "编辑器",
        "introduce": "Writing about lamps",
        "rgba": "12,34,56,0.5",
        "applicationOnline": true,
    })
}

#[tokio::test]
async fn before_the_first_heartbeat_all_fields_are_present_and_empty() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let no_heartbeat = json!({
        "alive": false, "last_heartbeat": 0, "application": "", "introduce": "", "rgba": "",
        "applicationOnline": false,
    });
    assert_eq!(service.json("/check").await, no_heartbeat);

    let service = TestService::start(&["heartbeat.fields=false"]).await;
    assert_eq!(
        service.json("/check").await,
        json!({ "alive": false, "last_heartbeat": 0 })
    );
}

#[tokio::test]
async fn a_heartbeat_is_echoed_and_then_shown() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let before = now();
    let (status, echo) = answer(service.heartbeat(&at_work()).await).await;
    let mut expected = at_work();
    expected["message"] = json!("Heartbeat received");
    assert_eq!((status, echo), (200, expected));

    let check = service.json("/check").await;
    let last = check["last_heartbeat"].as_i64().expect("whole seconds");
    assert!((before..=now()).contains(&last), "{last}");
    let mut expected = at_work();
    expected["alive"] = json!(true);
    expected["last_heartbeat"] = json!(last);
    assert_eq!(check, expected);
}

#[tokio::test]
async fn behaviour_a_has_no_fields_and_ignores_those_that_come() {
    let service = TestService::start(&["behaviour=A"]).await;
    let before = json!({ "alive": false, "last_heartbeat": 0 });
    assert_eq!(service.json("/check").await, before);
    let nonsense = json!({ "application": 7, "rgba": "no colour", "applicationOnline": "maybe" });
    for fields in [at_work(), nonsense] {
        let (status, body) = answer(service.heartbeat(&fields).await).await;
        assert_eq!(
            (status, body),
            (200, json!({ "message": "Heartbeat received" }))
        );
    }
    let bare = service
        .request(Method::POST, "/heartbeat")
        .bearer_auth(&service.heartbeat_token)
        .send()
        .await
        .expect("an answer");
    assert_eq!(
        answer(bare).await,
        (200, json!({ "message": "Heartbeat received" }))
    );

    let check = service.json("/check").await;
    assert_eq!(check["alive"], true);
    assert!(check["last_heartbeat"].as_i64().expect("whole seconds") > 0);
    assert_eq!(check.as_object().expect("an object").len(), 2);
}

#[tokio::test]
async fn after_alive_seconds_the_owner_is_offline_and_the_last_fields_stay() {
    let service = TestService::start(&["heartbeat.alive_seconds=1"]).await;
    service.heartbeat(&at_work()).await;
    let last = service.json("/check").await["last_heartbeat"].clone();
    let check = eventually("the owner goes offline", async || {
        let check = service.json("/check").await;
        (check["alive"] == false).then_some(check)
    })
    .await;
    assert!(now() > last.as_i64().expect("whole seconds"), "too early");
    let mut expected = at_work();
    expected["alive"] = json!(false);
    expected["applicationOnline"] = json!(false);
    expected["last_heartbeat"] = last;
    assert_eq!(check, expected);

    service.heartbeat(&at_work()).await;
    let check = service.json("/check").await;
    assert_eq!(
        (&check["alive"], &check["applicationOnline"]),
        (&json!(true), &json!(true))
    );
}

#[tokio::test]
async fn a_goodbye_is_alive_and_not_online() {
    let service = TestService::start(&[]).await;
    service.heartbeat(&at_work()).await;
    let goodbye = json!({ "application": "编辑器", "applicationOnline": false });
    let (status, _) = answer(service.heartbeat(&goodbye).await).await;
    assert_eq!(status, 200);
    let check = service.json("/check").await;
    assert_eq!(
        (&check["alive"], &check["applicationOnline"]),
        (&json!(true), &json!(false))
    );
}

#[tokio::test]
async fn the_record_survives_an_orderly_restart() {
    let mut service = TestService::start(&[]).await;
    service.heartbeat(&at_work()).await;
    let before = service.json("/check").await;
    assert!(service.stop().await.success());
    service.restart().await;
    assert_eq!(service.json("/check").await, before);
}

#[tokio::test]
async fn the_record_survives_being_killed() {
    let mut service = TestService::start(&[]).await;
    service.heartbeat(&at_work()).await;
    let before = service.json("/check").await;
    service.kill().await;
    service.restart().await;
    assert_eq!(service.json("/check").await, before);
}

#[tokio::test]
async fn the_record_survives_a_change_of_behaviour() {
    let mut service = TestService::start(&["heartbeat.fields=true"]).await;
    service.heartbeat(&at_work()).await;
    let before = service.json("/check").await;
    service.restart_with(&["heartbeat.fields=false"]).await;
    let check = service.json("/check").await;
    let expected = json!({ "alive": true, "last_heartbeat": before["last_heartbeat"] });
    assert_eq!(check, expected);
    service.restart_with(&["heartbeat.fields=true"]).await;
    assert_eq!(service.json("/check").await, before);
}

#[tokio::test]
async fn the_owner_stays_online_while_images_are_converted() {
    let service = TestService::start(&[]).await;
    service.heartbeat(&at_work()).await;
    let large = pictures::jpeg(&pictures::scene(pictures::next_seed(), 3000, 2000));
    let upload = service.upload(large);
    let checks = async {
        for _ in 0..20 {
            assert_eq!(service.json("/check").await["alive"], true);
        }
    };
    let (stored, ()) = tokio::join!(upload, checks);
    assert_eq!(stored.status(), 201);
}
