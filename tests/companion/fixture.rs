//! A desktop, a service, and the companion between them.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::companion::Companion;
use crate::desktop::Desktop;
use crate::harness::TestService;
use crate::harness::process::RunningProcess;
use crate::tray::PYTHON;

pub(crate) const WINDOW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/companion/window.py");

/// A change is seen by readers within this time.
pub(crate) const SOON: Duration = Duration::from_secs(2);

/// All three; dropping it ends them.
pub(crate) struct Home {
    pub(crate) companion: Companion,
    pub(crate) service: TestService,
    pub(crate) desktop: Desktop,
}

impl Home {
    /// A home whose companion has these settings more.
    pub(crate) async fn start(settings: &[&str]) -> Self {
        let desktop = Desktop::start().await;
        let service = service().await;
        let url = service.url("");
        let token = service.heartbeat_token.clone();
        let companion = Companion::start(&desktop, &url, &token, settings);
        Self {
            companion,
            service,
            desktop,
        }
    }

    /// Waits until readers see this, and returns how long that took.
    pub(crate) async fn sees(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Seen {
        let started = Instant::now();
        let check = seen(&self.service, what, wanted).await;
        Seen {
            check,
            after: started.elapsed(),
        }
    }

    /// Brings the window with this title to the front.
    pub(crate) async fn bring_to_front(&self, title: &str) {
        let window = self.desktop.window(title).await;
        self.desktop
            .xdotool(&["windowactivate", "--sync", &window])
            .await;
    }

    /// A terminal with this title, in the foreground.
    pub(crate) async fn terminal(&self, title: &str) -> RunningProcess {
        let terminal = terminal(&self.desktop, title);
        self.bring_to_front(title).await;
        terminal
    }

    /// A GTK program of this name with a window of this title, in the
    /// foreground.
    pub(crate) async fn program(&self, name: &str, title: &str) -> RunningProcess {
        let program = program(&self.desktop, &[name, title]);
        self.bring_to_front(title).await;
        program
    }
}

/// What readers saw, and after how long.
pub(crate) struct Seen {
    pub(crate) check: Value,
    pub(crate) after: Duration,
}

impl Seen {
    /// That it was within the two seconds that a change may take.
    pub(crate) fn soon(self) -> Value {
        assert!(self.after < SOON, "after {:?}: {}", self.after, self.check);
        self.check
    }
}

/// A service that may be asked as often as a test likes.
pub(crate) async fn service() -> TestService {
    TestService::start(&["limits.requests_per_second=0"]).await
}

/// `GET /check`, as soon as it is as wanted.
pub(crate) async fn seen(
    service: &TestService,
    what: &str,
    wanted: impl Fn(&Value) -> bool,
) -> Value {
    crate::eventually(what, async || {
        Some(service.json("/check").await).filter(|check| wanted(check))
    })
    .await
}

/// An xterm.
pub(crate) fn terminal(desktop: &Desktop, title: &str) -> RunningProcess {
    let mut command = desktop.command("xterm");
    command.args(["-title", title, "-e", "sleep", "600"]);
    RunningProcess::spawn(command)
}

/// A GTK program: its name, its title and, perhaps, `fullscreen`.
pub(crate) fn program(desktop: &Desktop, words: &[&str]) -> RunningProcess {
    let mut command = desktop.command(PYTHON);
    command.arg(WINDOW).args(words);
    RunningProcess::spawn(command)
}

/// Whether this program is shown, and the owner online.
pub(crate) fn at(name: &str) -> impl Fn(&Value) -> bool {
    move |check| check["application"] == name && check["applicationOnline"] == true
}
