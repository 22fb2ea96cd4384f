//! More callers than the system has file handles for: some wait, and whoever
//! is being served does not notice.

use std::fs;
use std::path::PathBuf;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{TestService, eventually, form, pictures};

/// Handles that the service may have open.
const HANDLES: usize = 128;
/// Callers that connect and say nothing.
const CROWD: usize = 300;

/// How many connections of the service's own process are open.
fn sockets(service: &TestService) -> usize {
    let handles = fs::read_dir(format!("/proc/{}/fd", service.pid())).expect("it runs");
    handles
        .filter_map(|handle| fs::read_link(handle.ok()?.path()).ok())
        .filter(|target: &PathBuf| target.to_string_lossy().starts_with("socket:"))
        .count()
}

#[tokio::test]
async fn a_crowd_of_callers_leaves_handles_for_the_work() {
    let limit = format!("ulimit -n {HANDLES} && exec \"$0\" \"$@\"");
    let service = TestService::builder()
        .wrapped_in(&["sh", "-c", &limit])
        .start()
        .await;
    // The owner was there before the crowd.
    let mut owner = TcpStream::connect(service.address())
        .await
        .expect("a connection");
    let alone = eventually("the owner is connected", async || {
        (sockets(&service) > 1).then(|| sockets(&service))
    })
    .await;

    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        let caller = TcpStream::connect(service.address()).await;
        crowd.push(caller.expect("a place in the queue"));
    }
    eventually("the crowd has come in", async || {
        (sockets(&service) >= alone + HANDLES / 8).then_some(())
    })
    .await;

    // It takes files of its own to take a picture in.
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let head = format!(
        "POST /images/add HTTP/1.1\r\nHost: light\r\nAuthorization: Bearer {}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        service.admin_token,
        body.len()
    );
    owner.write_all(head.as_bytes()).await.expect("a head");
    owner.write_all(&body).await.expect("a body");
    let mut answer = [0; 12];
    owner.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 201", "{}", service.stderr());
    assert!(sockets(&service) < HANDLES * 3 / 4, "{}", sockets(&service));
    assert!(!service.stderr().contains("could not be taken"));

    drop(crowd);
    assert_eq!(service.count().await, 1);
}
