//! What an upload queue stores, and the order of its rows.

use super::*;
use crate::uploads::opened::FileVersion;

fn version(name: &str, changed: i64) -> Version {
    Version {
        folder: PathBuf::from("/pictures"),
        file: PathBuf::from("/pictures").join(name),
        file_version: FileVersion { bytes: 7, changed },
    }
}

async fn names(queue: &UploadQueue) -> Vec<String> {
    let next = queue.next(100, Vec::new(), Vec::new());
    let pictures = next.await.expect("an answer");
    let name = |picture: &WatchedFile| picture.file.file_name().map(|name| name.to_owned());
    pictures
        .iter()
        .filter_map(name)
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

async fn first(queue: &UploadQueue) -> WatchedFile {
    let next = queue.next(1, Vec::new(), Vec::new());
    next.await.expect("an answer").remove(0)
}

async fn finish(queue: &UploadQueue, picture: WatchedFile) {
    queue
        .uploaded(picture, [1; 32], "ab".to_owned(), State::Done)
        .await
        .expect("written");
}

#[tokio::test]
async fn waiting_rows_survive_a_kill_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let these = ["b.png", "a.png", "c.png"].map(|name| version(name, 1));
    queue
        .put(these.to_vec(), Vec::new())
        .await
        .expect("written");
    finish(&queue, first(&queue).await).await;
    drop(queue);
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    assert_eq!(names(&queue).await, ["a.png", "c.png"]);
}

#[tokio::test]
async fn a_version_is_seen_once_and_a_change_is_a_new_one_behind_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let these = ["a.png", "b.png"].map(|name| version(name, 1));
    queue
        .put(these.to_vec(), Vec::new())
        .await
        .expect("written");
    finish(&queue, first(&queue).await).await;
    let found = |changed| {
        vec![(
            version("a.png", changed).file,
            FileVersion { bytes: 7, changed },
        )]
    };
    assert_eq!(queue.unseen(found(1)).await.expect("an answer"), []);
    assert_eq!(queue.unseen(found(2)).await.expect("an answer"), found(2));
    let changed = vec![version("a.png", 2)];
    queue.put(changed, Vec::new()).await.expect("written");
    assert_eq!(names(&queue).await, ["b.png", "a.png"]);
}

#[tokio::test]
async fn a_version_that_came_during_the_upload_keeps_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let put = async |changed| {
        let these = vec![version("a.png", changed)];
        queue.put(these, Vec::new()).await.expect("written");
    };
    put(1).await;
    let under_way = first(&queue).await;
    put(2).await;
    finish(&queue, under_way.clone()).await;
    assert_eq!(first(&queue).await.file_version.changed, 2);
    let aside = queue.set_aside(under_way, Message::FileEmpty);
    aside.await.expect("written");
    assert_eq!(names(&queue).await, ["a.png"]);
    finish(&queue, first(&queue).await).await;
    assert_eq!(queue.counts().await.expect("counts"), Counts::default());
}

#[tokio::test]
async fn failed_and_absent_files_do_not_block_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let mut these = ["a.png", "b.png", "c.png"].map(|name| version(name, 1));
    these[1].folder = PathBuf::from("/unplugged");
    queue
        .put(these.to_vec(), Vec::new())
        .await
        .expect("written");
    let a = first(&queue).await;
    queue.failed(a.id).await.expect("written");
    assert_eq!(names(&queue).await, ["b.png", "c.png", "a.png"]);
    let absent = vec![PathBuf::from("/unplugged")];
    let next = queue.next(9, vec![a.id], absent).await;
    let files: Vec<PathBuf> = next
        .expect("an answer")
        .into_iter()
        .map(|picture| picture.file)
        .collect();
    assert_eq!(files, [PathBuf::from("/pictures/c.png")]);
}

#[tokio::test]
async fn waiting_files_of_a_folder_no_longer_watched_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let mut these = ["a.png", "b.png", "c.png"].map(|name| version(name, 1));
    these[0].folder = PathBuf::from("/once");
    these[1].folder = PathBuf::from("/once");
    queue
        .put(these.to_vec(), Vec::new())
        .await
        .expect("written");
    finish(&queue, first(&queue).await).await;
    let watched = [PathBuf::from("/pictures")];
    queue.resume(&watched).await.expect("written");
    assert_eq!(names(&queue).await, ["c.png"]);
    // What was uploaded is still known.
    let taken = vec![(these[0].file.clone(), these[0].file_version)];
    assert_eq!(queue.unseen(taken).await.expect("an answer"), []);
}

#[tokio::test]
async fn unconfirmed_uploads_wait_again_and_removed_files_are_forgotten() {
    let (folder, pictures) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let names_of_all = ["done.png", "gone.png", "old.png", "there.png"];
    for name in names_of_all {
        let version = Version {
            folder: pictures.path().to_owned(),
            file: pictures.path().join(name),
            file_version: FileVersion {
                bytes: 7,
                changed: 1,
            },
        };
        if name != "gone.png" {
            std::fs::write(&version.file, "picture").expect("a file");
        }
        queue.put(vec![version], Vec::new()).await.expect("put");
        let state = match name {
            "gone.png" | "there.png" => State::Uploaded,
            _ => State::Done,
        };
        let taken = first(&queue).await;
        let done = queue.uploaded(taken, [1; 32], "ab".to_owned(), state);
        done.await.expect("written");
    }
    let watched = [pictures.path().to_owned()];
    queue.resume(&watched).await.expect("written");
    assert_eq!(names(&queue).await, ["there.png"]);
    let rows = queue.run(|connection| {
        let sql = "SELECT count(*) FROM picture";
        connection.query_row(sql, [], |row| row.get::<_, i64>(0))
    });
    assert_eq!(rows.await.expect("a number"), 3);
}

