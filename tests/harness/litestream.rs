//! Litestream beside a service: it copies the database to a private bucket of Garage. Its
//! configuration is that of `docs/pictures.md`, with other values.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::garage::{Garage, REGION};
use crate::process::{Ended, RunningProcess, clean_command};
use crate::tool;

const DOCUMENT: &str = include_str!("../../docs/pictures.md");
const BUCKET: &str = "porchlight-index";

/// A running Litestream. Dropping it kills it.
pub struct Litestream {
    database: PathBuf,
    keys: [(&'static str, String); 2],
    process: RunningProcess,
    // The last field: the folder goes when the process is gone.
    folder: TempDir,
}

impl Litestream {
    /// Starts one for this database, in a new bucket.
    pub async fn start(garage: &Garage, database: &Path) -> Self {
        garage.make_private(BUCKET).await;
        let folder = tempfile::tempdir().expect("a folder");
        let configuration = configuration(garage, database, folder.path());
        std::fs::write(folder.path().join("litestream.yml"), configuration).expect("a new file");
        let (key, secret) = garage.keys();
        let keys = [
            ("LITESTREAM_ACCESS_KEY_ID", key.to_owned()),
            ("LITESTREAM_SECRET_ACCESS_KEY", secret.to_owned()),
        ];
        Self {
            database: database.to_owned(),
            process: RunningProcess::spawn(command(folder.path(), &keys, &["replicate"])),
            keys,
            folder,
        }
    }

    /// Waits until all that is written has been copied.
    pub async fn caught_up(&self) {
        let socket = socket(self.folder.path());
        let socket = socket.to_str().expect("UTF-8");
        crate::eventually("Litestream's socket", async || {
            let words = ["sync", "-wait", "-socket", socket];
            self.run(&words).await.status.success().then_some(())
        })
        .await;
    }

    /// Ends it as a power cut would.
    pub async fn kill(&mut self) {
        self.process.kill();
        self.process.wait().await;
    }

    /// Writes the last state that was copied to this file.
    pub async fn restore(&self, to: &Path) {
        let configuration = self.folder.path().join("litestream.yml");
        let words = [
            "restore",
            "-config",
            configuration.to_str().expect("UTF-8"),
            "-o",
            to.to_str().expect("UTF-8"),
        ];
        let ended = self.run(&words).await;
        assert!(ended.status.success(), "{ended:?}");
    }

    /// What it has printed.
    pub fn log(&self) -> String {
        self.process.stdout() + &self.process.stderr()
    }

    async fn run(&self, words: &[&str]) -> Ended {
        let mut command = command(self.folder.path(), &self.keys, words);
        command.arg(&self.database);
        RunningProcess::spawn(command).ended().await
    }
}

fn command(
    folder: &Path,
    keys: &[(&'static str, String)],
    words: &[&str],
) -> tokio::process::Command {
    let program = tool::path("litestream");
    let mut command = clean_command(program.to_str().expect("UTF-8"), folder);
    command.args(words);
    if words == ["replicate"] {
        command.arg("-config").arg(folder.join("litestream.yml"));
    }
    // They would come before its configuration.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AWS_") {
            command.env_remove(name);
        }
    }
    command.envs(keys.iter().map(|(name, value)| (*name, value)));
    command
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("litestream.sock")
}

/// The lines of the document, with the values of this test, and a socket for commands.
fn configuration(garage: &Garage, database: &Path, folder: &Path) -> String {
    let (_, rest) = DOCUMENT.split_once("```yaml\n").expect("the lines");
    let (lines, _) = rest.split_once("```").expect("their end");
    let value = |line: &str| {
        let key = line.trim_start_matches([' ', '-']).split(':').next()?;
        Some(match key {
            "path" if line.trim_start().starts_with('-') => database.display().to_string(),
            "endpoint" => garage.endpoint(),
            "region" => REGION.to_owned(),
            "bucket" => BUCKET.to_owned(),
            _ => return None,
        })
    };
    let mut configuration = String::new();
    for line in lines.lines() {
        match value(line) {
            Some(value) => {
                let (key, _) = line.split_once(':').expect("a key");
                configuration += &format!("{key}: {value}\n");
            }
            None => configuration += &format!("{line}\n"),
        }
    }
    let socket = socket(folder);
    configuration + &format!("socket:\n  enabled: true\n  path: {}\n", socket.display())
}
