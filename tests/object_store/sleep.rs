//! The snapshot before and after the machine sleeps, as logind announces it.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::bus::Login;
use crate::harness::desktop::Desktop;
use crate::harness::{TestService, eventually, pictures};
use crate::s3::{ObjectStore, StoreMode};

/// How long Porchlight holds up sleep at most.
const HOLD_UP: Duration = Duration::from_secs(4);

/// A service that knows logind and publishes.
async fn publishing(desktop: &Desktop, store: &ObjectStore) -> TestService {
    TestService::builder()
        .sets(&store.settings())
        .set("publish.enabled=true")
        .env("DBUS_SYSTEM_BUS_ADDRESS", desktop.bus())
        .start()
        .await
}

async fn becomes(store: &ObjectStore, state: &str) {
    eventually(state, async || {
        let check = store.json("porchlight/check.json");
        (check["state"] == state).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_snapshot_is_offline_and_names_no_app_while_the_machine_sleeps() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let login = Login::start(&desktop).await;
    let store = ObjectStore::start().await;
    let service = publishing(&desktop, &store).await;
    let fields = json!({ "application": "Editor", "applicationOnline": true });
    service.heartbeat(&fields).await;
    becomes(&store, "online").await;
    for sleeps in 1..=2 {
        login.is_held_up(sleeps).await;
        login.sleeps(true).await;
        becomes(&store, "offline").await;
        let shown = store.content("porchlight/check.json").expect("an object");
        assert!(!String::from_utf8_lossy(&shown).contains("Editor"));
        // The interface's own answer keeps its last values.
        let check = service.json("/check").await;
        assert_eq!(check["alive"], true);
        assert_eq!(check["application"], "Editor");
        login.sleeps(false).await;
        becomes(&store, "online").await;
    }
}

/// The store has lost a request, and its connection hangs.
#[tokio::test]
async fn a_hanging_write_does_not_delay_the_snapshot_of_sleep() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let login = Login::start(&desktop).await;
    let store = ObjectStore::start().await;
    let service = publishing(&desktop, &store).await;
    let heartbeat = async |online: bool| {
        let fields = json!({ "application": "Editor", "applicationOnline": online });
        assert_eq!(service.heartbeat(&fields).await.status(), 200);
    };
    for (sleeps, lost) in (1..).zip(["porchlight/images/", "porchlight/check.json"]) {
        heartbeat(true).await;
        becomes(&store, "online").await;
        login.is_held_up(sleeps).await;
        let (before, _) = store.written(lost);
        store.is(StoreMode::LosesBelow(lost));
        service.stored(pictures::photo()).await;
        heartbeat(false).await;
        eventually("a write that hangs", async || {
            (store.written(lost).0 > before).then_some(())
        })
        .await;
        if lost != "porchlight/images/" {
            store.is(StoreMode::Well);
        }
        let announced = Instant::now();
        login.sleeps(true).await;
        becomes(&store, "offline").await;
        let took = announced.elapsed();
        assert!(took < HOLD_UP, "{lost}: {took:?}");
        store.is(StoreMode::Well);
        login.sleeps(false).await;
    }
}
