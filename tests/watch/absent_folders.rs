//! Folders that vanish and come back, as those of an unplugged disk.

use crate::harness::TestService;
use crate::{Desk, name, names, picture, times_sent};

#[tokio::test]
async fn a_removed_folder_is_waited_for_and_its_files_arrive_later() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    let mut watcher = desk.watching(&[]).await;
    std::fs::rename(desk.folder(), desk.beside("unplugged")).expect("moved");
    watcher.wait_for_log("it is waited for").await;
    std::fs::write(desk.beside("unplugged/a.jpg"), picture()).expect("a file");
    std::fs::rename(desk.beside("unplugged"), desk.folder()).expect("moved");
    assert_eq!(name(&watcher.next().await), "a.jpg");
    // It is watched again.
    desk.put("b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    assert_eq!(times_sent(&service).await, 3, "nothing is sent again");
}

#[tokio::test]
async fn another_folder_in_the_same_place_is_watched_instead() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    let mut watcher = desk.watching(&[]).await;
    std::fs::create_dir(desk.beside("other")).expect("a folder");
    std::fs::write(desk.beside("other/a.jpg"), picture()).expect("a file");
    // At once, as a disk that is mounted over an empty folder.
    std::fs::rename(desk.folder(), desk.beside("old")).expect("moved");
    std::fs::rename(desk.beside("other"), desk.folder()).expect("moved");
    assert_eq!(name(&watcher.next().await), "a.jpg");
    desk.put("b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    // The old one is not watched any more.
    std::fs::write(desk.beside("old/c.jpg"), picture()).expect("a file");
    desk.put("d.jpg");
    assert_eq!(name(&watcher.next().await), "d.jpg");
}

#[tokio::test]
async fn a_folder_that_is_not_there_yet_is_waited_for() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    std::fs::remove_dir(desk.folder()).expect("our folder");
    let mut watcher = desk.watch(&[]);
    watcher.wait_for_log("it is waited for").await;
    std::fs::create_dir_all(desk.folder().join("deep")).expect("folders");
    desk.put("deep/a.jpg");
    assert_eq!(name(&watcher.next().await), "a.jpg");
}

#[tokio::test]
async fn what_waits_in_a_folder_that_went_is_kept_until_it_is_back() {
    let mut service = TestService::builder()
        .listen(crate::killed::free_address())
        .start()
        .await;
    let desk = Desk::of(&service);
    let mut watcher = desk.watching(&[]).await;
    service.kill().await;
    desk.put("a.jpg");
    desk.put("b.jpg");
    watcher.wait_for_log("uploads wait").await;
    crate::harness::eventually("both wait", async || (desk.rows(0) == 2).then_some(())).await;
    std::fs::rename(desk.folder(), desk.beside("unplugged")).expect("moved");
    watcher.wait_for_log("it is waited for").await;
    service.restart().await;
    // Nothing is reported as gone; both come when the folder does.
    std::fs::rename(desk.beside("unplugged"), desk.folder()).expect("moved");
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
    let desk = Desk::of(&service);
    std::fs::create_dir(desk.folder().join("trip")).expect("a folder");
    let mut watcher = desk.watching(&[]).await;
    std::fs::rename(desk.folder().join("trip"), desk.beside("trip")).expect("moved");
    std::fs::write(desk.beside("trip/a.jpg"), picture()).expect("a file");
    std::fs::create_dir(desk.folder().join("trip")).expect("a folder");
    desk.put("trip/b.jpg");
    assert_eq!(name(&watcher.next().await), "b.jpg");
    std::fs::write(desk.beside("trip/b.jpg"), picture()).expect("a file");
    desk.put("trip/c.jpg");
    assert_eq!(name(&watcher.next().await), "c.jpg");
    assert_eq!(times_sent(&service).await, 3);
}
