//! The queue of a data folder: how files come in, what becomes of them, and what is shown.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::OwnedSemaphorePermit;

use super::window::{UploadState, UploadTrouble};
use super::*;
use crate::clock::Clock;
use crate::schema::database_file;
use crate::service::Service;
use crate::settings::Settings;
use crate::testing::picture;

pub(super) const LIMIT: Duration = Duration::from_secs(30);
const WAITING: UploadState = UploadState::Waiting { why: None };

fn failed(trouble: UploadTrouble) -> UploadState {
    UploadState::Failed { trouble }
}

/// One run of the process, whose worker starts with [`Run::start`].
pub(super) struct Run {
    pub(super) home: TempDir,
    service: Service,
    pub(super) uploads: Uploads,
}

impl Run {
    pub(super) async fn new() -> Self {
        Self::of(tempfile::tempdir().expect("a folder"), true).await
    }

    /// One whose images fail unless they are `converted`.
    async fn of(home: TempDir, converted: bool) -> Self {
        let mut settings = Settings::default();
        if !converted {
            settings.images.helper = Some(Path::new("/nowhere").into());
        }
        let data = home.path().join("data");
        let service = Service::open(&data, settings, Clock::system()).await;
        let service = service.expect("a service");
        let own = OwnImages {
            images: service.images().clone(),
            local_url: StateReader::constant("http://here".to_owned()),
            public_url: StateReader::constant(None),
        };
        let uploads = service.uploads(own, &data);
        Self {
            home,
            service,
            uploads,
        }
    }

    /// The process ends, and starts again.
    async fn again(self) -> Self {
        self.uploads.stop().await;
        self.service.close().await;
        let run = Self::of(self.home, true).await;
        run.start().await;
        run
    }

    pub(super) async fn start(&self) {
        self.uploads.start().await;
    }

    /// Holds all uploads up that are sent.
    async fn hold_up(&self) -> Vec<OwnedSemaphorePermit> {
        self.service.images().hold_conversions().await
    }

    pub(super) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.home.path().join(name);
        std::fs::write(&file, bytes).expect("a file");
        file
    }

    /// As a drop on the window.
    async fn add(&self, files: impl IntoIterator<Item = PathBuf>) -> Vec<u32> {
        let files = files.into_iter().map(UploadFile::File).collect();
        self.uploads.take(files).await
    }

    async fn paste(&self, bytes: Vec<u8>) -> u32 {
        self.uploads
            .take(vec![UploadFile::Bytes(bytes.into())])
            .await[0]
    }

    fn pasted(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.home.path().join("data/pasted"));
        let entries = entries.expect("the folder").flatten();
        entries.map(|entry| entry.path()).collect()
    }

    async fn rows(&self) -> Vec<(u32, UploadState)> {
        let rows = self.uploads.rows().await.into_iter();
        rows.map(|row| (row.id, row.progress)).collect()
    }

    async fn names(&self) -> Vec<(String, u64)> {
        let rows = self.uploads.rows().await.into_iter();
        rows.map(|row| (row.name, row.size)).collect()
    }

    /// Waits until a row is so.
    async fn until(&self, id: u32, wanted: impl Fn(&UploadState) -> bool) -> UploadState {
        let mut changes = self.uploads.changes();
        let until = async {
            loop {
                let rows = self.uploads.rows_of(&[id]).await.expect("rows");
                if let Some(row) = rows.into_iter().find(|row| wanted(&row.progress)) {
                    return row.progress;
                }
                changes.changed().await.expect("it goes on");
            }
        };
        tokio::time::timeout(LIMIT, until).await.expect("in time")
    }

    async fn ended(&self, ids: Vec<u32>) -> Vec<UploadState> {
        let ended = tokio::time::timeout(LIMIT, self.uploads.ended(ids)).await;
        let mut ended = ended.expect("in time");
        ended.sort_by_key(|row| row.id);
        ended.into_iter().map(|row| row.progress).collect()
    }

    /// Waits until no pasted file is kept: a row ends before its file is removed.
    async fn keeps_no_pasted_file(&self) {
        let mut changed = self.uploads.changes();
        let gone = async {
            while !self.pasted().is_empty() {
                changed.changed().await.expect("the uploads");
            }
        };
        tokio::time::timeout(LIMIT, gone).await.expect("in time");
    }

    pub(super) fn database(&self) -> Connection {
        let file = database_file(&self.home.path().join("data"));
        Connection::open(file).expect("a database")
    }
}

