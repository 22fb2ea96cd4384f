//! What happens to a file whose image is uploaded, and the text that is made of
//! its address.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use axum::http::Method;
use porchlight_api::files::retried;
use serde_json::json;
use tempfile::TempDir;

use crate::harness::process::RunningProcess;
use crate::harness::s3::{ObjectStore, StoreMode};
use crate::harness::{TestService, answer, eventually, files, pictures};
use crate::stand_in::{Reply, StandIn};
use crate::{Fixture, picture, rows};

/// `porchlight serve` that watches a folder, and puts its files away.
struct Serving {
    service: TestService,
    home: TempDir,
}

impl Serving {
    async fn start(after: &str) -> Self {
        Self::start_with(after, &[]).await
    }

    async fn start_with(after: &str, more: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("pictures");
        std::fs::create_dir(&folder).expect("a folder");
        let service = TestService::builder()
            .set(format!("watch.folders=['{}']", folder.display()))
            .set(format!("watch.after={after}"))
            .sets(more)
            .env("XDG_DATA_HOME", home.path().to_str().expect("UTF-8"))
            .start()
            .await;
        Self { service, home }
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join("pictures")
    }

    fn put(&self, name: &str) -> PathBuf {
        let file = self.folder().join(name);
        std::fs::write(&file, picture()).expect("a file");
        file
    }

    fn rows(&self, state: u8) -> i64 {
        rows(self.service.data_dir(), state)
    }

    /// The files in the archive of its folder.
    fn archived(&self) -> Vec<PathBuf> {
        files::below(&self.folder().join("porchlight-archive"))
    }

    /// As after a kill between an upload and what happens to its file.
    fn forget_that_it_was_put_away(&self) {
        let outbox = rusqlite::Connection::open(self.service.data_dir().join("outbox.db"));
        let outbox = outbox.expect("an outbox");
        let changed = outbox.execute("UPDATE picture SET state = 1", []);
        assert_eq!(changed.expect("an outbox"), 1);
    }
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
    let mut serving = Serving::start("archive").await;
    std::fs::create_dir(serving.folder().join("trip")).expect("a folder");
    for _ in 0..2 {
        gone(&serving.put("trip/a.jpg")).await;
    }
    let names: Vec<String> = serving
        .archived()
        .iter()
        .map(|file| file.file_name().expect("a name").to_string_lossy().into())
        .collect();
    assert_eq!(names, ["a (2).jpg", "a.jpg"]);
    serving.service.restart().await;
    gone(&serving.put("b.jpg")).await;
    assert_eq!(serving.service.count().await, 3);
    assert_eq!(serving.archived().len(), 3, "the archive is ignored");
}

#[tokio::test]
#[cfg_attr(windows, ignore = "Wine has no recycle bin")]
async fn trashed_files_are_in_the_trash() {
    let serving = Serving::start("trash").await;
    let file = serving.put("a.jpg");
    let bytes = std::fs::read(&file).expect("a file");
    gone(&file).await;
    // The recycle bin of Windows has its own names.
    if cfg!(unix) {
        let trash = serving.home.path().join("Trash/files");
        let trashed = trash.join("a.jpg");
        eventually("it is in the trash", async || {
            (std::fs::read(&trashed).ok()? == bytes).then_some(())
        })
        .await;
    }
    assert_eq!(serving.service.count().await, 1);
}

#[tokio::test]
async fn files_uploaded_before_a_kill_are_put_away_at_the_next_start() {
    let mut serving = Serving::start("keep").await;
    let file = serving.put("a.jpg");
    eventually("it is uploaded", async || {
        (serving.rows(2) == 1).then_some(())
    })
    .await;
    serving.service.kill().await;
    serving.forget_that_it_was_put_away();
    serving.service.restart_with(&["watch.after=archive"]).await;
    gone(&file).await;
    assert!(serving.folder().join("porchlight-archive/a.jpg").exists());
    assert_eq!(serving.service.count().await, 1);
}

