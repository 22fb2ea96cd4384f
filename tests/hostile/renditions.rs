//! Renditions (`?w=`) whose requests are abandoned: this work must not delay a reader.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;

use crate::caller::Request;
use crate::harness::{eventually, files, pictures};
use crate::report::Report;
use crate::target::Target;

const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];
/// A reader gets the image, or a `Retry-After`, within this time on an idle machine; and within
/// this multiple of it in a debug build on a busy one.
const WITHIN: Duration = Duration::from_secs(3);
const BUSY: u32 = 5;

/// Requests every width of some images and disconnects; then a reader requests one.
pub(crate) async fn attack(target: &Target, report: &Report) {
    let pictures = if target.full { 8 } else { 3 };
    let mut hashes = Vec::new();
    for _ in 0..pictures {
        let picture = pictures::scene(pictures::next_seed(), 2000, 1500);
        hashes.push(target.service.stored(pictures::jpeg(&picture)).await);
    }
    let before = copies(target);
    let mut waiting = Vec::new();
    for hash in &hashes {
        for width in WIDTHS {
            let caller = target.stranger();
            let head = Request::new("HEAD", &format!("/i/{hash}?w={width}"));
            let mut socket = caller.connect().await.expect("a connection");
            let sent = socket.write_all(&head.bytes(caller.to)).await;
            report.rule("narrow", sent.is_ok(), "a connection broke");
            waiting.push(socket);
        }
    }
    let asked = waiting.len() as u64;
    eventually("the work has started", async || {
        (copies(target) > before).then_some(())
    })
    .await;
    drop(waiting);
    report.outcome("narrow", "hung up", asked);

    let fresh = pictures::scene(pictures::next_seed(), 1200, 900);
    let fresh = target.service.stored(pictures::jpeg(&fresh)).await;
    let began = Instant::now();
    let request = Request::get(&format!("/i/{fresh}?w=640"));
    let reply = target.stranger().answer(&request).await;
    let (took, longest) = (
        began.elapsed(),
        if target.full { WITHIN } else { WITHIN * BUSY },
    );
    report.counted("narrow", reply.status);
    report.rule(
        "narrow",
        took <= longest,
        &format!("a reader waited {took:?}"),
    );
    let comes_back = reply.status == 503 && reply.header("retry-after").is_some();
    report.rule(
        "narrow",
        reply.status == 200 || comes_back,
        &format!("a reader was answered {}", reply.status),
    );
    // Conversions that had started are finished; those that waited are not.
    let made = copies(target) - before;
    report.rule(
        "narrow",
        made <= asked / 2,
        &format!("{made} of {asked} renditions were made without a waiting reader"),
    );
    for hash in hashes.iter().chain([&fresh]) {
        let status = target.service.delete(hash).await.status().as_u16();
        report.rule("narrow", status == 200, &format!("a deletion: {status}"));
    }
}

/// How many renditions are on the disk.
fn copies(target: &Target) -> u64 {
    files::below(&target.service.data_dir().join("renditions")).len() as u64
}
