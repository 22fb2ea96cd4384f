//! The npm packages use-lanyard and react-use-lanyard against the service, through something that stays
//! where it is while the service is away: a tunnel.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use porchlight_service::state::State;
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, answer, eventually};

/// Passes connections on; while the service is away they wait for it.
struct Tunnel {
    address: SocketAddr,
    service: State<Option<SocketAddr>>,
    opened: Arc<AtomicUsize>,
}

impl Tunnel {
    async fn to(service: &TestService) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let tunnel = Self {
            address: listener.local_addr().expect("an address"),
            service: State::new(Some(service.address())),
            opened: Arc::default(),
        };
        let (state, opened) = (tunnel.service.clone(), Arc::clone(&tunnel.opened));
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                opened.fetch_add(1, Ordering::Relaxed);
                let mut service = state.reader();
                tokio::spawn(async move {
                    let there = service.wait_for(Option::is_some).await.ok().flatten();
                    let there = TcpStream::connect(there.expect("an address")).await;
                    // Either end may be gone.
                    if let Ok(mut there) = there {
                        let _ = copy_bidirectional(&mut client, &mut there).await;
                    }
                });
            }
        });
        tunnel
    }

    fn opened(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }
}

/// A page with both packages.
struct Page(RunningProcess);

impl Page {
    /// Node.js and the packages come with the tests of the Worker: `cargo xtask test --only edge`.
    fn open(tunnel: &Tunnel, home: &std::path::Path) -> Self {
        let mut command = clean_command("node", home);
        let script = "edge/tests/harness/lanyard-clients.mjs";
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command.args(["--experimental-websocket", script]);
        command.arg(tunnel.address.to_string());
        Self(RunningProcess::spawn(command))
    }

    /// What this client shows now: status and app.
    fn shown(&self, client: &str) -> Option<(String, String)> {
        let stdout = self.0.stdout();
        let lines = stdout.lines().rev();
        let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let last = lines.find(|line| line["client"] == client)?;
        let text = |key: &str| last[key].as_str().unwrap_or_default().to_owned();
        Some((text("status"), text("application")))
    }

    async fn all_show(&self, clients: &[&str], status: &str, application: &str) {
        let expected = Some((status.to_owned(), application.to_owned()));
        let what = format!("{status} {application}");
        let all = async || {
            let mut clients = clients.iter();
            clients
                .all(|client| self.shown(client) == expected)
                .then_some(())
        };
        eventually(&what, all).await;
    }
}

const FOLLOWING: [&str; 2] = ["use-lanyard", "react-use-lanyard"];
const ASKING: [&str; 2] = ["use-lanyard, once", "react-use-lanyard, once"];

async fn beat(service: &TestService, application: &str) {
    let heartbeat = json!({
        "application": application, "introduce": "Writing", "rgba": "1,2,3,1",
        "applicationOnline": true,
    });
    let (status, body) = answer(service.heartbeat(&heartbeat).await).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test]
async fn the_npm_packages_follow_the_owner_and_connect_once_after_each_end() {
    let mut service = TestService::start(&[]).await;
    beat(&service, "Editor").await;
    let tunnel = Tunnel::to(&service).await;
    let home = tempfile::tempdir().expect("a folder");
    let page = Page::open(&tunnel, home.path());
    page.all_show(&FOLLOWING, "online", "Editor").await;
    page.all_show(&ASKING, "online", "Editor").await;
    let opened = tunnel.opened();

    beat(&service, "Browser").await;
    page.all_show(&FOLLOWING, "online", "Browser").await;
    page.all_show(&ASKING, "online", "Editor").await;

    // The computer is switched off, and on again.
    tunnel.service.set(None);
    service.stop().await;
    page.all_show(&FOLLOWING, "offline", "").await;
    service.restart().await;
    beat(&service, "Terminal").await;
    tunnel.service.set(Some(service.address()));
    page.all_show(&FOLLOWING, "online", "Terminal").await;

    // The service is killed: nothing says that the owner is offline, so the clients keep what they show.
    // The Worker sends it once the presence has expired.
    tunnel.service.set(None);
    service.kill().await;
    eventually("both connect again", async || {
        (tunnel.opened() >= opened + 4).then_some(())
    })
    .await;
    page.all_show(&FOLLOWING, "online", "Terminal").await;
    service.restart().await;
    beat(&service, "Mail").await;
    tunnel.service.set(Some(service.address()));
    page.all_show(&FOLLOWING, "online", "Mail").await;
    assert_eq!(tunnel.opened(), opened + 4, "each connects once each time");
}
