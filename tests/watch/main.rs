//! Watched folders: `porchlight watch` and `porchlight serve` as their users get them, against the
//! real service and against servers that fail.

mod absent_folders;
mod after_upload;
mod arriving;
mod commands;
mod failures;
mod ignored;
mod killed;
mod many_files;
mod usage;
mod wrong_answers;

use harness::stand_in;
use porchlight_test_harness as harness;
use std::path::{Path, PathBuf};

use harness::process::{RunningProcess, clean_command};
use harness::{TestService, eventually, pictures};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

/// A folder that is watched, and all that belongs to the watcher.
struct Fixture {
    home: TempDir,
    api: String,
    token: String,
}

impl Fixture {
    fn of(service: &TestService) -> Self {
        Self::at(&service.url(""), &service.admin_token)
    }

    fn at(api: &str, token: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("pictures")).expect("a folder");
        Self {
            home,
            api: api.to_owned(),
            token: token.to_owned(),
        }
    }

    /// The watched folder.
    fn folder(&self) -> PathBuf {
        self.home.path().join("pictures")
    }

    /// A place beside it, on the same disk.
    fn beside(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn state(&self) -> PathBuf {
        self.beside("state")
    }

    fn command(&self, more: &[&str]) -> Command {
        self.command_with_state(&self.state(), more)
    }

    fn command_with_state(&self, state: &Path, more: &[&str]) -> Command {
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), self.home.path());
        command.args(["watch", "--api", &self.api]).args(more);
        command.arg("--folder").arg(self.folder());
        command.arg("--data-dir").arg(state);
        command.env("PORCHLIGHT_ADMIN_TOKEN", &self.token);
        command
    }

    /// `porchlight watch --json` with its outbox elsewhere.
    fn watch_with_state(&self, state: &Path) -> Watcher {
        let command = self.command_with_state(state, &["--json"]);
        Watcher(RunningProcess::spawn(command))
    }

    /// `porchlight watch --json` and more.
    fn watch(&self, more: &[&str]) -> Watcher {
        let mut command = self.command(&["--json"]);
        command.args(more);
        Watcher(RunningProcess::spawn(command))
    }

    /// [`Fixture::watch`], once it has noticed the folder.
    async fn watching(&self, more: &[&str]) -> Watcher {
        let mut watcher = self.watch(more);
        let first = self.put("first.jpg");
        assert_eq!(watcher.next().await["file"], first.to_str().expect("UTF-8"));
        watcher
    }

    /// Writes a new image into the watched folder.
    fn put(&self, name: &str) -> PathBuf {
        let file = self.folder().join(name);
        std::fs::write(&file, picture()).expect("a file");
        file
    }

    /// Adds a new image by a hard link, and waits until it is reported. The
    /// system reports no close for it, so it is uploaded once it is stable:
    /// that much time has passed then.
    async fn pass_time(&self, watcher: &mut Watcher) {
        let number = pictures::next_seed();
        let outside = self.beside(&format!("{number}.jpg"));
        std::fs::write(&outside, picture()).expect("a file");
        let linked = self.folder().join(format!("linked {number}.jpg"));
        std::fs::hard_link(&outside, &linked).expect("a link");
        let line = watcher.next().await;
        assert_eq!(line["file"], linked.to_str().expect("UTF-8"), "{line}");
    }

    /// [`rows`] of its state.
    fn rows(&self, state: u8) -> i64 {
        rows(&self.state(), state)
    }
}

/// What is in the outbox in this state; nothing before it is made.
fn rows(folder: &Path, state: u8) -> i64 {
    let outbox = rusqlite::Connection::open(folder.join("outbox.db")).expect("an outbox");
    let sql = "SELECT count(*) FROM picture WHERE state = ?";
    let rows = outbox.query_row(sql, [state], |row| row.get(0));
    match rows {
        Err(error) if error.to_string().contains("no such table") => 0,
        rows => rows.expect("a number"),
    }
}

/// A running `porchlight watch --json`.
struct Watcher(RunningProcess);

impl Watcher {
    /// The next line it prints.
    async fn next(&mut self) -> Value {
        let Some(line) = self.0.line_with("{").await else {
            panic!("it has ended: {}", self.0.stderr());
        };
        serde_json::from_str(&line).expect("JSON alone on standard output")
    }

    /// This many further lines, in the order of the files' names.
    async fn next_few(&mut self, number: usize) -> Vec<Value> {
        let mut lines = Vec::new();
        for _ in 0..number {
            lines.push(self.next().await);
        }
        lines.sort_by_key(|line| line["file"].to_string());
        lines
    }

    /// All lines it has printed so far.
    fn lines(&self) -> Vec<Value> {
        let lines = self.0.stdout();
        lines
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// Waits until its standard error contains this.
    async fn wait_for_log(&self, text: &str) {
        eventually(text, async || self.0.stderr().contains(text).then_some(())).await;
    }

    async fn kill(&mut self) {
        self.0.kill();
        self.0.wait().await;
    }
}

/// The last part of the file that a line is about.
fn name(line: &Value) -> String {
    let file = Path::new(line["file"].as_str().expect("a file"));
    let name = file.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

fn names(lines: &[Value]) -> Vec<String> {
    lines.iter().map(name).collect()
}

/// A small image that no other call has made.
fn picture() -> Vec<u8> {
    pictures::jpeg(&pictures::scene(pictures::next_seed(), 48, 32))
}

/// How often the service was sent an image.
async fn times_sent(service: &TestService) -> u64 {
    let stat = service.json("/api_stats/images/add").await;
    stat["count"].as_u64().expect("a number")
}