fn is_stored(state: &UploadState) -> bool {
    matches!(state, UploadState::Done { url, stored: Some(_), .. } if url.starts_with("http://here/i/"))
}

fn is_sent(state: &UploadState) -> bool {
    matches!(state, UploadState::Working { permille: 800 })
}

#[tokio::test]
async fn files_and_images_of_the_clipboard_join_the_queue_and_outlive_the_process() {
    let run = Run::new().await;
    std::fs::create_dir(run.home.path().join("trip")).expect("a folder");
    for (name, size) in [("trip/a.png", 5), ("trip/b.png", 6), ("c.png", 7)] {
        run.file(name, &vec![0; size]);
    }
    let added = ["c.png", "trip"].map(|name| run.home.path().join(name));
    assert_eq!(run.add(added).await, [1, 2, 3]);
    assert_eq!(run.paste(vec![1; 9]).await, 4);
    let expected = [
        ("c.png", 7),
        ("a.png", 5),
        ("b.png", 6),
        ("clipboard.png", 9),
    ];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(run.names().await, expected);
    let run = run.again().await;
    assert_eq!(run.names().await, expected);
}

#[tokio::test]
async fn each_added_file_is_stored_or_gets_an_error() {
    let run = Run::new().await;
    std::fs::create_dir(run.home.path().join("folder")).expect("a folder");
    let (known, bytes) = (run.file("a.png", &picture()), picture());
    let mut ids = run
        .add([
            known.clone(),
            run.file("text.png", b"no picture"),
            run.home.path().join("gone.png"),
            run.home.path().join("folder"),
            run.file("empty.png", b""),
        ])
        .await;
    ids.push(run.paste(bytes.clone()).await);
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    run.start().await;
    let ended = run.ended(ids).await;
    assert!(is_stored(&ended[0]) && is_stored(&ended[5]), "{ended:?}");
    use UploadTrouble::{Broken, NotAFile, NotAPicture, Unreadable};
    assert_eq!(
        ended[1..5],
        [NotAPicture, Unreadable, NotAFile, Broken].map(failed)
    );
    let ids = vec![run.paste(bytes).await];
    let ended = run.ended(ids).await;
    assert!(
        matches!(ended[0], UploadState::Duplicate { .. }),
        "{ended:?}"
    );
    run.keeps_no_pasted_file().await;
    assert!(known.exists(), "it is the owner's");

    // What is right by now is stored at another try.
    run.file("gone.png", &picture());
    assert_eq!(run.uploads.retry(Some(3)).await, [3]);
    assert!(is_stored(&run.ended(vec![3]).await[0]));
    let run = run.again().await;
    let left: Vec<u32> = run.rows().await.iter().map(|row| row.0).collect();
    assert_eq!(left, [2, 4, 5], "what is done is listed until the end");
    run.uploads.clear().await;
    assert!(run.rows().await.is_empty());
}

#[tokio::test]
async fn files_wait_while_the_images_fail_show_why_and_let_others_go_first() {
    let run = Run::of(tempfile::tempdir().expect("a folder"), false).await;
    let id = run.paste(picture()).await;
    run.start().await;
    let waits = |state: &UploadState| matches!(state, UploadState::Waiting { why: Some(_) });
    let UploadState::Waiting { why: Some(why) } = run.until(id, waits).await else {
        panic!("it waits");
    };
    assert!(
        why.to_string().contains("no picture can be converted"),
        "{why}"
    );
    assert_eq!(run.pasted().len(), 1);
    let next = run.paste(picture()).await;
    run.uploads.stop().await;
    let next_first = run.database().query_row(
        "SELECT id FROM upload ORDER BY tries, turn LIMIT 1",
        [],
        |row| row.get::<_, u32>(0),
    );
    assert_eq!(next_first.expect("a row"), next);
    let run = run.again().await;
    let ended = run.ended(vec![id, next]).await;
    assert!(ended.iter().all(is_stored), "{ended:?}");
    run.keeps_no_pasted_file().await;
}

