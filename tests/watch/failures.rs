//! Files that can never work, files that change or go while they wait, and a storage that is away, refuses, or
//! fails.

use std::io::Write as _;

use crate::harness::answer;
use crate::harness::s3::{KEY, StoreMode};
use crate::{Fixture, picture};

#[tokio::test]
async fn a_storage_that_is_away_full_or_closed_gets_everything_when_it_is_back() {
    for trouble in [
        StoreMode::Refuses(503),
        StoreMode::Refuses(507),
        StoreMode::NamesTheKey("InvalidAccessKeyId"),
    ] {
        let (fixture, store) = Fixture::with_store().await;
        // It does not even have to be there at the start.
        store.is(trouble);
        let mut watcher = fixture.watch(&[]).await;
        for name in ["a.jpg", "b.jpg", "c.jpg"] {
            fixture.put(name);
        }
        watcher.wait_for_log("uploads wait").await;
        fixture.have(3, 0).await;
        // A kill costs nothing.
        watcher.service.kill().await;
        watcher.restart(&[]).await;
        watcher.wait_for_log("uploads wait").await;
        store.is(StoreMode::Well);
        let names = watcher.next_names(3).await;
        assert_eq!(names, ["a.jpg", "b.jpg", "c.jpg"], "{trouble:?}");
        watcher.wait_for_log("uploads continue").await;
        assert_eq!(watcher.service.count().await, 3, "{trouble:?}");
        assert!(!watcher.service.stderr().contains(KEY), "{trouble:?}");
    }
}

#[tokio::test]
async fn an_image_that_the_storage_fails_on_delays_others_only_by_one_attempt() {
    let (fixture, store) = Fixture::with_store().await;
    let mut watcher = fixture.watching(&[]).await;
    let bad = picture();
    let hash = watcher.service.stored(bad.clone()).await;
    assert_eq!(answer(watcher.service.delete(&hash).await).await.0, 200);
    let object = format!("randomimg/{hash}");
    store.is(StoreMode::ReadOnlyBelow(object.leak(), 503));
    std::fs::write(fixture.folder().join("a bad one.jpg"), bad).expect("a file");
    watcher.wait_for_log("uploads wait").await;
    for name in ["b.jpg", "c.jpg", "d.jpg"] {
        fixture.put(name);
        assert_eq!(watcher.next().await.name(), name);
    }
    store.is(StoreMode::Well);
    assert_eq!(watcher.next().await.name(), "a bad one.jpg");
}

#[tokio::test]
async fn a_file_that_is_no_image_is_set_aside_until_it_is_replaced() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let file = fixture.folder().join("a.jpg");
    std::fs::write(&file, "no picture at all").expect("a file");
    let outcome = watcher.next().await;
    let why = "set aside: not a picture of a format that can be read";
    assert_eq!(outcome.what, why);
    // No other file waits for it, and it is not tried again by itself, nor at the next start.
    fixture.put("b.jpg");
    assert_eq!(watcher.next().await.name(), "b.jpg");
    assert_eq!(watcher.outcomes().len(), 3);
    watcher.restart(&[]).await;
    fixture.put("c.jpg");
    assert_eq!(watcher.next().await.name(), "c.jpg");
    assert_eq!(fixture.rows(3), 1);
    std::fs::write(&file, picture()).expect("a file");
    let outcome = watcher.next().await;
    assert!(
        outcome.is_upload() && outcome.name() == "a.jpg",
        "{outcome:?}"
    );
    assert_eq!(fixture.rows(3), 0);
}

#[tokio::test]
async fn a_file_that_goes_before_its_upload_is_dropped_with_a_note() {
    let (fixture, store) = Fixture::with_store().await;
    let mut watcher = fixture.watching(&[]).await;
    store.is(StoreMode::Refuses(503));
    let file = fixture.put("a.jpg");
    watcher.wait_for_log("uploads wait").await;
    std::fs::remove_file(file).expect("our file");
    store.is(StoreMode::Well);
    let outcome = watcher.next().await;
    assert!(
        outcome.is_gone() && outcome.name() == "a.jpg",
        "{outcome:?}"
    );
    fixture.have(0, 0).await;
}

#[tokio::test]
async fn a_file_that_changes_while_it_waits_is_uploaded_once_and_as_it_is_in_the_end() {
    let (fixture, store) = Fixture::with_store().await;
    let mut watcher = fixture.watching(&[]).await;
    store.is(StoreMode::Refuses(503));
    let file = fixture.put("a.jpg");
    watcher.wait_for_log("uploads wait").await;
    // Once more as a whole, which takes the place of the first.
    fixture.put("a.jpg");
    // And then again, of which half is there when its turn comes.
    let newest = picture();
    let mut writing = std::fs::File::create(&file).expect("a file");
    let (first, second) = newest.split_at(newest.len() / 2);
    writing.write_all(first).expect("written");
    store.is(StoreMode::Well);
    // On Windows a file that is being written is not opened: its row waits on.
    #[cfg(not(windows))]
    fixture.have(0, 0).await;
    writing.write_all(second).expect("written");
    drop(writing);
    let outcome = watcher.next().await;
    assert_eq!(outcome.name(), "a.jpg");
    let (status, stored) = answer(watcher.service.upload(newest).await).await;
    assert_eq!(status, 409, "another version was uploaded");
    assert_eq!(stored["existingHash"], outcome.hash());
    assert_eq!(watcher.service.count().await, 2);
}

#[tokio::test]
async fn a_deleted_picture_that_is_saved_again_comes_back() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&[]).await;
    let file = fixture.put("a.jpg");
    let bytes = std::fs::read(&file).expect("a file");
    let hash = watcher.next().await.hash().to_owned();
    assert_eq!(answer(watcher.service.delete(&hash).await).await.0, 200);
    assert_eq!(watcher.service.count().await, 0);
    std::fs::write(&file, bytes).expect("a file");
    let outcome = watcher.next().await;
    assert_eq!((outcome.hash(), outcome.was_there()), (&*hash, false));
    watcher.service.webp(&hash).await;
}
