//! Added files against a tiny HTTP server that accepts images and rejects text.

use std::time::Duration;

use porchlight_test_harness::free_port;
use tempfile::TempDir;

use super::*;
use crate::files;
use crate::http::client::Client;
use crate::tiny_server::{KNOWN, LATE, NO_PICTURE, PICTURE, TOO_MUCH, UNANSWERED, server};
use crate::uploads::window::UploadTrouble;

const LIMIT: Duration = Duration::from_secs(20);
/// What the server of these tests answers.
const HASH: &str = "ab12ab12ab12ab12ab12ab12ab12ab12";

struct Fixture {
    data: TempDir,
    files: AddedFiles,
    send: EventSink,
    events: mpsc::UnboundedReceiver<UploadEvent>,
}

impl Fixture {
    async fn new() -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let files = AddedFiles::open(data.path()).await.expect("a queue");
        let (send, events) = mpsc::unbounded_channel();
        Self {
            data,
            files,
            send,
            events,
        }
    }

    /// The process is killed, and starts again.
    async fn again(mut self) -> Self {
        drop(self.files);
        self.files = AddedFiles::open(self.data.path()).await.expect("a queue");
        self
    }

    fn file(&self, name: &str, bytes: &[u8]) -> NewFile {
        let file = self.data.path().join(name);
        std::fs::write(&file, bytes).expect("a file");
        self.named(name)
    }

    fn named(&self, name: &str) -> NewFile {
        NewFile {
            file: self.data.path().join(name),
            bytes: 5,
            trouble: None,
        }
    }

    fn pasted(&self, bytes: &[u8]) -> NewFile {
        NewFile {
            file: self.files.keep(bytes).expect("room"),
            bytes: bytes.len() as u64,
            trouble: None,
        }
    }

    fn in_pasted(&self) -> usize {
        let entries = std::fs::read_dir(self.data.path().join("pasted"));
        entries.expect("the folder").count()
    }

    async fn upload_to(&self, base: &str) -> Uploading {
        let client = Client::new(base, "a-token".to_owned().into(), LIMIT).expect("a client");
        self.files.start(Target::Http(client), self.send.clone())
    }

    /// The next event that is no progress. The address of an image is given without that of its
    /// service.
    async fn next(&mut self) -> (i64, UploadState) {
        loop {
            let next = tokio::time::timeout(LIMIT, self.events.recv()).await;
            let (id, mut state, _) = next.expect("in time").expect("it goes on");
            if let UploadState::Done { url, .. } | UploadState::Duplicate { url, .. } = &mut state {
                let path = url.find("/i/").expect("an address of an image");
                url.drain(..path);
            }
            if !matches!(state, UploadState::Working { .. }) {
                return (id, state);
            }
        }
    }

    async fn left(&self) -> Vec<i64> {
        let all = self.files.all().await.expect("rows");
        all.iter().map(|one| one.id).collect()
    }
}

async fn base() -> String {
    format!("http://{}", server().await)
}

fn stored() -> UploadState {
    UploadState::Done {
        hash: HASH.parse().expect("a hash"),
        url: format!("/i/{HASH}"),
        stored: None,
    }
}

/// All of it is sent, and there is no answer yet.
fn sent(id: i64) -> UploadEvent {
    (id, UploadState::Working { permille: 800 }, None)
}

