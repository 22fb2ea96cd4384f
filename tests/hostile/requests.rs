//! Requests that no well-behaved client sends: path traversal, request smuggling, invalid ranges
//! and addresses.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use crate::caller::{Request, everything, statuses};
use crate::report::Report;
use crate::target::Target;

/// After this time without data an answer counts as complete.
const SILENCE: Duration = Duration::from_secs(2);

/// Paths that no file and no endpoint has.
const PATHS: [&str; 16] = [
    "/../settings.toml",
    "/images/..%2f..%2fsettings.toml",
    "/i/..%5c..%5csettings.toml",
    "/i/%2fetc%2fpasswd",
    "/images/%00",
    "/i/%c0%ae%c0%ae",
    "//etc/passwd",
    "/i/00112233445566778899aabbccddeeff%00.webp",
    "/images/by-source/..",
    "/.well-known/porchlight/x",
    "/images/list?page=99999999999999999999",
    "/images/list?limit=-1",
    "/i/00112233445566778899aabbccddeeff?w=321",
    "/i/00112233445566778899aabbccddeeff?w=320&w=1e9",
    "*",
    "@evil.example/",
];

/// Invalid paths, and hosts that a redirect must not name.
pub(crate) async fn paths(target: &Target, report: &Report) {
    for to in [target.service.address(), target.public] {
        let caller = target.stranger().at(to);
        for path in PATHS {
            let status = caller.status(&Request::get(path)).await;
            report.expect("paths", path, status, &[400, 401, 404, 405]);
        }
        for path in [
            "http://evil.example/check",
            "//evil.example/check",
            ".evil.example/",
        ] {
            let request = Request::get(path)
                .header("X-Forwarded-Proto", "http")
                .header("X-Forwarded-For", "192.0.2.1")
                .header("Connection", "close");
            let reply = caller.answer(&request).await;
            report.answered("paths", reply.status);
            let location = reply.header("location").unwrap_or_default();
            report.rule(
                "paths",
                !location.contains("evil"),
                &format!("{path} is sent on to {location}"),
            );
        }
    }
}

/// Requests that two programs on the way may parse differently.
pub(crate) async fn smuggling(target: &Target, report: &Report) {
    let caller = target.stranger();
    let host = caller.to;
    let long = "a".repeat(9_000_000);
    let many = "X: y\r\n".repeat(5_000);
    let cases = [
        (
            "a length and chunks",
            format!(
                "POST /heartbeat HTTP/1.1\r\nHost: {host}\r\nContent-Length: 6\r\n\
                 Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\
                 Host: {host}\r\n\r\n"
            ),
        ),
        (
            "two lengths",
            post(host, "Content-Length: 0\r\nContent-Length: 5\r\n\r\nabcde"),
        ),
        (
            "an unknown coding",
            post(host, "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ),
        (
            "a chunk beyond all",
            post(
                host,
                "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
            ),
        ),
        (
            "a length beyond all",
            post(host, "Content-Length: 18446744073709551616\r\n\r\n"),
        ),
        (
            "bare line feeds",
            format!("GET /nowhere HTTP/1.1\nHost: {host}\n\n"),
        ),
        ("a folded header", get(host, "X: a\r\n b\r\n\r\n")),
        ("a zero in a header", get(host, "X: a\0b\r\n\r\n")),
        (
            "a space before the colon",
            get(host, "Authorization : Bearer x\r\n\r\n"),
        ),
        ("two hosts", get(host, "Host: evil.example\r\n\r\n")),
        (
            "a header of nine megabytes",
            get(host, &format!("X: {long}")),
        ),
        ("five thousand headers", get(host, &format!("{many}\r\n"))),
    ];
    for (what, bytes) in cases {
        let mut socket = caller.connect().await.expect("a connection");
        // It may answer and close before it has read everything.
        let _ = socket.write_all(bytes.as_bytes()).await;
        let answers = statuses(&everything(&mut socket, SILENCE).await);
        report.answered("raw http", answers.first().copied().unwrap_or(0));
        let refused = answers.iter().all(|status| (400..500).contains(status));
        report.rule("raw http", refused, &format!("{what}: {answers:?}"));
        report.rule(
            "raw http",
            answers.len() <= 1,
            &format!("{what} is read as several requests: {answers:?}"),
        );
    }
}

fn post(host: std::net::SocketAddr, rest: &str) -> String {
    format!("POST /heartbeat HTTP/1.1\r\nHost: {host}\r\n{rest}")
}

/// Uses a path without an endpoint, so that 200 is never right.
fn get(host: std::net::SocketAddr, rest: &str) -> String {
    format!("GET /nowhere HTTP/1.1\r\nHost: {host}\r\n{rest}")
}

/// Invalid ranges of an image, and lists of tags.
pub(crate) async fn ranges(target: &Target, report: &Report) {
    let caller = target.stranger();
    let path = format!("/i/{}", target.hashes[0]);
    let many: Vec<String> = (0..5_000).map(|start| format!("{start}-")).collect();
    let many = format!("bytes={}", many.join(","));
    for range in [
        "bytes=0-0,1-1,2-2",
        &many,
        "bytes=-0",
        "bytes=99999999999999999999-",
        "bytes=-99999999999999999999",
        "bytes=5-1",
        "bytes=a-b",
        "items=0-1",
        "bytes=0-18446744073709551615",
        "bytes=18446744073709551615-18446744073709551615",
    ] {
        let status = caller
            .status(&Request::get(&path).header("Range", range))
            .await;
        let what = format!("Range: {}", &range[..range.len().min(40)]);
        report.expect("ranges", &what, status, &[200, 206, 416, 431]);
    }
    let many: Vec<String> = (0..3_000).map(|tag| format!("\"{tag:032x}\"")).collect();
    let many = many.join(", ");
    let own = format!("\"{}\"", target.hashes[0]);
    for tags in ["*", "W/\"x\"", &own, &many, "\"", "garbage"] {
        let request = Request::get(&path)
            .header("If-None-Match", tags)
            // The answer 304 has no body, whatever length it names.
            .header("Connection", "close");
        let status = caller.status(&request).await;
        let what = format!("If-None-Match: {}", &tags[..tags.len().min(40)]);
        report.expect("ranges", &what, status, &[200, 304, 431]);
    }
}

/// `/ipcheck` with local addresses, which are not sent to the provider, and with invalid ones.
pub(crate) async fn addresses(target: &Target, report: &Report) {
    let caller = target.stranger();
    for address in [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fe80::1",
        "0.0.0.0",
    ] {
        let request = Request::get(&format!("/ipcheck?ip={address}"));
        let reply = caller.answer(&request).await;
        report.expect("ip", address, reply.status, &[200]);
        let answer = reply.json();
        let known = answer["hostname"]
            .as_str()
            .is_none_or(|name| !name.is_empty());
        report.rule("ip", !known, &format!("{address} was looked up: {answer}"));
    }
    for text in [
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "localhost",
        "127.0.0.1:80",
        "http://127.0.0.1",
        "127.0.0.1%0d%0aX:y",
        "1.1.1.1/../../x",
        "%00",
        "[::1]",
    ] {
        let status = caller
            .status(&Request::get(&format!("/ipcheck?ip={text}")))
            .await;
        report.expect("ip", text, status, &[400]);
    }
}
