//! A proxy that changes the header `Host`: pages of readers are refused, as those of any other page
//! that finds the service on this machine, and the owner sees the line to add.

use reqwest::header::ORIGIN;

use crate::edge::{Before, Edge};
use crate::harness::{Builder, TestService, eventually, free_port};
use crate::wait_for_log;

const NAME: &str = "light.example";
const LINE: &str = "proxy_set_header Host $host;";

struct Proxied {
    edge: Edge,
    port: u16,
    folder: tempfile::TempDir,
}

impl Proxied {
    async fn new() -> Self {
        let proxied = Self {
            edge: Edge::of(NAME).await,
            port: free_port(),
            folder: tempfile::tempdir().expect("a folder"),
        };
        let authority = proxied.folder.path().join("authority.pem");
        std::fs::write(authority, &proxied.edge.authority).expect("to write");
        proxied.through(Before::ProxyThatRewritesHost);
        proxied
    }

    fn through(&self, before: Before) {
        self.edge.connect_through(before, NAME, self.port);
    }

    fn service(&self) -> Builder {
        let authority = self.folder.path().join("authority.pem");
        TestService::builder()
            .env("HTTPS_PROXY", self.edge.proxy())
            .env("SSL_CERT_FILE", authority.to_str().expect("UTF-8"))
    }

    /// What a reader's page gets.
    async fn page(&self) -> u16 {
        let request = self.edge.reader().get(format!("https://{NAME}/check"));
        let request = request.header(ORIGIN, "https://blog.example");
        request.send().await.expect("an answer").status().as_u16()
    }

    /// The proxy answers readers once it keeps the host, or names the reader.
    async fn is_mended(&self) {
        assert_eq!(self.page().await, 403);
        for before in [Before::Cloudflare, Before::ProxyThatKeepsHost] {
            self.through(before);
            assert_eq!(self.page().await, 200);
        }
    }
}

#[tokio::test]
async fn a_tunnels_proxy_that_rewrites_host_is_noticed() {
    let proxied = Proxied::new().await;
    let service = proxied
        .service()
        .sets(&[
            "tunnel.kind=command",
            "tunnel.command=['sleep', '600']",
            &format!("tunnel.public_url=https://{NAME}"),
            &format!("tunnel.port={}", proxied.port),
            "tunnel.check_seconds=1",
        ])
        .start()
        .await;
    wait_for_log(&service, &format!("up at https://{NAME}, but a proxy")).await;
    assert!(service.stderr().contains(LINE), "{}", service.stderr());
    proxied.is_mended().await;
    eventually("the address without a word of the proxy", async || {
        let up = format!("up at https://{NAME}");
        let log = service.stderr();
        log.lines().any(|line| line.ends_with(&up)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_owners_proxy_that_rewrites_host_is_noticed() {
    let proxied = Proxied::new().await;
    let service = proxied
        .service()
        .listen(format!("127.0.0.1:{}", proxied.port))
        .set(format!("server.public_url=https://{NAME}"))
        .start()
        .await;
    wait_for_log(
        &service,
        "the proxy at server.public_url changes the header Host",
    )
    .await;
    assert!(service.stderr().contains(LINE), "{}", service.stderr());
    proxied.is_mended().await;
}

#[tokio::test]
async fn a_page_that_calls_the_listener_of_a_tunnel_learns_nothing() {
    let proxied = Proxied::new().await;
    let service = proxied
        .service()
        .sets(&[
            "tunnel.kind=command",
            "tunnel.command=['sleep', '600']",
            &format!("tunnel.public_url=https://{NAME}"),
            &format!("tunnel.port={}", proxied.port),
        ])
        .start()
        .await;
    let ask = async |host: &str, origin: &str| {
        let request = service
            .http
            .get(format!("http://127.0.0.1:{}/check", proxied.port));
        let request = request.header("host", host).header(ORIGIN, origin);
        request.send().await.expect("an answer").status().as_u16()
    };
    let page = "https://blog.example";
    for (host, origin, status) in [
        (NAME, page, 200),
        (&format!("127.0.0.1:{}", proxied.port), page, 403),
        ("localhost", "null", 403),
        ("localhost", "http://localhost:1313", 200),
        ("rebound.example", page, 403),
        ("rebound.example", "http://rebound.example", 403),
    ] {
        assert_eq!(ask(host, origin).await, status, "{host} {origin}");
    }
}
