//! Files that are not uploaded.

#[cfg(unix)]
use std::os::unix::fs::symlink;

use crate::harness::TestService;
use crate::{Fixture, name, picture, times_sent};

#[tokio::test]
async fn unfinished_and_hidden_files_backups_and_other_types_are_not_uploaded() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.folder().join(".thumbnails")).expect("a folder");
    let left = [
        "a.jpg.part",
        "b.jpg.crdownload",
        "c.tmp",
        "e.png~",
        "e.png.bak",
        "e.png.xltd",
        "e.png.baiduyun.p.downloading",
        "e.png.filepart",
        "e.png.opdownload",
        "e.png.!ut",
        "e.png.temp",
        ".hidden.jpg",
        ".thumbnails/d.jpg",
    ];
    for name in left {
        fixture.put(name);
    }
    let mut watcher = fixture.watching(&[]).await;
    for name in left {
        fixture.put(name);
    }
    std::fs::write(fixture.folder().join("diary.txt"), "dear diary").expect("a file");
    std::fs::write(fixture.folder().join("empty.jpg"), "").expect("a file");
    fixture.pass_time(&mut watcher).await;
    assert_eq!(times_sent(&service).await, 2);
    assert_eq!(service.count().await, 2);
}

/// On Windows links are for administrators.
#[cfg(unix)]
#[tokio::test]
async fn links_lead_nowhere_before_and_after_the_start() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.beside("private")).expect("a folder");
    let secret = fixture.beside("private/secret.jpg");
    std::fs::write(&secret, picture()).expect("a file");
    let link = |name: &str| {
        symlink(&secret, fixture.folder().join(format!("{name}.jpg"))).expect("a link");
        symlink(fixture.beside("private"), fixture.folder().join(name)).expect("a link");
    };
    link("before");
    let mut watcher = fixture.watching(&[]).await;
    link("later");
    symlink(fixture.folder(), fixture.folder().join("round")).expect("a link");
    std::fs::write(fixture.beside("private/another.jpg"), picture()).expect("a file");
    fixture.pass_time(&mut watcher).await;
    assert_eq!(service.count().await, 2);
}

/// On Windows links are for administrators.
#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_becomes_a_link_while_its_file_waits_does_not_lead_out() {
    let mut service = TestService::builder()
        .listen(crate::killed::free_address())
        .start()
        .await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    let mut watcher = fixture.watching(&[]).await;
    service.kill().await;
    fixture.put("trip/a.jpg");
    watcher.wait_for_log("uploads wait").await;
    std::fs::create_dir(fixture.beside("private")).expect("a folder");
    std::fs::write(fixture.beside("private/a.jpg"), picture()).expect("a file");
    std::fs::rename(fixture.folder().join("trip"), fixture.beside("gone")).expect("moved");
    symlink(fixture.beside("private"), fixture.folder().join("trip")).expect("a link");
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
    let fixture = Fixture::of(&service);
    // Its own state is inside the watched folder.
    let state = fixture.folder().join("state");
    std::fs::create_dir(&state).expect("a folder");
    std::fs::write(state.join("a.jpg"), picture()).expect("a file");
    std::fs::create_dir(fixture.folder().join("porchlight-archive")).expect("a folder");
    fixture.put("porchlight-archive/b.jpg");
    let mut watcher = fixture.watch_with_state(&state);
    fixture.put("c.jpg");
    assert_eq!(name(&watcher.next().await), "c.jpg");
    fixture.pass_time(&mut watcher).await;
    assert_eq!(service.count().await, 2);
}

#[tokio::test]
async fn subfolders_are_ignored_where_configured() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.folder().join("old")).expect("a folder");
    fixture.put("old/a.jpg");
    let mut watcher = fixture.watching(&["--no-subfolders"]).await;
    std::fs::create_dir(fixture.folder().join("new")).expect("a folder");
    fixture.put("new/b.jpg");
    fixture.pass_time(&mut watcher).await;
    assert_eq!(service.count().await, 2);
}
