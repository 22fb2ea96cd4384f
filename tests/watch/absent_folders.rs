//! Folders that vanish and come back, as those of an unplugged disk.

use crate::harness::s3::StoreMode;
use crate::{Fixture, picture};

#[tokio::test]
async fn a_removed_folder_is_waited_for_and_its_files_arrive_later() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    std::fs::rename(fixture.folder(), fixture.beside("unplugged")).expect("moved");
    watcher.wait_for_log("it is waited for").await;
    std::fs::write(fixture.beside("unplugged/a.jpg"), picture()).expect("a file");
    std::fs::rename(fixture.beside("unplugged"), fixture.folder()).expect("moved");
    assert_eq!(watcher.next().await.name(), "a.jpg");
    // It is watched again.
    fixture.put("b.jpg");
    assert_eq!(watcher.next().await.name(), "b.jpg");
    assert_eq!(watcher.outcomes().len(), 3, "nothing is uploaded again");
}

#[tokio::test]
async fn another_folder_in_the_same_place_is_watched_instead() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    std::fs::create_dir(fixture.beside("other")).expect("a folder");
    std::fs::write(fixture.beside("other/a.jpg"), picture()).expect("a file");
    // At once, as a disk that is mounted over an empty folder.
    std::fs::rename(fixture.folder(), fixture.beside("old")).expect("moved");
    std::fs::rename(fixture.beside("other"), fixture.folder()).expect("moved");
    assert_eq!(watcher.next().await.name(), "a.jpg");
    fixture.put("b.jpg");
    assert_eq!(watcher.next().await.name(), "b.jpg");
    // The old one is not watched any more.
    std::fs::write(fixture.beside("old/c.jpg"), picture()).expect("a file");
    fixture.put("d.jpg");
    assert_eq!(watcher.next().await.name(), "d.jpg");
}

#[tokio::test]
async fn a_folder_that_is_not_there_yet_is_waited_for() {
    let fixture = Fixture::new();
    std::fs::remove_dir(fixture.folder()).expect("our folder");
    let mut watcher = fixture.watch(&[]).await;
    watcher.wait_for_log("it is waited for").await;
    std::fs::create_dir_all(fixture.folder().join("deep")).expect("folders");
    fixture.put("deep/a.jpg");
    assert_eq!(watcher.next().await.name(), "a.jpg");
}

#[tokio::test]
async fn waiting_files_of_an_absent_folder_are_kept_until_it_returns() {
    let (fixture, store) = Fixture::with_store().await;
    let mut watcher = fixture.watching(&[]).await;
    store.is(StoreMode::Refuses(503));
    fixture.put("a.jpg");
    fixture.put("b.jpg");
    watcher.wait_for_log("uploads wait").await;
    fixture.have(2, 0).await;
    std::fs::rename(fixture.folder(), fixture.beside("unplugged")).expect("moved");
    watcher.wait_for_log("it is waited for").await;
    store.is(StoreMode::Well);
    // Nothing is reported as gone; both come when the folder does.
    std::fs::rename(fixture.beside("unplugged"), fixture.folder()).expect("moved");
    assert_eq!(watcher.next_names(2).await, ["a.jpg", "b.jpg"]);
}

#[tokio::test]
async fn a_folder_that_was_moved_out_is_not_watched_any_more() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    let mut watcher = fixture.watching(&[]).await;
    std::fs::rename(fixture.folder().join("trip"), fixture.beside("trip")).expect("moved");
    std::fs::write(fixture.beside("trip/a.jpg"), picture()).expect("a file");
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    fixture.put("trip/b.jpg");
    assert_eq!(watcher.next().await.name(), "b.jpg");
    std::fs::write(fixture.beside("trip/b.jpg"), picture()).expect("a file");
    fixture.put("trip/c.jpg");
    assert_eq!(watcher.next().await.name(), "c.jpg");
    assert_eq!(watcher.service.count().await, 3);
}
