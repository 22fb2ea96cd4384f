//! A tiny HTTP server for tests, which accepts images and rejects text.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Starts like an image.
pub(crate) const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n and more";
/// Named like one, and refused.
pub(crate) const NO_PICTURE: &[u8] = b"this is no picture";
/// It is stored there already.
pub(crate) const KNOWN: &[u8] = b"\x89PNG\r\n\x1a\n and known";
/// There is no room for it.
pub(crate) const TOO_MUCH: &[u8] = b"\x89PNG\r\n\x1a\n and too much";
/// It is never answered.
pub(crate) const UNANSWERED: &[u8] = b"\x89PNG\r\n\x1a\n and no answer";
/// It is answered half a second late.
pub(crate) const LATE: &[u8] = b"\x89PNG\r\n\x1a\n and a late answer";

/// Serves until the test ends; its address.
pub(crate) async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    address
}

async fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    let holds = |request: &[u8], part: &[u8]| request.windows(part.len()).any(|here| here == part);
    while !holds(&request, b"\r\n\r\n") || (request.starts_with(b"POST") && !ended(&request)) {
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let reply = if !request.starts_with(b"POST /images/add") {
        "404 Not Found\r\nContent-Length: 30\r\n\r\n{\"error\":\"Resource not found\"}"
    } else if holds(&request, UNANSWERED) {
        return std::future::pending().await;
    } else if holds(&request, KNOWN) {
        "409 Conflict\r\nContent-Length: 74\r\n\r\n\
         {\"error\":\"Image already exists\",\"hash\":\"ab12ab12ab12ab12ab12ab12ab12ab12\"}"
    } else if holds(&request, TOO_MUCH) {
        "507 Insufficient Storage\r\nContent-Length: 26\r\n\r\n\
         {\"error\":\"Storage is full\"}"
    } else if holds(&request, NO_PICTURE) {
        "415 Unsupported Media Type\r\nContent-Length: 36\r\n\r\n\
         {\"error\":\"Unsupported image format\"}"
    } else {
        "201 Created\r\nContent-Length: 43\r\n\r\n{\"hash\":\"ab12ab12ab12ab12ab12ab12ab12ab12\"}"
    };
    if holds(&request, LATE) {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    // The client may be gone.
    let _ = stream
        .write_all(
            format!(
                "HTTP/1.1 {}",
                reply.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
            )
            .as_bytes(),
        )
        .await;
}

/// Whether the last line of a form is there.
fn ended(request: &[u8]) -> bool {
    request.ends_with(b"--\r\n")
}