#[tokio::test]
async fn each_added_file_is_stored_or_gets_an_error() {
    let mut fixture = Fixture::new().await;
    std::fs::create_dir(fixture.data.path().join("folder")).expect("a folder");
    let new = vec![
        fixture.file("a.png", PICTURE),
        fixture.file("text.png", NO_PICTURE),
        fixture.named("gone.png"),
        fixture.named("folder"),
        fixture.file("empty.png", b""),
        fixture.pasted(PICTURE),
        fixture.pasted(KNOWN),
    ];
    let ids = fixture.files.add(new).await.expect("added");
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7]);
    let uploading = fixture.upload_to(&base().await).await;
    let mut ended = Vec::new();
    for _ in ids {
        ended.push(fixture.next().await);
    }
    ended.sort_by_key(|(id, _)| *id);
    let known = UploadState::Duplicate {
        hash: HASH.parse().expect("a hash"),
        url: format!("/i/{HASH}"),
    };
    let failed = |trouble| UploadState::Failed { trouble };
    let expected = [
        (1, stored()),
        (2, failed(UploadTrouble::NotAPicture)),
        (3, failed(UploadTrouble::Unreadable)),
        (4, failed(UploadTrouble::NotAFile)),
        (5, failed(UploadTrouble::Broken)),
        (6, stored()),
        (7, known),
    ];
    assert_eq!(ended, expected);
    assert_eq!(fixture.left().await, [2, 3, 4, 5]);
    assert_eq!(fixture.in_pasted(), 0);
    assert!(
        fixture.data.path().join("a.png").exists(),
        "it is the owner's"
    );

    // What is right by now is stored at another try.
    fixture.file("gone.png", PICTURE);
    assert_eq!(fixture.files.retry(vec![1, 3]).await.expect("written"), [3]);
    assert_eq!(fixture.next().await, (3, stored()));
    uploading.stop().await;
}

#[tokio::test]
async fn waiting_files_survive_a_kill_and_pasted_images_are_kept_for_it() {
    let fixture = Fixture::new().await;
    let [kept, stored, failed] = [b"1", b"2", b"3"].map(|bytes| fixture.pasted(bytes));
    // Windows has no lines in names.
    let name = if cfg!(unix) {
        "-\n%41 光.png"
    } else {
        "-%41 光.png"
    };
    let odd = fixture.file(name, PICTURE);
    let left_out = NewFile {
        file: PathBuf::new(),
        trouble: Some(UploadTrouble::TooMany),
        bytes: 0,
    };
    let new = vec![
        kept.clone(),
        odd.clone(),
        stored.clone(),
        failed.clone(),
        left_out,
    ];
    fixture.files.add(new).await.expect("added");
    // Stored, and a power cut has lost the end of its row.
    std::fs::remove_file(&stored.file).expect("a file");
    let broken = fixture.files.queue.added_failed(4, UploadTrouble::Broken);
    broken.await.expect("written");
    let unlisted = fixture.pasted(b"of no row");
    std::fs::write(fixture.data.path().join("pasted/.new-abc"), b"half").expect("a file");
    assert_eq!(fixture.in_pasted(), 4);
    let discarded = fixture.pasted(b"not added");
    fixture.files.discard(&discarded.file);

    let fixture = fixture.again().await;
    let all = fixture.files.all().await.expect("rows");
    let all = all.iter().map(|one| (one.id, &one.file, one.trouble));
    let expected = [
        (1, &kept.file, None),
        (2, &odd.file, None),
        (4, &failed.file, Some(UploadTrouble::Broken)),
        (6, &unlisted.file, None),
    ];
    assert_eq!(all.collect::<Vec<_>>(), expected);
    assert!(fixture.files.is_pasted(&kept.file) && !fixture.files.is_pasted(&odd.file));
    assert_eq!(std::fs::read(&kept.file).expect("kept"), b"1");
    assert_eq!(fixture.in_pasted(), 3);
    // Numbers are never used twice.
    let again = fixture.files.add(vec![odd]).await.expect("added");
    assert_eq!(again, [7]);
}

#[tokio::test]
async fn files_wait_for_an_unreachable_service_and_show_it() {
    let mut fixture = Fixture::new().await;
    let new = vec![fixture.pasted(PICTURE)];
    fixture.files.add(new).await.expect("added");
    // A port that nothing listens on.
    let away = format!("http://127.0.0.1:{}", free_port());
    let uploading = fixture.upload_to(&away).await;
    let (id, event) = fixture.next().await;
    let UploadState::Waiting { why } = event else {
        panic!("{event:?}");
    };
    let why = why.expect("a reason").to_string();
    assert!(why.contains("did not answer"), "{why}");
    assert_eq!(
        (id, fixture.left().await, fixture.in_pasted()),
        (1, vec![1], 1)
    );
    uploading.stop().await;

    let mut fixture = fixture.again().await;
    while fixture.events.try_recv().is_ok() {}
    let _uploading = fixture.upload_to(&base().await).await;
    assert_eq!(fixture.next().await, (1, stored()));
    assert_eq!((fixture.left().await, fixture.in_pasted()), (Vec::new(), 0));
}

