//! What readers of the snapshot see while the tray app runs.

use std::time::{Duration, Instant};

use porchlight_test_harness::s3::{ObjectStore, StoreMode};
use porchlight_test_harness::steam::FakeSteam;
use porchlight_test_harness::{TIMEOUT, eventually};

use crate::app::host::Host;
use crate::presence::computer::Pause;
use crate::settings::sections::StorageKind;
use crate::status::window::alerts::AlertKind;
use crate::testing::{host_with, stored};

const CHECK: &str = "porchlight/check.json";
const ORIGIN: &str = "porchlight/origin.json";

async fn start(folder: &std::path::Path, store: &ObjectStore) -> Host {
    let mut settings = store.settings();
    let more = [
        "publish.enabled=true",
        "presence.enabled=true",
        // The desktop that the tests run on may have had no input for long.
        "presence.idle_seconds=86400",
        "edge.secret=a-key-of-this-test-and-of-no-other",
    ];
    settings.extend(more.map(str::to_owned));
    host_with(folder, settings).await
}

async fn becomes(store: &ObjectStore, state: &str) {
    eventually(state, async || {
        (store.json(CHECK)["state"] == state).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_pause_has_taken_effect_when_the_snapshot_shows_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let store = ObjectStore::start().await;
    let host = start(home.path(), &store).await;
    becomes(&store, "online").await;
    // Writing the owner's choice may take longer than publishing it.
    store.is(StoreMode::Waits);
    host.consent()
        .pause(Pause::UntilResumed)
        .await
        .expect("a pause");
    assert!(host.consent().is_settling());
    store.is(StoreMode::Well);
    eventually("a pause", async || {
        (!host.consent().is_settling()).then_some(())
    })
    .await;
    let check = store.json(CHECK);
    assert_eq!(check["state"], "away");
    assert_eq!(check["applicationOnline"], false);
    for key in ["application", "introduce", "rgba"] {
        assert_eq!(check[key], "", "{key}");
    }
    assert_eq!(store.json("porchlight/game_status.json")["status"], "在线");
    // What was written for an earlier pause does not count for this one.
    host.consent().resume().await.expect("no pause");
    host.consent()
        .pause(Pause::UntilResumed)
        .await
        .expect("a pause");
    eventually("the second pause", async || {
        (!host.consent().is_settling()).then_some(())
    })
    .await;
    assert_eq!(store.json(CHECK)["state"], "away");
    host.stop().await;
    assert_eq!(store.json(CHECK)["state"], "offline");

    // It outlives the run.
    let host = start(home.path(), &store).await;
    eventually("the pause", async || {
        (store.json(CHECK)["state"] == "away").then_some(())
    })
    .await;
    host.consent().resume().await.expect("no pause");
    becomes(&store, "online").await;
    eventually("the end of the pause", async || {
        (!host.consent().is_settling()).then_some(())
    })
    .await;
    host.stop().await;
}

/// The store has lost a request, and its connection hangs.
#[tokio::test]
async fn a_write_that_hangs_does_not_hold_up_a_pause() {
    let home = tempfile::tempdir().expect("a folder");
    let store = ObjectStore::start().await;
    let host = start(home.path(), &store).await;
    for lost in ["porchlight/images/", CHECK] {
        becomes(&store, "online").await;
        let (before, _) = store.written(lost);
        store.is(StoreMode::LosesBelow(lost));
        stored(&host).await;
        if lost == CHECK {
            host.consent()
                .pause(Pause::UntilResumed)
                .await
                .expect("a pause");
        }
        eventually("a write that hangs", async || {
            (store.written(lost).0 > before).then_some(())
        })
        .await;
        let hung = Instant::now();
        if lost == CHECK {
            store.is(StoreMode::Well);
        } else {
            host.consent()
                .pause(Pause::UntilResumed)
                .await
                .expect("a pause");
        }
        becomes(&store, "away").await;
        let took = hung.elapsed();
        assert!(took < Duration::from_secs(5), "{lost}: {took:?}");
        store.is(StoreMode::Well);
        host.consent().resume().await.expect("no pause");
    }
    host.stop().await;
}

#[tokio::test]
async fn a_game_that_is_hidden_is_gone_from_the_snapshot_at_once() {
    let home = tempfile::tempdir().expect("a folder");
    let store = ObjectStore::start().await;
    let steam = FakeSteam::playing().await;
    let more = ["publish.enabled=true", "presence.enabled=true"].map(str::to_owned);
    let settings = [store.settings(), steam.settings(), more.to_vec()].concat();
    let host = host_with(home.path(), settings).await;
    let shows = async |game: &str| {
        eventually(game, async || {
            let shown = store.json("porchlight/game_status.json");
            (shown["game"].as_str().unwrap_or_default() == game).then_some(())
        })
        .await;
    };
    shows("Portal 2").await;
    let hide = "[{ program = '/^Portal/', hide = true }]";
    let rules = [("presence.rules", Some(hide.parse().expect("rules")))];
    host.store().update(&rules).await.expect("a rule");
    // Not with the next look at the game, a minute later.
    let hidden = tokio::time::timeout(TIMEOUT / 2, shows("")).await;
    hidden.expect("it is hidden at once");
    host.stop().await;
}

#[tokio::test]
async fn images_that_the_worker_cannot_send_are_an_alert_until_they_are_moved() {
    let home = tempfile::tempdir().expect("a folder");
    let before = host_with(home.path(), Vec::new()).await;
    stored(&before).await;
    before.stop().await;
    let store = ObjectStore::start().await;
    let host = start(home.path(), &store).await;
    let alert = || {
        let alerts = host.alerts().into_iter();
        alerts
            .filter(|alert| alert.what == AlertKind::ImagesOnDisk { count: 1 })
            .count()
    };
    eventually("an alert", async || (alert() == 1).then_some(())).await;
    let images = host.service().images();
    let moved = images.move_to(StorageKind::S3, &|_, _| Ok(())).await;
    assert_eq!(moved.expect("a move").moved, 1);
    eventually("no alert", async || (alert() == 0).then_some(())).await;
    host.stop().await;
}

#[tokio::test]
async fn the_origin_of_the_tunnel_is_published_unless_it_is_plain_http() {
    let home = tempfile::tempdir().expect("a folder");
    let store = ObjectStore::start().await;
    let host = start(home.path(), &store).await;
    becomes(&store, "online").await;
    assert_eq!(store.content(ORIGIN), None);
    let tunnel = host.address().tunnel_url().clone();
    let mut known = None;
    for url in [Some("https://t.example"), None, Some("https://u.example")] {
        tunnel.set(url.map(|url| url.parse().expect("an address")));
        known = eventually("another origin", async || {
            let now = store.content(ORIGIN);
            (now.is_some() && now != known).then_some(now)
        })
        .await;
    }
    let plain = |host: &Host| {
        let alerts = host.alerts();
        alerts
            .iter()
            .any(|alert| alert.what == AlertKind::PlainTunnel)
    };
    assert!(!plain(&host));
    tunnel.set(Some("http://t.example".parse().expect("an address")));
    eventually("an alert", async || plain(&host).then_some(())).await;
    // There is nothing to withdraw, and nothing to wait for.
    let publishing = host.service().publishing().expect("it publishes").clone();
    let slept = tokio::time::timeout(TIMEOUT, publishing.sleep()).await;
    slept.expect("it is written");
    host.stop().await;
}
