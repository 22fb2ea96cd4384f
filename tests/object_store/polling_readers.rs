//! Readers who poll a Worker that keeps the objects itself: none reaches the desktop, and how old
//! what they see is.
#![allow(clippy::print_stdout, reason = "what is measured is printed")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::TestService;
use crate::harness::stand_in::{Reply, StandIn};
use crate::harness::workerd::{Origin, Worker};

const PATHS: [&str; 3] = ["/game_status", "/images/count", "/images/list"];

/// Has so many readers ask for `/check` once a second for so long, and each time for one more path,
/// while presence changes about once a second.
async fn poll(readers: u32, time: Duration) {
    let desktop = StandIn::start(|_| Reply::html(500, "not a reader's business")).await;
    let worker = Worker::with_store_and(Origin::Fixed(desktop.url())).await;
    let service = TestService::builder()
        .set("storage.kind=edge")
        .sets(&worker.settings())
        .start()
        .await;
    // When each heartbeat was answered; its number is what readers see.
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let number = |check: &Value| check["introduce"].as_str()?.parse::<usize>().ok();
    let beat = async |count: usize| {
        let count = count.to_string();
        let fields = json!({ "application": "A", "introduce": count, "applicationOnline": true });
        assert_eq!(service.heartbeat(&fields).await.status(), 200);
        accepted.lock().expect("times").push(Instant::now());
    };
    beat(0).await;
    crate::harness::eventually("presence", async || {
        number(&worker.json("/check").await).map(drop)
    })
    .await;
    let calls_before = desktop.calls().len();
    let end = Instant::now() + time;
    let mut tasks = JoinSet::new();
    for reader in 0..readers {
        let begin = Duration::from_secs(1) * reader / readers;
        let requests = ["/check", PATHS[reader as usize % PATHS.len()]]
            .map(|path| worker.request(Method::GET, path));
        let accepted = Arc::clone(&accepted);
        tasks.spawn(async move {
            tokio::time::sleep(begin).await;
            let mut ages = Vec::new();
            while Instant::now() < end {
                let asked = Instant::now();
                for (at, request) in requests.iter().enumerate() {
                    let request = request.try_clone().expect("no body");
                    let answer = request.send().await.expect("an answer");
                    assert_eq!(answer.status(), 200);
                    let body: Value = answer.json().await.expect("JSON");
                    if at == 0 {
                        let seen = number(&body).expect("a number");
                        let next = accepted.lock().expect("times").get(seen + 1).copied();
                        ages.push(next.map_or(Duration::ZERO, |next| next.elapsed()));
                    }
                }
                tokio::time::sleep_until((asked + Duration::from_secs(1)).into()).await;
            }
            ages
        });
    }
    let mut count = 1;
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(900)).await;
        beat(count).await;
        count += 1;
    }
    let mut ages = tasks.join_all().await.concat();
    ages.sort_unstable();
    let p99 = ages[ages.len() * 99 / 100];
    println!(
        "{} readers, {} answers to /check: p50 {:?}, p99 {p99:?}, the oldest {:?}",
        readers,
        ages.len(),
        ages[ages.len() / 2],
        ages[ages.len() - 1]
    );
    assert_eq!(
        desktop.calls().len(),
        calls_before,
        "requests reached the desktop"
    );
    assert!(p99 <= Duration::from_secs(2), "{p99:?}");
}

#[tokio::test]
async fn readers_who_poll_reach_no_desktop_and_see_what_is_new() {
    poll(50, Duration::from_secs(8)).await;
}

/// The full form: `cargo xtask verify --only worker`.
#[tokio::test]
#[ignore = "takes a minute and both cores"]
async fn a_thousand_readers_who_poll_for_a_minute_reach_no_desktop() {
    poll(1_000, Duration::from_secs(60)).await;
}
