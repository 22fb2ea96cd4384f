//! PicGo's listener and callers without its secret: pages, other users, sandboxed programs.

use serde_json::json;

use crate::caller::{Caller, Request};
use crate::report::Report;
use crate::target::{PICGO_SECRET, Target};

/// Wrong secrets, pages, foreign names, and questions about files.
pub(crate) async fn attack(target: &Target, report: &Report) {
    let caller = target.stranger().at(target.picgo);
    let port = target.picgo.port();
    let before = images(target).await;
    let foreign = format!("evil.example:{port}");
    let nowhere = format!("0.0.0.0:{port}");
    for (what, request) in [
        ("no secret", upload("/etc/hostname")),
        (
            "a page",
            upload("/etc/hostname").header("Origin", "https://evil.example"),
        ),
        (
            "a sandboxed page",
            upload("/etc/hostname").header("Origin", "null"),
        ),
        (
            "another name",
            with_secret("/etc/hostname").host("evil.example"),
        ),
        (
            "another name with the port",
            with_secret("/etc/hostname").host(&foreign),
        ),
        (
            "the address of no machine",
            with_secret("/etc/hostname").host(&nowhere),
        ),
        ("a wrong secret", upload("/etc/hostname").token("wrong")),
        (
            "half a secret",
            upload("/etc/hostname").token(&PICGO_SECRET[..PICGO_SECRET.len() - 1]),
        ),
        (
            "a wrong secret in the address",
            Request::new("POST", "/upload?secret=wrong&key=wrong").body("application/json", "{}"),
        ),
        (
            "the clipboard",
            Request::new("POST", "/upload").header("Content-Length", "0"),
        ),
    ] {
        let status = caller.status(&request).await;
        report.expect("picgo", what, status, &[401, 403]);
    }
    let [there, missing] = ["/etc/hostname", "/no/such/file"].map(upload);
    let (there, missing) = (caller.answer(&there).await, caller.answer(&missing).await);
    report.answered("picgo", there.status);
    report.answered("picgo", missing.status);
    report.rule(
        "picgo",
        there.body == missing.body,
        "who does not know the secret learns which files exist",
    );
    large(caller, report).await;
    report.rule(
        "picgo",
        images(target).await == before,
        "something was published",
    );
}

fn upload(file: &str) -> Request {
    let body = json!({ "list": [file] }).to_string();
    Request::new("POST", "/upload").body("application/json", body)
}

fn with_secret(file: &str) -> Request {
    upload(file).token(PICGO_SECRET)
}

/// A large body without a length, from a caller without the secret.
async fn large(caller: Caller, report: &Report) {
    let mut request = Request::new("POST", "/upload")
        .header("Transfer-Encoding", "chunked")
        .header("Connection", "close")
        .bytes(caller.to);
    let piece = vec![b'x'; 65_536];
    for _ in 0..16 {
        request.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        request.extend(&piece);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    let status = caller.send(&request).await.status;
    // 0: the connection was closed while this was still being sent.
    report.expect("picgo", "a large body", status, &[0, 401, 403, 413]);
}

async fn images(target: &Target) -> u64 {
    let reply = target
        .stranger()
        .answer(&Request::get("/images/count"))
        .await;
    reply.json()["count"].as_u64().unwrap_or(u64::MAX)
}
