//! The targets: a service with its default limits, its listener for a tunnel, and PicGo's listener.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use crate::caller::Caller;
use crate::harness::{TestService, eventually, free_port, pictures};

/// The largest upload, in bytes: small, so that what is beyond it is cheap.
pub(crate) const LARGEST_UPLOAD: u64 = 10 << 20;
/// The secret of PicGo's listener.
pub(crate) const PICGO_SECRET: &str = "the-right-secret-of-this-test";

/// All of it; dropping it ends all processes.
pub(crate) struct Target {
    pub(crate) service: TestService,
    pub(crate) upload_token: String,
    /// Images that are stored before the attacks.
    pub(crate) hashes: Vec<String>,
    /// Where PicGo listens.
    pub(crate) picgo: SocketAddr,
    /// Where the tunnel's listener is, which readers reach.
    pub(crate) public: SocketAddr,
    /// Whether the attacks run at full size.
    pub(crate) full: bool,
    _home: tempfile::TempDir,
}

impl Target {
    /// Starts it and fills it with some images.
    pub(crate) async fn start(full: bool) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let port = home.path().join("port");
        let picgo = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let service = TestService::builder()
            .sets(&[
                &format!("images.max_upload_bytes={LARGEST_UPLOAD}"),
                // It never prints an address, so no network requests are made.
                "tunnel.kind=command",
                &tunnel(&port),
                "tunnel.pattern=(http[^ ]+)",
                "picgo.enabled=true",
                &format!("picgo.port={}", picgo.port()),
                &format!("picgo.secret={PICGO_SECRET}"),
            ])
            .start()
            .await;
        let upload_token = service.token("upload").await;
        let mut hashes = Vec::new();
        for _ in 0..6 {
            let picture = pictures::scene(pictures::next_seed(), 640, 480);
            hashes.push(service.stored(pictures::jpeg(&picture)).await);
        }
        assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
        let public = eventually("the tunnel's program", async || {
            std::fs::read_to_string(&port).ok()?.trim().parse().ok()
        })
        .await;
        Self {
            service,
            upload_token,
            hashes,
            picgo,
            public: (Ipv4Addr::LOCALHOST, public).into(),
            full,
            _home: home,
        }
    }

    /// A new caller: a separate address on this machine, and so separate rate limits.
    pub(crate) fn stranger(&self) -> Caller {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % (250 * 250);
        let [high, low] = [number / 250, number % 250].map(|part| part as u8);
        Caller::new(
            self.service.address(),
            Ipv4Addr::new(127, 77, high, low + 1),
        )
    }
}

/// The setting of a tunnel that leads nowhere: its program writes the port to a file, and stays.
fn tunnel(port: &Path) -> String {
    let port = port.display();
    let (shell, option, line) = if cfg!(windows) {
        let line = format!("echo {{port}}>{port}& ping -n 3600 127.0.0.1 >nul");
        ("cmd", "/c", line)
    } else {
        let line = format!("echo {{port}} >\"{port}\"; sleep 3600 & wait");
        ("sh", "-c", line)
    };
    format!("tunnel.command=['{shell}', '{option}', '{line}']")
}
