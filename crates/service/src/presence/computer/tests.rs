//! Presence against a tiny HTTP server, on a machine without sensors: overrides
//! are still sent.

use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::*;
use crate::http::client::Client;
use crate::http::replies::HeartbeatFields;
use crate::text::rgba::Rgba;

const LIMIT: Duration = Duration::from_secs(20);

/// A service that accepts every heartbeat, and returns their content.
async fn service() -> (String, mpsc::UnboundedReceiver<HeartbeatFields>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (received, taken) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = Vec::new();
            let fields: HeartbeatFields = loop {
                let mut part = [0; 4096];
                let length = stream.read(&mut part).await.expect("to read");
                read.extend_from_slice(&part[..length]);
                let text = String::from_utf8_lossy(&read);
                let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
                if let Some(fields) = body.and_then(|body| serde_json::from_str(body).ok()) {
                    break fields;
                }
            };
            let mut body = serde_json::to_value(&fields).expect("fields");
            body["message"] = "Heartbeat received".into();
            let body = body.to_string();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).await.expect("to write");
            if received.send(fields).is_err() {
                return;
            }
        }
    });
    (format!("http://{address}"), taken)
}

fn orders(base: &str, enabled: bool) -> PresenceOrders {
    let settings = PresenceSettings {
        interval_seconds: 3_600,
        ..PresenceSettings::default()
    };
    let target = Client::new(base, "a-token".to_owned().into(), LIMIT).expect("a client");
    PresenceOrders {
        enabled,
        settings,
        own: HeartbeatTarget::Other(target),
        other: None,
    }
}

fn status() -> FixedStatus {
    FixedStatus {
        application: "Away by bike".to_owned(),
        introduce: "Back at noon".to_owned(),
        rgba: Rgba::opaque(1, 2, 3),
        until: None,
    }
}

async fn next(taken: &mut mpsc::UnboundedReceiver<HeartbeatFields>) -> HeartbeatFields {
    let next = tokio::time::timeout(LIMIT, taken.recv()).await;
    next.expect("a heartbeat in time").expect("a heartbeat")
}

/// Waits until nothing is shown. That there was no input on this desktop may be sent before.
async fn withdrawn(taken: &mut mpsc::UnboundedReceiver<HeartbeatFields>) {
    while next(taken).await != HeartbeatFields::default() {}
}

