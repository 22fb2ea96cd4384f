//! The service that is measured: the release binary, as its users run it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;
use reqwest::Client;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;

use crate::Result;
use crate::child::Running;

/// It is ready within this time or never.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// The rate limit is on, and out of the way.
pub(crate) const HIGH_LIMIT: [&str; 2] =
    ["limits.requests_per_second=1000000", "limits.burst=1000000"];

/// A running service; clones are the same one, which ends with the last.
#[derive(Clone)]
pub(crate) struct Porchlight {
    /// Where it is, without a trailing slash.
    pub(crate) url: String,
    /// A token that may do everything.
    pub(crate) token: String,
    running: Arc<Running>,
}

/// What an upload is answered with.
#[derive(Debug, Deserialize)]
pub(crate) struct Uploaded {
    pub(crate) hash: String,
    pub(crate) size: u64,
}

impl Porchlight {
    /// Starts it on a data folder and waits for its line. The log goes to a
    /// file beside the folder's own.
    ///
    /// # Errors
    /// When it does not print within a minute that it listens.
    pub(crate) fn start(binary: &Path, folder: &Path, set: &[&str]) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let log: PathBuf = folder.join("standard-error.log");
        let token = hex::encode(rand::rng().random::<[u8; 32]>());
        let mut command = Command::new(binary);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PORCHLIGHT_") {
                command.env_remove(&name);
            }
        }
        command
            .arg("serve")
            .arg("--data-dir")
            .arg(folder)
            .args(["--listen", "127.0.0.1:0"])
            .args(set.iter().flat_map(|setting| ["--set", setting]))
            .env("PORCHLIGHT_ADMIN_TOKEN", &token)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?);
        let mut running = Running::start(&mut command)?;
        let lines = running.lines();
        let line = lines.recv_timeout(READY_WITHIN).map_err(|_| {
            let output = fs::read_to_string(&log).unwrap_or_default();
            format!("{} did not start: {output}", binary.display())
        })?;
        let url = line
            .strip_prefix("listening on ")
            .ok_or_else(|| format!("{} printed something else first: {line}", binary.display()))?;
        Ok(Self {
            url: url.to_owned(),
            token,
            running: Arc::new(running),
        })
    }

    /// Uploads a file, as any client does.
    ///
    /// # Errors
    /// When it is not answered with 201.
    pub(crate) async fn upload(&self, client: &Client, file: &Path) -> Result<Uploaded> {
        self.upload_bytes(client, tokio::fs::read(file).await?)
            .await
    }

    /// Uploads bytes.
    ///
    /// # Errors
    /// When they are not answered with 201.
    pub(crate) async fn upload_bytes(&self, client: &Client, bytes: Vec<u8>) -> Result<Uploaded> {
        let part = Part::bytes(bytes).file_name("picture");
        let reply = client
            .post(format!("{}/images/add", self.url))
            .bearer_auth(&self.token)
            .multipart(Form::new().part("image", part))
            .send()
            .await?;
        let status = reply.status();
        let text = reply.text().await?;
        if status != 201 {
            return Err(format!("an upload was answered with {status}: {text}").into());
        }
        Ok(serde_json::from_str(&text)?)
    }

    /// The most physical memory it has taken so far, in bytes (`VmHWM` of
    /// proc_pid_status(5)).
    ///
    /// # Errors
    /// Where the system does not report it.
    pub(crate) fn most_memory(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.running.child.id()))?;
        let kilobytes = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"))
            .ok_or("the system does not report the memory")?;
        Ok(kilobytes.trim().parse::<u64>()? * 1024)
    }

    /// Deletes an image, so that its source may come again.
    ///
    /// # Errors
    /// When it is not answered with 200.
    pub(crate) async fn delete(&self, client: &Client, hash: &str) -> Result<()> {
        let url = format!("{}/images/{hash}", self.url);
        let reply = client.delete(url).bearer_auth(&self.token).send().await?;
        reply.error_for_status()?;
        Ok(())
    }
}

/// A client that stays connected, goes through no proxy and follows nowhere.
pub(crate) fn client() -> Result<Client> {
    let follow_nowhere = reqwest::redirect::Policy::none();
    Ok(porchlight_api::http_client()
        .no_proxy()
        .redirect(follow_nowhere)
        .tcp_nodelay(true)
        .timeout(Duration::from_secs(300))
        .build()?)
}
