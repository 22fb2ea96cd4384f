//! The environment of a window for screenshots: a public address, a running
//! game, and a foreground app.

use std::net::TcpListener;

use tempfile::TempDir;

use crate::app::file;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::edge::Edge;
use crate::harness::files::script;
use crate::harness::process::RunningProcess;
use crate::presence::bring_to_front;
use crate::steam::FakeSteam;

/// The public address.
const NAME: &str = "light.example.org";

/// The edge that an app is reached through, and the Steam that it queries.
pub(crate) struct ScreenshotEnvironment {
    folder: TempDir,
    edge: Edge,
    port: u16,
    steam: FakeSteam,
}

impl ScreenshotEnvironment {
    /// All of it, for a desktop that is started after it.
    pub(crate) async fn start() -> Self {
        let edge = Edge::of(NAME).await;
        let bound = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = bound.local_addr().expect("an address").port();
        edge.connect(NAME, port);
        let folder = tempfile::tempdir().expect("a temporary folder");
        file(folder.path(), "authority.pem", edge.authority.as_bytes());
        Self {
            folder,
            edge,
            port,
            steam: FakeSteam::playing().await,
        }
    }

    /// The variables that lead the app to these stand-ins.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        let authority = self.folder.path().join("authority.pem");
        [
            ("HTTPS_PROXY", self.edge.proxy()),
            ("NO_PROXY", "127.0.0.1".to_owned()),
            (
                "SSL_CERT_FILE",
                authority.to_str().expect("a UTF-8 path").to_owned(),
            ),
        ]
    }

    /// The settings of the app in it.
    pub(crate) fn settings(&self) -> Vec<String> {
        let tunnel = self.folder.path().join("my-tunnel");
        script(&tunnel, "exec sleep 600\n");
        let mut settings = self.steam.settings();
        settings.extend([
            "tunnel.kind=command".to_owned(),
            format!("tunnel.port={}", self.port),
            format!("tunnel.command=['{}']", tunnel.display()),
            format!("tunnel.public_url=https://{NAME}"),
        ]);
        settings
    }
}

/// An editor in the foreground, but below the app's window, once readers see
/// it. Its name is its window's title.
pub(crate) async fn editor(desktop: &Desktop, app: &Driven) -> RunningProcess {
    let mut command = desktop.command("xterm");
    command.args([
        "-class",
        "dev.zed.Zed",
        "-name",
        "zed",
        "-title",
        "letter.md",
    ]);
    command.args(["-geometry", "20x2+0-0", "-e", "sleep", "600"]);
    let editor = RunningProcess::spawn(command);
    bring_to_front(desktop, "letter.md").await;
    app.service
        .check("the editor", |check| check["application"] == "Zed")
        .await;
    editor
}
