//! Watched folders of a service.

#[cfg(windows)]
use std::time::Duration;

use super::*;
use crate::files;
use crate::testing::picture;
use crate::uploads::UploadFile;
use crate::uploads::opened::FileVersion;
use crate::uploads::table::Version;
use crate::uploads::tests::{LIMIT, Run};

const NO_PICTURE: &[u8] = b"no picture";

struct Fixture {
    folder: PathBuf,
    run: Run,
    outcomes: broadcast::Receiver<WatchOutcome>,
    watch: Watch,
}

impl Fixture {
    async fn start() -> Self {
        let run = Run::new().await;
        let folder = run.home.path().join("pictures");
        std::fs::create_dir(&folder).expect("a folder");
        let settings = WatchSettings {
            folders: vec![folder.clone()],
            ..WatchSettings::default()
        };
        let outcomes = run.uploads.outcomes();
        run.start().await;
        let data = run.home.path().join("data");
        Self {
            watch: run.uploads.watch(&settings, &data).await.expect("watching"),
            folder,
            outcomes,
            run,
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        // Moved in, so that it is one event on every system.
        let outside = self.run.file(name, bytes);
        std::fs::rename(&outside, self.folder.join(name)).expect("moved");
    }

    async fn next(&mut self) -> WatchOutcome {
        let next = tokio::time::timeout(LIMIT, self.outcomes.recv()).await;
        next.expect("in time").expect("it goes on")
    }

    async fn until(&self, what: &str, wanted: impl FnMut(&WatchStatus) -> bool) {
        let mut status = self.run.uploads.watch_status();
        let came = tokio::time::timeout(LIMIT, status.wait_for(wanted)).await;
        assert!(came.is_ok_and(|came| came.is_ok()), "never: {what}");
    }

    async fn stop(self) {
        self.watch.stop(&self.run.uploads);
    }
}

fn is_upload(outcome: &WatchOutcome, name: &str) -> bool {
    matches!(outcome, WatchOutcome::Uploaded { file, .. } if file.ends_with(name))
}

#[tokio::test]
async fn a_pause_stops_uploads_but_files_are_still_noticed() {
    let mut fixture = Fixture::start().await;
    fixture
        .until("the folder is watched", |status| {
            status.folders[0].state == FolderState::Watched
        })
        .await;
    fixture.run.uploads.pause_watched(true);
    fixture.until("it rests", |status| status.paused).await;
    fixture.put("a.png", &picture());
    fixture
        .until("it waits", |status| status.waiting == 1)
        .await;
    // Uploaded once it was stable for a second: that is how long the first one
    // waits.
    let outside = fixture.run.file("b.png", &picture());
    std::fs::hard_link(&outside, fixture.folder.join("b.png")).expect("linked");
    let added = fixture.run.file("added.png", &picture());
    let ids = fixture
        .run
        .uploads
        .take(vec![UploadFile::File(added)])
        .await;
    let ended = fixture.run.uploads.ended(ids).await;
    assert_eq!(ended.len(), 1, "files that the owner adds do not wait");
    fixture
        .until("both wait", |status| status.waiting == 2)
        .await;
    assert!(fixture.outcomes.try_recv().is_err());
    fixture.run.uploads.pause_watched(false);
    let mut outcomes = [fixture.next().await, fixture.next().await];
    outcomes.sort_by_key(|outcome| !is_upload(outcome, "a.png"));
    assert!(is_upload(&outcomes[0], "a.png"), "{outcomes:?}");
    assert!(is_upload(&outcomes[1], "b.png"), "{outcomes:?}");
    fixture
        .until("nothing waits", |status| {
            !status.paused && status.waiting == 0 && status.under_way.is_empty()
        })
        .await;
    fixture.stop().await;
}

#[tokio::test]
async fn set_aside_files_are_shown_retried_and_dismissed() {
    let mut fixture = Fixture::start().await;
    for name in ["a.png", "b.png"] {
        fixture.put(name, NO_PICTURE);
        let outcome = fixture.next().await;
        assert!(
            matches!(outcome, WatchOutcome::SetAside { .. }),
            "{outcome:?}"
        );
    }
    fixture
        .until("both are shown", |status| status.set_aside == 2)
        .await;
    let uploads = fixture.run.uploads.clone();
    let aside = uploads.set_aside().await.expect("a list");
    assert!(
        aside[0].reason.to_string().contains("not a picture"),
        "{aside:?}"
    );
    assert_eq!(
        uploads
            .retry_set_aside(Some(aside[0].id))
            .await
            .expect("written"),
        1
    );
    let WatchOutcome::SetAside { file, .. } = fixture.next().await else {
        panic!("it is refused again");
    };
    assert_eq!(file, aside[0].file);
    assert_eq!(uploads.dismiss_set_aside(None).await.expect("written"), 2);
    fixture
        .until("none is shown", |status| status.set_aside == 0)
        .await;
    fixture.put("a.png", &picture());
    let outcome = fixture.next().await;
    assert!(is_upload(&outcome, "a.png"), "{outcome:?}");
}

#[cfg_attr(
    windows,
    ignore = "Wine removes a folder that is watched only when that ends"
)]
#[tokio::test]
async fn a_missing_folder_is_reported_until_it_is_back() {
    let fixture = Fixture::start().await;
    std::fs::remove_dir(&fixture.folder).expect("our folder");
    fixture
        .until("it is missing", |status| {
            status.folders[0].state == FolderState::Missing
        })
        .await;
    std::fs::create_dir(&fixture.folder).expect("a folder");
    fixture
        .until("it is back", |status| {
            status.folders[0].state == FolderState::Watched
        })
        .await;
    fixture.stop().await;
}

