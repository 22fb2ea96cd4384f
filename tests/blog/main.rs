//! `porchlight blog` from outside: posts in every form are scanned, adopted, put back and compared byte by
//! byte.

mod adoption;
#[cfg(unix)]
mod documented;
#[cfg(target_os = "linux")]
mod foreign;
mod forms;
mod random_text;
mod scanned;
#[cfg(target_os = "linux")]
mod sites;
#[cfg(target_os = "linux")]
mod themes;
mod vaults;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use harness::pictures;
use harness::process::{Ended, RunningProcess, clean_command};
use porchlight_test_harness as harness;
use serde_json::Value;
use tempfile::TempDir;

/// The address of links in these tests.
const BASE: &str = "https://blog.example";

/// A blog in a folder, and a data folder whose links have an address for good.
struct Fixture {
    home: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        fs::create_dir(home.path().join("blog")).expect("a folder");
        fs::create_dir(home.path().join("data")).expect("a folder");
        let settings = format!("[server]\npublic_url = \"{BASE}\"\n");
        fs::write(home.path().join("data/settings.toml"), settings).expect("to write");
        Self { home }
    }

    fn blog(&self) -> PathBuf {
        self.home.path().join("blog")
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// Writes a file of the blog, and its folders.
    fn put(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.blog().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, content).expect("to write");
    }

    /// A picture that no other is like.
    fn picture(&self, file: &str) {
        self.put(file, picture());
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.blog().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn command(&self, words: &[&str]) -> RunningProcess {
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), self.home.path());
        command
            .arg("blog")
            .args(words)
            .arg("--data-dir")
            .arg(self.data());
        command.current_dir(self.home.path());
        RunningProcess::spawn(command)
    }

    async fn run(&self, words: &[&str]) -> Ended {
        self.command(words).ended().await
    }

    /// Runs it with `--json`; its exit code and what it printed.
    async fn json(&self, words: &[&str]) -> (i32, Value) {
        let ended = self.run(&[words, &["--json"]].concat()).await;
        let value = serde_json::from_str(&ended.stdout);
        let value = value.unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        (ended.status.code().expect("an exit"), value)
    }

    /// Adopts the blog, which must work.
    async fn adopt(&self, words: &[&str]) -> Value {
        let (code, done) = self
            .json(&[&["adopt", "blog", "--write"], words].concat())
            .await;
        let unread = &done["report"]["unread"];
        assert_eq!(code, 0, "{unread:#} {:#}", done["adopted"]);
        done["adopted"].clone()
    }

    /// All files of the blog.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(&self.blog())
    }
}

fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = harness::files::below(folder).into_iter();
    files
        .map(|file| (file.clone(), fs::read(file).expect("a file")))
        .collect()
}

/// A small picture that no other is like.
fn picture() -> Vec<u8> {
    pictures::png(&pictures::scene(pictures::next_seed(), 12, 8))
}

/// The text with `URL` in place of each address of a picture here.
fn without_hashes(text: &str) -> String {
    let begin = format!("{BASE}/i/");
    let mut parts = text.split(&begin);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hash, rest) = part.split_at_checked(32).expect("a hash");
        assert!(hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
        plain += "URL";
        plain += rest
            .strip_prefix(".webp")
            .unwrap_or_else(|| panic!("no ending: {rest}"));
    }
    plain
}