#[tokio::test]
async fn what_waits_is_cancelled_and_what_is_under_way_is_not_before_it_is_interrupted() {
    let run = Run::new().await;
    let held = run.hold_up().await;
    let at_once = held.len() as u32;
    for _ in 0..at_once + 2 {
        run.paste(picture()).await;
    }
    run.start().await;
    for id in 1..=at_once {
        run.until(id, is_sent).await;
    }
    run.uploads.cancel(Some(1)).await.expect("read");
    run.uploads
        .cancel(Some(at_once + 1))
        .await
        .expect("written");
    let ids: Vec<u32> = run.rows().await.iter().map(|row| row.0).collect();
    let expected: Vec<u32> = (1..=at_once).chain([at_once + 2]).collect();
    assert_eq!(ids, expected);
    run.uploads.stop().await;
    assert_eq!(run.rows().await[0], (1, WAITING));
    run.uploads.cancel(None).await.expect("written");
    assert!(run.rows().await.is_empty() && run.pasted().is_empty());
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_is_sent_again() {
    let run = Run::new().await;
    let held = run.hold_up().await;
    let ids = run.add([run.file("a.png", &picture())]).await;
    run.start().await;
    run.until(1, is_sent).await;
    run.file("a.png", &[picture(), vec![0; 9]].concat());
    drop(held);
    let waits = |state: &UploadState| matches!(state, UploadState::Waiting { why: Some(_) });
    let UploadState::Waiting { why: Some(why) } = run.until(1, waits).await else {
        panic!("what was sent is not what the file is now");
    };
    assert_eq!(why, Message::FileChanged);
    assert!(is_stored(&run.ended(ids).await[0]));
}

#[tokio::test]
async fn failed_files_are_kept_until_they_are_cleared() {
    let run = Run::new().await;
    let id = run.paste(b"no picture".to_vec()).await;
    run.start().await;
    for _ in 0..2 {
        let ended = run.ended(vec![id]).await;
        assert_eq!(ended, [failed(UploadTrouble::NotAPicture)]);
        assert_eq!(run.pasted().len(), 1, "another try has its bytes");
        assert_eq!(run.uploads.retry(None).await, [id]);
    }
    run.ended(vec![id]).await;
    let run = run.again().await;
    let rows = run.rows().await;
    assert_eq!(rows, [(id, failed(UploadTrouble::NotAPicture))]);
    run.uploads.clear().await;
    assert!(run.rows().await.is_empty() && run.pasted().is_empty());
}

#[tokio::test]
async fn the_files_of_what_was_pasted_and_the_rows_are_brought_in_line() {
    let run = Run::new().await;
    for bytes in [b"1", b"2", b"3"] {
        run.paste(bytes.to_vec()).await;
    }
    // Windows has no lines in names.
    let name = if cfg!(unix) {
        "-\n%41 光.png"
    } else {
        "-%41 光.png"
    };
    run.add([run.file(name, b"1")]).await;
    let sort_out = async || {
        let pasted = run.uploads.0.pasted.clone();
        let sorted = run.uploads.write(move |change| pasted.sort_out(change));
        sorted.await.expect("sorted out");
        run.rows().await
    };
    let broken = failed(UploadTrouble::Broken);
    let outcome = broken.clone();
    let end = run
        .uploads
        .write(move |change| table::end(change, 3, &outcome, None));
    end.await.expect("written");
    // Stored, and a power cut has lost the end of its row.
    let is_second = |file: &PathBuf| std::fs::read(file).expect("a file") == b"2";
    let second = run.pasted().into_iter().find(is_second);
    std::fs::remove_file(second.expect("a file")).expect("a file");
    run.uploads.0.pasted.keep(b"of no row").expect("room");
    run.file("data/pasted/.new-abc", b"half");
    let expected = [(1, WAITING), (3, broken), (4, WAITING), (5, WAITING)];
    assert_eq!(sort_out().await, expected);
    assert_eq!(run.pasted().len(), 3);
    // The rows are lost, and the data folder was elsewhere.
    run.uploads
        .write(|change| change.execute("DELETE FROM upload", []))
        .await
        .expect("written");
    // Numbers are never used twice.
    let again = [6, 7, 8].map(|id| (id, WAITING));
    assert_eq!(sort_out().await, again);
    let was_elsewhere = |change: &rusqlite::Transaction<'_>| {
        for row in table::added_in(change, table::State::Waiting, None)? {
            let before = Path::new("/before/pasted").join(row.file.file_name().expect("a name"));
            table::move_to(change, row.id, &before)?;
        }
        Ok(())
    };
    run.uploads.write(was_elsewhere).await.expect("written");
    assert_eq!(sort_out().await, again);
    run.uploads.cancel(None).await.expect("written");
    run.keeps_no_pasted_file().await;
}

