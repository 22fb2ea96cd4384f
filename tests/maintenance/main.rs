//! Looking after a data folder from outside, with the real binary: `check`,
//! `check --repair`, `backup`, `restore`, and what a crash leaves.

mod backup;
mod check;
mod crash;
mod many_missing;
mod repair;
mod restore;
mod running;
mod tampered;

// Neither Garage nor Litestream runs on Windows.
#[cfg(unix)]
mod litestream;
#[cfg(unix)]
mod moving;
#[cfg(unix)]
mod moving_served;
#[cfg(unix)]
mod object_store;

#[cfg(unix)]
use harness::garage;
use porchlight_test_harness as harness;
use std::path::{Path, PathBuf};

use harness::process::{Ended, RunningProcess, clean_command};
use harness::{TestService, pictures};
use serde_json::Value;

/// Runs a command of the binary on a data folder to completion.
async fn porchlight(data_dir: &Path, words: &[&str]) -> Ended {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command.args(words).arg("--data-dir").arg(data_dir);
    RunningProcess::spawn(command).ended().await
}

/// The output of `check` as JSON, and its exit code.
async fn checked(data_dir: &Path, words: &[&str]) -> (i32, Value) {
    let words = [&["check", "--json"], words].concat();
    let ended = porchlight(data_dir, &words).await;
    let code = ended.status.code().expect("an exit");
    let report =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (code, report)
}

/// The kinds of faults in a report, in alphabetical order.
fn kinds(report: &Value) -> Vec<&str> {
    let problems = report["problems"].as_array().expect("a list");
    let mut kinds: Vec<&str> = problems
        .iter()
        .map(|problem| problem["kind"].as_str().expect("a word"))
        .collect();
    kinds.sort_unstable();
    kinds
}

/// Where an image's file is.
fn file_of(data_dir: &Path, hash: &str) -> PathBuf {
    data_dir
        .join("images")
        .join(&hash[..2])
        .join(format!("{hash}.webp"))
}

/// An image that is wide enough for renditions.
fn wide() -> Vec<u8> {
    pictures::jpeg(&pictures::scene(pictures::next_seed(), 400, 300))
}

/// A service with this many images, and their hashes.
async fn with_images(count: usize) -> (TestService, Vec<String>) {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let mut hashes = Vec::new();
    for _ in 0..count {
        hashes.push(service.stored(wide()).await);
    }
    (service, hashes)
}

/// The database of a folder that is not served.
fn database(data_dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(data_dir.join("porchlight.db")).expect("a database")
}
