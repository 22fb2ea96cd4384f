//! Uploads of hostile images: none is stored with its claimed size, and none takes long.

use std::time::{Duration, Instant};

use crate::caller::Request;
use crate::harness::form;
use crate::oversized_images;
use crate::report::Report;
use crate::target::Target;

/// No answer takes longer, on a slow machine either.
const ANSWERED_WITHIN: Duration = Duration::from_secs(20);
/// The image in these is valid: data around it, or after its last pixel, is skipped or read up to a
/// limit, and of an SVG what it may not read, or cannot draw, is left out.
const GOOD: [&str; 5] = [
    "png with 200 MB of pixels too many",
    "png with a profile of 64 MB",
    "png with texts of 64 MB",
    "svg with a file's picture",
    "svg with a wide blur",
];

/// One after the other, and then all at the same time.
pub(crate) async fn attack(target: &Target, report: &Report) {
    let bombs = oversized_images::all();
    for (name, bytes) in &bombs {
        let began = Instant::now();
        let status = target.stranger().status(&upload(target, bytes)).await;
        let took = began.elapsed();
        judge(report, name, status);
        report.rule(
            "bombs",
            took < ANSWERED_WITHIN,
            &format!("{name} took {took:?}"),
        );
    }
    let together = bombs.into_iter().map(|(name, bytes)| {
        let (caller, request) = (target.stranger(), upload(target, &bytes));
        tokio::spawn(async move { (name, caller.status(&request).await) })
    });
    for upload in together.collect::<Vec<_>>() {
        let (name, status) = upload.await.expect("no panic");
        judge(report, name, status);
    }
}

fn upload(target: &Target, bytes: &[u8]) -> Request {
    let (kind, body) = form::file("image", "a", "application/octet-stream", bytes);
    Request::new("POST", "/images/add")
        .token(&target.upload_token)
        .body(&kind, body)
}

fn judge(report: &Report, name: &str, status: u16) {
    let allowed: &[u16] = match GOOD.contains(&name) {
        true => &[201, 409, 413, 422],
        false => &[413, 415, 422],
    };
    report.expect("bombs", name, status, allowed);
}
