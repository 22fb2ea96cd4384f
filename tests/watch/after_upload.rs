//! What happens to a file whose image is uploaded.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use axum::http::Method;
use porchlight_service::files::retried;

use crate::harness::s3::StoreMode;
use crate::harness::{answer, eventually, files};
use crate::{Fixture, entries, picture};

/// The files in the archive of the folder.
fn archived(fixture: &Fixture) -> Vec<PathBuf> {
    files::below(&fixture.folder().join("porchlight-archive"))
}

/// As after a kill between an upload and what happens to its file.
fn forget_that_it_was_put_away(fixture: &Fixture) {
    let database = fixture.database();
    let changed = database.execute("UPDATE upload SET state = 1", []);
    assert_eq!(changed.expect("a queue"), 1);
}

async fn gone(file: &Path) {
    // It is in this folder on its way, which goes when it is empty.
    let staged = file.with_file_name("porchlight-uploaded");
    eventually("the file is put away", async || {
        (!file.exists() && !staged.exists()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn archived_files_move_to_a_subfolder_and_a_new_file_of_the_name_is_a_new_picture() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&["watch.after=archive"]).await;
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    for _ in 0..2 {
        gone(&fixture.put("trip/a.jpg")).await;
    }
    let names: Vec<String> = archived(&fixture)
        .iter()
        .map(|file| file.file_name().expect("a name").to_string_lossy().into())
        .collect();
    assert_eq!(names, ["a (2).jpg", "a.jpg"]);
    watcher.restart(&[]).await;
    gone(&fixture.put("b.jpg")).await;
    assert_eq!(watcher.service.count().await, 3);
    assert_eq!(archived(&fixture).len(), 3, "the archive is ignored");
}

#[tokio::test]
#[cfg_attr(windows, ignore = "Wine has no recycle bin")]
async fn trashed_files_are_in_the_trash() {
    let fixture = Fixture::new();
    let watcher = fixture.watch(&["watch.after=trash"]).await;
    let file = fixture.put("a.jpg");
    let bytes = std::fs::read(&file).expect("a file");
    gone(&file).await;
    // The recycle bin of Windows has its own names.
    if cfg!(unix) {
        let trash = fixture.beside("Trash/files");
        let trashed = trash.join("a.jpg");
        eventually("it is in the trash", async || {
            (std::fs::read(&trashed).ok()? == bytes).then_some(())
        })
        .await;
    }
    assert_eq!(watcher.service.count().await, 1);
}

#[tokio::test]
async fn files_uploaded_before_a_kill_are_put_away_at_the_next_start() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&[]).await;
    let file = fixture.put("a.jpg");
    fixture.have(1, 2).await;
    watcher.service.kill().await;
    forget_that_it_was_put_away(&fixture);
    watcher.restart(&["watch.after=archive"]).await;
    gone(&file).await;
    assert!(fixture.folder().join("porchlight-archive/a.jpg").exists());
    assert_eq!(watcher.service.count().await, 1);
}

/// What a kill leaves has a name that is ignored, and is the only copy.
#[tokio::test]
async fn a_file_that_was_being_put_away_gets_its_name_back_at_the_next_start() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&[]).await;
    fixture.put("taken.jpg");
    fixture.have(1, 2).await;
    std::fs::create_dir(fixture.folder().join("porchlight-uploaded")).expect("a folder");
    fixture.put("porchlight-uploaded/taken.jpg");
    fixture.put("porchlight-uploaded/free.jpg");
    fixture.put("last.jpg");
    fixture.have(2, 2).await;
    assert_eq!(entries(&fixture.folder()).len(), 3);
    watcher.service.kill().await;
    watcher.restart(&[]).await;
    fixture.have(4, 2).await;
    let restored = ["free.jpg", "last.jpg", "taken (2).jpg", "taken.jpg"];
    assert_eq!(entries(&fixture.folder()), restored);
    assert_eq!(watcher.service.count().await, 4);
}

#[tokio::test]
async fn no_file_is_lost_while_the_process_that_archives_it_is_killed() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&["watch.after=archive"]).await;
    let mut all = Vec::new();
    for kill in 0..8 {
        for number in 0..6 {
            let file = fixture.put(&format!("{kill}-{number}.jpg"));
            all.push(std::fs::read(file).expect("a file"));
        }
        let enough = all.len() - 5;
        eventually("some are put away", async || {
            (archived(&fixture).len() >= enough).then_some(())
        })
        .await;
        watcher.service.kill().await;
        watcher.restart(&[]).await;
    }
    eventually("all are put away", async || {
        (archived(&fixture).len() >= all.len()).then_some(())
    })
    .await;
    let mut archived: Vec<_> = archived(&fixture)
        .iter()
        .map(|file| std::fs::read(file).expect("a file"))
        .collect();
    archived.sort();
    all.sort();
    assert!(archived == all, "each once");
    assert_eq!(watcher.service.count().await, all.len() as u64);
}

