//! Files that can never work, and services that are away, refuse, or fail.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::harness::{TestService, eventually, random_token};
use crate::killed::free_address;
use crate::stand_in::{Reply, StandIn};
use crate::{Fixture, name, names, picture, times_sent};

#[tokio::test]
async fn a_service_that_is_away_gets_everything_when_it_is_back() {
    let mut service = TestService::builder().listen(free_address()).start().await;
    let fixture = Fixture::of(&service);
    service.kill().await;
    // It does not even have to be there at the start.
    let mut watcher = fixture.watch(&[]);
    for name in ["a.jpg", "b.jpg", "c.jpg"] {
        fixture.put(name);
    }
    watcher.wait_for_log("uploads wait: the service at").await;
    eventually("all wait", async || (fixture.rows(0) == 3).then_some(())).await;
    // A restart of the watcher costs nothing.
    watcher.kill().await;
    let mut watcher = fixture.watch(&[]);
    watcher.wait_for_log("uploads wait").await;
    service.restart().await;
    assert_eq!(
        names(&watcher.next_few(3).await),
        ["a.jpg", "b.jpg", "c.jpg"]
    );
    assert_eq!(times_sent(&service).await, 3);
}

#[tokio::test]
async fn a_token_that_ran_out_holds_everything_back_until_it_is_good_again() {
    let mut service = TestService::builder().listen(free_address()).start().await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let good = std::mem::replace(&mut service.admin_token, random_token());
    service.restart().await;
    fixture.put("a.jpg");
    fixture.put("b.jpg");
    watcher.wait_for_log("the service refused the token").await;
    eventually("both wait", async || (fixture.rows(0) == 2).then_some(())).await;
    service.admin_token = good;
    service.restart().await;
    assert_eq!(names(&watcher.next_few(2).await), ["a.jpg", "b.jpg"]);
    assert!(!watcher.0.stderr().contains(&fixture.token));
}

#[tokio::test]
async fn a_file_that_is_no_image_is_set_aside_until_it_is_replaced() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    let file = fixture.folder().join("a.jpg");
    std::fs::write(&file, "no picture at all").expect("a file");
    let line = watcher.next().await;
    assert_eq!(line["status"], "set_aside");
    assert_eq!(
        line["reason"],
        "the service answered 415: Unsupported image format"
    );
    // No other file waits for it, and it is not retried by itself.
    fixture.put("b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    assert_eq!(times_sent(&service).await, 3);
    watcher.kill().await;
    assert_eq!(fixture.rows(3), 1);
    let mut watcher = fixture.watch(&["--retry"]);
    let line = watcher.next().await;
    assert_eq!(
        (name(&line), line["status"].as_str()),
        ("a.jpg".into(), Some("set_aside"))
    );
    std::fs::write(&file, picture()).expect("a file");
    let line = watcher.next().await;
    assert_eq!(
        (name(&line), line["status"].as_str()),
        ("a.jpg".into(), Some("uploaded"))
    );
    assert_eq!(fixture.rows(3), 0);
}

#[tokio::test]
async fn a_file_that_goes_before_its_upload_is_dropped_with_a_note() {
    let mut service = TestService::builder().listen(free_address()).start().await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    service.kill().await;
    let file = fixture.put("a.jpg");
    eventually("it waits", async || (fixture.rows(0) == 1).then_some(())).await;
    std::fs::remove_file(file).expect("our file");
    service.restart().await;
    let line = watcher.next().await;
    assert_eq!(
        (name(&line), line["status"].as_str()),
        ("a.jpg".into(), Some("gone"))
    );
    assert_eq!(fixture.rows(0), 0);
}

