//! Many images at once: `porchlight upload` and `scripts/upload.sh`, against
//! the real service and against servers that are not Porchlight.

mod beside;
mod failures;
mod folder;
mod plain;
/// The script is for shells.
#[cfg(unix)]
mod script;
mod uploads;
mod usage;
mod wrong_answers;

use porchlight_test_harness as harness;
use std::path::Path;

use harness::process::{Ended, RunningProcess, clean_command};
use harness::{TestService, random_token};
use serde_json::Value;
use tokio::process::Command;

/// The uploader's own home folder, and its token.
struct Uploader {
    home: tempfile::TempDir,
    token: String,
}

impl Uploader {
    fn new() -> Self {
        Self::with_token(&random_token())
    }

    fn with_token(token: &str) -> Self {
        Self {
            home: tempfile::tempdir().expect("a folder"),
            token: token.to_owned(),
        }
    }

    fn of(service: &TestService) -> Self {
        Self::with_token(&service.admin_token)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), self.home.path());
        command.arg("upload").args(words);
        command.env("PORCHLIGHT_ADMIN_TOKEN", &self.token);
        command
    }

    /// `porchlight upload --folder FOLDER --api API --json` and more.
    fn json(&self, folder: &Path, api: &str, more: &[&str]) -> Command {
        let mut command = self.command(&["--api", api, "--json"]);
        command.args(more).arg("--folder").arg(folder);
        command
    }

    async fn run_json(&self, folder: &Path, api: &str, more: &[&str]) -> Report {
        Report::of(
            RunningProcess::spawn(self.json(folder, api, more))
                .ended()
                .await,
        )
    }
}

/// The output of `--json`.
#[derive(Debug)]
struct Report {
    code: Option<i32>,
    lines: Vec<Value>,
    summary: Value,
    stderr: String,
}

impl Report {
    fn of(ended: Ended) -> Self {
        let mut lines: Vec<Value> = ended
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON alone on standard output"))
            .collect();
        let last = lines.pop().expect("a summary");
        Self {
            code: ended.status.code(),
            lines,
            summary: last["summary"].clone(),
            stderr: ended.stderr,
        }
    }

    fn of_status(&self, status: &str) -> Vec<&Value> {
        let lines = self.lines.iter();
        lines.filter(|line| line["status"] == status).collect()
    }

    /// Uploaded, already there, skipped, failed.
    fn counts(&self) -> [u64; 4] {
        ["uploaded", "already_there", "skipped", "failed"]
            .map(|name| self.summary[name].as_u64().expect("a number"))
    }
}

/// How often the service was sent an image.
async fn times_sent(service: &TestService) -> u64 {
    let stat = service.json("/api_stats/images/add").await;
    stat["count"].as_u64().expect("a number")
}
