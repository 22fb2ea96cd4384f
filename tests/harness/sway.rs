//! A real Wayland compositor without a screen: sway.

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::process::Command;

use crate::process::{RunningProcess, clean_command};

/// The user `nobody`: sway refuses to run as root.
const NOBODY: u32 = 65_534;

const CONFIG: &str =
    "xwayland disable\nexec printf 'ready %s %s\\n' \"$WAYLAND_DISPLAY\" \"$SWAYSOCK\"\n";

/// A compositor; dropping it ends it.
pub struct Sway {
    _process: RunningProcess,
    display: String,
    control: String,
    // The folder goes when the process is gone.
    folder: TempDir,
}

impl Sway {
    /// Starts it.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = folder.path().join("config");
        std::fs::write(&config, CONFIG).expect("to write");
        let as_root = rustix::process::getuid().is_root();
        let mut command = if as_root {
            for mine in [folder.path(), &config] {
                chown(mine, Some(NOBODY), Some(NOBODY)).expect("to give away");
            }
            let mut command = clean_command("setpriv", folder.path());
            command.args([
                &format!("--reuid={NOBODY}"),
                &format!("--regid={NOBODY}"),
                "--clear-groups",
                "sway",
            ]);
            command
        } else {
            clean_command("sway", folder.path())
        };
        command.arg("--config").arg(&config);
        command
            .env("XDG_RUNTIME_DIR", folder.path())
            .env("WLR_BACKENDS", "headless")
            .env("WLR_LIBINPUT_NO_DEVICES", "1")
            .env("WLR_RENDERER", "pixman");
        let mut process = RunningProcess::spawn(command);
        let Some(line) = process.line_with("ready ").await else {
            panic!("no sway: {}", process.stderr());
        };
        let mut words = line.split_whitespace().skip(1).map(str::to_owned);
        Self {
            _process: process,
            display: words.next().expect("a display"),
            control: words.next().expect("a socket"),
            folder,
        }
    }

    /// A command on this display.
    pub fn command(&self, program: &str) -> Command {
        let mut command = clean_command(program, self.folder.path());
        command
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env("WAYLAND_DISPLAY", &self.display);
        command
    }

    /// A terminal with the app id of this program.
    pub fn window(&self, program: &str, title: &str) -> RunningProcess {
        let mut command = self.command("foot");
        command
            .arg(format!("--app-id={program}"))
            .arg(format!("--title={title}"))
            .args(["sleep", "600"]);
        RunningProcess::spawn(command)
    }

    /// Brings the window of this program to the front.
    pub async fn focus(&self, program: &str) {
        self.swaymsg(&[&format!("[app_id=\"{program}\"] focus")])
            .await;
    }

    /// What it answers to a message.
    pub async fn swaymsg(&self, words: &[&str]) -> String {
        let mut command = self.command("swaymsg");
        command.arg("--socket").arg(&self.control).args(words);
        let ended = RunningProcess::spawn(command).ended().await;
        assert!(ended.status.success(), "{ended:?}");
        ended.stdout
    }

    /// A separate folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its socket, with the path.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(&self.display)
    }
}