#[tokio::test]
async fn a_file_that_changes_while_it_waits_is_sent_once_and_as_it_is_in_the_end() {
    let mut service = TestService::builder().listen(free_address()).start().await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    assert!(service.stop().await.success());
    let file = fixture.put("a.jpg");
    eventually("it waits", async || (fixture.rows(0) == 1).then_some(())).await;
    // Once more as a whole, which takes the place of the first.
    fixture.put("a.jpg");
    // And then again, of which half is there when its turn comes.
    let newest = picture();
    let mut writing = std::fs::File::create(&file).expect("a file");
    let (first, second) = newest.split_at(newest.len() / 2);
    writing.write_all(first).expect("written");
    service.restart().await;
    // On Windows a file that is being written is not opened: its row waits on.
    #[cfg(not(windows))]
    eventually("its turn", async || (fixture.rows(0) == 0).then_some(())).await;
    writing.write_all(second).expect("written");
    drop(writing);
    let line = watcher.next().await;
    assert_eq!(
        (name(&line), line["status"].as_str()),
        ("a.jpg".into(), Some("uploaded"))
    );
    assert_eq!(times_sent(&service).await, 2);
    let again = service.upload(newest).await;
    assert_eq!(again.status(), 409, "another version was sent");
    let stored = again.json::<serde_json::Value>().await.expect("JSON");
    assert_eq!(line["hash"], stored["existingHash"]);
    assert_eq!(service.count().await, 2);
}

/// Answers as a server of the plain interface, which cannot be asked.
fn plain(answer_to_add: Reply) -> impl Fn(&crate::stand_in::Call) -> Reply + Send + Sync {
    move |call| match call.path.as_str() {
        "/images/add" => answer_to_add.clone(),
        _ => Reply::json(404, &json!({ "error": "Resource not found" })),
    }
}

#[tokio::test]
async fn a_duplicate_at_a_server_without_lookup_is_a_success() {
    let body = json!({ "error": "Image already exists", "existingHash": "ab12" });
    let server = StandIn::start(plain(Reply::json(409, &body))).await;
    let fixture = Fixture::at(&server.url(), "some-token");
    let mut watcher = fixture.watch(&[]);
    fixture.put("a.jpg");
    let line = watcher.next().await;
    assert_eq!(line["status"], "already_there");
    assert_eq!(line["url"], format!("{}/i/ab12", server.url()));
    assert_eq!(server.count("/images/add"), 1);
}

#[tokio::test]
async fn a_retry_after_pauses_all_uploads() {
    let calls = AtomicUsize::new(0);
    let server = StandIn::start(move |call| {
        if call.path != "/images/add" {
            return Reply::json(404, &json!({ "error": "Resource not found" }));
        }
        match calls.fetch_add(1, Ordering::Relaxed) {
            0 => Reply::Later(429, 2),
            _ => Reply::json(201, &json!({ "hash": "ab12", "size": 1 })),
        }
    })
    .await;
    let fixture = Fixture::at(&server.url(), "some-token");
    let mut watcher = fixture.watch(&[]);
    let began = Instant::now();
    fixture.put("a.jpg");
    server.called(2).await;
    // Something new does not cut it short.
    fixture.put("b.jpg");
    assert_eq!(names(&watcher.next_few(2).await), ["a.jpg", "b.jpg"]);
    assert!(
        began.elapsed() >= Duration::from_secs(2),
        "it is not waited"
    );
}

#[tokio::test]
async fn an_image_that_the_service_fails_on_delays_others_only_by_one_attempt() {
    let bad = picture();
    let bad_digest = hex::encode(Sha256::digest(&bad));
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = Arc::clone(&broken);
    let server = StandIn::start(move |call| {
        if call.path == "/images/add" {
            return Reply::json(201, &json!({ "hash": "ab12", "size": 1 }));
        }
        if call.path.ends_with(&bad_digest) && is_broken.load(Ordering::Relaxed) {
            return Reply::json(500, &json!({ "error": "Internal server error" }));
        }
        Reply::json(404, &json!({ "error": "Image not found" }))
    })
    .await;
    let fixture = Fixture::at(&server.url(), "some-token");
    std::fs::write(fixture.folder().join("a bad one.jpg"), &bad).expect("a file");
    for name in ["b.jpg", "c.jpg", "d.jpg"] {
        fixture.put(name);
    }
    let mut watcher = fixture.watch(&[]);
    assert_eq!(
        names(&watcher.next_few(3).await),
        ["b.jpg", "c.jpg", "d.jpg"]
    );
    fixture.put("e.jpg");
    assert_eq!(name(&watcher.next().await), "e.jpg");
    broken.store(false, Ordering::Relaxed);
    assert_eq!(name(&watcher.next().await), "a bad one.jpg");
}
