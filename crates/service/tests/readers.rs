//! Who counts as a reader: real requests to the listeners of a service, as
//! tunnels pass them on, on a clock that the test moves.

use std::net::SocketAddr;
use std::time::Duration;

use porchlight_service::clock::StoppedClock;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::http::settings::ClientIp;
use porchlight_service::router::listen::Bound;
use porchlight_service::router::listener_state::{PublicListener, Shared};
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;
use porchlight_service::state::StateReader;
use porchlight_service::stats::window::ReaderCount;
use porchlight_service::tokens::scope::Scope;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

const TOKEN: &str = "light";

struct Fixture {
    service: Service,
    clock: StoppedClock,
    stop: CancellationToken,
    folder: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // Noon of a day.
        let clock = StoppedClock::at(Timestamp::from_millis(20_000 * 86_400_000 + 43_200_000));
        Self {
            service: open(&folder, &clock).await,
            clock,
            stop: CancellationToken::new(),
            folder,
        }
    }

    /// Ends the process, as far as it is one, and starts another.
    async fn restart(&mut self) {
        self.stop.cancel();
        self.service.close().await;
        self.service = open(&self.folder, &self.clock).await;
        self.stop = CancellationToken::new();
    }

    fn serve(&self, bound: Bound) -> SocketAddr {
        let address = bound.address();
        tokio::spawn(bound.serve(self.stop.clone()));
        address
    }

    /// The owner's own listener.
    async fn own_listener(&self) -> SocketAddr {
        let bound = porchlight_service::router::listen::bind(
            self.service.clone(),
            ([127, 0, 0, 1], 0).into(),
            Shared::default(),
        )
        .await;
        self.serve(bound.expect("a free port"))
    }

    /// The listener that a tunnel leads to.
    async fn public_listener(&self, client_ip: ClientIp) -> SocketAddr {
        let public = PublicListener {
            port: 0,
            client_ip,
            fixed_url: None,
            tunnel_url: StateReader::constant(Some(
                "https://a.example".parse().expect("an address"),
            )),
        };
        let bound = porchlight_service::router::listen::bind_public(
            self.service.clone(),
            Shared::default(),
            public,
        )
        .await;
        self.serve(bound.expect("a free port"))
    }

    fn readers(&self) -> (u64, bool) {
        let ReaderCount { count, more } = self.service.stats().readers_today();
        (count, more)
    }
}

async fn open(folder: &TempDir, clock: &StoppedClock) -> Service {
    let opened = Service::open(folder.path(), Settings::default(), clock.clock()).await;
    let service = opened.expect("a data folder");
    service
        .tokens()
        .accept_for_this_run(Scope::Admin, &TOKEN.to_owned().into());
    service
}

/// Sends a request with these headers, and waits for its whole answer.
async fn ask(listener: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    let mut socket = TcpStream::connect(listener).await.expect("a line");
    socket.write_all(request.as_bytes()).await.expect("a line");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.expect("an answer");
    let status = answer.get(9..12).map(String::from_utf8_lossy);
    status.and_then(|text| text.parse().ok()).expect("a status")
}

async fn get(listener: SocketAddr, headers: &[(&str, &str)]) {
    assert_eq!(ask(listener, "GET", "/check", headers).await, 200);
}

#[tokio::test]
async fn readers_are_distinguished_only_by_cloudflares_header() {
    let fixture = Fixture::new().await;
    let listener = fixture.public_listener(ClientIp::CfConnectingIp).await;
    for address in [
        "203.0.113.7",
        "198.51.100.1",
        "203.0.113.7",
        // One household of IPv6, and another.
        "2001:db8:1:2::3",
        "2001:db8:1:2:ffff::4",
        "2001:db8:1:3::3",
        // IPv4, written as IPv6.
        "::ffff:203.0.113.7",
    ] {
        get(listener, &[("CF-Connecting-IP", address)]).await;
    }
    assert_eq!(fixture.readers(), (4, false));
    // Forged entries come before the tunnel's, or under another name.
    for made_up in ["192.0.2.1", "192.0.2.2"] {
        let headers = [
            ("CF-Connecting-IP", made_up),
            ("X-Forwarded-For", made_up),
            ("Forwarded", "for=192.0.2.3"),
            ("CF-Connecting-IP", "203.0.113.7"),
        ];
        get(listener, &headers).await;
    }
    assert_eq!(fixture.readers(), (4, false));
}