async fn until(presence: &Presence, wanted: impl FnMut(&PresenceState) -> bool) -> PresenceState {
    let mut state = presence.state();
    let came = tokio::time::timeout(LIMIT, state.wait_for(wanted)).await;
    came.expect("in time").expect("it goes on")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[tokio::test]
async fn the_preview_equals_the_next_heartbeat() {
    let (base, mut taken) = service().await;
    let folder = folder();
    let presence = Presence::start(folder.path(), orders(&base, false));
    presence.fix(Some(status())).await.expect("a status");
    assert_eq!(presence.preview(), None);
    presence.follow(orders(&base, true));
    let heartbeat = next(&mut taken).await;
    let state = until(&presence, |state| state.preview.is_some()).await;
    assert_eq!(state.preview, Some(heartbeat.clone()));
    assert_eq!(heartbeat.application, "Away by bike");
    assert_eq!(heartbeat.rgba.as_str(), "1,2,3,1");
    presence.stop().await;
}

#[tokio::test]
async fn without_consent_nothing_is_sent_and_no_sensor_runs() {
    let (base, mut taken) = service().await;
    let folder = folder();
    let presence = Presence::start(folder.path(), orders(&base, false));
    let state = until(&presence, |state| !state.enabled).await;
    assert_eq!(
        (state.preview, state.unavailable),
        (None, Unavailable::default())
    );
    presence.stop().await;
    assert!(taken.try_recv().is_err());
}

#[tokio::test]
async fn a_pause_withdraws_presence_and_survives_a_restart() {
    let (base, mut taken) = service().await;
    let folder = folder();
    let presence = Presence::start(folder.path(), orders(&base, true));
    presence.fix(Some(status())).await.expect("a status");
    while next(&mut taken).await.application != "Away by bike" {}
    presence.pause(Pause::UntilResumed).await.expect("a pause");
    assert!(presence.paused().is_some());
    withdrawn(&mut taken).await;
    let state = until(&presence, |state| state.pause.is_some()).await;
    assert_eq!(state.preview, None);
    presence.stop().await;

    let again = Presence::start(folder.path(), orders(&base, true));
    assert!(again.paused().is_some());
    assert_eq!(again.state().get().fixed, Some(status()));
    again.resume().await.expect("no pause");
    assert_eq!(next(&mut taken).await.application, "Away by bike");
    assert!(
        taken.try_recv().is_err(),
        "nothing was sent during the pause"
    );
    again.stop().await;
}

#[tokio::test]
async fn a_pause_that_is_over_ends_by_itself() {
    let (base, mut taken) = service().await;
    let folder = folder();
    let soon = End::after(Duration::from_millis(700));
    let paused = Overrides {
        pause: Some(Paused { until: Some(soon) }),
        fixed: Some(status()),
        ..Overrides::default()
    };
    let kept = OverridesFile::in_folder(folder.path());
    kept.write(&paused).await.expect("written");
    let presence = Presence::start(folder.path(), orders(&base, true));
    assert!(presence.paused().is_some());
    // Tests of sleep beside this one put its sensors to sleep, too.
    while next(&mut taken).await.application != "Away by bike" {}
    assert!(soon.is_over());
    assert_eq!(presence.paused(), None);
    presence.stop().await;
    assert_eq!(
        OverridesFile::in_folder(folder.path()).read().pause,
        None,
        "and the next run knows"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_left_of_a_pause_is_stored_each_minute() {
    let folder = folder();
    let kept = OverridesFile::in_folder(folder.path());
    let hour = Duration::from_secs(3_600);
    let paused = Overrides {
        pause: Some(Paused {
            until: Some(End::after(hour)),
        }),
        ..Overrides::default()
    };
    kept.write(&paused).await.expect("written");
    let presence = Presence::start(folder.path(), orders("http://127.0.0.1:9", false));
    for _ in 0..3 {
        std::fs::remove_file(folder.path().join("presence.json")).expect("it was written");
        tokio::time::sleep(Duration::from_secs(61)).await;
        let left = kept.read().left().expect("it was written");
        assert!(left < hour && left > hour / 2, "{left:?}");
    }
    presence.stop().await;
}

#[tokio::test]
async fn a_pause_that_cannot_be_written_is_an_error_and_in_force() {
    let (base, mut taken) = service().await;
    let folder = folder();
    // A folder is in the way.
    std::fs::create_dir(folder.path().join("presence.json")).expect("a folder");
    let presence = Presence::start(folder.path(), orders(&base, true));
    presence.resume().await.expect_err("not written");
    presence.fix(Some(status())).await.expect_err("not written");
    while next(&mut taken).await.application != "Away by bike" {}
    let why = presence.pause(Pause::UntilResumed).await;
    let why = why.expect_err("not written").to_string();
    assert!(why.contains("presence.json"), "{why}");
    assert!(presence.paused().is_some());
    withdrawn(&mut taken).await;
    presence.stop().await;
}

/// All threads for files are busy, as where a disk does not answer.
#[test]
fn a_pause_that_is_not_written_in_time_is_an_error_and_in_force_at_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let (answer, disk) = std::sync::mpsc::channel::<()>();
    let folder = folder();
    runtime.block_on(async {
        let (base, mut taken) = service().await;
        let presence = Presence::start(folder.path(), orders(&base, true));
        presence.fix(Some(status())).await.expect("a status");
        while next(&mut taken).await.application != "Away by bike" {}
        let stuck = tokio::task::spawn_blocking(move || disk.recv());
        let pause = presence.pause(Pause::UntilResumed);
        let shown = async {
            withdrawn(&mut taken).await;
            assert!(presence.paused().is_some());
        };
        let (written, ()) = tokio::time::timeout(LIMIT, async { tokio::join!(pause, shown) })
            .await
            .expect("no wait for the disk");
        let why = written.expect_err("not written yet").to_string();
        assert!(
            why.contains("presence.json") && why.contains("timed out"),
            "{why}"
        );
        // Another change takes its place, also on the disk.
        presence.fix(None).await.expect_err("not written yet");
        drop(answer);
        stuck.await.expect("no panic").expect_err("nothing is sent");
        let kept = OverridesFile::in_folder(folder.path());
        while kept.read() != presence.shared.overrides.get() {
            // While it is read, Windows does not replace it.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(kept.read().pause.is_some() && kept.read().fixed.is_none());
        presence.stop().await;
    });
}
