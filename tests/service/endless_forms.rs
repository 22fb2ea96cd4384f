//! Endless forms, and forms with too much data around the image: each is refused before it fills
//! memory or disk, with or without an announced length.

use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method, Response};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{TIMEOUT, TestService, assert_error, form, pictures};

/// The maximum that a test sends; less than the largest accepted image.
const MOST: usize = 40 * 1024 * 1024;

async fn post(service: &TestService, content_type: &str, body: impl Into<Body>) -> Response {
    let request = service
        .request(Method::POST, "/images/add")
        .bearer_auth(&service.admin_token)
        .header(CONTENT_TYPE, content_type)
        .body(body);
    request.send().await.expect("an answer")
}

fn in_chunks(body: &[u8]) -> Body {
    let pieces: Vec<Result<Vec<u8>, std::io::Error>> = body
        .chunks(10_000)
        .map(|piece| Ok(piece.to_vec()))
        .collect();
    Body::wrap_stream(futures_util::stream::iter(pieces))
}

/// Sends `first` and then `more` again and again, without a length, until there
/// is an answer; its first line.
async fn endless(service: &TestService, first: &str, more: &str) -> String {
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len()).into_bytes();
    let mut socket = TcpStream::connect(service.address())
        .await
        .expect("a connection");
    let head = format!(
        "POST /images/add HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n",
        service.admin_token
    );
    socket.write_all(head.as_bytes()).await.expect("a head");
    if !first.is_empty() {
        socket.write_all(&chunk(first)).await.expect("a beginning");
    }
    let (mut read, mut write) = socket.split();
    let more = chunk(more);
    let sending = async {
        for _ in 0..MOST / more.len() {
            if write.write_all(&more).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await;
    };
    let mut answer = [0; 512];
    let answered = async {
        let came = tokio::select! {
            came = read.read(&mut answer) => came.expect("an answer"),
            () = sending => unreachable!(),
        };
        String::from_utf8_lossy(&answer[..came]).into_owned()
    };
    let answer = tokio::time::timeout(TIMEOUT / 4, answered).await;
    let answer = answer.expect("an answer before the form has an end");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn an_endless_form_is_refused_wherever_it_grows() {
    let service = TestService::start(&[]).await;
    let long = "A".repeat(60_000);
    let field = "Content-Disposition: form-data; name=\"a\"\r\n\r\n";
    for (case, first, more, answer) in [
        ("before the first part", "", long.as_str(), "413"),
        ("in a header", "--x\r\nX-A: ", &long, "413"),
        ("in headers", "--x\r\n", &"X-A: b\r\n".repeat(5_000), "413"),
        (
            "in empty parts",
            "--x\r\n",
            &format!("{field}\r\n--x\r\n").repeat(1_000),
            "400",
        ),
    ] {
        let line = endless(&service, first, more).await;
        assert!(
            line.starts_with(&format!("HTTP/1.1 {answer} ")),
            "{case}: {line}"
        );
    }
    service.stored(pictures::photo()).await;
}

#[tokio::test]
async fn other_fields_count_toward_the_upload_limit() {
    let service = TestService::start(&["images.max_upload_bytes=200000"]).await;
    // Within the limit of the whole form, and above it.
    for (beside, status) in [(200_000, 201), (270_000, 413)] {
        for announced in [true, false] {
            let picture = pictures::png(&pictures::flat(40, 40, [9, 9, u8::from(announced)]));
            let (content_type, whole) = form::form(&[
                form::text_part("note", &vec![b'a'; beside]),
                form::file_part("image", "a.png", "image/png", &picture),
            ]);
            let body = if announced {
                whole.into()
            } else {
                in_chunks(&whole)
            };
            let response = post(&service, &content_type, body).await;
            if status == 413 {
                assert_error(response, 413, "Image too large").await;
            } else {
                assert_eq!(response.status(), status, "{beside} {announced}");
            }
        }
    }
}

#[tokio::test]
async fn a_form_has_at_most_thirty_two_parts() {
    let service = TestService::start(&[]).await;
    for (beside, announced) in [(31, true), (32, true), (32, false)] {
        let mut parts = vec![form::text_part("a", b""); beside];
        let picture = pictures::png(&pictures::flat(40, 40, [1, 2, 3]));
        parts.push(form::file_part("image", "a.png", "image/png", &picture));
        let (content_type, whole) = form::form(&parts);
        let body = if announced {
            whole.into()
        } else {
            in_chunks(&whole)
        };
        let response = post(&service, &content_type, body).await;
        if beside == 31 {
            assert_eq!(response.status(), 201);
        } else {
            assert_error(response, 400, "Invalid form").await;
        }
    }
}

#[tokio::test]
async fn part_headers_count_toward_the_heartbeat_limit() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let part = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n";
    let body = format!("{}--x--\r\n", part.repeat(2_000));
    for announced in [true, false] {
        let body = if announced {
            body.clone().into()
        } else {
            in_chunks(body.as_bytes())
        };
        let request = service
            .request(Method::POST, "/heartbeat")
            .bearer_auth(&service.heartbeat_token)
            .header(CONTENT_TYPE, "multipart/form-data; boundary=x")
            .body(body);
        let response = request.send().await.expect("an answer");
        assert_error(response, 413, "Request body too large").await;
    }
    assert_eq!(service.json("/check").await["last_heartbeat"], 0);
}