/// What a kill leaves has a name that is ignored, and is the only copy.
#[tokio::test]
async fn a_file_that_was_being_put_away_gets_its_name_back_at_the_next_start() {
    let mut serving = Serving::start("keep").await;
    let uploaded = async |serving: &Serving, number: i64| {
        eventually("they are uploaded", async || {
            (serving.rows(2) == number).then_some(())
        })
        .await;
    };
    serving.put("taken.jpg");
    uploaded(&serving, 1).await;
    std::fs::create_dir(serving.folder().join("porchlight-uploaded")).expect("a folder");
    serving.put("porchlight-uploaded/taken.jpg");
    serving.put("porchlight-uploaded/free.jpg");
    serving.put("last.jpg");
    uploaded(&serving, 2).await;
    let names = |folder: &Path| {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string())
            .map(|name| name.expect("UTF-8"))
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&serving.folder()).len(), 3);
    serving.service.kill().await;
    serving.service.restart().await;
    uploaded(&serving, 4).await;
    let restored = ["free.jpg", "last.jpg", "taken (2).jpg", "taken.jpg"];
    assert_eq!(names(&serving.folder()), restored);
    assert_eq!(serving.service.count().await, 4);
}

#[tokio::test]
async fn no_file_is_lost_while_the_process_that_archives_it_is_killed() {
    let mut serving = Serving::start("archive").await;
    let mut all = Vec::new();
    for kill in 0..8 {
        for number in 0..6 {
            let file = serving.put(&format!("{kill}-{number}.jpg"));
            all.push(std::fs::read(file).expect("a file"));
        }
        let enough = all.len() - 5;
        eventually("some are put away", async || {
            (serving.archived().len() >= enough).then_some(())
        })
        .await;
        serving.service.kill().await;
        serving.service.restart().await;
    }
    eventually("all are put away", async || {
        (serving.archived().len() >= all.len()).then_some(())
    })
    .await;
    let mut archived: Vec<_> = serving
        .archived()
        .iter()
        .map(|file| std::fs::read(file).expect("a file"))
        .collect();
    archived.sort();
    all.sort();
    assert!(archived == all, "each once");
    assert_eq!(serving.service.count().await, all.len() as u64);
}

#[tokio::test]
async fn a_line_for_each_picture_is_made_by_the_template() {
    let service = TestService::start(&[]).await;
    for (template, beginning, end) in [
        ("url", "http://", ""),
        ("markdown", "![](http://", ")"),
        (
            "html",
            "<img src=\"http://",
            "\" width=\"48\" height=\"32\" alt=\"\">",
        ),
        ("bbcode", "[img]http://", "[/img]"),
        ("see {url} !", "see http://", " !"),
    ] {
        let fixture = Fixture::of(&service);
        let mut watcher = RunningProcess::spawn(fixture.command(&["--link", template]));
        fixture.put("a.jpg");
        let line = watcher.line_with("/i/").await.expect("a line");
        let line = line.trim_end_matches('\n');
        assert!(line.starts_with(beginning) && line.ends_with(end), "{line}");
        watcher.terminate();
        let ended = watcher.ended().await;
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
    }
}

/// A browser is offered each copy that is narrower than the image, and no other.
#[tokio::test]
async fn responsive_html_has_the_size_of_the_image_and_the_widths_below_it() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = RunningProcess::spawn(fixture.command(&["--link", "responsive"]));
    for (width, narrower) in [(640, vec![320]), (2_000, vec![320, 640, 960, 1_280, 1_920])] {
        let picture = pictures::png(&pictures::scene(pictures::next_seed(), width, 8));
        // The second one is there already: another program has uploaded it.
        if width == 2_000 {
            service.stored(picture.clone()).await;
        }
        std::fs::write(fixture.folder().join(format!("{width}.png")), picture).expect("a file");
        let line = watcher.line_with("/i/").await.expect("a line");
        let address = line.split('"').nth(1).expect("an address");
        let mut widths: Vec<_> = narrower
            .iter()
            .map(|one| format!("{address}?w={one} {one}w"))
            .collect();
        widths.push(format!("{address} {width}w"));
        let srcset = widths.join(", ");
        assert_eq!(
            line.trim_end(),
            format!(
                "<img src=\"{address}\" srcset=\"{srcset}\" sizes=\"auto, 100vw\" loading=\"lazy\" \
                 width=\"{width}\" height=\"8\" alt=\"\">"
            )
        );
        for one in narrower {
            let copy = service
                .get(&format!(
                    "{}?w={one}",
                    address.replace(&service.url(""), "")
                ))
                .await;
            let copy = copy.bytes().await.expect("bytes");
            assert_eq!(pictures::decoded(&copy).width(), one);
        }
    }
}

