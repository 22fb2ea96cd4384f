//! Uploads whose form never ends: before the first part, in a part's head, of
//! empty parts, and one that trickles.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::caller::{Caller, Request, buffered, everything, statuses};
use crate::harness::form::{BOUNDARY, content_type};
use crate::report::Report;
use crate::target::{LARGEST_UPLOAD, Target};

/// Forms of each kind at the same time.
const AT_ONCE: usize = 4;
/// The maximum that is read of a form outside of its fields: the form, and the rest of a refused body.
const BESIDE: u64 = (64 << 10) + (8 << 20);
/// The maximum that is read of a form with fields.
const TAKEN: u64 = LARGEST_UPLOAD + BESIDE;
/// The time limit for a form that sends almost nothing, with a margin.
const TRICKLED_WITHIN: Duration = Duration::from_secs(60 + 15);

/// Endless forms, sent as fast as they are read.
pub(crate) async fn attack(target: &Target, report: &Report) {
    let filler = vec![b'A'; 65_536];
    let empty = format!("Content-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--{BOUNDARY}\r\n");
    let empty = empty.repeat(1_000).into_bytes();
    let start = format!("--{BOUNDARY}\r\n");
    let header = format!("{start}X-A: ");
    let image =
        format!("{start}Content-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n");
    let beside = format!("{start}Content-Disposition: form-data; name=\"text\"\r\n\r\n");
    for (what, first, piece, most, refusals) in [
        ("preamble", "", &filler, BESIDE, &[400, 413][..]),
        ("head of a part", &header, &filler, BESIDE, &[400, 413]),
        ("empty parts", &start, &empty, BESIDE, &[400, 413]),
        ("text beside", &beside, &filler, TAKEN, &[400, 413]),
        ("picture", &image, &filler, TAKEN, &[413]),
    ] {
        let forms = (0..AT_ONCE).map(|_| {
            let (caller, token) = (target.stranger(), target.upload_token.clone());
            let (first, piece) = (first.to_owned(), piece.clone());
            tokio::spawn(async move { endless(caller, &token, first.as_bytes(), &piece).await })
        });
        for form in forms.collect::<Vec<_>>() {
            let (sent, answers) = form.await.expect("no panic");
            let status = answers.first().copied().unwrap_or(0);
            // A connection that was reset has lost the answer.
            report.answered("multipart", status);
            report.rule(
                "multipart",
                sent <= most + buffered() && (status == 0 || refusals.contains(&status)),
                &format!(
                    "endless {what}: {} KiB taken, answered {answers:?}",
                    sent >> 10
                ),
            );
        }
    }
}

/// The head of an upload in chunks, with a token.
fn head(caller: Caller, token: &str) -> Vec<u8> {
    Request::new("POST", "/images/add")
        .token(token)
        .header("Content-Type", &content_type())
        .header("Transfer-Encoding", "chunked")
        .bytes(caller.to)
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let length = format!("{:x}\r\n", bytes.len());
    [length.as_bytes(), bytes, b"\r\n"].concat()
}

/// Sends a chunk repeatedly until it is refused: how much was read, and the answer.
async fn endless(caller: Caller, token: &str, first: &[u8], piece: &[u8]) -> (u64, Vec<u16>) {
    let mut socket = caller.connect().await.expect("a connection");
    let _ = socket.write_all(&head(caller, token)).await;
    if !first.is_empty() {
        let _ = socket.write_all(&chunk(first)).await;
    }
    let piece = chunk(piece);
    let (mut sent, mut answer) = (0, Vec::new());
    while sent <= TAKEN {
        match timeout(Duration::from_secs(30), socket.write_all(&piece)).await {
            Ok(Ok(())) => sent += piece.len() as u64,
            Ok(Err(_)) | Err(_) => break,
        }
        let _ = socket.try_read_buf(&mut answer);
    }
    answer.extend(everything(&mut socket, Duration::from_secs(1)).await);
    (sent, statuses(&answer))
}

/// An image that arrives byte by byte, concurrently with everything else: after how long it was
/// ended, and the answer.
pub(crate) fn trickle(target: &Target) -> JoinHandle<(Duration, Vec<u16>)> {
    let (caller, token) = (target.stranger(), target.upload_token.clone());
    tokio::spawn(async move {
        let began = Instant::now();
        let mut socket = caller.connect().await.expect("a connection");
        let first = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n"
        );
        let _ = socket.write_all(&head(caller, &token)).await;
        let _ = socket.write_all(&chunk(first.as_bytes())).await;
        let mut answer = Vec::new();
        while began.elapsed() < TRICKLED_WITHIN && answer.is_empty() {
            if socket.write_all(&chunk(b"x")).await.is_err() {
                break;
            }
            let _ = timeout(Duration::from_millis(200), socket.readable()).await;
            let _ = socket.try_read_buf(&mut answer);
        }
        (began.elapsed(), statuses(&answer))
    })
}

/// Waits for the end of [`trickle`].
pub(crate) async fn trickled(trickle: JoinHandle<(Duration, Vec<u16>)>, report: &Report) {
    let (took, answers) = trickle.await.expect("no panic");
    report.expect(
        "multipart",
        "a form that trickles",
        answers.first().copied().unwrap_or(0),
        &[408],
    );
    report.rule(
        "multipart",
        took < TRICKLED_WITHIN,
        &format!("a form that trickles kept its place for {took:?}"),
    );
}
