//! A database that cannot be used: named, never overwritten, and as good as
//! before once the trouble is over.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::harness::process::Ended;
use crate::harness::{TestService, files, pictures};

/// A data folder that was used and properly left, with one image in it.
struct Used {
    folder: TempDir,
    hash: String,
}

impl Used {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut service = TestService::builder().data_dir(folder.path()).start().await;
        let hash = service.stored(pictures::photo()).await;
        assert!(service.stop().await.success());
        Self { folder, hash }
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("porchlight.db")
    }

    async fn refused(&self) -> Ended {
        let ended = TestService::builder()
            .data_dir(self.folder.path())
            .refused()
            .await;
        assert!(!ended.status.success(), "{ended:?}");
        assert!(ended.stdout.is_empty(), "{ended:?}");
        assert!(
            ended.stderr.contains("porchlight.db"),
            "not named: {}",
            ended.stderr
        );
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        ended
    }

    /// Refused, with every byte of the database and the images as before.
    async fn refused_and_untouched(&self) -> Ended {
        let before = files::precious(self.folder.path());
        let ended = self.refused().await;
        let after = files::precious(self.folder.path());
        assert_eq!(
            before.keys().collect::<Vec<_>>(),
            after.keys().collect::<Vec<_>>()
        );
        assert!(before == after, "bytes were changed");
        ended
    }

    async fn assert_all_there(&self) {
        let service = TestService::builder()
            .data_dir(self.folder.path())
            .start()
            .await;
        assert_eq!(service.count().await, 1);
        assert!(pictures::is_webp(&service.webp(&self.hash).await));
    }
}

#[tokio::test]
async fn a_database_from_a_newer_version_is_refused_and_unchanged() {
    let used = Used::new().await;
    let set_version = |version: i64| {
        let database = Connection::open(used.database()).expect("a database");
        let before: i64 = database
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .expect("a version");
        database
            .pragma_update(None, "user_version", version)
            .expect("a new version");
        before
    };
    let ours = set_version(9_999);
    assert!(ours > 0, "the version is not kept in user_version");
    let ended = used.refused_and_untouched().await;
    assert!(ended.stderr.contains("newer"), "{}", ended.stderr);
    set_version(ours);
    used.assert_all_there().await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_unchanged() {
    let used = Used::new().await;
    let whole = fs::read(used.database()).expect("readable");
    let garbage: Vec<u8> = (0..whole.len())
        .map(|number| (number * 151 % 251) as u8)
        .collect();
    let mut no_header = whole.clone();
    no_header[..16].copy_from_slice(b"Not SQLite at al");
    let mut torn = whole.clone();
    torn[100..4096].fill(0x5a);
    let truncated = whole[..whole.len() / 2].to_vec();
    for (case, bytes) in [
        ("garbage", garbage),
        ("another header", no_header),
        ("a torn first page", torn),
        ("half of it", truncated),
    ] {
        fs::write(used.database(), &bytes).expect("writable");
        let ended = used.refused_and_untouched().await;
        assert!(!ended.stderr.trim().is_empty(), "{case}");
        assert_eq!(
            fs::read(used.database()).expect("readable"),
            bytes,
            "{case}"
        );
    }
    fs::write(used.database(), whole).expect("writable");
    used.assert_all_there().await;
}

#[tokio::test]
async fn a_locked_database_is_named_and_unchanged() {
    let used = Used::new().await;
    // Not read while it is locked: closing a file releases every lock that this
    // process has on it.
    let before = files::precious(used.folder.path());
    let holder = Connection::open(used.database()).expect("a database");
    holder
        .pragma_update(None, "locking_mode", "EXCLUSIVE")
        .expect("a mode");
    holder.execute_batch("BEGIN EXCLUSIVE").expect("the lock");
    let ended = used.refused().await;
    assert!(ended.stderr.contains("locked"), "{}", ended.stderr);
    holder.execute_batch("ROLLBACK").expect("the end of it");
    drop(holder);
    assert!(
        before == files::precious(used.folder.path()),
        "bytes were changed"
    );
    used.assert_all_there().await;
}

#[tokio::test]
async fn a_missing_database_beside_images_is_reported_and_none_is_created() {
    let used = Used::new().await;
    let database = used.database();
    let kept = used.folder.path().join("kept-elsewhere");
    fs::rename(&database, &kept).expect("our own file");
    for empty in [false, true] {
        if empty {
            fs::write(&database, b"").expect("writable");
        }
        let ended = used.refused_and_untouched().await;
        assert!(ended.stderr.contains("backup"), "{}", ended.stderr);
        let size = fs::metadata(&database).map(|found| found.len()).ok();
        assert_eq!(size, empty.then_some(0), "another one was created");
    }
    fs::rename(&kept, &database).expect("our own file");
    used.assert_all_there().await;
}

#[tokio::test]
async fn a_port_in_use_is_named_and_nothing_is_touched() {
    let used = Used::new().await;
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let before = files::precious(used.folder.path());
    let ended = TestService::builder()
        .data_dir(used.folder.path())
        .listen(address.clone())
        .refused()
        .await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    for part in [address.as_str(), "--listen"] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
    assert!(ended.stdout.is_empty(), "{}", ended.stdout);
    let images = |files: &std::collections::BTreeMap<PathBuf, Vec<u8>>| {
        let mut files = files.clone();
        files.remove(&used.database());
        files
    };
    assert!(images(&before) == images(&files::precious(used.folder.path())));
    used.assert_all_there().await;
}
