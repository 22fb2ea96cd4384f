//! `porchlight import` from outside: from a Porchlight in both behaviours, and
//! from servers that are none.

mod failures;
mod foreign;
mod from_porchlight;
mod names;

#[cfg(unix)]
use harness::garage;
use porchlight_test_harness as harness;
use std::path::Path;

use harness::pictures;
use harness::process::{Ended, RunningProcess, clean_command};
use serde_json::Value;

/// A command of the binary on a data folder.
fn porchlight(data_dir: &Path, words: &[&str]) -> RunningProcess {
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), data_dir);
    command.args(words).arg("--data-dir").arg(data_dir);
    RunningProcess::spawn(command)
}

/// Runs an import to completion, with further arguments.
async fn import(data_dir: &Path, from: &str, words: &[&str]) -> Ended {
    let words = [&["import", "--from", from], words].concat();
    porchlight(data_dir, &words).ended().await
}

/// The exit code and the lines of an import with `--json`, the summary last.
async fn imported(data_dir: &Path, from: &str, words: &[&str]) -> (i32, Vec<Value>) {
    let ended = import(data_dir, from, &[&["--json"], words].concat()).await;
    let lines = ended.stdout.lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ended:?}")))
        .collect();
    assert!(!lines.is_empty(), "{ended:?}");
    (ended.status.code().expect("an exit"), lines)
}

/// What the last line counts.
fn count(lines: &[Value], what: &str) -> u64 {
    let summary = &lines.last().expect("a summary")["summary"];
    summary[what]
        .as_u64()
        .unwrap_or_else(|| panic!("{summary}"))
}

/// That `check` finds nothing wrong.
async fn is_well(data_dir: &Path, words: &[&str]) {
    let ended = porchlight(data_dir, &[&["check"], words].concat())
        .ended()
        .await;
    assert!(ended.status.success(), "{ended:?}");
}

/// A WebP, as servers of the interface hold them.
fn webp() -> Vec<u8> {
    pictures::webp(&pictures::scene(pictures::next_seed(), 60, 40), None)
}