/// As by a program that keeps the time of what it saves. The object store holds the upload up for as long
/// as the test needs.
#[tokio::test]
#[cfg_attr(windows, ignore = "Windows replaces no file that is being sent")]
async fn a_file_of_the_same_size_and_time_that_replaces_the_sent_one_stays() {
    for after in ["archive", "trash"] {
        let store = ObjectStore::start().await;
        let settings = store.settings();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let serving = Serving::start_with(after, &settings).await;
        let of_one_size = || {
            let mut bytes = picture();
            // What follows the end of a JPEG does not count.
            bytes.resize(1_000_000, 0);
            bytes
        };
        store.is(StoreMode::WaitsToStore);
        let stored = store.count(&Method::PUT);
        let (file, saved) = (
            serving.folder().join("a.jpg"),
            serving.home.path().join("saved"),
        );
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
            (serving.service.count().await == 1).then_some(())
        })
        .await;
        eventually("what becomes of the file is decided", async || {
            let decided = serving.rows(1) == 0;
            (decided && file.exists()).then_some(())
        })
        .await;
        assert_eq!(std::fs::read(&file).expect("it stays"), another);
        assert!(serving.archived().is_empty());
    }
}

#[tokio::test]
async fn only_what_was_uploaded_is_put_away_while_the_file_is_replaced() {
    let after = if cfg!(windows) { "archive" } else { "trash" };
    let serving = Serving::start(after).await;
    let (file, saved) = (
        serving.folder().join("a.jpg"),
        serving.home.path().join("saved"),
    );
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
        let mut entries = std::fs::read_dir(serving.folder()).expect("a folder");
        let is_left = entries.any(|entry| entry.is_ok_and(|entry| entry.path().is_file()));
        (!is_left).then_some(())
    })
    .await;
    let put_away = match after {
        "archive" => serving.archived(),
        _ => files::below(&serving.home.path().join("Trash/files")),
    };
    for file in &put_away {
        let again = serving.service.upload(std::fs::read(file).expect("a file"));
        assert_eq!(again.await.status(), 409, "{file:?} was never uploaded");
    }
    assert!(!put_away.is_empty());
}

/// The service's record alone is no reason to throw the only copy away.
#[tokio::test]
async fn a_file_is_archived_only_once_the_service_has_its_complete_image() {
    let serving = Serving::start("archive").await;
    let service = &serving.service;
    let bytes = picture();
    let hash = service.stored(bytes.clone()).await;
    let webp = service.webp(&hash).await;
    let stored = &files::below(&service.data_dir().join("images"))[0];
    for spoilt in [None, Some(vec![0; webp.len()])] {
        match spoilt {
            None => std::fs::remove_file(stored).expect("a file"),
            Some(spoilt) => std::fs::write(stored, spoilt).expect("a file"),
        }
        let file = serving.folder().join("a.jpg");
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
        let mut serving = Serving::start("keep").await;
        let file = serving.put("a.jpg");
        eventually("it is uploaded", async || {
            (serving.rows(2) == 1).then_some(())
        })
        .await;
        let list = serving.service.json("/images/list").await;
        let hash = list["images"][0]["hash"].as_str().expect("a hash");
        assert_eq!(answer(serving.service.delete(hash).await).await.0, 200);
        serving.service.kill().await;
        if is_touched {
            let touched = std::fs::File::options().append(true).open(&file);
            touched
                .and_then(|file| file.set_modified(SystemTime::now()))
                .expect("touched");
        } else {
            serving.forget_that_it_was_put_away();
        }
        serving.service.restart_with(&["watch.after=archive"]).await;
        gone(&file).await;
        serving.service.webp(hash).await;
    }
}

/// It may answer anything, and lose what it took.
#[tokio::test]
async fn a_file_that_went_to_another_server_stays() {
    let server = StandIn::start(|call| match call.path.as_str() {
        "/images/add" => Reply::json(201, &json!({ "hash": "ab12" })),
        _ => Reply::json(404, &json!({ "error": "Image not found" })),
    })
    .await;
    let target = format!("presence.target_url={}", server.url());
    let more = [target.as_str(), "presence.token=some-token"];
    let serving = Serving::start_with("archive", &more).await;
    let file = serving.put("a.jpg");
    eventually("it is uploaded", async || {
        (serving.rows(2) == 1).then_some(())
    })
    .await;
    assert!(file.exists());
    assert!(serving.archived().is_empty());
    let log = serving.service.stderr();
    assert!(log.contains("files stay in their folders"), "{log}");
}