/// As by a program that keeps the time of what it saves. The object store holds the upload up for as long
/// as the test needs.
#[tokio::test]
#[cfg_attr(windows, ignore = "Windows replaces no file that is being sent")]
async fn a_file_of_the_same_size_and_time_that_replaces_the_sent_one_stays() {
    for after in ["archive", "trash"] {
        let (fixture, store) = Fixture::with_store().await;
        let watcher = fixture.watch(&[&format!("watch.after={after}")]).await;
        let of_one_size = || {
            let mut bytes = picture();
            // What follows the end of a JPEG does not count.
            bytes.resize(1_000_000, 0);
            bytes
        };
        store.is(StoreMode::WaitsToStore);
        let stored = store.count(&Method::PUT);
        let (file, saved) = (fixture.folder().join("a.jpg"), fixture.beside("saved"));
        std::fs::write(&file, of_one_size()).expect("a file");
        store.called(&Method::PUT, stored).await;
        let another = of_one_size();
        std::fs::write(&saved, &another).expect("a file");
        let time = std::fs::metadata(&file).and_then(|about| about.modified());
        let saved_file = std::fs::File::options().write(true).open(&saved);
        saved_file
            .and_then(|file| file.set_modified(time?))
            .expect("its time");
        std::fs::rename(&saved, &file).expect("replaced");
        store.is(StoreMode::Well);
        eventually("the first is uploaded", async || {
            (watcher.service.count().await == 1).then_some(())
        })
        .await;
        eventually("what becomes of the file is decided", async || {
            let decided = fixture.rows(1) == 0;
            (decided && file.exists()).then_some(())
        })
        .await;
        assert_eq!(std::fs::read(&file).expect("it stays"), another);
        assert!(archived(&fixture).is_empty());
    }
}

#[tokio::test]
async fn only_what_was_uploaded_is_put_away_while_the_file_is_replaced() {
    let after = if cfg!(windows) { "archive" } else { "trash" };
    let fixture = Fixture::new();
    let watcher = fixture.watch(&[&format!("watch.after={after}")]).await;
    let (file, saved) = (fixture.folder().join("a.jpg"), fixture.beside("saved"));
    // At another moment of its upload each time.
    for moment in 0..60 {
        std::fs::write(&saved, picture()).expect("a file");
        // The service may have it open, in a way that Windows does not let others replace.
        let replaced = retried((), |()| {
            std::fs::rename(&saved, &file).map_err(|error| (error, ()))
        });
        replaced.expect("replaced");
        tokio::time::sleep(Duration::from_millis(100 + moment * 2)).await;
    }
    eventually("all are put away", async || {
        let mut entries = std::fs::read_dir(fixture.folder()).expect("a folder");
        // Nor on its way.
        let is_left = entries.any(|entry| {
            entry.is_ok_and(|entry| {
                entry.path().is_file() || entry.file_name() == "porchlight-uploaded"
            })
        });
        (!is_left).then_some(())
    })
    .await;
    let put_away = match after {
        "archive" => archived(&fixture),
        _ => files::below(&fixture.beside("Trash/files")),
    };
    for file in &put_away {
        let again = watcher.service.upload(std::fs::read(file).expect("a file"));
        assert_eq!(again.await.status(), 409, "{file:?} was never uploaded");
    }
    assert!(!put_away.is_empty());
}

/// The service's record alone is no reason to throw the only copy away.
#[tokio::test]
async fn a_file_is_archived_only_once_the_service_has_its_complete_image() {
    let fixture = Fixture::new();
    let watcher = fixture.watch(&["watch.after=archive"]).await;
    let service = &watcher.service;
    let bytes = picture();
    let hash = service.stored(bytes.clone()).await;
    let webp = service.webp(&hash).await;
    let stored = &files::below(&service.data_dir().join("images"))[0];
    for spoilt in [None, Some(vec![0; webp.len() - 1])] {
        match spoilt {
            None => std::fs::remove_file(stored).expect("a file"),
            Some(spoilt) => std::fs::write(stored, spoilt).expect("a file"),
        }
        let file = fixture.folder().join("a.jpg");
        std::fs::write(&file, &bytes).expect("a file");
        gone(&file).await;
        assert_eq!(std::fs::read(stored).expect("a file"), webp);
    }
    assert_eq!(service.count().await, 1);
}

/// What it has recorded, or had once, is no reason to put the file away.
#[tokio::test]
async fn a_file_is_kept_until_the_service_has_its_image() {
    // A touched file whose removal is enabled; and the state after a kill between the upload and
    // the removal of its file.
    for is_touched in [true, false] {
        let fixture = Fixture::new();
        let mut watcher = fixture.watch(&[]).await;
        let file = fixture.put("a.jpg");
        fixture.have(1, 2).await;
        let list = watcher.service.json("/images/list").await;
        let hash = list["images"][0]["hash"].as_str().expect("a hash");
        assert_eq!(answer(watcher.service.delete(hash).await).await.0, 200);
        watcher.service.kill().await;
        if is_touched {
            let touched = std::fs::File::options().append(true).open(&file);
            touched
                .and_then(|file| file.set_modified(SystemTime::now()))
                .expect("touched");
        } else {
            forget_that_it_was_put_away(&fixture);
        }
        watcher.restart(&["watch.after=archive"]).await;
        gone(&file).await;
        watcher.service.webp(hash).await;
    }
}
