//! The program in front under Wayland, on a real compositor without a screen
//! (sway). Idleness is left to the tests of X11: the sway of some systems has
//! no protocol for it.

use std::os::unix::fs::chown;

use tempfile::TempDir;
use tokio::process::Command;

use crate::companion::Companion;
use crate::harness::TestService;
use crate::harness::process::{RunningProcess, clean_command};
use crate::home::{SOON, at, seen, service};

/// Nobody: sway refuses to be root.
const NOBODY: u32 = 65_534;

const CONFIG: &str =
    "xwayland disable\nexec printf 'ready %s %s\\n' \"$WAYLAND_DISPLAY\" \"$SWAYSOCK\"\n";

/// A compositor; dropping it ends it.
struct Sway {
    _process: RunningProcess,
    display: String,
    control: String,
    // The folder goes when the process is gone.
    folder: TempDir,
}

impl Sway {
    async fn start() -> Self {
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
    fn command(&self, program: &str) -> Command {
        let mut command = clean_command(program, self.folder.path());
        command
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env("WAYLAND_DISPLAY", &self.display);
        command
    }

    /// A terminal that says that it is this program.
    fn window(&self, program: &str, title: &str) -> RunningProcess {
        let mut command = self.command("foot");
        command
            .arg(format!("--app-id={program}"))
            .arg(format!("--title={title}"))
            .args(["sleep", "600"]);
        RunningProcess::spawn(command)
    }

    async fn focus(&self, program: &str) {
        let mut command = self.command("swaymsg");
        command.arg("--socket").arg(&self.control);
        command.arg(format!("[app_id=\"{program}\"] focus"));
        let ended = RunningProcess::spawn(command).ended().await;
        assert!(ended.status.success(), "{ended:?}");
    }

    fn companion(&self, service: &TestService) -> Companion {
        let mut command = self.command(env!("CARGO_BIN_EXE_porchlight"));
        command.arg("companion").arg("--data-dir");
        command.arg(self.folder.path().join("companion"));
        command.args(["--set", "presence.enabled=true"]);
        command.env("PORCHLIGHT_PRESENCE_TARGET_URL", service.url(""));
        command.env("PORCHLIGHT_PRESENCE_TOKEN", &service.heartbeat_token);
        Companion::spawn(command)
    }
}

#[tokio::test]
async fn what_comes_to_the_front_is_told_by_a_compositor_that_offers_it() {
    let sway = Sway::start().await;
    let service = service().await;
    let companion = sway.companion(&service);
    let _terminal = sway.window("foot", "my secret plan");
    let check = seen(&service, "the terminal", at("foot")).await;
    assert_eq!(check["introduce"], "At the command line");
    let _program = sway.window("org.example.garden-planner", "Tulips");
    seen(&service, "the program", at("Garden planner")).await;
    let begun = std::time::Instant::now();
    sway.focus("foot").await;
    seen(&service, "the terminal again", at("foot")).await;
    assert!(begun.elapsed() < SOON, "after {:?}", begun.elapsed());

    let _private = sway.window("firefox", "Savings — Mozilla Firefox Private Browsing");
    seen(&service, "nothing named", at("")).await;
    drop(sway);
    companion
        .says("the Wayland compositor cannot be asked")
        .await;
    assert!(!companion.said().contains("secret"), "{}", companion.said());
}
