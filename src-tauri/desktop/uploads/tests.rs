//! How pictures come into the queue, and what is shown of them.

use super::*;

const BROKEN: UploadState = UploadState::Failed {
    trouble: UploadTrouble::Broken,
};

/// A run of the app with this data folder.
async fn run(data: &Path) -> Uploads {
    let files = AddedFiles::open(data).await.expect("a queue");
    let uploads = Uploads::default();
    let source: Source = Box::new(move || Some(files.clone()));
    assert!(uploads.0.source.set(source).is_ok());
    uploads.resume().await;
    uploads
}

fn glance(uploads: &Uploads) -> Vec<(String, u64)> {
    let rows = uploads.rows().into_iter();
    rows.map(|row| (row.name, row.size)).collect()
}

fn hear(uploads: &Uploads, id: i64, event: AddedEvent) {
    uploads.hear(id, event, |hash| hash.parse().ok());
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
    let copied = ["c.png", "trip"].map(|name| Picture::File(folder.path().join(name)));
    assert_eq!(uploads.take(copied.into()).await, [1, 2, 3]);
    let pasted = Picture::Bytes(vec![1; 9].into());
    assert_eq!(uploads.take(vec![pasted]).await, [4]);
    let expected = [("c.png", 7), ("a.png", 5), ("b.png", 6), (PASTED, 9)];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(glance(&uploads), expected);
    drop(uploads);
    assert_eq!(glance(&run(data.path()).await), expected);
}

#[tokio::test]
async fn what_is_heard_of_an_upload_is_on_its_row() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let pasted = vec![Picture::Bytes(vec![1; 4].into())];
    uploads.take(pasted).await;
    let ended = tokio::spawn({
        let uploads = uploads.clone();
        async move { uploads.ended(vec![1]).await }
    });
    let now = || uploads.rows()[0].clone();
    let working = |permille, bytes| AddedEvent::Working { permille, bytes };
    let mut changed = uploads.0.changed.subscribe();
    // It was longer than it was at first.
    hear(&uploads, 1, working(250, Some(8)));
    assert!(changed.has_changed().expect("a sender"));
    changed.mark_unchanged();
    assert_eq!(now().progress, UploadState::Working { permille: 250 });
    assert_eq!(now().size, 8);
    hear(&uploads, 1, working(250, None));
    assert!(!changed.has_changed().expect("a sender"));
    let why = Message::AskedToWait;
    hear(&uploads, 1, AddedEvent::Waits { why: why.clone() });
    let waiting = UploadState::Waiting { why: Some(why) };
    assert_eq!(now().progress, waiting);
    let (hash, address) = ("0".repeat(32), "https://light.example/i/0".to_owned());
    let done = AddedEvent::Stored {
        hash: hash.clone(),
        address: address.clone(),
        bytes: Some(3),
    };
    hear(&uploads, 1, done);
    let done = UploadState::Done {
        hash: Some(hash.parse().expect("a hash")),
        url: address,
        stored: Some(3),
    };
    assert_eq!(now().progress, done);
    let ended = tokio::time::timeout(Duration::from_secs(30), ended).await;
    assert_eq!(ended.expect("in time").expect("an end")[0].progress, done);
}

#[tokio::test]
async fn what_waits_is_cancelled_one_by_one_or_all() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let pasted = Picture::Bytes(vec![1; 9].into());
    uploads.take(vec![pasted; 4]).await;
    hear(&uploads, 1, AddedEvent::Failed(UploadTrouble::Broken));
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
async fn what_cannot_be_uploaded_as_it_is_can_be_tried_again() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = run(data.path()).await;
    let late = data.path().join("late.png");
    uploads.add(vec![late]).await;
    let state = || uploads.rows()[0].progress.clone();
    let trouble = UploadTrouble::Unreadable;
    assert_eq!(state(), UploadState::Failed { trouble });
    uploads.retry(Some(7)).await;
    assert_eq!(state(), UploadState::Failed { trouble });
    uploads.retry(None).await;
    assert_eq!(state(), UploadState::Waiting { why: None });
}

#[tokio::test]
async fn without_the_queue_files_are_said_to_have_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.png");
    std::fs::write(&file, b"12345").expect("a file");
    let uploads = Uploads::default();
    uploads.add(vec![file]).await;
    uploads.take(vec![Picture::Bytes(vec![1].into())]).await;
    let trouble = UploadTrouble::Storage;
    let states: Vec<_> = uploads.rows().into_iter().map(|row| row.progress).collect();
    assert_eq!(states, [(); 2].map(|()| UploadState::Failed { trouble }));
}
