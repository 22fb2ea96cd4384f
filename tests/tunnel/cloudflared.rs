//! cloudflared, which is not available here: a script that prints what the real
//! one prints (its source: cmd/cloudflared/tunnel/quick_tunnel.go), on standard
//! error as it does, with [`Edge`] before it. The test determines its output.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

use reqwest::Method;
use serde_json::json;

use crate::edge::Edge;
use crate::harness::{TestService, eventually};
use crate::programs::{path_with, script};
use crate::{up, wait_for_log};

const FIRST: &str = "able-api-apt-arm.trycloudflare.com";
const SECOND: &str = "other-words-this-time.trycloudflare.com";

/// The stand-in, and its arguments.
struct Cloudflared {
    folder: tempfile::TempDir,
    edge: Edge,
}

impl Cloudflared {
    async fn installed() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().display();
        make_fifo(&folder.path().join("lines"));
        // It runs until it is stopped, and prints its input.
        script(
            &folder.path().join("bin"),
            "cloudflared",
            &format!(
                "echo \"$@\" >> {path}/calls\nenv | grep TUNNEL_TOKEN >> {path}/environment\n\
                 while true; do while read -r line; do echo \"$line\" >&2; done < {path}/lines; done\n"
            ),
        );
        let edge = Edge::start().await;
        fs::write(folder.path().join("authority.pem"), &edge.authority).expect("to write");
        Self { folder, edge }
    }

    fn service(&self) -> crate::harness::Builder {
        TestService::builder()
            .set("tunnel.kind=cloudflared")
            .set("tunnel.check_seconds=1")
            .env("TUNNEL_TOKEN", "of another tunnel")
            .env("PATH", path_with(&self.folder.path().join("bin")))
            .env("HTTPS_PROXY", self.edge.proxy())
            .env(
                "SSL_CERT_FILE",
                self.folder
                    .path()
                    .join("authority.pem")
                    .to_str()
                    .expect("UTF-8"),
            )
    }

    /// The port of the public listener from the latest call.
    async fn port(&self, calls: usize) -> u16 {
        let calls = self.calls(calls).await;
        let last = calls.last().expect("a call");
        let (_, port) = last.rsplit_once(':').expect("a port");
        port.parse().expect("a number")
    }

    async fn calls(&self, at_least: usize) -> Vec<String> {
        let file = self.folder.path().join("calls");
        eventually("cloudflared to be started", async || {
            let calls = fs::read_to_string(&file).unwrap_or_default();
            let calls: Vec<String> = calls.lines().map(str::to_owned).collect();
            (calls.len() >= at_least).then_some(calls)
        })
        .await
    }

    /// Prints the lines with a quick tunnel's address.
    async fn print_address(&self, name: &str) {
        self.print(&[
            "2026-11-01T10:00:00Z INF Thank you for trying Cloudflare Tunnel. \
             https://www.cloudflare.com/website-terms/",
            "2026-11-01T10:00:00Z INF Requesting new quick Tunnel on trycloudflare.com...",
            "2026-11-01T10:00:02Z INF +-----------------------------------------------+",
            "2026-11-01T10:00:02Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |",
            &format!("2026-11-01T10:00:02Z INF |  https://{name}  |"),
        ])
        .await;
    }

    async fn print(&self, lines: &[&str]) {
        let (file, text): (PathBuf, String) =
            (self.folder.path().join("lines"), lines.join("\n") + "\n");
        // Opening waits for the script to read.
        let written = tokio::task::spawn_blocking(move || {
            let mut lines = File::options().write(true).open(file)?;
            lines.write_all(text.as_bytes())
        });
        written.await.expect("no panic").expect("to print");
    }

    /// A service with a tunnel that is up.
    async fn up(&self, settings: &[&str]) -> TestService {
        let service = self.service().sets(settings).start().await;
        let port = self.port(1).await;
        self.edge.connect(FIRST, port);
        self.print_address(FIRST).await;
        assert_eq!(up(&service, 1).await, format!("https://{FIRST}"));
        let environment = fs::read_to_string(self.folder.path().join("environment"));
        assert_eq!(environment.expect("a file"), "");
        service
    }
}

fn make_fifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

fn address(path: &str) -> String {
    format!("https://{FIRST}{path}")
}