#[tokio::test]
async fn cancelled_files_are_not_sent_and_running_uploads_are_not_cancelled() {
    let mut fixture = Fixture::new().await;
    let new = vec![
        fixture.file("a.png", PICTURE),
        fixture.pasted(PICTURE),
        fixture.file("c.png", PICTURE),
    ];
    fixture.files.add(new).await.expect("added");
    fixture.files.under_way.lock().await.insert(1);
    let cancelled = fixture.files.cancel(vec![1, 2, 7]).await;
    assert_eq!(cancelled.expect("written"), [2]);
    assert_eq!((fixture.left().await, fixture.in_pasted()), (vec![1, 3], 0));
    let _uploading = fixture.upload_to(&base().await).await;
    let mut ended = [fixture.next().await.0, fixture.next().await.0];
    ended.sort_unstable();
    assert_eq!(ended, [1, 3]);
}

#[tokio::test]
async fn failed_files_are_kept_until_they_are_dismissed() {
    let mut fixture = Fixture::new().await;
    let new = vec![fixture.pasted(NO_PICTURE)];
    fixture.files.add(new).await.expect("added");
    let _uploading = fixture.upload_to(&base().await).await;
    for _ in 0..2 {
        let trouble = UploadTrouble::NotAPicture;
        let failed = UploadState::Failed { trouble };
        assert_eq!(fixture.next().await, (1, failed));
        assert_eq!(fixture.in_pasted(), 1, "another try has its bytes");
        assert_eq!(fixture.files.retry(vec![1]).await.expect("written"), [1]);
    }
    fixture.next().await;
    fixture.files.dismiss(vec![1]).await.expect("written");
    assert_eq!((fixture.left().await, fixture.in_pasted()), (Vec::new(), 0));
}

#[tokio::test]
async fn folders_can_be_watched_beside_added_files() {
    let fixture = Fixture::new().await;
    let watch = UploadQueue::open(fixture.data.path())
        .await
        .expect("a queue");
    let new = vec![fixture.file("a.png", PICTURE)];
    fixture.files.add(new).await.expect("added");
    assert_eq!(watch.counts().await.expect("counts").waiting, 0);
    assert!(UploadQueue::open(fixture.data.path()).await.is_err());
}

#[tokio::test]
async fn pasted_images_outlive_a_queue_that_was_moved_away() {
    let mut fixture = Fixture::new().await;
    let new = vec![fixture.pasted(PICTURE)];
    fixture.files.add(new).await.expect("added");
    let Fixture {
        data,
        files: before,
        ..
    } = fixture;
    drop(before);
    for file in std::fs::read_dir(data.path())
        .expect("the folder")
        .flatten()
    {
        if file.file_name().to_string_lossy().starts_with("outbox.db") {
            // The thread that has it open ends in this moment.
            let removed = files::retried((), |()| {
                std::fs::remove_file(file.path()).map_err(|error| (error, ()))
            });
            // It removes some of them itself.
            let is_gone = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
            assert!(removed.is_ok() || removed.is_err_and(is_gone));
        }
    }
    let files = AddedFiles::open(data.path()).await.expect("a queue");
    let (send, events) = mpsc::unbounded_channel();
    fixture = Fixture {
        data,
        files,
        send,
        events,
    };
    let _uploading = fixture.upload_to(&base().await).await;
    assert_eq!(fixture.next().await, (1, stored()));
    assert_eq!((fixture.left().await, fixture.in_pasted()), (Vec::new(), 0));
}

#[tokio::test]
async fn files_wait_while_the_storage_is_full() {
    let mut fixture = Fixture::new().await;
    let new = fixture.pasted(TOO_MUCH);
    fixture.files.add(vec![new]).await.expect("added");
    let _uploading = fixture.upload_to(&base().await).await;
    let (1, UploadState::Waiting { why: Some(why) }) = fixture.next().await else {
        panic!("it waits");
    };
    assert!(why.to_string().contains("507"), "{why}");
    assert_eq!((fixture.left().await, fixture.in_pasted()), (vec![1], 1));
    // A smaller one may find room.
    let new = vec![fixture.pasted(PICTURE)];
    fixture.files.add(new).await.expect("added");
    let second = loop {
        let next = fixture.next().await;
        if next.0 == 2 {
            break next;
        }
    };
    assert_eq!(second, (2, stored()));
}