#[tokio::test]
async fn of_too_many_that_failed_the_oldest_are_forgotten_with_their_files() {
    let run = Run::new().await;
    run.paste(b"1".to_vec()).await;
    let outcome = failed(UploadTrouble::Broken);
    let end = run
        .uploads
        .write(move |change| table::end(change, 1, &outcome, None));
    end.await.expect("written");
    let gone = (0..2_100).map(|name| run.home.path().join(format!("{name}.png")));
    run.add(gone).await;
    assert_eq!(run.rows().await.len(), 2_000);
    let run = run.again().await;
    run.keeps_no_pasted_file().await;
    let count = "SELECT count(*) FROM upload";
    let count = || {
        run.database()
            .query_row(count, [], |row| row.get::<_, i64>(0))
    };
    assert_eq!(count().expect("a number"), 2_000);
    run.uploads.clear().await;
    assert_eq!(count().expect("a number"), 0);
}

#[tokio::test]
async fn progress_never_goes_back() {
    let run = Run::new().await;
    let id = i64::from(run.paste(vec![1; 4]).await);
    let rows = run
        .uploads
        .read(|look| table::next(look, 1, &[], &[]))
        .await;
    let row = UnderWay::of(&rows.expect("a row")[0]);
    run.uploads.0.live.lock().under_way.insert(id, row);
    let mut changed = run.uploads.changes();
    for (permille, bytes, shown) in [(250, 8, (250, 8)), (100, 8, (250, 8)), (300, 8, (300, 8))] {
        run.uploads.progress(id, permille, bytes);
        let row = &run.uploads.rows().await[0];
        let permille = shown.0;
        assert_eq!(row.progress, UploadState::Working { permille });
        assert_eq!(row.size, shown.1);
    }
    changed.mark_unchanged();
    run.uploads.progress(id, 200, 8);
    assert!(!changed.has_changed());
}

#[tokio::test]
async fn the_ends_of_many_uploads_are_known_and_the_newest_are_listed() {
    let run = Run::new().await;
    let mut ids = Vec::new();
    for _ in 0..250 {
        ids.push(run.paste(vec![1; 9]).await);
    }
    let ended = tokio::spawn({
        let (uploads, ids) = (run.uploads.clone(), ids.clone());
        async move { uploads.ended(ids).await }
    });
    tokio::task::yield_now().await;
    for id in ids.into_iter().rev() {
        let done = UploadState::Done {
            hash: "0".repeat(32).parse().expect("a hash"),
            url: format!("https://light.example/i/{id}"),
            stored: None,
        };
        let end = move |change: &Transaction<'_>| table::end(change, id.into(), &done, None);
        run.uploads.write(end).await.expect("written");
        run.uploads.changed();
    }
    assert_eq!(ended.await.expect("an end").len(), 250);
    assert_eq!(run.rows().await.len(), 200);
}

#[tokio::test]
async fn files_that_do_not_come_into_the_queue_are_added_by_a_retry() {
    let run = Run::new().await;
    let file = run.file("a.png", b"12345");
    let away = "ALTER TABLE upload RENAME TO away";
    run.database().execute_batch(away).expect("renamed");
    run.add([file]).await;
    run.paste(vec![1]).await;
    let states = async || {
        let rows = run.uploads.rows().await.into_iter();
        rows.map(|row| row.progress).collect::<Vec<_>>()
    };
    let all_failed = [(); 2].map(|()| failed(UploadTrouble::Storage));
    assert_eq!(states().await, all_failed);
    assert_eq!(run.uploads.failed(), 2);
    assert!(run.pasted().is_empty(), "its bytes are in memory");
    run.uploads.retry(None).await;
    assert_eq!(states().await, all_failed, "there is no queue yet");
    let back = "ALTER TABLE away RENAME TO upload";
    run.database().execute_batch(back).expect("renamed");
    run.uploads.retry(None).await;
    assert_eq!(states().await, [WAITING, WAITING]);
    assert_eq!(run.pasted().len(), 1);
}

