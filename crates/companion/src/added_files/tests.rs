//! Added files against a tiny HTTP server that accepts images and rejects text.

use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::tiny_server::{NO_PICTURE, PICTURE, server};

const LIMIT: Duration = Duration::from_secs(20);

struct Desk {
    data: TempDir,
    files: AddedFiles,
    say: EventSink,
    events: mpsc::UnboundedReceiver<(i64, AddedEvent)>,
}

impl Desk {
    async fn new() -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let files = AddedFiles::open(data.path()).await.expect("a queue");
        let (say, events) = mpsc::unbounded_channel();
        Self {
            data,
            files,
            say,
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
            failed: false,
        }
    }

    fn pasted(&self, bytes: &[u8]) -> NewFile {
        NewFile {
            file: self.files.keep(bytes).expect("room"),
            bytes: bytes.len() as u64,
            failed: false,
        }
    }

    fn in_pasted(&self) -> usize {
        let entries = std::fs::read_dir(self.data.path().join("pasted"));
        entries.expect("the folder").count()
    }

    async fn upload_to(&self, base: &str) -> Uploading {
        let client = Client::new(base, "a-token".to_owned().into(), LIMIT).expect("a client");
        let address: Address = Arc::new(|hash| format!("https://light.example/i/{hash}"));
        let started = self.files.start(client, address, self.say.clone());
        started.await.expect("started")
    }

    /// The next event that is no progress.
    async fn next(&mut self) -> (i64, AddedEvent) {
        loop {
            let next = tokio::time::timeout(LIMIT, self.events.recv()).await;
            let next = next.expect("in time").expect("it goes on");
            if !matches!(next.1, AddedEvent::Working { .. }) {
                return next;
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

fn stored() -> AddedEvent {
    AddedEvent::Stored {
        hash: "ab12".to_owned(),
        address: "https://light.example/i/ab12".to_owned(),
        bytes: None,
    }
}

#[tokio::test]
async fn each_added_file_is_stored_or_says_why_not() {
    let mut desk = Desk::new().await;
    std::fs::create_dir(desk.data.path().join("folder")).expect("a folder");
    let new = vec![
        desk.file("a.png", PICTURE),
        desk.file("text.png", NO_PICTURE),
        desk.named("gone.png"),
        desk.named("folder"),
        desk.file("empty.png", b""),
        desk.pasted(PICTURE),
    ];
    let ids = desk.files.add(new).await.expect("added");
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    let uploading = desk.upload_to(&base().await).await;
    let mut ended = Vec::new();
    for _ in ids {
        ended.push(desk.next().await);
    }
    ended.sort_by_key(|(id, _)| *id);
    let failed = AddedEvent::Failed;
    let expected = [
        (1, stored()),
        (2, failed(UploadTrouble::NotAPicture)),
        (3, failed(UploadTrouble::Unreadable)),
        (4, failed(UploadTrouble::NotAFile)),
        (5, failed(UploadTrouble::NotAPicture)),
        (6, stored()),
    ];
    assert_eq!(ended, expected);
    assert_eq!(desk.left().await, [2, 3, 4, 5]);
    assert_eq!(desk.in_pasted(), 0);
    assert!(desk.data.path().join("a.png").exists(), "it is the owner's");

    // What is right by now is stored at another try.
    desk.file("gone.png", PICTURE);
    assert_eq!(desk.files.retry(vec![1, 3]).await.expect("written"), [3]);
    assert_eq!(desk.next().await, (3, stored()));
    uploading.stop().await;
}

#[tokio::test]
async fn what_waits_outlives_a_kill_and_what_was_pasted_is_kept_for_it() {
    let desk = Desk::new().await;
    let [kept, stored, failed] = [b"1", b"2", b"3"].map(|bytes| desk.pasted(bytes));
    let odd = desk.file("-\n%41 光.png", PICTURE);
    let mut left_out = desk.named("b.png");
    left_out.failed = true;
    let new = vec![
        kept.clone(),
        odd.clone(),
        stored.clone(),
        failed.clone(),
        left_out,
    ];
    desk.files.add(new).await.expect("added");
    // Under way when the process ends.
    assert!(desk.files.queue.begin_added(2).await.expect("written"));
    // Stored, and a power cut has lost the end of its row.
    std::fs::remove_file(&stored.file).expect("a file");
    assert!(desk.files.queue.begin_added(4).await.expect("written"));
    assert!(desk.files.queue.added_failed(4).await.expect("written"));
    desk.pasted(b"of no row");
    assert_eq!(desk.in_pasted(), 3);

    let desk = desk.again().await;
    let all = desk.files.all().await.expect("rows");
    let all: Vec<_> = all.iter().map(|one| (one.id, &one.file)).collect();
    assert_eq!(all, [(1, &kept.file), (2, &odd.file)]);
    assert!(desk.files.is_pasted(&kept.file) && !desk.files.is_pasted(&odd.file));
    assert_eq!(std::fs::read(&kept.file).expect("kept"), b"1");
    assert_eq!(desk.in_pasted(), 1);
    // Numbers are never used twice.
    let again = desk.files.add(vec![odd]).await.expect("added");
    assert_eq!(again, [6]);
}

#[tokio::test]
async fn files_wait_for_a_service_that_is_away_and_say_so() {
    let mut desk = Desk::new().await;
    let new = vec![desk.pasted(PICTURE)];
    desk.files.add(new).await.expect("added");
    // A port that nothing listens on.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let away = format!("http://{}", closed.local_addr().expect("an address"));
    drop(closed);
    let uploading = desk.upload_to(&away).await;
    let (id, event) = desk.next().await;
    let AddedEvent::Waits { why } = event else {
        panic!("{event:?}");
    };
    assert!(why.to_string().contains("did not answer"), "{why}");
    assert_eq!((id, desk.left().await, desk.in_pasted()), (1, vec![1], 1));
    uploading.stop().await;

    let mut desk = desk.again().await;
    while desk.events.try_recv().is_ok() {}
    let _uploading = desk.upload_to(&base().await).await;
    assert_eq!(desk.next().await, (1, stored()));
    assert_eq!((desk.left().await, desk.in_pasted()), (Vec::new(), 0));
}

#[tokio::test]
async fn what_is_cancelled_is_not_sent_and_what_is_under_way_is_not_cancelled() {
    let mut desk = Desk::new().await;
    let new = vec![
        desk.file("a.png", PICTURE),
        desk.pasted(PICTURE),
        desk.file("c.png", PICTURE),
    ];
    desk.files.add(new).await.expect("added");
    assert!(desk.files.queue.begin_added(1).await.expect("written"));
    let cancelled = desk.files.cancel(vec![1, 2, 7]).await;
    assert_eq!(cancelled.expect("written"), [2]);
    assert_eq!((desk.left().await, desk.in_pasted()), (vec![1, 3], 0));
    let _uploading = desk.upload_to(&base().await).await;
    let mut ended = [desk.next().await.0, desk.next().await.0];
    ended.sort_unstable();
    assert_eq!(ended, [1, 3]);
}

#[tokio::test]
async fn what_failed_is_kept_until_it_is_dismissed() {
    let mut desk = Desk::new().await;
    let new = vec![desk.pasted(NO_PICTURE)];
    desk.files.add(new).await.expect("added");
    let _uploading = desk.upload_to(&base().await).await;
    for _ in 0..2 {
        let failed = AddedEvent::Failed(UploadTrouble::NotAPicture);
        assert_eq!(desk.next().await, (1, failed));
        assert_eq!(desk.in_pasted(), 1, "another try has its bytes");
        assert_eq!(desk.files.retry(vec![1]).await.expect("written"), [1]);
    }
    desk.next().await;
    desk.files.dismiss(vec![1]).await.expect("written");
    assert_eq!((desk.left().await, desk.in_pasted()), (Vec::new(), 0));
}

#[tokio::test]
async fn folders_can_be_watched_beside_added_files() {
    let desk = Desk::new().await;
    let watch = UploadQueue::open(desk.data.path()).await.expect("a queue");
    let new = vec![desk.file("a.png", PICTURE)];
    desk.files.add(new).await.expect("added");
    assert_eq!(watch.counts().await.expect("counts").waiting, 0);
    assert!(UploadQueue::open(desk.data.path()).await.is_err());
}
