//! A running `porchlight serve` that reports presence, also to another service.

use crate::desktop::Desktop;
use crate::harness::process::{Ended, RunningProcess};
use tokio::process::Command;

/// With what is reported.
pub(crate) const LOG: &str = "info,porchlight_service::app::consent=debug";

/// The process. Dropping it kills it.
pub(crate) struct Companion(RunningProcess);

/// The command on a desktop, with what every test wants: a yes, and a beat
/// every second.
pub(crate) fn command(desktop: &Desktop, target: &str, token: &str) -> Command {
    let mut command = desktop.command(env!("CARGO_BIN_EXE_porchlight"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(desktop.home().join("companion"));
    let target = format!("presence.target_url={target}");
    for setting in [
        "presence.enabled=true",
        "presence.interval_seconds=1",
        &target,
    ] {
        command.args(["--set", setting]);
    }
    command.env("PORCHLIGHT_PRESENCE_TOKEN", token);
    command.env("PORCHLIGHT_LOG", LOG);
    command
}

impl Companion {
    /// Starts it with these settings more.
    pub(crate) fn start(desktop: &Desktop, target: &str, token: &str, settings: &[&str]) -> Self {
        let mut command = command(desktop, target, token);
        for setting in settings {
            command.args(["--set", setting]);
        }
        Self::spawn(command)
    }

    /// Starts it by this command.
    pub(crate) fn spawn(command: Command) -> Self {
        Self(RunningProcess::spawn(command))
    }

    /// Where its own service answers.
    pub(crate) async fn url(&mut self) -> String {
        let line = self.0.line_with("listening on ").await;
        let line = line.unwrap_or_else(|| panic!("it ended: {}", self.log()));
        line.trim().replace("listening on ", "")
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.0.pid().expect("it runs")
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> String {
        self.0.stderr()
    }

    /// Waits until its log contains this.
    pub(crate) async fn wait_for_log(&self, text: &str) {
        crate::eventually(text, async || self.log().contains(text).then_some(())).await;
    }

    /// Kills it, and waits until it has ended.
    pub(crate) async fn kill(&mut self) {
        self.0.kill();
        self.0.wait().await;
    }

    /// SIGTERM, and waits until it has ended.
    pub(crate) async fn terminated(self) -> Ended {
        self.0.terminate();
        self.0.ended().await
    }
}