#[tokio::test]
async fn a_quick_tunnel_carries_readers_and_heartbeats() {
    let cloudflared = Cloudflared::installed().await;
    let service = cloudflared.up(&[]).await;
    let reader = cloudflared.edge.reader();
    let check = reader
        .get(address("/check"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(check.status(), 200);
    let heartbeat = reader
        .request(Method::POST, address("/heartbeat"))
        .bearer_auth(&service.heartbeat_token)
        .json(&json!({ "application": "An editor", "applicationOnline": true }))
        .send()
        .await
        .expect("an answer");
    assert_eq!(heartbeat.status(), 200);
    assert_eq!(service.json("/check").await["application"], "An editor");
    // The probe's path is answered only here.
    let guess = reader
        .get(address("/.well-known/porchlight/00"))
        .send()
        .await;
    assert_eq!(guess.expect("an answer").status(), 404);
}

#[tokio::test]
async fn requests_over_plain_http_are_redirected_and_their_token_is_refused() {
    let cloudflared = Cloudflared::installed().await;
    let service = cloudflared.up(&[]).await;
    let reader = cloudflared.edge.reader();
    let plain = |method, path| {
        reader
            .request(method, address(path))
            .header("x-test-scheme", "http")
    };
    let sent_on = plain(Method::GET, "/check?a=b")
        .send()
        .await
        .expect("an answer");
    assert_eq!(sent_on.status(), 308);
    // The tunnel's address has become the public one.
    assert_eq!(sent_on.headers()["location"], address("/check?a=b"));
    let refused = plain(Method::POST, "/heartbeat")
        .bearer_auth(&service.heartbeat_token)
        .send()
        .await
        .expect("an answer");
    assert_eq!(refused.status(), 403);
}

#[tokio::test]
async fn a_flood_of_one_reader_leaves_others_and_the_owner_alone() {
    let cloudflared = Cloudflared::installed().await;
    let service = cloudflared
        .up(&["limits.requests_per_second=1", "limits.burst=3"])
        .await;
    let reader = cloudflared.edge.reader();
    let ask = |from: &'static str, forged: &'static str| {
        reader
            .get(address("/check"))
            .header("x-test-reader", from)
            // Neither is trusted from a reader.
            .header("x-forwarded-for", forged)
            .header("cf-connecting-ip", forged)
            .send()
    };
    let forged = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];
    let flood = forged.iter().cycle().take(16);
    let flood = flood.map(|number| ask("198.51.100.7", number));
    let answers = futures_util::future::join_all(flood).await;
    let refused = answers
        .into_iter()
        .filter(|answer| answer.as_ref().expect("an answer").status() == 429);
    assert!(refused.count() >= 1, "a forged address got another bucket");
    let other = ask("198.51.100.8", "198.51.100.7")
        .await
        .expect("an answer");
    assert_eq!(other.status(), 200);
    assert_eq!(service.get("/check").await.status(), 200);
    let heartbeat = service
        .request(Method::POST, "/heartbeat")
        .bearer_auth(&service.heartbeat_token)
        .send()
        .await
        .expect("an answer");
    assert_eq!(heartbeat.status(), 200);
}

#[tokio::test]
async fn a_new_address_takes_the_place_of_the_old_one() {
    let cloudflared = Cloudflared::installed().await;
    let service = cloudflared.up(&[]).await;
    cloudflared.edge.connect(SECOND, cloudflared.port(1).await);
    cloudflared.print_address(SECOND).await;
    assert_eq!(up(&service, 2).await, format!("https://{SECOND}"));
}

#[tokio::test]
async fn a_tunnel_that_lives_and_leads_nowhere_is_started_again() {
    let cloudflared = Cloudflared::installed().await;
    let service = cloudflared.up(&[]).await;
    cloudflared.edge.disconnect();
    wait_for_log(&service, "answers with error 530").await;
    let port = cloudflared.port(2).await;
    cloudflared.edge.connect(FIRST, port);
    cloudflared.print_address(FIRST).await;
    up(&service, 2).await;
}

#[tokio::test]
async fn an_address_that_leads_to_another_service_is_rejected() {
    let cloudflared = Cloudflared::installed().await;
    let other = TestService::start(&[]).await;
    let service = cloudflared
        .service()
        .env("PORCHLIGHT_LOG", "debug")
        .start()
        .await;
    let port = cloudflared.port(1).await;
    cloudflared.edge.connect(FIRST, other.address().port());
    cloudflared.print_address(FIRST).await;
    wait_for_log(&service, "a reachability probe failed: ").await;
    assert!(!service.stderr().contains("up at"), "{}", service.stderr());
    cloudflared.edge.connect(FIRST, port);
    up(&service, 1).await;
}

#[tokio::test]
async fn a_named_tunnel_is_given_its_token_where_no_list_of_processes_shows_it() {
    let cloudflared = Cloudflared::installed().await;
    let port = crate::harness::free_port();
    let service = cloudflared
        .service()
        .env("PORCHLIGHT_TUNNEL_CLOUDFLARED_TOKEN", "eyJhIjoiaHVzaCJ9")
        .set(format!("tunnel.hostname={FIRST}"))
        .set(format!("tunnel.port={port}"))
        .start()
        .await;
    cloudflared.edge.connect(FIRST, port);
    assert_eq!(up(&service, 1).await, format!("https://{FIRST}"));
    assert_eq!(cloudflared.calls(1).await, ["tunnel --no-autoupdate run"]);
    let environment = fs::read_to_string(cloudflared.folder.path().join("environment"));
    assert_eq!(
        environment.expect("a file"),
        "TUNNEL_TOKEN=eyJhIjoiaHVzaCJ9\n"
    );
    assert!(!service.stderr().contains("eyJhIjoiaHVzaCJ9"));
}