#[tokio::test]
async fn a_file_that_came_back_is_queued_again() {
    let run = Run::new().await;
    let root = files::full_path(run.home.path()).expect("a path");
    let file = root.join("a.png");
    std::fs::write(&file, "a picture").expect("a file");
    let version = Version {
        folder: root.clone(),
        album: None,
        file: file.clone(),
        file_version: FileVersion::now(&file).expect("a file"),
    };
    let put = run
        .uploads
        .write(move |change| table::put(change, &[version], &[]));
    put.await.expect("written");
    for waiting in [1, 0] {
        let folders = [root.clone()];
        let rows = run
            .uploads
            .read(move |look| table::next(look, 1, &[], &folders));
        let row = rows.await.expect("rows").remove(0);
        if waiting == 0 {
            std::fs::remove_file(&file).expect("our file");
        }
        run.uploads
            .forget_watched(row, root.clone())
            .await
            .expect("written");
        let counts = run.uploads.read(table::counts).await.expect("counts");
        assert_eq!(counts.waiting, waiting);
    }
}

#[test]
fn no_folder_is_watched_twice() {
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    let given = paths(&["/p/trip", "/p", "/p", "/pictures", "/q"]);
    assert_eq!(
        without_those_inside(&given, true),
        paths(&["/p", "/pictures", "/q"])
    );
    assert_eq!(
        without_those_inside(&given, false),
        paths(&["/p/trip", "/p", "/pictures", "/q"])
    );
}

/// As Explorer copies: the size is set first, and two looks at the file see no difference.
#[cfg(windows)]
#[tokio::test]
async fn a_file_that_is_held_open_for_writing_is_not_uploaded_before_it_is_closed() {
    use std::io::Write as _;

    let mut watched = Fixture::start().await;
    let mut writer = std::fs::File::create(watched.folder.join("slow.png")).expect("a file");
    let picture = picture();
    let third = picture.len() / 3;
    writer.set_len(picture.len() as u64).expect("its size");
    for piece in [
        &picture[..third],
        &picture[third..2 * third],
        &picture[2 * third..],
    ] {
        writer.write_all(piece).expect("a piece");
        let early = tokio::time::timeout(Duration::from_secs(2), watched.outcomes.recv()).await;
        assert!(early.is_err(), "half of it is uploaded: {early:?}");
    }
    drop(writer);
    let outcome = watched.next().await;
    assert!(is_upload(&outcome, "slow.png"), "{outcome:?}");
    watched.stop().await;
}

/// More events than the buffer of `notify` holds, where it loses them in silence.
#[cfg(windows)]
#[tokio::test]
async fn files_are_found_whose_events_were_lost() {
    const FILES: usize = 2_000;

    let mut watched = Fixture::start().await;
    let folder = watched.folder.clone();
    let written = tokio::task::spawn_blocking(move || {
        for number in 0..FILES {
            let name = format!("a-name-that-takes-its-place-in-the-buffer-{number:05}.png");
            std::fs::write(folder.join(name), picture()).expect("a file");
        }
    });
    written.await.expect("written");
    let mut uploaded = std::collections::HashSet::new();
    while uploaded.len() < FILES {
        match watched.next().await {
            WatchOutcome::Uploaded { file, .. } => uploaded.insert(file),
            other => panic!("{other:?}"),
        };
    }
    watched.stop().await;
}