#[tokio::test]
async fn an_upload_that_is_interrupted_waits_and_can_be_cancelled() {
    let mut fixture = Fixture::new().await;
    let new = vec![fixture.pasted(UNANSWERED)];
    fixture.files.add(new).await.expect("added");
    let uploading = fixture.upload_to(&base().await).await;
    let sent = sent(1);
    while fixture.events.recv().await.expect("it goes on") != sent {}
    let cancelled = fixture.files.cancel(vec![1]).await;
    assert!(cancelled.expect("read").is_empty(), "it is under way");
    uploading.stop().await;
    assert_eq!(
        fixture.next().await,
        (1, UploadState::Waiting { why: None })
    );
    let cancelled = fixture.files.cancel(vec![1]).await;
    assert_eq!(cancelled.expect("written"), [1]);
    assert_eq!((fixture.left().await, fixture.in_pasted()), (Vec::new(), 0));
}

#[tokio::test]
async fn a_large_image_has_more_time_and_others_go_before_one_that_takes_too_long() {
    let mut fixture = Fixture::new().await;
    let large = [LATE, &[0; 32 * 1024]].concat();
    let new = vec![fixture.pasted(LATE), fixture.pasted(&large)];
    fixture.files.add(new).await.expect("added");
    let limit = Duration::from_millis(250);
    let base = base().await;
    let client = Client::new(&base, "a-token".to_owned().into(), limit).expect("a client");
    let _uploading = fixture
        .files
        .start(Target::Http(client), fixture.send.clone());
    let (1, UploadState::Waiting { .. }) = fixture.next().await else {
        panic!("the first one takes too long");
    };
    assert_eq!(fixture.next().await, (2, stored()));
    // With as many failures as the first one it would come before the third.
    fixture
        .files
        .add(vec![fixture.named("c.png")])
        .await
        .expect("added");
    let next = fixture
        .files
        .queue
        .next_added(2, vec![2])
        .await
        .expect("rows");
    assert_eq!(next.iter().map(|row| row.id).collect::<Vec<_>>(), [3, 1]);
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_is_sent_again() {
    let mut fixture = Fixture::new().await;
    let new = fixture.file("a.png", LATE);
    fixture.files.add(vec![new]).await.expect("added");
    let _uploading = fixture.upload_to(&base().await).await;
    let sent = sent(1);
    while fixture.events.recv().await.expect("it goes on") != sent {}
    fixture.file("a.png", PICTURE);
    let (1, UploadState::Waiting { why: Some(why) }) = fixture.next().await else {
        panic!("what was sent is not what the file is now");
    };
    assert!(why.to_string().contains("changed"), "{why}");
    assert_eq!(fixture.next().await, (1, stored()));
}

#[tokio::test]
async fn pasted_images_are_stored_or_cancelled_after_the_data_folder_was_moved() {
    let home = tempfile::tempdir().expect("a folder");
    let (before, after) = (home.path().join("before"), home.path().join("after"));
    std::fs::create_dir(&before).expect("a folder");
    let files = AddedFiles::open(&before).await.expect("a queue");
    let new = [PICTURE, NO_PICTURE].map(|bytes| NewFile {
        file: files.keep(bytes).expect("room"),
        bytes: 1,
        trouble: None,
    });
    files.add(new.to_vec()).await.expect("added");
    drop(files);
    files::rename(&before, &after).expect("moved");
    let mut fixture = Fixture::new().await;
    fixture.files = AddedFiles::open(&after).await.expect("a queue");
    assert_eq!(fixture.files.cancel(vec![2]).await.expect("written"), [2]);
    let _uploading = fixture.upload_to(&base().await).await;
    assert_eq!(fixture.next().await, (1, stored()));
    let left = std::fs::read_dir(after.join("pasted")).expect("the folder");
    assert_eq!(left.count(), 0);
}
