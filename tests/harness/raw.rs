//! HTTP over a bare socket, for requests that no well-behaved client sends and
//! for paths that one would tidy up.

use std::net::SocketAddr;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::openapi::assert_documented;

/// What came back.
#[derive(Debug)]
pub struct RawReply {
    /// The status; 0 when the connection was closed without an answer.
    pub status: u16,
    /// The status line and the headers, as they came.
    pub head: String,
    /// What followed.
    pub body: Vec<u8>,
}

impl RawReply {
    /// The body as JSON; `null` when it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn headers(&self) -> HeaderMap {
        let headers = self.head.lines().skip(1).filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some((name, HeaderValue::from_str(value.trim()).ok()?))
        });
        headers.collect()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Sends the bytes and reads one answer, or until the service closes the
/// connection without one. Not for HEAD, whose answer has no body.
pub async fn send(address: SocketAddr, request: &[u8]) -> RawReply {
    let mut socket = TcpStream::connect(address).await.expect("a connection");
    send_over(&mut socket, request).await
}

/// [`send`] over an existing connection.
pub async fn send_over(socket: &mut TcpStream, request: &[u8]) -> RawReply {
    // The service may answer and close before it has read everything.
    let _ = socket.write_all(request).await;
    let mut reply = Vec::new();
    let whole = async {
        // An error is the end too: a service may reset what it will not read.
        while matches!(socket.read_buf(&mut reply).await, Ok(read) if read > 0) {
            if is_whole(&reply) {
                break;
            }
        }
    };
    tokio::time::timeout(super::TIMEOUT, whole)
        .await
        .expect("an answer in time");
    let reply = parse(&reply);
    hold(request, &reply);
    reply
}

/// Holds the answer against the document, where the request names a path.
fn hold(request: &[u8], reply: &RawReply) {
    let request = String::from_utf8_lossy(request);
    let mut words = request.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return;
    };
    let path = target.split('?').next().unwrap_or_default();
    if path.starts_with('/') {
        assert_documented(method, path, reply.status, &reply.headers(), &reply.body);
    }
}

/// One request with this method and exactly this path, with no body.
pub async fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> RawReply {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    send(address, request.as_bytes()).await
}

/// A reader of this image who takes as good as nothing of it. `headers` are lines with their ends.
pub async fn silent_reader(address: SocketAddr, hash: &str, headers: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("less room");
    let mut socket = socket.connect(address).await.expect("a connection");
    let request = format!("GET /i/{hash} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    // A service that is full may close it.
    let _ = socket.write_all(request.as_bytes()).await;
    socket
}

/// Sends the bytes and hangs up.
pub async fn send_and_hang_up(address: SocketAddr, request: &[u8]) {
    let mut socket = TcpStream::connect(address).await.expect("a connection");
    socket.write_all(request).await.expect("the service reads");
    socket.flush().await.expect("the service reads");
}

fn is_whole(reply: &[u8]) -> bool {
    if !reply.windows(4).any(|window| window == b"\r\n\r\n") {
        return false;
    }
    let reply = parse(reply);
    let length = reply
        .header("content-length")
        .and_then(|length| length.parse::<usize>().ok());
    length.is_some_and(|length| reply.body.len() >= length)
}

fn parse(reply: &[u8]) -> RawReply {
    let end = reply.windows(4).position(|window| window == b"\r\n\r\n");
    let (head, body) = match end {
        Some(end) => (&reply[..end], reply[end + 4..].to_vec()),
        None => (reply, Vec::new()),
    };
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(0);
    RawReply { status, head, body }
}
