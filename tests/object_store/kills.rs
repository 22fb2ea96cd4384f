//! The service and workerd are killed at any moment while pictures and presence change: afterwards both
//! answer the same.
#![allow(clippy::print_stdout, reason = "what was done is printed")]

use std::time::{Duration, Instant};

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;

use super::sync::heartbeat;
use crate::harness::workerd::Worker;
use crate::harness::{TestService, answer, eventually, pictures};

/// Puts one of the images in an album, as the window does.
fn put_in_album(service: &TestService, hash: &str, album: &str) {
    let database = rusqlite::Connection::open(service.data_dir().join("porchlight.db"));
    let database = database.expect("the database");
    let put = "UPDATE image SET album = ?2 WHERE hash = unhex(?1)";
    // The service may write at this moment, and then nothing is changed.
    let _ = database.execute(put, [hash, album]);
}

async fn run(time: Duration) {
    let mut worker = Worker::with_store().await;
    let mut service = TestService::builder()
        .sets(&["storage.kind=edge", "limits.requests_per_second=0"])
        .sets(&worker.settings())
        .start()
        .await;
    let mut hashes: Vec<String> = Vec::new();
    let (mut changes, mut kills) = (0, 0);
    let end = Instant::now() + time;
    while Instant::now() < end {
        let until = Instant::now() + Duration::from_millis(rand::rng().random_range(200..2_000));
        while Instant::now() < until {
            changes += 1;
            let chosen = hashes.choose(&mut rand::rng()).cloned();
            match (rand::rng().random_range(0..6), chosen) {
                (0, Some(hash)) => {
                    if service.delete(&hash).await.status() == 200 {
                        hashes.retain(|known| *known != hash);
                    }
                }
                (1, Some(hash)) => put_in_album(&service, &hash, &format!("album {}", changes % 5)),
                (2 | 3, _) => {
                    service
                        .heartbeat(&heartbeat(&format!("App {changes}")))
                        .await;
                }
                _ => {
                    let size = rand::rng().random_range(8..60);
                    let picture = pictures::scene(pictures::next_seed(), size, 30);
                    let (status, body) =
                        answer(service.upload(pictures::png(&picture)).await).await;
                    if status == 201 {
                        hashes.push(body["hash"].as_str().expect("a hash").to_owned());
                    }
                }
            }
        }
        kills += 1;
        if rand::rng().random_bool(0.5) {
            service.kill().await;
            service.restart().await;
        } else {
            worker.restart().await;
        }
    }
    println!("{changes} changes, {kills} kills, {} images", hashes.len());
    let last = format!("App {changes}, the last");
    assert_eq!(service.heartbeat(&heartbeat(&last)).await.status(), 200);
    let paths = [
        "/check",
        "/images/count",
        "/images/list?limit=100&detail=1",
        "/images/list?limit=100&page=2&detail=1",
        "/images/list?album=album%201",
        "/random_image?seed=a&form=json",
        "/random_image?seed=b&album=album%202&form=json",
        "/random_image?seed=c&orientation=portrait&form=json",
        "/game_status",
        "/devices",
        "/badge.json",
        "/v1/users/1",
    ];
    eventually("the same answers", async || {
        for path in paths {
            let (at_worker, at_home) = (worker.get(path).await, service.get(path).await);
            if at_worker.status() != at_home.status()
                || at_worker.text().await.ok()? != at_home.text().await.ok()?
            {
                return None;
            }
        }
        Some(())
    })
    .await;
    assert_eq!(
        service.count().await,
        hashes.len() as u64,
        "nothing is lost"
    );
    for hash in &hashes {
        let path = format!("/i/{hash}");
        let at_worker = worker.get(&path).await;
        assert_eq!(at_worker.status(), 200, "{hash}");
        assert_eq!(
            at_worker.bytes().await.expect("an image"),
            service.webp(hash).await
        );
    }
}

#[tokio::test]
async fn both_answer_the_same_after_kills() {
    run(Duration::from_secs(15)).await;
}

/// The full form: `cargo xtask verify --only worker`.
#[tokio::test]
#[ignore = "takes five minutes"]
async fn both_answer_the_same_after_five_minutes_of_kills() {
    run(Duration::from_secs(300)).await;
}
