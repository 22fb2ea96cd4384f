//! An attacker: an address on this machine, and handwritten requests.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::harness::raw::{RawReply, send_over};

/// No answer takes longer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);

/// The status where there is no response in time.
pub(crate) const NO_ANSWER: u16 = 599;

/// Where the requests come from and go to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) to: SocketAddr,
    from: Ipv4Addr,
}

impl Caller {
    pub(crate) fn new(to: SocketAddr, from: Ipv4Addr) -> Self {
        Self { to, from }
    }

    /// The same caller at another listener.
    pub(crate) fn at(self, to: SocketAddr) -> Self {
        Self { to, ..self }
    }

    /// A connection from this caller's address.
    pub(crate) async fn connect(self) -> std::io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind((self.from, 0).into())?;
        let connected = tokio::time::timeout(ANSWERED_WITHIN, socket.connect(self.to)).await;
        connected.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
    }

    /// The status of the answer; 0 where the connection is closed without one,
    /// and [`NO_ANSWER`].
    pub(crate) async fn status(self, request: &Request) -> u16 {
        self.answer(request).await.status
    }

    /// The answer to a request.
    pub(crate) async fn answer(self, request: &Request) -> RawReply {
        self.send(&request.bytes(self.to)).await
    }

    /// The answer to these bytes.
    pub(crate) async fn send(self, bytes: &[u8]) -> RawReply {
        let mut socket = self.connect().await.expect("a connection");
        exchange(&mut socket, bytes).await
    }
}

/// Sends the bytes and reads one answer; more can follow.
pub(crate) async fn exchange(socket: &mut TcpStream, bytes: &[u8]) -> RawReply {
    let answer = tokio::time::timeout(ANSWERED_WITHIN, send_over(socket, bytes)).await;
    answer.unwrap_or_else(|_| RawReply {
        status: NO_ANSWER,
        head: String::new(),
        body: Vec::new(),
    })
}

/// A request that is assembled part by part.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    line: String,
    host: Option<String>,
    headers: String,
    body: Vec<u8>,
}

impl Request {
    /// A method and a path, exactly as they are sent.
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self {
            line: format!("{method} {path}"),
            host: None,
            headers: String::new(),
            body: Vec::new(),
        }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("Content-Type", content_type)
            .header("Content-Length", &length)
    }

    /// The bytes for the listener at this address.
    pub(crate) fn bytes(&self, to: SocketAddr) -> Vec<u8> {
        let host = self.host.clone().unwrap_or_else(|| to.to_string());
        let head = format!(
            "{} HTTP/1.1\r\nHost: {host}\r\n{}\r\n",
            self.line, self.headers
        );
        [head.as_bytes(), &self.body].concat()
    }
}

/// Everything that comes until the other end closes, or until this long after
/// the last of it.
pub(crate) async fn everything(socket: &mut TcpStream, silence: Duration) -> Vec<u8> {
    let mut all = Vec::new();
    while let Ok(Ok(1..)) = tokio::time::timeout(silence, socket.read_buf(&mut all)).await {}
    all
}

/// The statuses of the answers in what came over one connection.
pub(crate) fn statuses(all: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(all);
    let lines = text.split("HTTP/1.1 ").skip(1);
    lines
        .filter_map(|line| line.get(..3)?.parse().ok())
        .collect()
}

/// How much the system may buffer of a connection on both sides, in bytes: the maxima that it grows
/// its buffers to (tcp(7)).
pub(crate) fn buffered() -> u64 {
    ["tcp_rmem", "tcp_wmem"]
        .into_iter()
        .map(|name| {
            let numbers = std::fs::read_to_string(format!("/proc/sys/net/ipv4/{name}"));
            let numbers = numbers.unwrap_or_default();
            let most = numbers.split_whitespace().last();
            most.and_then(|most| most.parse().ok()).unwrap_or(8 << 20)
        })
        .sum()
}
