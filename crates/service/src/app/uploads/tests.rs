//! How pictures come into the queue, and what is shown of them.

use std::path::PathBuf;

use super::*;
use crate::error::message::Message;

const BROKEN: UploadState = UploadState::Failed {
    trouble: UploadTrouble::Broken,
};

/// A run of the app with this data folder.
async fn run(data: &Path) -> Uploads {
    let uploads = Uploads::default();
    uploads.open(data).await.expect("a queue");
    uploads
}

/// As a drop on the window adds them.
fn add(uploads: &Uploads, paths: Vec<PathBuf>) -> impl Future<Output = Vec<u32>> + use<> {
    uploads.take(paths.into_iter().map(UploadFile::File).collect())
}

fn glance(uploads: &Uploads) -> Vec<(String, u64)> {
    let rows = uploads.rows().into_iter();
    rows.map(|row| (row.name, row.size)).collect()
}

#[tokio::test]
async fn files_and_images_of_the_clipboard_join_the_queue_and_outlive_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("trip")).expect("a folder");
    let files = [("trip/a.png", 5), ("trip/b.png", 6), ("c.png", 7)];
    for (name, size) in files {
        std::fs::write(folder.path().join(name), vec![0; size]).expect("a file");
    }
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let copied = ["c.png", "trip"].map(|name| UploadFile::File(folder.path().join(name)));
    assert_eq!(uploads.take(copied.into()).await, [1, 2, 3]);
    let pasted = UploadFile::Bytes(vec![1; 9].into());
    assert_eq!(uploads.take(vec![pasted]).await, [4]);
    let expected = [("c.png", 7), ("a.png", 5), ("b.png", 6), (PASTED, 9)];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(glance(&uploads), expected);
    drop(uploads);
    assert_eq!(glance(&run(data.path()).await), expected);
}

#[tokio::test]
async fn the_events_of_an_upload_update_its_row() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let pasted = vec![UploadFile::Bytes(vec![1; 4].into())];
    uploads.take(pasted).await;
    let ended = tokio::spawn({
        let uploads = uploads.clone();
        async move { uploads.ended(vec![1]).await }
    });
    let now = || uploads.rows()[0].clone();
    let working = |permille, size| (1, UploadState::Working { permille }, size);
    let mut changed = uploads.0.changed.reader();
    // It was longer than it was at first.
    uploads.follow_event(working(250, Some(8)));
    assert!(changed.has_changed());
    changed.mark_unchanged();
    assert_eq!(now().progress, UploadState::Working { permille: 250 });
    assert_eq!(now().size, 8);
    uploads.follow_event(working(250, None));
    assert!(!changed.has_changed());
    let why = Some(Message::AskedToWait);
    let waiting = UploadState::Waiting { why };
    uploads.follow_event((1, waiting.clone(), None));
    assert_eq!(now().progress, waiting);
    let done = UploadState::Done {
        hash: "0".repeat(32).parse().expect("a hash"),
        url: "https://light.example/i/0".to_owned(),
        stored: Some(3),
    };
    uploads.follow_event((1, done.clone(), None));
    assert_eq!(now().progress, done);
    let ended = tokio::time::timeout(Duration::from_secs(30), ended).await;
    assert_eq!(ended.expect("in time").expect("an end")[0].progress, done);
}

#[tokio::test]
async fn the_end_of_an_old_upload_is_known_however_many_ended_before_it() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let pasted = UploadFile::Bytes(vec![1; 9].into());
    let ids = uploads.take(vec![pasted; 250]).await;
    let ended = tokio::spawn({
        let (uploads, ids) = (uploads.clone(), ids.clone());
        async move { uploads.ended(ids).await }
    });
    // It waits from now on.
    tokio::task::yield_now().await;
    for id in ids.iter().rev() {
        let done = UploadState::Done {
            hash: "0".repeat(32).parse().expect("a hash"),
            url: format!("https://light.example/i/{id}"),
            stored: None,
        };
        uploads.follow_event((i64::from(*id), done, None));
    }
    assert_eq!(ended.await.expect("an end").len(), 250);
    assert_eq!(uploads.rows().len(), 200, "the rest is forgotten then");
}

