//! Files that are not uploaded.

#[cfg(unix)]
use std::os::unix::fs::symlink;

#[cfg(unix)]
use crate::harness::s3::StoreMode;
use crate::{Fixture, Watcher, picture};

#[tokio::test]
async fn unfinished_and_hidden_files_backups_and_other_types_are_not_uploaded() {
    let fixture = Fixture::new();
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
    assert_eq!(watcher.outcomes().len(), 2);
    assert_eq!(watcher.service.count().await, 2);
}

/// On Windows links are for administrators.
#[cfg(unix)]
#[tokio::test]
async fn links_lead_nowhere_before_and_after_the_start() {
    let fixture = Fixture::new();
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
    assert_eq!(watcher.service.count().await, 2);
}

/// On Windows links are for administrators.
#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_becomes_a_link_while_its_file_waits_does_not_lead_out() {
    let (fixture, store) = Fixture::with_store().await;
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    let mut watcher = fixture.watching(&[]).await;
    store.is(StoreMode::Refuses(503));
    fixture.put("trip/a.jpg");
    watcher.wait_for_log("uploads wait").await;
    std::fs::create_dir(fixture.beside("private")).expect("a folder");
    std::fs::write(fixture.beside("private/a.jpg"), picture()).expect("a file");
    std::fs::rename(fixture.folder().join("trip"), fixture.beside("gone")).expect("moved");
    symlink(fixture.beside("private"), fixture.folder().join("trip")).expect("a link");
    store.is(StoreMode::Well);
    let outcome = watcher.next().await;
    assert!(
        outcome.is_gone() && outcome.name() == "a.jpg",
        "{outcome:?}"
    );
    assert_eq!(watcher.service.count().await, 1);
}

#[tokio::test]
async fn the_apps_own_files_and_folders_are_ignored() {
    let fixture = Fixture::new();
    // Its own data is inside the watched folder, and images come to be in it.
    let data = fixture.folder().join("data");
    std::fs::create_dir(&data).expect("a folder");
    std::fs::write(data.join("a.jpg"), picture()).expect("a file");
    std::fs::create_dir(fixture.folder().join("porchlight-archive")).expect("a folder");
    fixture.put("porchlight-archive/b.jpg");
    let mut watcher = Watcher::start(fixture.builder(&[]).data_dir(data)).await;
    fixture.put("c.jpg");
    assert_eq!(watcher.next().await.name(), "c.jpg");
    fixture.pass_time(&mut watcher).await;
    assert_eq!(watcher.outcomes().len(), 2);
    assert_eq!(watcher.service.count().await, 2);
}

#[tokio::test]
async fn subfolders_are_ignored_where_configured() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.folder().join("old")).expect("a folder");
    fixture.put("old/a.jpg");
    let mut watcher = fixture.watching(&["watch.recursive=false"]).await;
    std::fs::create_dir(fixture.folder().join("new")).expect("a folder");
    fixture.put("new/b.jpg");
    fixture.pass_time(&mut watcher).await;
    assert_eq!(watcher.service.count().await, 2);
}
