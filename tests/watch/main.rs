//! Watched folders: `porchlight serve` as its users get it, also while its storage is away.

mod absent_folders;
mod after_upload;
mod arriving;
mod failures;
mod ignored;
mod killed;
mod many_files;

use porchlight_test_harness as harness;
use std::path::{Path, PathBuf};

use harness::s3::ObjectStore;
use harness::{Builder, TestService, eventually, pictures};
use tempfile::TempDir;

/// A folder that is watched, and all that belongs to the service.
struct Fixture {
    home: TempDir,
    settings: Vec<String>,
}

impl Fixture {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("pictures")).expect("a folder");
        Self {
            home,
            settings: Vec::new(),
        }
    }

    /// Whose images are kept in an object store.
    async fn with_store() -> (Self, ObjectStore) {
        let store = ObjectStore::start().await;
        let settings = store.settings();
        let fixture = Self {
            settings,
            ..Self::new()
        };
        (fixture, store)
    }

    /// The watched folder.
    fn folder(&self) -> PathBuf {
        self.home.path().join("pictures")
    }

    /// A place beside it, on the same disk.
    fn beside(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The service that watches the folder, with these further settings.
    fn builder(&self, settings: &[&str]) -> Builder {
        TestService::builder()
            .set(format!("watch.folders=['{}']", self.folder().display()))
            .sets(&self.settings)
            .sets(settings)
            .data_dir(self.beside("data"))
            .env("XDG_DATA_HOME", self.home.path().to_str().expect("UTF-8"))
            .env("NO_COLOR", "1")
    }

    /// Starts it.
    async fn watch(&self, settings: &[&str]) -> Watcher {
        Watcher::start(self.builder(settings)).await
    }

    /// [`Fixture::watch`], once it has noticed the folder.
    async fn watching(&self, settings: &[&str]) -> Watcher {
        let mut watcher = self.watch(settings).await;
        self.put("first.jpg");
        assert_eq!(watcher.next().await.name(), "first.jpg");
        watcher
    }

    /// Writes a new image into the watched folder.
    fn put(&self, name: &str) -> PathBuf {
        let file = self.folder().join(name);
        std::fs::write(&file, picture()).expect("a file");
        file
    }

    /// Adds a new image by a hard link, and waits until it is uploaded. The
    /// system reports no close for it, so it is uploaded once it is stable:
    /// that much time has passed then.
    async fn pass_time(&self, watcher: &mut Watcher) {
        let number = pictures::next_seed();
        let outside = self.beside(&format!("{number}.jpg"));
        std::fs::write(&outside, picture()).expect("a file");
        let linked = format!("linked {number}.jpg");
        std::fs::hard_link(&outside, self.folder().join(&linked)).expect("a link");
        assert_eq!(watcher.next().await.name(), linked);
    }

    /// The database with the upload queue.
    fn database(&self) -> rusqlite::Connection {
        let database = rusqlite::Connection::open(self.beside("data/porchlight.db"));
        database.expect("a database")
    }

    /// How many rows of the upload queue are in this state.
    fn rows(&self, state: u8) -> i64 {
        let sql = "SELECT count(*) FROM upload WHERE state = ?";
        let rows = self.database().query_row(sql, [state], |row| row.get(0));
        rows.expect("a number")
    }

    /// Waits until this many rows are in this state.
    async fn have(&self, number: i64, state: u8) {
        eventually("rows of the queue", async || {
            (self.rows(state) == number).then_some(())
        })
        .await;
    }
}

/// A running `porchlight serve`, whose log says what became of each file.
struct Watcher {
    service: TestService,
    /// How many bytes of the log of this run were read.
    read: usize,
}

impl Watcher {
    async fn start(builder: Builder) -> Self {
        Self {
            service: builder.start().await,
            read: 0,
        }
    }

    /// Starts it again, with these further settings from then on.
    async fn restart(&mut self, settings: &[&str]) {
        self.service.restart_with(settings).await;
        self.read = 0;
    }

    /// What became of the next file.
    async fn next(&mut self) -> Outcome {
        let (outcome, read) = eventually("the end of an upload", async || {
            let (log, mut read) = (self.service.stderr(), self.read);
            log[read..].split_inclusive('\n').find_map(|line| {
                read += line.len();
                Some((Outcome::of(line)?, read))
            })
        })
        .await;
        self.read = read;
        outcome
    }

    /// The names of this many further files, which are uploaded; sorted.
    async fn next_names(&mut self, number: usize) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..number {
            let outcome = self.next().await;
            assert!(outcome.is_upload(), "{outcome:?}");
            names.push(outcome.name());
        }
        names.sort();
        names
    }

    /// What became of all files in this run so far.
    fn outcomes(&self) -> Vec<Outcome> {
        let log = self.service.stderr();
        log.lines().filter_map(Outcome::of).collect()
    }

    /// Waits until its log contains this.
    async fn wait_for_log(&self, text: &str) {
        eventually(text, async || {
            self.service.stderr().contains(text).then_some(())
        })
        .await;
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.service.stderr());
        }
    }
}

/// What became of a file.
#[derive(Debug)]
struct Outcome {
    file: PathBuf,
    what: String,
}

impl Outcome {
    /// The outcome that a line of the log says, if it says one.
    fn of(line: &str) -> Option<Self> {
        let (_, said) = line.split_once(" porchlight_service::uploads::watch::upload: ")?;
        let (what, file) = said.trim_end_matches('\n').split_once(" file=")?;
        Some(Self {
            file: file.into(),
            what: what.to_owned(),
        })
    }

    /// The last part of its path.
    fn name(&self) -> String {
        let name = self.file.file_name().expect("a name");
        name.to_string_lossy().into_owned()
    }

    fn is_upload(&self) -> bool {
        self.what.starts_with("uploaded ")
    }

    fn is_gone(&self) -> bool {
        self.what == "it was removed before it was uploaded"
    }

    /// Whether the service had the image before.
    fn was_there(&self) -> bool {
        self.what.ends_with(" already_there=true")
    }

    /// The hash of its image.
    fn hash(&self) -> &str {
        let hash = self.what.strip_prefix("uploaded hash=");
        let hash = hash.and_then(|rest| rest.split(' ').next());
        hash.unwrap_or_else(|| panic!("not uploaded: {self:?}"))
    }
}

/// The names of the entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string())
        .map(|name| name.expect("UTF-8"))
        .collect();
    names.sort();
    names
}

/// A small image that no other call has made.
fn picture() -> Vec<u8> {
    pictures::jpeg(&pictures::scene(pictures::next_seed(), 48, 32))
}
