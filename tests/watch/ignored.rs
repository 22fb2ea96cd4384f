//! Files that are not uploaded.

use std::os::unix::fs::symlink;

use crate::harness::TestService;
use crate::{Desk, name, picture, times_sent};

#[tokio::test]
async fn unfinished_and_hidden_files_and_other_types_are_not_uploaded() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    std::fs::create_dir(desk.folder().join(".thumbnails")).expect("a folder");
    let left = [
        "a.jpg.part",
        "b.jpg.crdownload",
        "c.tmp",
        ".hidden.jpg",
        ".thumbnails/d.jpg",
    ];
    for name in left {
        desk.put(name);
    }
    let mut watcher = desk.watching(&[]).await;
    for name in left {
        desk.put(name);
    }
    std::fs::write(desk.folder().join("diary.txt"), "dear diary").expect("a file");
    std::fs::write(desk.folder().join("empty.jpg"), "").expect("a file");
    desk.pass_time(&mut watcher).await;
    assert_eq!(times_sent(&service).await, 2);
    assert_eq!(service.count().await, 2);
}

#[tokio::test]
async fn links_lead_nowhere_before_and_after_the_start() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    std::fs::create_dir(desk.beside("private")).expect("a folder");
    let secret = desk.beside("private/secret.jpg");
    std::fs::write(&secret, picture()).expect("a file");
    let link = |name: &str| {
        symlink(&secret, desk.folder().join(format!("{name}.jpg"))).expect("a link");
        symlink(desk.beside("private"), desk.folder().join(name)).expect("a link");
    };
    link("before");
    let mut watcher = desk.watching(&[]).await;
    link("later");
    symlink(desk.folder(), desk.folder().join("round")).expect("a link");
    std::fs::write(desk.beside("private/another.jpg"), picture()).expect("a file");
    desk.pass_time(&mut watcher).await;
    assert_eq!(service.count().await, 2);
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_while_its_file_waits_does_not_lead_out() {
    let mut service = TestService::builder()
        .listen(crate::killed::free_address())
        .start()
        .await;
    let desk = Desk::of(&service);
    std::fs::create_dir(desk.folder().join("trip")).expect("a folder");
    let mut watcher = desk.watching(&[]).await;
    service.kill().await;
    desk.put("trip/a.jpg");
    watcher.wait_for_log("uploads wait").await;
    std::fs::create_dir(desk.beside("private")).expect("a folder");
    std::fs::write(desk.beside("private/a.jpg"), picture()).expect("a file");
    std::fs::rename(desk.folder().join("trip"), desk.beside("gone")).expect("moved");
    symlink(desk.beside("private"), desk.folder().join("trip")).expect("a link");
    service.restart().await;
    let line = watcher.next().await;
    assert_eq!(
        (line["status"].as_str(), name(&line)),
        (Some("gone"), "a.jpg".into())
    );
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn the_apps_own_files_and_folders_are_ignored() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    // Its own state is inside the watched folder.
    let state = desk.folder().join("state");
    std::fs::create_dir(&state).expect("a folder");
    std::fs::write(state.join("a.jpg"), picture()).expect("a file");
    std::fs::create_dir(desk.folder().join("porchlight-archive")).expect("a folder");
    desk.put("porchlight-archive/b.jpg");
    let mut watcher = desk.watch_with_state(&state);
    desk.put("c.jpg");
    assert_eq!(name(&watcher.next().await), "c.jpg");
    desk.pass_time(&mut watcher).await;
    assert_eq!(service.count().await, 2);
}

#[tokio::test]
async fn subfolders_are_ignored_where_configured() {
    let service = TestService::start(&[]).await;
    let desk = Desk::of(&service);
    std::fs::create_dir(desk.folder().join("old")).expect("a folder");
    desk.put("old/a.jpg");
    let mut watcher = desk.watching(&["--no-subfolders"]).await;
    std::fs::create_dir(desk.folder().join("new")).expect("a folder");
    desk.put("new/b.jpg");
    desk.pass_time(&mut watcher).await;
    assert_eq!(service.count().await, 2);
}
