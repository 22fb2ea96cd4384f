//! Connections that stay open: heads that never end, and bodies that continue after they are
//! refused.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use crate::caller::{Caller, Request, buffered, everything, statuses};
use crate::report::Report;
use crate::target::Target;

/// The time limit for a request head, with a margin for a busy machine.
const HEAD_WITHIN: Duration = Duration::from_secs(5 + 5);
/// How much of a refused body is read, in bytes and time.
const READ_OF_REFUSED: usize = 8 << 20;
const REFUSED_WITHIN: Duration = Duration::from_secs(5 + 5);
/// The maximum number of connections of a listener.
const FULL: usize = 1024;

/// Many half-open connections: readers are still served, and no half-open connection stays for
/// long.
pub(crate) async fn half_heads(target: &Target, report: &Report) {
    let number = if target.full { FULL + 200 } else { 300 };
    #[cfg(unix)]
    raise_handles();
    let caller = target.stranger();
    let mut held = Vec::new();
    for _ in 0..number {
        match caller.connect().await {
            Ok(mut socket) => {
                let _ = socket.write_all(b"GET / HTTP/1.1\r\nHost: ").await;
                held.push(socket);
            }
            Err(error) => {
                report.outcome("loris", &format!("not connected: {}", error.kind()), 1);
                break;
            }
        }
    }
    let began = Instant::now();
    let status = target.stranger().status(&Request::get("/check")).await;
    report.expect("loris", "a reader beside half heads", status, &[200]);
    report.outcome("loris", "half heads", held.len() as u64);
    let mut open = 0_u64;
    for mut socket in held {
        let left = HEAD_WITHIN.saturating_sub(began.elapsed());
        let closed = timeout(left, everything(&mut socket, HEAD_WITHIN)).await;
        open += u64::from(closed.is_err());
    }
    report.rule(
        "loris",
        open == 0,
        &format!("{open} half heads are open after {HEAD_WITHIN:?}"),
    );
}

/// Refused bodies: one that trickles and one that is endless.
pub(crate) async fn refused_bodies(target: &Target, report: &Report) {
    let head = Request::new("POST", "/nowhere")
        .header("Content-Length", "200000000")
        .bytes(target.service.address());
    let trickle = keep_sending(target.stranger(), &head, b"x", Duration::from_millis(100));
    let piece = vec![b'x'; 65_536];
    let flood = keep_sending(target.stranger(), &head, &piece, Duration::ZERO);
    for (what, (sent, took, answers)) in [("trickle", trickle.await), ("flood", flood.await)] {
        report.answered("refused body", answers.first().copied().unwrap_or(0));
        report.rule(
            "refused body",
            sent <= READ_OF_REFUSED + buffered() as usize && took <= REFUSED_WITHIN,
            &format!("a {what} took {} KiB and {took:?}", sent >> 10),
        );
    }
}

/// Sends the head, and then the piece again and again until the other end
/// closes: how many bytes went, how long that took, and what was answered.
async fn keep_sending(
    caller: Caller,
    head: &[u8],
    piece: &[u8],
    pause: Duration,
) -> (usize, Duration, Vec<u16>) {
    let began = Instant::now();
    let mut socket = caller.connect().await.expect("a connection");
    let mut sent = 0;
    let _ = socket.write_all(head).await;
    let mut answer = Vec::new();
    while began.elapsed() < Duration::from_secs(45) && sent < 200_000_000 {
        // A full buffer means that the other end has stopped reading.
        match timeout(REFUSED_WITHIN * 2, socket.write_all(piece)).await {
            Ok(Ok(())) => sent += piece.len(),
            Ok(Err(_)) | Err(_) => break,
        }
        let _ = socket.try_read_buf(&mut answer);
        tokio::time::sleep(pause).await;
    }
    let took = began.elapsed();
    answer.extend(everything(&mut socket, Duration::from_secs(1)).await);
    (sent, took, statuses(&answer))
}

/// Raises the limit on handles of this process to the hard limit.
#[cfg(unix)]
fn raise_handles() {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("within the hard limit");
}