#[tokio::test]
async fn waiting_uploads_are_cancelled_one_by_one_or_all() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let pasted = UploadFile::Bytes(vec![1; 9].into());
    uploads.take(vec![pasted; 4]).await;
    uploads.follow_event((1, BROKEN, None));
    uploads.cancel(Some(1)).await.expect("cancelled");
    uploads.cancel(Some(3)).await.expect("cancelled");
    let ids = || uploads.rows().iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(), [1, 2, 4]);
    assert_eq!(uploads.rows()[0].progress, BROKEN);
    uploads.cancel(None).await.expect("cancelled");
    assert_eq!(ids(), [1]);
    uploads.clear().await;
    assert!(uploads.rows().is_empty());
}

#[tokio::test]
async fn a_rejected_file_can_be_retried() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let late = data.path().join("late.png");
    add(&uploads, vec![late]).await;
    let state = || uploads.rows()[0].progress.clone();
    let trouble = UploadTrouble::Unreadable;
    assert_eq!(state(), UploadState::Failed { trouble });
    uploads.retry(Some(7)).await;
    assert_eq!(state(), UploadState::Failed { trouble });
    uploads.retry(None).await;
    assert_eq!(state(), UploadState::Waiting { why: None });
}

#[tokio::test]
async fn a_file_missing_from_the_queue_is_added_by_a_retry() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.png");
    std::fs::write(&file, b"12345").expect("a file");
    let uploads = Uploads::default();
    add(&uploads, vec![file]).await;
    let pasted = vec![UploadFile::Bytes(vec![1].into())];
    uploads.take(pasted).await;
    let states = || -> Vec<_> { uploads.rows().into_iter().map(|row| row.progress).collect() };
    let trouble = UploadTrouble::Storage;
    let failed = [(); 2].map(|()| UploadState::Failed { trouble });
    assert_eq!(states(), failed);
    uploads.retry(None).await;
    assert_eq!(states(), failed, "there is no queue yet");

    let data = tempfile::tempdir().expect("a folder");
    uploads.open(data.path()).await.expect("a queue");
    uploads.retry(None).await;
    let waiting = [(); 2].map(|()| UploadState::Waiting { why: None });
    assert_eq!(states(), waiting);
    let in_pasted = std::fs::read_dir(data.path().join("pasted"));
    assert_eq!(in_pasted.expect("the folder").count(), 1);
    assert_eq!(
        uploads
            .files()
            .expect("a queue")
            .all()
            .await
            .expect("rows")
            .len(),
        2
    );
}

#[tokio::test]
async fn a_drop_just_before_the_end_is_in_the_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in 0..200 {
        let file = folder.path().join(format!("{name}.png"));
        std::fs::write(file, b"12345").expect("a file");
    }
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    tokio::spawn(add(&uploads, vec![folder.path().to_owned()]));
    uploads.all_taken().await;
    drop(uploads);
    assert_eq!(run(data.path()).await.rows().len(), 200);
}

#[tokio::test]
async fn many_files_wait_for_confirmation_and_quitting_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in 0..=gather::MANY {
        let file = folder.path().join(format!("{name}.png"));
        std::fs::write(file, b"12345").expect("a file");
    }
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let dropped = || vec![UploadFile::File(folder.path().to_owned())];
    let ids = uploads.take_confirmed(dropped(), async |_| false).await;
    assert!(ids.is_empty() && uploads.rows().is_empty(), "{ids:?}");
    let ids = uploads.take_confirmed(dropped(), async |count| count == 51);
    assert_eq!(ids.await.len(), 51);

    let asked = State::new(false);
    let mut question = asked.reader();
    let open = tokio::spawn(uploads.take_confirmed(dropped(), async move |_| {
        asked.set(true);
        std::future::pending().await
    }));
    question.wait_for(|asked| *asked).await.expect("a question");
    let started = std::time::Instant::now();
    uploads.all_taken().await;
    assert!(started.elapsed() < TAKING_LIMIT / 2, "it waited");
    open.abort();
}