#[tokio::test]
async fn a_socket_is_of_a_reader_whose_blog_asks_for_the_status() {
    let fixture = Fixture::new().await;
    let listener = fixture.public_listener(ClientIp::CfConnectingIp).await;
    assert_eq!(fixture.service.stats().status_asked(), None);
    let mut socket = TcpStream::connect(listener).await.expect("a line");
    let handshake = "GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
        Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nCF-Connecting-IP: 203.0.113.7\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket
        .write_all(handshake.as_bytes())
        .await
        .expect("a line");
    let mut status = [0; 12];
    socket.read_exact(&mut status).await.expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 101");
    assert_eq!(fixture.readers(), (1, false));
    assert!(fixture.service.stats().status_asked().is_some());
}

#[tokio::test]
async fn without_a_tunnel_header_readers_are_unknown_and_not_one() {
    let fixture = Fixture::new().await;
    let listener = fixture.public_listener(ClientIp::Peer).await;
    assert_eq!(fixture.readers(), (0, false), "no readers yet");
    get(listener, &[("X-Forwarded-For", "203.0.113.7")]).await;
    get(listener, &[]).await;
    assert_eq!(fixture.readers(), (0, true));
    // One that should name them, and did not.
    let other = Fixture::new().await;
    let listener = other.public_listener(ClientIp::CfConnectingIp).await;
    get(listener, &[("CF-Connecting-IP", "nobody")]).await;
    assert_eq!(other.readers(), (0, true));
    get(listener, &[("CF-Connecting-IP", "203.0.113.7")]).await;
    assert_eq!(other.readers(), (1, true));
}

#[tokio::test]
async fn only_who_reads_is_a_reader() {
    let fixture = Fixture::new().await;
    let listener = fixture.public_listener(ClientIp::CfConnectingIp).await;
    let right = format!("Bearer {TOKEN}");
    let right = right.as_str();
    let probe = fixture.service.probe().path.clone();
    for (method, path, token, status) in [
        // The blog's own calls, and a client that guesses at tokens.
        ("POST", "/heartbeat", Some(right), 200),
        ("GET", "/check", Some(right), 200),
        ("GET", "/check", Some("Bearer wrong"), 200),
        ("POST", "/heartbeat", None, 401),
        (
            "DELETE",
            "/images/00112233445566778899aabbccddeeff",
            None,
            401,
        ),
        // The tunnel itself, a preflight, and paths that are none.
        ("GET", &probe, None, 200),
        ("OPTIONS", "/check", None, 204),
        ("GET", "/wp-login.php", None, 404),
        ("PUT", "/check", None, 405),
    ] {
        let mut headers = vec![("CF-Connecting-IP", "203.0.113.7")];
        headers.extend(token.map(|token| ("Authorization", token)));
        assert_eq!(
            ask(listener, method, path, &headers).await,
            status,
            "{path}"
        );
        assert_eq!(fixture.readers(), (0, false), "{method} {path}");
    }
    let headers = [("CF-Connecting-IP", "203.0.113.7")];
    assert_eq!(ask(listener, "HEAD", "/check", &headers).await, 200);
    assert_eq!(fixture.readers(), (1, false));
}

#[tokio::test]
async fn a_restart_continues_the_day_and_a_new_day_starts_at_zero() {
    let mut fixture = Fixture::new().await;
    let listener = fixture.public_listener(ClientIp::CfConnectingIp).await;
    let (one, other) = (
        [("CF-Connecting-IP", "203.0.113.7")],
        [("CF-Connecting-IP", "2001:db8::1")],
    );
    get(listener, &one).await;
    get(listener, &other).await;
    fixture.restart().await;
    assert_eq!(fixture.readers(), (2, false));
    let listener = fixture.public_listener(ClientIp::CfConnectingIp).await;
    get(listener, &other).await;
    assert_eq!(fixture.readers(), (2, false));
    fixture.clock.advance(Duration::from_secs(12 * 60 * 60));
    assert_eq!(fixture.readers(), (0, false));
    get(listener, &other).await;
    assert_eq!(fixture.readers(), (1, false));
}

#[tokio::test]
async fn a_blog_on_this_machine_asks_for_the_status_and_is_no_reader() {
    let fixture = Fixture::new().await;
    let listener = fixture.own_listener().await;
    let asked = || fixture.service.stats().status_asked().is_some();
    assert_eq!(ask(listener, "GET", "/check", &[]).await, 200);
    assert!(!asked(), "curl is no blog");
    let page = [("Origin", "http://localhost:4000")];
    assert_eq!(ask(listener, "GET", "/images/count", &page).await, 200);
    assert!(!asked());
    assert_eq!(ask(listener, "GET", "/check", &page).await, 200);
    assert!(asked());
    assert_eq!(fixture.readers(), (0, false));
}
