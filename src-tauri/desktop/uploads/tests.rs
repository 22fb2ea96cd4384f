//! How pictures come into the queue, and how it wakes who works on it.

use super::*;

const BROKEN: UploadState = UploadState::Failed {
    trouble: UploadTrouble::Broken,
};

fn glance(uploads: &Uploads) -> Vec<(String, u64)> {
    let rows = uploads.rows().into_iter();
    rows.map(|row| (row.name, row.size)).collect()
}

#[tokio::test]
async fn files_and_images_of_the_clipboard_join_the_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("trip")).expect("a folder");
    let files = [("trip/a.png", 5), ("trip/b.png", 6), ("c.png", 7)];
    for (name, size) in files {
        std::fs::write(folder.path().join(name), vec![0; size]).expect("a file");
    }
    let uploads = Uploads::default();
    let copied = ["c.png", "trip"].map(|name| Picture::File(folder.path().join(name)));
    uploads.take(copied.into()).await;
    uploads.take(vec![Picture::Bytes(vec![1; 9].into())]).await;
    let expected = [("c.png", 7), ("a.png", 5), ("b.png", 6), (PASTED, 9)];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(glance(&uploads), expected);
}

#[tokio::test]
async fn whoever_waits_for_work_is_woken_by_a_picture_and_by_another_try() {
    let uploads = Uploads::default();
    let waits = tokio::spawn({
        let uploads = uploads.clone();
        async move {
            let first = uploads.next().await;
            uploads.finish(&first, BROKEN);
            (first.id, uploads.next().await.id)
        }
    });
    let mut changed = uploads.0.changed.subscribe();
    tokio::task::yield_now().await;
    uploads.take(vec![Picture::Bytes(vec![1].into())]).await;
    while uploads.rows()[0].progress != BROKEN {
        changed.changed().await.expect("a sender");
    }
    uploads.retry(Some(1));
    let woken = tokio::time::timeout(Duration::from_secs(30), waits).await;
    assert_eq!(woken.expect("it was woken").expect("an end"), (1, 1));
    assert_eq!(
        uploads.rows()[0].progress,
        UploadState::Working { permille: 0 }
    );
}

#[tokio::test]
async fn what_is_heard_of_an_upload_is_on_its_row() {
    let uploads = Uploads::default();
    uploads.take(vec![Picture::Bytes(vec![1; 4].into())]).await;
    let hear = uploads.hear(uploads.next().await.id);
    let mut changed = uploads.0.changed.subscribe();
    // It was longer than it was at first.
    hear(Progress::Read { bytes: 4, of: 8 });
    assert!(changed.has_changed().expect("a sender"));
    changed.mark_unchanged();
    let now = |permille| UploadState::Working { permille };
    assert_eq!(uploads.rows()[0].progress, now(250));
    assert_eq!(uploads.rows()[0].size, 8);
    hear(Progress::Read { bytes: 4, of: 8 });
    assert!(!changed.has_changed().expect("a sender"));
    hear(Progress::Encoded);
    assert_eq!(uploads.rows()[0].progress, now(950));
    assert_eq!(uploads.rows()[0].size, 8);
}

#[tokio::test]
async fn what_was_dropped_is_on_the_disk_before_that_is_said() {
    let data = tempfile::tempdir().expect("a folder");
    let uploads = Uploads::default();
    uploads.take_up(data.path());
    let file = data.path().join("a.png");
    std::fs::write(&file, b"12345").expect("a file");
    uploads.add(vec![file; 1_000]).await;
    let forcing = uploads.of_waiting(|list| list.forcing()).expect("a list");
    assert!(!forcing.force().expect("a disk"), "it was forced already");
}

#[tokio::test]
async fn what_the_end_of_the_process_finds_is_taken_up_by_the_next_start() {
    let data = tempfile::tempdir().expect("a folder");
    let dropped = ["a.png", "b.png", "c.png"].map(|name| data.path().join(name));
    for file in &dropped {
        std::fs::write(file, b"12345").expect("a file");
    }
    let before = Uploads::default();
    before.take_up(data.path());
    before.add(dropped.into()).await;
    let pasted = Picture::Bytes(vec![1; 9].into());
    before.take(vec![pasted.clone(), pasted]).await;
    let [first, failed] = [before.next().await, before.next().await];
    before.finish(
        &first,
        UploadState::Duplicate {
            hash: "0".repeat(32).parse().expect("a hash"),
            url: String::new(),
        },
    );
    before.finish(&failed, BROKEN);
    // Under way when the process ends.
    before.next().await;
    drop(before);

    let after = Uploads::default();
    after.take_up(data.path());
    let expected = [("c.png", 5), (PASTED, 9), (PASTED, 9)];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(glance(&after), expected);
    for _ in 0..3 {
        let job = after.next().await;
        after.finish(&job, BROKEN);
    }
    let in_folder = || {
        std::fs::read_dir(data.path().join("waiting"))
            .expect("it")
            .count()
    };
    // Another try of what was pasted has its bytes.
    assert_eq!(in_folder(), 3);
    after.retry(None);
    after.clear();
    assert_eq!(in_folder(), 3);
    drop(after);

    let last = Uploads::default();
    last.take_up(data.path());
    assert_eq!(last.rows().len(), 3);
    for _ in 0..3 {
        let job = last.next().await;
        last.finish(&job, BROKEN);
    }
    last.clear();
    assert_eq!(in_folder(), 1);
}
