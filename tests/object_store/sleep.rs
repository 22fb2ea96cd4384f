//! The snapshot before and after the machine sleeps, as logind announces it.

use serde_json::json;

use crate::harness::bus::Login;
use crate::harness::desktop::Desktop;
use crate::harness::{TestService, eventually};
use crate::s3::ObjectStore;

async fn becomes(store: &ObjectStore, state: &str) {
    eventually(state, async || {
        let check = store.json("porchlight/check.json");
        (check["state"] == state).then_some(())
    })
    .await;
}

#[tokio::test]
async fn nobody_is_there_while_the_machine_sleeps() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let login = Login::start(&desktop).await;
    let store = ObjectStore::start().await;
    let service = TestService::builder()
        .sets(&store.settings())
        .set("publish.enabled=true")
        .env("DBUS_SYSTEM_BUS_ADDRESS", desktop.bus())
        .start()
        .await;
    let fields = json!({ "application": "Editor", "applicationOnline": true });
    service.heartbeat(&fields).await;
    becomes(&store, "online").await;
    for sleeps in 1..=2 {
        login.is_held_up(sleeps).await;
        login.sleeps(true).await;
        becomes(&store, "offline").await;
        assert_eq!(service.json("/check").await["alive"], true);
        login.sleeps(false).await;
        becomes(&store, "online").await;
    }
}