#[tokio::test]
async fn without_a_queue_the_files_that_are_not_listed_are_counted() {
    let run = Run::new().await;
    run.database()
        .execute_batch("DROP TABLE upload")
        .expect("no table");
    let folder = run.home.path().join("folder");
    std::fs::create_dir(&folder).expect("a folder");
    for name in 0..2_100 {
        std::fs::write(folder.join(format!("{name:04}.png")), b"12345").expect("a file");
    }
    run.add([folder]).await;
    let rows = run.uploads.rows().await;
    assert_eq!(rows.len(), 2_000);
    assert_eq!(rows[0].name, "0000.png");
    let rest = rows.last().expect("a row");
    assert!(rest.name.contains("101"), "{}", rest.name);
    assert_eq!(rest.progress, failed(UploadTrouble::TooMany));
}

#[tokio::test]
async fn a_drop_just_before_the_end_is_in_the_queue() {
    let run = Run::new().await;
    let files: Vec<_> = (0..200)
        .map(|name| run.file(&format!("{name}.png"), b"1"))
        .collect();
    let sources = files.into_iter().map(UploadFile::File).collect();
    tokio::spawn(run.uploads.take(sources));
    run.uploads.all_taken().await;
    assert_eq!(run.rows().await.len(), 200);
}

#[tokio::test]
async fn many_files_wait_for_confirmation_and_quitting_does_not() {
    let run = Run::new().await;
    let uploads = &run.uploads;
    let files: Vec<_> = (0..=gather::MANY)
        .map(|name| run.file(&format!("{name}.png"), b"1"))
        .collect();
    let dropped = || files.iter().cloned().map(UploadFile::File).collect();
    let ids = uploads.take_confirmed(dropped(), async |_| false).await;
    assert!(ids.is_empty() && run.rows().await.is_empty(), "{ids:?}");
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
    assert!(started.elapsed() < Duration::from_secs(5), "it waited");
    open.abort();
}

#[tokio::test]
async fn a_retry_looks_into_an_empty_folder_again() {
    let run = Run::new().await;
    let folder = run.home.path().join("folder");
    std::fs::create_dir(&folder).expect("a folder");
    run.add([folder.clone()]).await;
    let empty = failed(UploadTrouble::NotAFile);
    run.uploads.retry(None).await;
    assert_eq!(run.rows().await, [(2, empty)]);
    std::fs::write(folder.join("a.png"), b"12345").expect("a file");
    assert_eq!(run.uploads.retry(None).await, [3]);
    assert_eq!(run.rows().await, [(3, WAITING)]);
    assert_eq!(run.names().await, [("a.png".to_owned(), 5)]);
}

#[tokio::test]
async fn a_list_is_removed_once_its_files_are_queued_or_cleared() {
    let run = Run::new().await;
    let (data, file) = (run.home.path().join("data"), run.file("a.png", b"12345"));
    let lists = || {
        let entries = std::fs::read_dir(data.join("handed"));
        entries.expect("the folder").count()
    };
    let take = async || {
        let _handed = handed::hand(&data, std::slice::from_ref(&file)).expect("handed over");
        let taken = handed::take(&data);
        let pictures = taken.files.iter().cloned().map(UploadFile::File).collect();
        run.uploads.take_from(Some(Arc::new(taken)), pictures).await;
    };
    let rename = |from: &str, to: &str| {
        let rename = format!("ALTER TABLE {from} RENAME TO {to}");
        run.database().execute_batch(&rename).expect("renamed");
    };
    rename("upload", "away");
    take().await;
    run.uploads.retry(None).await;
    assert_eq!(lists(), 1, "the next start takes it again");
    run.uploads.clear().await;
    assert_eq!(lists(), 0);
    take().await;
    rename("away", "upload");
    run.uploads.retry(None).await;
    assert_eq!(lists(), 0);
    take().await;
    assert_eq!((lists(), run.rows().await.len()), (0, 2));
}
