//! Images at the Worker: moves that are killed or meet what does not fit, clocks, and a shared bucket.

use std::time::Duration;

use porchlight_service::settings::sections::{StorageKind, StorageSettings};
use porchlight_service::storage::window::{StoreCheck, StoreStep};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::sync::lists;
use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::workerd::{SECRET, Worker};
use crate::harness::{TestService, answer, eventually, pictures, program};
use crate::s3::ObjectStore;

pub(crate) async fn at(worker: &Worker) -> TestService {
    TestService::builder()
        .set("storage.kind=edge")
        .sets(&worker.settings())
        .start()
        .await
}

/// The keys in the store that begin with this.
pub(crate) async fn keys(worker: &Worker, prefix: &str) -> Vec<Value> {
    let path = format!("/-/store?prefix={prefix}&limit=1000");
    let listed = worker.signed(Method::GET, &path, "", Duration::ZERO).await;
    let (status, body) = answer(listed).await;
    assert_eq!(status, 200, "{body}");
    body["objects"].as_array().expect("a list").clone()
}

/// Moves all images of a folder that is not served.
pub(crate) fn moving(worker: &Worker, service: &TestService) -> RunningProcess {
    let mut command = clean_command(&program(), service.data_dir());
    command.args(["storage", "move", "--to", "edge", "--json"]);
    for setting in worker.settings() {
        command.args(["--set", &setting]);
    }
    command.arg("--data-dir").arg(service.data_dir());
    RunningProcess::spawn(command)
}

/// Starts the service, which tells the Worker what it has.
async fn tell(worker: &Worker, service: &mut TestService) {
    let settings = worker.settings();
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    service.restart_with(&settings).await;
}

#[tokio::test]
async fn an_image_that_is_too_large_for_the_worker_stays_and_the_move_goes_on() {
    let worker = Worker::with_store().await;
    let mut service = TestService::start(&[]).await;
    let mut hashes = Vec::new();
    for _ in 0..8 {
        hashes.push(service.stored(pictures::photo()).await);
    }
    service.stop().await;
    // A WebP of 50 MiB takes minutes to make; a move compares the bytes with their row alone.
    let (large, rest) = hashes.split_at(6);
    let bytes = vec![7_u8; (50 << 20) + 1];
    let size = (50_i64 << 20) + 1;
    let database = service.data_dir().join("porchlight.db");
    let database = rusqlite::Connection::open(database).expect("a database");
    for hash in large {
        let row = "UPDATE image SET size = ?2 WHERE hash = unhex(?1)";
        let changed = database.execute(row, rusqlite::params![hash, size]);
        assert_eq!(changed.expect("an update"), 1);
    }
    let row = "UPDATE image SET sha256 = ?2 WHERE hash = unhex(?1)";
    let sum = Sha256::digest(&bytes).to_vec();
    let changed = database.execute(row, rusqlite::params![large[0], sum]);
    assert_eq!(changed.expect("an update"), 1);
    drop(database);
    let images = service.data_dir().join("images").join(&large[0][..2]);
    std::fs::write(images.join(format!("{}.webp", large[0])), bytes).expect("to write");
    let done = moving(&worker, &service).ended().await;
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(report["moved"], 2);
    let problems = report["problems"].as_array().expect("a list");
    assert_eq!(problems.len(), 6, "{report}");
    for problem in problems {
        assert_eq!(problem["kind"], "too-large");
        let text = problem["problem"].as_str().expect("a text");
        assert!(text.contains("more than the Worker takes"), "{text}");
    }
    assert_eq!(keys(&worker, "randomimg/").await.len(), 2);
    tell(&worker, &mut service).await;
    lists(&worker, 8).await;
    for hash in rest {
        let image = worker.get(&format!("/i/{hash}")).await;
        assert_eq!(image.status(), 200);
    }
    let mut left = crate::harness::files::stored_hashes(service.data_dir());
    left.sort();
    let mut large = large.to_vec();
    large.sort();
    assert_eq!(left, large);
}

