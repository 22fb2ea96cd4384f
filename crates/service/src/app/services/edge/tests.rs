//! What readers of the Worker see while the tray app runs.

use std::time::{Duration, Instant};

use porchlight_test_harness::front::{Day, Front};
use porchlight_test_harness::steam::FakeSteam;
use porchlight_test_harness::workerd::{SECRET, Worker};
use porchlight_test_harness::{TIMEOUT, eventually};

use crate::app::host::Host;
use crate::presence::computer::Pause;
use crate::settings::sections::StorageKind;
use crate::status::window::alerts::AlertKind;
use crate::testing::{host_with, stored};

async fn start(folder: &std::path::Path, url: &str, more: &[String]) -> Host {
    let settings = [
        format!("edge.url={url}"),
        format!("edge.secret={SECRET}"),
        "presence.enabled=true".to_owned(),
        // The desktop that the tests run on may have had no input for long.
        "presence.idle_seconds=86400".to_owned(),
    ];
    host_with(folder, [&settings, more].concat()).await
}

async fn becomes(worker: &Worker, alive: bool) {
    eventually("presence", async || {
        (worker.json("/check").await["alive"] == alive).then_some(())
    })
    .await;
}

async fn settles(host: &Host) {
    eventually("it is settled", async || {
        (!host.consent().is_settling()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_pause_has_taken_effect_when_the_worker_shows_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let worker = Worker::with_store().await;
    let front = Front::of(&worker.url()).await;
    let host = start(home.path(), &front.url(), &[]).await;
    becomes(&worker, true).await;
    front.is(Day::Lost);
    let paused = host.consent().pause(Pause::UntilResumed).await;
    paused.expect("a pause");
    assert!(host.consent().is_settling());
    front.is(Day::Young);
    for _ in 0..2 {
        settles(&host).await;
        let check = worker.json("/check").await;
        assert_eq!(check["alive"], false);
        assert_eq!(check["applicationOnline"], false);
        for key in ["application", "introduce", "rgba"] {
            assert_eq!(check[key], "", "{key}");
        }
        assert_eq!(worker.json("/game_status").await["status"], "在线");
        // What was sent for an earlier pause does not count for this one.
        host.consent().resume().await.expect("no pause");
        let paused = host.consent().pause(Pause::UntilResumed).await;
        paused.expect("a pause");
    }
    settles(&host).await;
    host.stop().await;

    // It outlives the run.
    let host = start(home.path(), &front.url(), &[]).await;
    settles(&host).await;
    becomes(&worker, false).await;
    host.consent().resume().await.expect("no pause");
    becomes(&worker, true).await;
    settles(&host).await;
    host.stop().await;
    becomes(&worker, false).await;
}

/// The Worker has lost a request, and its connection hangs.
#[tokio::test]
async fn a_call_that_hangs_does_not_hold_up_a_pause() {
    let home = tempfile::tempdir().expect("a folder");
    let worker = Worker::with_store().await;
    let front = Front::of(&worker.url()).await;
    let host = start(home.path(), &front.url(), &[]).await;
    becomes(&worker, true).await;
    front.is(Day::Lost);
    stored(&host).await;
    eventually("a call that hangs", async || {
        (front.refused() > 0).then_some(())
    })
    .await;
    front.is(Day::Young);
    let hung = Instant::now();
    let paused = host.consent().pause(Pause::UntilResumed).await;
    paused.expect("a pause");
    becomes(&worker, false).await;
    let took = hung.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    host.stop().await;
}

#[tokio::test]
async fn a_game_that_is_hidden_is_gone_from_the_worker_at_once() {
    let home = tempfile::tempdir().expect("a folder");
    let worker = Worker::with_store().await;
    let steam = FakeSteam::playing().await;
    let host = start(home.path(), &worker.url(), &steam.settings()).await;
    let shows = async |game: &str| {
        eventually(game, async || {
            let shown = worker.json("/game_status").await;
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
    let worker = Worker::with_store().await;
    let host = start(home.path(), &worker.url(), &[]).await;
    let alert = || {
        let alerts = host.alerts().into_iter();
        alerts
            .filter(|alert| alert.what == AlertKind::ImagesOnDisk { count: 1 })
            .count()
    };
    eventually("an alert", async || (alert() == 1).then_some(())).await;
    let images = host.service().images();
    let moved = images.move_to(StorageKind::Edge, &|_, _| Ok(())).await;
    assert_eq!(moved.expect("a move").moved, 1);
    eventually("no alert", async || (alert() == 0).then_some(())).await;
    host.stop().await;
}

#[tokio::test]
async fn a_tunnel_of_plain_http_is_an_alert() {
    let home = tempfile::tempdir().expect("a folder");
    let worker = Worker::with_store().await;
    let host = start(home.path(), &worker.url(), &[]).await;
    let tunnel = host.address().tunnel_url().clone();
    let plain = || {
        let mut alerts = host.alerts().into_iter();
        alerts.any(|alert| alert.what == AlertKind::PlainTunnel)
    };
    for (url, is_plain) in [("https://t.example", false), ("http://t.example", true)] {
        tunnel.set(Some(url.parse().expect("an address")));
        eventually(url, async || (plain() == is_plain).then_some(())).await;
    }
    // There is nothing to withdraw, and nothing to wait for.
    let edge = host.service().edge().expect("a Worker");
    let slept = tokio::time::timeout(TIMEOUT, edge.sleep()).await;
    slept.expect("the Worker knows");
    host.stop().await;
}
