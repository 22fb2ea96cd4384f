//! More clients than the system has file handles for: some wait, and those
//! being served are not affected.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{TestService, eventually, form, pictures, raw};

/// Handles that the service may have open.
const HANDLES: usize = 128;
/// Clients that connect and send nothing.
const CROWD: usize = 300;

/// How many connections of the service's own process are open.
fn sockets(service: &TestService) -> usize {
    let handles = fs::read_dir(format!("/proc/{}/fd", service.pid())).expect("it runs");
    handles
        .filter_map(|handle| fs::read_link(handle.ok()?.path()).ok())
        .filter(|target: &PathBuf| target.to_string_lossy().starts_with("socket:"))
        .count()
}

/// The head of the request that uploads an image, and its body.
fn upload(service: &TestService) -> (String, Vec<u8>) {
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let head = format!(
        "POST /images/add HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        service.admin_token,
        body.len()
    );
    (head, body)
}

/// Waits until the service reads the body of an upload.
async fn has_started(service: &TestService) {
    eventually("the upload has started", async || {
        let counted = service.json("/api_stats/images/add").await;
        (counted["count"] != 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_crowd_of_callers_leaves_handles_for_the_work() {
    let limit = format!("ulimit -n {HANDLES} && exec \"$0\" \"$@\"");
    let service = TestService::builder()
        .wrapped_in(&["sh", "-c", &limit])
        .start()
        .await;
    // The owner was there before the crowd.
    let (head, body) = upload(&service);
    let mut owner = TcpStream::connect(service.address())
        .await
        .expect("a connection");
    owner.write_all(head.as_bytes()).await.expect("a head");
    has_started(&service).await;
    let alone = sockets(&service);

    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        let caller = TcpStream::connect(service.address()).await;
        crowd.push(caller.expect("a place in the queue"));
    }
    eventually("the crowd has come in", async || {
        (sockets(&service) >= alone + HANDLES / 8).then_some(())
    })
    .await;

    // Storing an image needs file handles, too.
    owner.write_all(&body).await.expect("a body");
    let mut answer = [0; 12];
    owner.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 201", "{}", service.stderr());
    assert!(sockets(&service) < HANDLES * 3 / 4, "{}", sockets(&service));
    assert!(!service.stderr().contains("could not be taken"));

    drop(crowd);
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn half_open_connections_do_not_keep_readers_out() {
    let limit = format!("ulimit -n {} && exec \"$0\" \"$@\"", 4 * HANDLES);
    let service = TestService::builder()
        .wrapped_in(&["sh", "-c", &limit])
        .start()
        .await;
    // An upload that started before them and is slower.
    let (head, body) = upload(&service);
    let mut owner = TcpStream::connect(service.address()).await.expect("a line");
    owner.write_all(head.as_bytes()).await.expect("a head");
    owner.write_all(&body[..100]).await.expect("a beginning");
    has_started(&service).await;

    let mut crowd = Vec::new();
    for number in 0..3 * HANDLES {
        let mut caller = TcpStream::connect(service.address())
            .await
            .expect("a place in the queue");
        // Some have received an answer and are idle like the others.
        let sent: &[u8] = match number % 4 {
            0 => b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n",
            _ => b"GET /check HTTP/1.1\r\nHost: ",
        };
        // Refused once it was closed to make room.
        let _ = caller.write_all(sent).await;
        crowd.push(caller);
    }
    let began = Instant::now();
    let reader = crate::harness::http();
    for _ in 0..5 {
        let answer = reader.get(service.url("/check")).send().await;
        assert_eq!(answer.expect("an answer").status(), 200);
    }
    // The time limit for heads would close connections, too.
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );

    owner.write_all(&body[100..]).await.expect("the rest");
    let mut answer = [0; 12];
    owner.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 201", "{}", service.stderr());
    drop(crowd);
}

/// The header by which a proxy names a client.
fn of(address: &str) -> String {
    format!("X-Forwarded-For: {address}\r\n")
}

/// The start of an answer; empty where there is none.
async fn status(socket: &mut TcpStream) -> String {
    let mut answer = [0; 12];
    let _ = socket.read_exact(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn one_address_has_a_quarter_of_the_connections_for_its_requests() {
    // There are 128 connections.
    let limit = format!("ulimit -n {} && exec \"$0\" \"$@\"", 4 * HANDLES);
    let service = TestService::builder()
        .wrapped_in(&["sh", "-c", &limit])
        .sets(&["server.client_ip=x-forwarded-for", "images.quality=100"])
        .start()
        .await;
    // One that is streamed, and one that is kept in memory and is more than the system buffers.
    let large = service.stored(pictures::large()).await;
    let scene = pictures::scene(pictures::next_seed(), 1_700, 1_300);
    let in_memory = service.stored(pictures::png(&scene)).await;
    let size = service.webp(&in_memory).await.len();
    assert!((850_000..1_024 * 1_024).contains(&size), "{size}");
    // So few that none is closed to make room.
    let silent = async |count: usize, headers: &str| {
        let mut readers = Vec::new();
        for number in 0..count {
            let hash = [&large, &in_memory][number % 2];
            readers.push(raw::silent_reader(service.address(), hash, headers).await);
        }
        let mut refused = 0;
        for reader in &mut readers {
            match &*status(reader).await {
                "HTTP/1.1 200" => {}
                "HTTP/1.1 429" => refused += 1,
                other => panic!("{other}"),
            }
        }
        (readers, refused)
    };
    // Those whom a proxy on this machine does not name may be many.
    let (_unnamed, refused) = silent(36, "").await;
    assert_eq!(refused, 0);
    let (of_one, refused) = silent(40, &of("203.0.113.1")).await;
    assert_eq!(refused, 40 - 32);
    let (_others, refused) = silent(2, &of("203.0.113.2")).await;
    assert_eq!(refused, 0);
    drop(of_one);
    eventually("room for the address again", async || {
        let (_, refused) = silent(1, &of("203.0.113.1")).await;
        (refused == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn refused_bodies_that_come_slowly_do_not_keep_readers_out() {
    let limit = format!("ulimit -n {} && exec \"$0\" \"$@\"", 4 * HANDLES);
    let service = TestService::builder()
        .wrapped_in(&["sh", "-c", &limit])
        .set("server.client_ip=x-forwarded-for")
        .start()
        .await;
    let mut crowd = Vec::new();
    for number in 0..2 * HANDLES {
        let mut caller = TcpStream::connect(service.address())
            .await
            .expect("a place in the queue");
        let head = format!(
            "POST /heartbeat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n{}\r\n{{",
            of(&format!("203.0.113.{}", number % 256))
        );
        let _ = caller.write_all(head.as_bytes()).await;
        crowd.push(caller);
    }
    let began = Instant::now();
    let answer = crate::harness::http().get(service.url("/check")).send();
    assert_eq!(answer.await.expect("an answer").status(), 200);
    // A refused body is read for 5 s while no other connection waits.
    let took = began.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    drop(crowd);
}

#[tokio::test]
async fn one_address_does_not_take_all_sockets() {
    // There are 16 sockets, and two of one address.
    let limit = format!("ulimit -n {HANDLES} && exec \"$0\" \"$@\"");
    let service = TestService::builder()
        .wrapped_in(&["sh", "-c", &limit])
        .set("server.client_ip=x-forwarded-for")
        .start()
        .await;
    let open = async |address: &str| {
        let mut socket = TcpStream::connect(service.address()).await.expect("a line");
        let head = format!(
            "GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}\r\n",
            of(address)
        );
        socket.write_all(head.as_bytes()).await.expect("a head");
        socket
    };
    let mut of_one = Vec::new();
    for _ in 0..16 {
        of_one.push(open("203.0.113.1").await);
    }
    let mut opened = 0;
    let mut count = || {
        for socket in &of_one {
            let mut answer = [0; 12];
            let came = socket.try_read(&mut answer).is_ok();
            opened += usize::from(came && &answer == b"HTTP/1.1 101");
        }
        opened
    };
    eventually("two sockets", async || (count() >= 2).then_some(())).await;
    assert_eq!(status(&mut open("203.0.113.2").await).await, "HTTP/1.1 101");
    assert_eq!(count(), 2);
}