#[tokio::test]
async fn a_move_to_the_worker_that_is_killed_three_times_loses_nothing() {
    let worker = Worker::with_store().await;
    let mut service = TestService::start(&[]).await;
    let mut hashes = Vec::new();
    for number in 0..500_u16 {
        let [high, low] = number.to_be_bytes();
        let picture = pictures::flat(8, 8, [high * 100, low, 9]);
        hashes.push(service.stored(pictures::png(&picture)).await);
    }
    service.stop().await;
    let moving = || moving(&worker, &service);
    for interrupted in 1..=3 {
        let mut process = moving();
        eventually("some images", async || {
            (keys(&worker, "randomimg/").await.len() >= interrupted * 100).then_some(())
        })
        .await;
        process.kill();
        process.wait().await;
    }
    let done = moving().ended().await;
    assert!(done.status.success(), "{done:?}");
    assert_eq!(keys(&worker, "randomimg/").await.len(), 500);
    let on_disk = crate::harness::files::stored_hashes(service.data_dir());
    assert!(on_disk.is_empty(), "{on_disk:?}");
    tell(&worker, &mut service).await;
    lists(&worker, 500).await;
    for hash in &hashes {
        assert_eq!(
            worker.get(&format!("/i/{hash}")).await.status(),
            200,
            "{hash}"
        );
    }
}

#[tokio::test]
async fn the_test_of_the_storage_tests_the_worker() {
    let worker = Worker::with_store().await;
    let mut storage = StorageSettings {
        kind: StorageKind::Edge,
        ..StorageSettings::default()
    };
    storage.edge.url = worker.url().parse().ok();
    storage.edge.secret = Some(SECRET.into());
    let tested = async |storage: &StorageSettings| {
        let checks = porchlight_service::storage::test_store(storage).await;
        let parts = |check: StoreCheck| (check.step, check.trouble.is_none());
        checks.into_iter().map(parts).collect::<Vec<_>>()
    };
    let steps = [StoreStep::Write, StoreStep::Read, StoreStep::Remove];
    assert_eq!(tested(&storage).await, steps.map(|step| (step, true)));
    assert!(keys(&worker, "porchlight").await.is_empty());
    storage.edge.secret = Some("another key, which the Worker has not".into());
    assert_eq!(tested(&storage).await, [(StoreStep::Write, false)]);
}

#[tokio::test]
async fn a_bucket_that_the_worker_is_bound_to_loses_nothing_by_a_repair() {
    let worker = Worker::with_store().await;
    let store = ObjectStore::start().await;
    let mut settings = store.settings();
    settings.extend(worker.settings());
    let builder = TestService::builder().sets(&settings);
    let mut service = builder.start().await;
    service.stored(pictures::photo()).await;
    service.restart_with(&["storage.kind=edge"]).await;
    let hash = service.stored(pictures::photo()).await;
    service.stop().await;
    // The Worker would have put it there.
    let object = format!("randomimg/{hash}.webp");
    store.holds(&object, "the image");
    settings.push("storage.kind=edge".to_owned());
    for repair in [&[][..], &["--repair"]] {
        let sets = settings.iter().flat_map(|set| ["--set", set]);
        let words = ["check", "--json"].into_iter().chain(sets);
        let words: Vec<&str> = words.chain(repair.iter().copied()).collect();
        let done = service.run(&words).await;
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
        let found = (&report["images"], &report["foreign"], &report["problems"]);
        assert_eq!(found, (&json!(2), &json!(1), &json!([])));
        assert!(store.objects().contains(&object));
    }
}

#[tokio::test]
async fn a_seed_has_the_same_image_at_the_worker_as_at_the_service() {
    let worker = Worker::with_store().await;
    let service = at(&worker).await;
    let mut hashes = Vec::new();
    for number in 0..8_u8 {
        let picture = pictures::flat(8 + u32::from(number % 3), 9, [number * 20, 90, 9]);
        hashes.push(service.stored(pictures::png(&picture)).await);
    }
    for (gone, left) in [(None, 8), (Some(&hashes[3]), 7)] {
        if let Some(gone) = gone {
            service.delete(gone).await;
        }
        eventually("the list", async || {
            (worker.json("/images/count").await["count"] == left).then_some(())
        })
        .await;
        for class in ["", "&orientation=landscape", "&orientation=square"] {
            for seed in 0..20 {
                let path = format!("/random_image?form=json&seed=light-{seed}{class}");
                let own = service.json(&path).await["hash"].take();
                assert_eq!(worker.json(&path).await["hash"], own, "{path}");
            }
        }
    }
}
