//! Folders that vanish and come back, as those of an unplugged disk.

use crate::harness::TestService;
use crate::{Fixture, name, names, picture, times_sent};

#[tokio::test]
async fn a_removed_folder_is_waited_for_and_its_files_arrive_later() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    std::fs::rename(fixture.folder(), fixture.beside("unplugged")).expect("moved");
    watcher.wait_for_log("it is waited for").await;
    std::fs::write(fixture.beside("unplugged/a.jpg"), picture()).expect("a file");
    std::fs::rename(fixture.beside("unplugged"), fixture.folder()).expect("moved");
    assert_eq!(name(&watcher.next().await), "a.jpg");
    // It is watched again.
    fixture.put("b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    assert_eq!(times_sent(&service).await, 3, "nothing is sent again");
}

#[tokio::test]
async fn another_folder_in_the_same_place_is_watched_instead() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    std::fs::create_dir(fixture.beside("other")).expect("a folder");
    std::fs::write(fixture.beside("other/a.jpg"), picture()).expect("a file");
    // At once, as a disk that is mounted over an empty folder.
    std::fs::rename(fixture.folder(), fixture.beside("old")).expect("moved");
    std::fs::rename(fixture.beside("other"), fixture.folder()).expect("moved");
    assert_eq!(name(&watcher.next().await), "a.jpg");
    fixture.put("b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    // The old one is not watched any more.
    std::fs::write(fixture.beside("old/c.jpg"), picture()).expect("a file");
    fixture.put("d.jpg");
    assert_eq!(name(&watcher.next().await), "d.jpg");
}

#[tokio::test]
async fn a_folder_that_is_not_there_yet_is_waited_for() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::remove_dir(fixture.folder()).expect("our folder");
    let mut watcher = fixture.watch(&[]);
    watcher.wait_for_log("it is waited for").await;
    std::fs::create_dir_all(fixture.folder().join("deep")).expect("folders");
    fixture.put("deep/a.jpg");
    assert_eq!(name(&watcher.next().await), "a.jpg");
}

#[tokio::test]
async fn waiting_files_of_an_absent_folder_are_kept_until_it_returns() {
    let mut service = TestService::builder()
        .listen(crate::killed::free_address())
        .start()
        .await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watching(&[]).await;
    service.kill().await;
    fixture.put("a.jpg");
    fixture.put("b.jpg");
    watcher.wait_for_log("uploads wait").await;
    crate::harness::eventually("both wait", async || (fixture.rows(0) == 2).then_some(())).await;
    std::fs::rename(fixture.folder(), fixture.beside("unplugged")).expect("moved");
    watcher.wait_for_log("it is waited for").await;
    service.restart().await;
    // Nothing is reported as gone; both come when the folder does.
    std::fs::rename(fixture.beside("unplugged"), fixture.folder()).expect("moved");
    let lines = watcher.next_few(2).await;
    assert_eq!(names(&lines), ["a.jpg", "b.jpg"]);
    assert!(
        lines.iter().all(|line| line["status"] == "uploaded"),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_folder_that_was_moved_out_is_not_watched_any_more() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    let mut watcher = fixture.watching(&[]).await;
    std::fs::rename(fixture.folder().join("trip"), fixture.beside("trip")).expect("moved");
    std::fs::write(fixture.beside("trip/a.jpg"), picture()).expect("a file");
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    fixture.put("trip/b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    std::fs::write(fixture.beside("trip/b.jpg"), picture()).expect("a file");
    fixture.put("trip/c.jpg");
    assert_eq!(name(&watcher.next().await), "c.jpg");
    assert_eq!(times_sent(&service).await, 3);
}
