//! Watched folders against a tiny HTTP server that accepts images and rejects
//! text.

use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedReceiver;

use super::*;
use crate::http::client::Client;
use crate::tiny_server::{NO_PICTURE, PICTURE, server};
use crate::uploads::window::FolderState;

const LIMIT: Duration = Duration::from_secs(20);

struct Fixture {
    folder: TempDir,
    state: TempDir,
    outcomes: UnboundedReceiver<WatchOutcome>,
    watch: Watch,
}

impl Fixture {
    async fn start() -> Self {
        let (folder, state) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let base = format!("http://{}", server().await);
        let client = Client::new(&base, "a-token".to_owned().into(), LIMIT).expect("a client");
        let (sender, outcomes) = mpsc::unbounded_channel();
        let watch = Watch::start(Order {
            settings: WatchSettings {
                folders: vec![folder.path().to_owned()],
                ..WatchSettings::default()
            },
            target: Target::Http(client),
            state: state.path().to_owned(),
            report: Arc::new(move |outcome| drop(sender.send(outcome))),
        });
        Self {
            folder,
            state,
            outcomes,
            watch: watch.await.expect("watching"),
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        // Moved in, so that it is one event on every system.
        let outside = self.state.path().join(name);
        std::fs::write(&outside, bytes).expect("a file");
        std::fs::rename(&outside, self.folder.path().join(name)).expect("moved");
    }

    async fn next(&mut self) -> WatchOutcome {
        let next = tokio::time::timeout(LIMIT, self.outcomes.recv()).await;
        next.expect("in time").expect("it goes on")
    }

    async fn until(&self, what: &str, wanted: impl FnMut(&WatchStatus) -> bool) {
        let mut status = self.watch.status();
        let came = tokio::time::timeout(LIMIT, status.wait_for(wanted)).await;
        assert!(came.is_ok_and(|came| came.is_ok()), "never: {what}");
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
    fixture.watch.pause(true);
    fixture.until("it rests", |status| status.paused).await;
    fixture.put("a.png", PICTURE);
    fixture
        .until("it waits", |status| status.waiting == 1)
        .await;
    // Uploaded once it was stable for a second: that is how long the first one
    // waits.
    let outside = fixture.state.path().join("b.png");
    std::fs::write(&outside, PICTURE).expect("a file");
    std::fs::hard_link(&outside, fixture.folder.path().join("b.png")).expect("linked");
    fixture
        .until("both wait", |status| status.waiting == 2)
        .await;
    assert!(fixture.outcomes.try_recv().is_err());
    fixture.watch.pause(false);
    let mut outcomes = [fixture.next().await, fixture.next().await];
    outcomes.sort_by_key(|outcome| !is_upload(outcome, "a.png"));
    assert!(is_upload(&outcomes[0], "a.png"), "{outcomes:?}");
    assert!(is_upload(&outcomes[1], "b.png"), "{outcomes:?}");
    fixture
        .until("nothing waits", |status| {
            !status.paused && status.waiting == 0 && status.under_way.is_empty()
        })
        .await;
    fixture.watch.stop().await;
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
    let aside = fixture.watch.set_aside().await.expect("a list");
    assert!(aside[0].reason.to_string().contains("415"), "{aside:?}");
    assert_eq!(
        fixture
            .watch
            .retry(Some(aside[0].id))
            .await
            .expect("written"),
        1
    );
    let WatchOutcome::SetAside { file, .. } = fixture.next().await else {
        panic!("it is refused again");
    };
    assert_eq!(file, aside[0].file);
    assert_eq!(fixture.watch.dismiss(None).await.expect("written"), 2);
    fixture
        .until("none is shown", |status| status.set_aside == 0)
        .await;
    fixture.put("a.png", PICTURE);
    let outcome = fixture.next().await;
    assert!(is_upload(&outcome, "a.png"), "{outcome:?}");
}

#[cfg_attr(
    windows,
    ignore = "Wine removes a folder that is watched only when that ends"
)]
#[tokio::test]
async fn a_missing_folder_is_reported_and_a_second_watch_is_refused() {
    let fixture = Fixture::start().await;
    let again = UploadQueue::open(fixture.state.path()).await;
    assert!(matches!(again, Err(OpenUploadQueueError::Held(_))));
    std::fs::remove_dir(fixture.folder.path()).expect("our folder");
    fixture
        .until("it is missing", |status| {
            status.folders[0].state == FolderState::Missing
        })
        .await;
    std::fs::create_dir(fixture.folder.path()).expect("a folder");
    fixture
        .until("it is back", |status| {
            status.folders[0].state == FolderState::Watched
        })
        .await;
    fixture.watch.stop().await;
    let Fixture { state, watch, .. } = fixture;
    drop(watch);
    assert!(UploadQueue::open(state.path()).await.is_ok());
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
    let mut writer = std::fs::File::create(watched.folder.path().join("slow.png")).expect("a file");
    writer.set_len(3 * PICTURE.len() as u64).expect("its size");
    for _ in 0..3 {
        writer.write_all(PICTURE).expect("a piece");
        let early = tokio::time::timeout(Duration::from_secs(2), watched.outcomes.recv()).await;
        assert!(early.is_err(), "half of it is uploaded: {early:?}");
    }
    drop(writer);
    let outcome = watched.next().await;
    assert!(is_upload(&outcome, "slow.png"), "{outcome:?}");
    watched.watch.stop().await;
}

/// More events than the buffer of `notify` holds, where it loses them in silence.
#[cfg(windows)]
#[tokio::test]
async fn files_are_found_whose_events_were_lost() {
    const FILES: usize = 2_000;

    let mut watched = Fixture::start().await;
    let folder = watched.folder.path().to_owned();
    let written = tokio::task::spawn_blocking(move || {
        for number in 0..FILES {
            let name = format!("a-name-that-takes-its-place-in-the-buffer-{number:05}.png");
            std::fs::write(folder.join(name), PICTURE).expect("a file");
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
    watched.watch.stop().await;
}
