//! A client that disconnects during its request. Started writes run to
//! completion: row, file, memory and removals agree.
//!
//! The test holds the database's write lock, so that the request is caught in
//! the middle, and lets go when the service has closed the connection.

use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use reqwest::Method;
use rusqlite::Connection;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::s3::{ObjectStore, StoreMode};
use crate::harness::{TestService, eventually, files, form, pictures};

/// Locks the database for other writers while this lives.
struct WriteLock(Connection);

impl WriteLock {
    fn take(service: &TestService) -> Self {
        let database =
            Connection::open(service.data_dir().join("porchlight.db")).expect("the database");
        database
            .execute_batch("BEGIN IMMEDIATE")
            .expect("the write lock");
        Self(database)
    }

    fn release(self) {
        self.0.execute_batch("ROLLBACK").expect("a rollback");
    }
}

/// How many connections from `client` the service holds open.
fn is_connected(service: SocketAddr, client: SocketAddr) -> bool {
    let ends = format!(
        "0100007F:{:04X} 0100007F:{:04X}",
        service.port(),
        client.port()
    );
    fs::read_to_string("/proc/net/tcp")
        .expect("the connections")
        .contains(&ends)
}

async fn calls(service: &TestService, key: &str) -> u64 {
    service.json(&format!("/api_stats{key}")).await["count"]
        .as_u64()
        .expect("a count")
}

/// Sends a request, waits until it is being carried out, and hangs up.
async fn hang_up(service: &TestService, key: &str, head: &str, body: &[u8]) {
    let before = calls(service, key).await;
    let mut socket = TcpStream::connect(service.address())
        .await
        .expect("a connection");
    let client = socket.local_addr().expect("an address");
    let request = format!(
        "{head} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n",
        service.admin_token,
        body.len()
    );
    socket.write_all(request.as_bytes()).await.expect("a head");
    let kind = if body.starts_with(b"{") {
        "application/json"
    } else {
        &form::content_type()
    };
    let rest = format!("Content-Type: {kind}\r\n\r\n");
    socket.write_all(rest.as_bytes()).await.expect("a head");
    socket.write_all(body).await.expect("a body");
    eventually("the request has arrived", async || {
        (calls(service, key).await > before).then_some(())
    })
    .await;
    if body.len() > 1_000 {
        let incoming = service.data_dir().join("incoming");
        eventually("the upload has come in", async || {
            files::below(&incoming)
                .iter()
                .any(|file| {
                    fs::metadata(file).is_ok_and(|found| found.len() + 1_000 > body.len() as u64)
                })
                .then_some(())
        })
        .await;
    }
    drop(socket);
    eventually("the service has noticed", async || {
        (!is_connected(service.address(), client)).then_some(())
    })
    .await;
}

fn to_remove(service: &TestService) -> i64 {
    let database =
        Connection::open(service.data_dir().join("porchlight.db")).expect("the database");
    database
        .query_row("SELECT count(*) FROM removal", [], |row| row.get(0))
        .expect("a count")
}

#[tokio::test]
async fn a_delete_runs_to_completion() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    service.webp(&hash).await;
    let lock = WriteLock::take(&service);
    hang_up(
        &service,
        "/images/%7Bhash%7D",
        &format!("DELETE /images/{hash}"),
        b"",
    )
    .await;
    lock.release();
    eventually("the image is gone for readers", async || {
        (service.get(&format!("/i/{hash}")).await.status() == 404).then_some(())
    })
    .await;
    eventually("its file is gone and nothing is left to do", async || {
        (files::stored_hashes(service.data_dir()).is_empty() && to_remove(&service) == 0)
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_upload_that_was_received_completely_is_stored() {
    let service = TestService::start(&[]).await;
    // Large, so that its conversion is long enough to be caught in.
    let picture = pictures::jpeg(&pictures::scene(pictures::next_seed(), 4_000, 3_000));
    let (_, body) = form::file("image", "a.jpg", "image/jpeg", &picture);
    let lock = WriteLock::take(&service);
    hang_up(&service, "/images/add", "POST /images/add", &body).await;
    lock.release();
    eventually("the image is there", async || {
        (service.count().await == 1).then_some(())
    })
    .await;
    let [hash] = &files::stored_hashes(service.data_dir())[..] else {
        panic!("one file")
    };
    service.webp(hash).await;
    eventually("nothing is left to do", async || {
        (to_remove(&service) == 0).then_some(())
    })
    .await;
    assert!(files::below(&service.data_dir().join("incoming")).is_empty());
}

#[tokio::test]
async fn a_stop_waits_for_requests_that_came_and_not_for_one_that_stops_coming() {
    let store = ObjectStore::start().await;
    let mut service = TestService::builder().sets(&store.settings()).start().await;
    let hash = service.stored(pictures::photo()).await;
    // Then it is only in the store.
    service.restart().await;
    store.is(StoreMode::WaitsToStore);
    let stored = store.count(&Method::PUT);
    let begin = async |sent: fn(&[u8]) -> &[u8]| {
        let before = calls(&service, "/images/add").await;
        let (kind, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
        let head = format!(
            "POST /images/add HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            service.admin_token,
            body.len()
        );
        let socket = TcpStream::connect(service.address()).await;
        let mut socket = socket.expect("a connection");
        socket.write_all(head.as_bytes()).await.expect("a head");
        socket.write_all(sent(&body)).await.expect("a body");
        eventually("the request has arrived", async || {
            (calls(&service, "/images/add").await > before).then_some(())
        })
        .await;
        socket
    };
    let mut slow = begin(|body| &body[..100]).await;
    let mut whole = begin(|body| body).await;
    store.called(&Method::PUT, stored).await;
    store.is(StoreMode::Waits);
    let read = store.count(&Method::GET);
    let socket = TcpStream::connect(service.address()).await;
    let mut reader = socket.expect("a connection");
    let request = format!("GET /i/{hash} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    reader.write_all(request.as_bytes()).await.expect("a head");
    store.called(&Method::GET, read).await;
    service.terminate();
    let began = Instant::now();
    // Cut off, with an answer or without.
    let _ = slow.read_to_end(&mut Vec::new()).await;
    // An upload that sends nothing is given up after 30 s.
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
    store.is(StoreMode::Well);
    let mut answer = [0; 12];
    whole.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 201");
    reader.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
    assert!(service.stop().await.success());
}

#[tokio::test]
async fn a_heartbeat_is_the_same_in_memory_and_on_disk() {
    let mut service = TestService::start(&[]).await;
    let lock = WriteLock::take(&service);
    let body = json!({"application": "Zed", "applicationOnline": true}).to_string();
    hang_up(&service, "/heartbeat", "POST /heartbeat", body.as_bytes()).await;
    lock.release();
    let check = eventually("the heartbeat counts", async || {
        let check = service.json("/check").await;
        (check["application"] == "Zed").then_some(check)
    })
    .await;
    service.restart().await;
    assert_eq!(service.json("/check").await, check);
}
