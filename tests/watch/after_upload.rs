//! What happens to a file whose image is uploaded, and the text that is made of
//! its address.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use porchlight_api::files::retried;
use serde_json::json;

use crate::harness::process::RunningProcess;
use crate::harness::{TestService, eventually, files, pictures};
use crate::stand_in::{Reply, StandIn};
use crate::{Fixture, Watcher, name, picture, times_sent};

async fn gone(file: &std::path::Path) {
    eventually("the file is put away", async || {
        (!file.exists()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn archived_files_move_to_a_subfolder_and_a_new_file_of_the_name_is_a_new_picture() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    std::fs::create_dir(fixture.folder().join("trip")).expect("a folder");
    let mut watcher = fixture.watch(&["--after", "archive"]);
    for _ in 0..2 {
        let file = fixture.put("trip/a.jpg");
        let line = watcher.next().await;
        assert_eq!(line["status"], "uploaded");
        gone(&file).await;
    }
    let archive = fixture.folder().join("porchlight-archive/trip");
    let archived: Vec<String> = files::below(&archive)
        .iter()
        .map(|file| file.file_name().expect("a name").to_string_lossy().into())
        .collect();
    assert_eq!(archived, ["a (2).jpg", "a.jpg"]);
    watcher.kill().await;
    let mut watcher = fixture.watching(&["--after", "archive"]).await;
    assert_eq!(times_sent(&service).await, 3, "the archive is ignored");
    watcher.kill().await;
}

#[tokio::test]
#[cfg_attr(windows, ignore = "Wine has no recycle bin")]
async fn trashed_files_are_in_the_trash() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watch(&["--after", "trash"]);
    let file = fixture.put("a.jpg");
    let bytes = std::fs::read(&file).expect("a file");
    assert_eq!(watcher.next().await["status"], "uploaded");
    gone(&file).await;
    // The recycle bin of Windows has its own names.
    if cfg!(unix) {
        let trashed = fixture.home.path().join(".local/share/Trash/files/a.jpg");
        assert_eq!(std::fs::read(trashed).expect("a file in the trash"), bytes);
    }
}

#[tokio::test]
async fn files_uploaded_before_a_kill_are_put_away_at_the_next_start() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let file = fixture.put("a.jpg");
    let mut watcher = fixture.watch(&[]);
    watcher.next().await;
    watcher.kill().await;
    // The state after a kill between the two.
    let outbox = rusqlite::Connection::open(fixture.state().join("outbox.db")).expect("an outbox");
    let changed = outbox.execute("UPDATE picture SET state = 1", []);
    assert_eq!(changed.expect("an outbox"), 1);
    drop(outbox);
    let mut watcher = fixture.watch(&["--after", "archive"]);
    gone(&file).await;
    assert!(fixture.folder().join("porchlight-archive/a.jpg").exists());
    watcher.kill().await;
    // What an earlier run has recorded is no reason to put the file away.
    assert_eq!(times_sent(&service).await, 2);
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

#[tokio::test]
async fn a_file_that_changed_during_its_upload_is_not_put_away() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut command = fixture.command(&["--json", "--after", "archive"]);
    // Shown when the test fails.
    command.env("PORCHLIGHT_LOG", "warn,porchlight_companion::watch=debug");
    let mut watcher = Watcher(RunningProcess::spawn(command));
    // Again and again, as fast as it can be written: whatever is put away was
    // uploaded just so.
    let file = fixture.folder().join("a.jpg");
    for _ in 0..10 {
        // The watcher may have it open, in a way that Windows does not let others write.
        let written = retried((), |()| {
            std::fs::write(&file, picture()).map_err(|error| (error, ()))
        });
        written.expect("a file");
        let line = watcher.next().await;
        assert_eq!(
            (name(&line), line["status"].as_str()),
            ("a.jpg".into(), Some("uploaded"))
        );
    }
    gone(&file).await;
    let archived = files::below(&fixture.folder().join("porchlight-archive"));
    for file in &archived {
        let again = service.upload(std::fs::read(file).expect("a file")).await;
        assert_eq!(again.status(), 409, "{file:?} was never uploaded");
    }
    assert!(!archived.is_empty());
}

/// The service's record alone is no reason to throw the only copy away.
#[tokio::test]
async fn a_file_is_archived_only_once_the_service_has_its_complete_image() {
    let service = TestService::start(&[]).await;
    let bytes = picture();
    let hash = service.stored(bytes.clone()).await;
    let webp = service.webp(&hash).await;
    let stored = &files::below(&service.data_dir().join("images"))[0];
    for spoilt in [None, Some(vec![0; webp.len()])] {
        match spoilt {
            None => std::fs::remove_file(stored).expect("a file"),
            Some(spoilt) => std::fs::write(stored, spoilt).expect("a file"),
        }
        let fixture = Fixture::of(&service);
        let file = fixture.folder().join("a.jpg");
        std::fs::write(&file, &bytes).expect("a file");
        let mut watcher = fixture.watch(&["--after", "archive"]);
        let line = watcher.next().await;
        assert_eq!(
            (line["status"].as_str(), &line["hash"]),
            (Some("uploaded"), &hash.clone().into())
        );
        gone(&file).await;
        assert_eq!(std::fs::read(stored).expect("a file"), webp);
        watcher.kill().await;
    }
}

/// What it has recorded, or had once, is no reason to put the file away.
#[tokio::test]
async fn a_file_is_sent_before_it_is_archived_whatever_the_service_has_recorded() {
    let server = StandIn::start(|call| match call.path.as_str() {
        "/images/add" => Reply::json(409, &json!({ "existingHash": "ab12" })),
        _ => Reply::json(200, &json!({ "hash": "ab12" })),
    })
    .await;
    let fixture = Fixture::at(&server.url(), "some-token");
    let mut watcher = fixture.watch(&["--after", "archive"]);
    let file = fixture.put("a.jpg");
    assert_eq!(watcher.next().await["hash"], "ab12");
    gone(&file).await;
    assert_eq!(server.count("/images/add"), 1);
    watcher.kill().await;
}