#[tokio::test]
async fn files_set_aside_are_listed_retried_and_dismissed() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let these = ["a.png", "b.png"].map(|name| version(name, 1));
    queue
        .put(these.to_vec(), Vec::new())
        .await
        .expect("written");
    for _ in 0..2 {
        let picture = first(&queue).await;
        let aside = queue.set_aside(picture, Message::FileEmpty);
        aside.await.expect("written");
    }
    let aside = queue.all_set_aside().await.expect("a list");
    assert_eq!(aside.len(), 2);
    assert_eq!(aside[0].reason, Message::FileEmpty);
    assert_eq!(queue.retry(Some(aside[0].id)).await.expect("written"), 1);
    assert_eq!(names(&queue).await, ["a.png"]);
    assert_eq!(queue.dismiss(None).await.expect("written"), 1);
    assert_eq!(queue.retry(None).await.expect("written"), 0);
    let counts = queue.counts().await.expect("counts");
    assert_eq!((counts.waiting, counts.set_aside), (1, 0));
}

#[tokio::test]
async fn an_upload_queue_has_one_user_and_another_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let second = UploadQueue::open(folder.path()).await;
    assert!(matches!(second, Err(OpenUploadQueueError::Held(_))));
    drop(queue);
    let other = tempfile::tempdir().expect("a folder");
    let file = other.path().join("outbox.db");
    std::fs::write(&file, "somebody's notes, and not short ones either").expect("a file");
    let refused = UploadQueue::open(other.path()).await;
    assert!(matches!(refused, Err(OpenUploadQueueError::Broken { .. })));
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.starts_with("somebody's"), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_name_that_is_not_unicode_is_preserved() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let mut odd = version("x", 1);
    odd.file = PathBuf::from("/pictures").join(std::ffi::OsStr::from_bytes(b"\xff\xfe\n.png"));
    queue
        .put(vec![odd.clone()], Vec::new())
        .await
        .expect("written");
    assert_eq!(first(&queue).await.file, odd.file);
}

#[tokio::test]
async fn lost_uploads_are_new_again_and_the_rest_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    assert!(is_in(folder.path()));
    let uploaded = [
        ("kept.png", "aa", State::Done),
        ("lost.png", "bb", State::Done),
        ("lost, not put away.png", "cc", State::Uploaded),
        ("again.png", "bb", State::Done),
    ];
    let these: Vec<Version> = uploaded.iter().map(|one| version(one.0, 1)).collect();
    queue.put(these, Vec::new()).await.expect("written");
    for (_, hash, then) in uploaded {
        let picture = first(&queue).await;
        let written = queue.uploaded(picture, [1; 32], hash.to_owned(), then);
        written.await.expect("written");
    }
    let changed = vec![version("again.png", 2)];
    queue.put(changed, Vec::new()).await.expect("written");
    assert_eq!(first(&queue).await.sha256, Some([1; 32]));
    drop(queue);

    let unseen = async |queue: &UploadQueue| {
        let all = uploaded.map(|one| version(one.0, 1));
        let all = all
            .map(|version| (version.file, version.file_version))
            .to_vec();
        let unseen = queue.unseen(all).await.expect("an answer");
        let name = |file: &PathBuf| {
            file.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        unseen
            .iter()
            .filter_map(|(file, _)| name(file))
            .collect::<Vec<_>>()
    };
    let some = |hash: &str| Some(vec![hash.to_owned()]);
    for (restores, expected) in [
        (
            [some("bb"), some("cc")],
            &["lost.png", "lost, not put away.png"][..],
        ),
        (
            [None, some("bb")],
            &["kept.png", "lost.png", "lost, not put away.png"],
        ),
    ] {
        // Another process may have it open then.
        let open = UploadQueue::open(folder.path())
            .await
            .expect("an upload queue");
        for lost in restores {
            look_up_again(folder.path(), lost).expect("written");
        }
        drop(open);
        let queue = UploadQueue::open(folder.path())
            .await
            .expect("an upload queue");
        let mut expected = expected.to_vec();
        // Its newer version waits and does not count as stored.
        expected.push("again.png");
        assert_eq!(unseen(&queue).await, expected);
        assert_eq!(first(&queue).await.sha256, None);
        assert!(!folder.path().join("outbox.lost.json").exists());
    }
}

#[tokio::test]
async fn work_that_panics_is_undone_and_the_queue_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let queue = UploadQueue::open(folder.path())
        .await
        .expect("an upload queue");
    let half = queue.run(|connection| {
        in_one::<()>(connection, |transaction| {
            let half = "INSERT INTO picture (file, folder, bytes, changed, state)
                        VALUES (x'00', x'00', 1, 1, 0)";
            transaction.execute(half, [])?;
            panic!("the lamp fell over")
        })
    });
    let half = half.await.expect_err("it panicked");
    assert!(half.to_string().contains("see the log"), "{half}");
    queue
        .put(vec![version("whole.png", 1)], Vec::new())
        .await
        .expect("written");
    assert_eq!(names(&queue).await, ["whole.png"]);
}