#[tokio::test]
async fn a_retry_looks_into_an_empty_folder_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    add(&uploads, vec![folder.path().to_owned()]).await;
    let trouble = UploadTrouble::NotAFile;
    let state = || uploads.rows()[0].progress.clone();
    assert_eq!(state(), UploadState::Failed { trouble });
    uploads.retry(None).await;
    assert_eq!(state(), UploadState::Failed { trouble });
    std::fs::write(folder.path().join("a.png"), b"12345").expect("a file");
    uploads.retry(None).await;
    assert_eq!(glance(&uploads), [("a.png".to_owned(), 5)]);
    assert_eq!(state(), UploadState::Waiting { why: None });
    drop(uploads);
    assert_eq!(run(data.path()).await.rows().len(), 1);
}

#[tokio::test]
async fn clearing_also_removes_rows_beyond_the_list() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let gone = (0..2_100).map(|name| data.path().join(format!("{name}.png")));
    add(&uploads, gone.collect()).await;
    assert_eq!(uploads.rows().len(), 2_000);
    uploads.clear().await;
    drop(uploads);
    assert!(run(data.path()).await.rows().is_empty());
}

#[tokio::test]
async fn without_a_queue_the_files_that_are_not_listed_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in 0..2_100 {
        let file = folder.path().join(format!("{name:04}.png"));
        std::fs::write(file, b"12345").expect("a file");
    }
    let uploads = Uploads::default();
    add(&uploads, vec![folder.path().to_owned()]).await;
    let rows = uploads.rows();
    assert_eq!(rows.len(), 2_000);
    assert_eq!(rows[0].name, "0000.png");
    let rest = rows.last().expect("a row");
    assert!(rest.name.contains("101"), "{}", rest.name);
    let trouble = UploadTrouble::TooMany;
    assert_eq!(rest.progress, UploadState::Failed { trouble });
}

#[tokio::test]
async fn failed_uploads_are_listed_after_a_restart_with_their_reason() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    add(&uploads, vec![data.path().join("gone.png")]).await;
    let before = uploads.rows();
    drop(uploads);
    let uploads = run(data.path()).await;
    assert_eq!(uploads.rows(), before);
    let trouble = UploadTrouble::Unreadable;
    assert_eq!(before[0].progress, UploadState::Failed { trouble });
    uploads.clear().await;
    drop(uploads);
    assert!(run(data.path()).await.rows().is_empty());
}

#[tokio::test]
async fn a_list_is_removed_once_its_files_are_queued_or_cleared() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("a.png");
    std::fs::write(&file, b"12345").expect("a file");
    let lists = || {
        let entries = std::fs::read_dir(data.path().join("handed"));
        entries.expect("the folder").count()
    };
    let take = async |uploads: &Uploads| {
        let _handed = handed::hand(data.path(), std::slice::from_ref(&file)).expect("handed over");
        let taken = handed::take(data.path());
        let pictures = taken.files.iter().cloned().map(UploadFile::File).collect();
        uploads.take_from(Some(Arc::new(taken)), pictures).await;
    };
    let uploads = Uploads::default();
    take(&uploads).await;
    uploads.retry(None).await;
    assert_eq!(lists(), 1, "the next start takes it again");
    uploads.clear().await;
    assert_eq!(lists(), 0);
    take(&uploads).await;
    uploads.open(data.path()).await.expect("a queue");
    uploads.retry(None).await;
    assert_eq!(lists(), 0);
    take(&uploads).await;
    assert_eq!((lists(), uploads.rows().len()), (0, 2));
}
