//! Timeouts of the service for its clients. The clock is tokio's paused clock,
//! which advances when all tasks wait, so that minutes pass at once; network
//! traffic is real.

use std::net::SocketAddr;
use std::time::Duration;

use porchlight_service::clock::Clock;
use porchlight_service::router::listener_state::Shared;
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;
use porchlight_service::stats::Endpoint;
use porchlight_service::tokens::scope::Scope;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, pause, sleep};
use tokio_util::sync::CancellationToken;

/// More bytes than all buffers between the two ends of a connection hold.
const MUCH: usize = 32 * 1024 * 1024;
/// Where to give up on what should have ended.
const FOR_EVER: Duration = Duration::from_secs(10 * 60);

struct Running {
    service: Service,
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    _folder: TempDir,
}

impl Running {
    async fn start() -> Self {
        Self::greeting(MUCH).await
    }

    /// One whose greeting has so many bytes.
    async fn greeting(bytes: usize) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = Service::open(folder.path(), Settings::default(), Clock::system())
            .await
            .expect("a new data folder");
        let token = "light".to_owned();
        service
            .tokens()
            .accept_for_this_run(Scope::Admin, &token.into());
        let mut settings = porchlight_service::settings::Settings::default();
        settings.server.greeting = "?".repeat(bytes);
        let bound = porchlight_service::router::listen::bind(
            service.clone(),
            ([127, 0, 0, 1], 0).into(),
            Shared::with(settings),
        )
        .await
        .expect("a free port");
        let (address, stop) = (bound.address(), CancellationToken::new());
        let serving = tokio::spawn(bound.serve(stop.clone()));
        Self {
            service,
            address,
            stop,
            serving,
            _folder: folder,
        }
    }

    async fn send(&self, request: &str) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        // A caller who holds little, so that the rest is held for it.
        socket.set_recv_buffer_size(64 * 1024).expect("less room");
        let mut socket = socket.connect(self.address).await.expect("a line");
        let request = request.replace('\n', "\r\n");
        socket.write_all(request.as_bytes()).await.expect("a line");
        socket
    }
}

/// Sends a byte every ten seconds until the answer is there, and returns it
/// with the time that it took.
async fn trickle(socket: &mut TcpStream) -> (String, Duration) {
    let began = Instant::now();
    let mut often = interval(Duration::from_secs(10));
    let mut answer = vec![0; 4096];
    loop {
        tokio::select! {
            read = socket.read(&mut answer) => {
                // A connection that is reset is closed too.
                answer.truncate(read.unwrap_or(0));
                return (String::from_utf8(answer).expect("text"), began.elapsed());
            }
            _ = often.tick() => {
                assert!(began.elapsed() < FOR_EVER, "it is waited for still");
                // Refused by a connection that is closed, which is read next.
                let _ = socket.write_all(b"a").await;
            }
        }
    }
}

/// Reads until the connection is closed; how many bytes came.
async fn read_all(socket: &mut TcpStream) -> usize {
    let mut all = Vec::new();
    let _ = socket.read_to_end(&mut all).await;
    all.len()
}

fn is_about(took: Duration, seconds: u64) -> bool {
    took.as_secs().abs_diff(seconds) <= 2
}

/// A client that takes nothing of a greeting with so many bytes, and a crowd that it made room for.
#[cfg(unix)]
async fn slow_client_in_a_crowd(bytes: usize) -> (Running, TcpStream, Vec<TcpStream>) {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut handles = getrlimit(Resource::Nofile);
    handles.current = handles.maximum;
    setrlimit(Resource::Nofile, handles).expect("within the hard limit");
    let running = Running::greeting(bytes).await;
    let slow = running.send("GET / HTTP/1.1\nHost: localhost\n\n").await;
    slow.readable().await.expect("the start of the answer");
    let mut crowd = Vec::new();
    for _ in 0..1000 {
        crowd.push(TcpStream::connect(running.address).await.expect("a line"));
    }
    // The last of them is served, so room was made before it.
    let last = crowd.last_mut().expect("a line");
    let request = b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    last.write_all(request).await.expect("a line");
    let mut answer = [0; 12];
    last.read_exact(&mut answer).await.expect("an answer");
    (running, slow, crowd)
}

#[cfg(unix)]
#[tokio::test]
async fn a_connection_that_makes_room_and_takes_nothing_is_closed_soon() {
    let (_running, mut slow, _crowd) = slow_client_in_a_crowd(MUCH).await;
    pause();
    sleep(Duration::from_secs(11)).await;
    let came = read_all(&mut slow).await;
    assert!(came < MUCH, "it kept its place");
}

#[cfg(unix)]
#[tokio::test]
async fn a_slow_reader_gets_the_whole_answer_in_a_crowd() {
    let bytes = 2_000_000;
    let (_running, mut slow, _crowd) = slow_client_in_a_crowd(bytes).await;
    pause();
    // 40 KiB a second.
    let (mut came, mut part) = (0, vec![0; 40 * 1024]);
    while came < bytes {
        sleep(Duration::from_secs(1)).await;
        match slow.read(&mut part).await {
            Ok(0) => panic!("cut off after {came} bytes"),
            Ok(read) => came += read,
            Err(error) => panic!("{error} after {came} bytes"),
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_connection_that_makes_room_still_has_its_answer_sent() {
    // So much is held by the system for a client who takes nothing.
    let bytes = 200_000;
    let (_running, mut slow, _crowd) = slow_client_in_a_crowd(bytes).await;
    let (mut taken, mut part) = (0, vec![0; 4096]);
    loop {
        // The start of its next request.
        let _ = slow.write_all(b"G").await;
        match slow.read(&mut part).await {
            Ok(0) => break,
            Ok(read) => taken += read,
            Err(error) => panic!("{error} after {taken} bytes"),
        }
    }
    assert!(taken > bytes, "{taken}");
}

#[tokio::test]
async fn a_response_that_is_not_read_is_aborted() {
    let running = Running::start().await;
    let mut socket = running
        .send("GET / HTTP/1.1\nHost: localhost\nConnection: close\n\n")
        .await;
    // Its start has arrived: from now on nothing is read.
    socket.read_u8().await.expect("an answer");
    pause();
    sleep(Duration::from_secs(40)).await;
    let came = read_all(&mut socket).await;
    assert!(came < MUCH, "it was held ready for ever");
}

#[tokio::test]
async fn a_slow_reader_gets_the_whole_answer() {
    let running = Running::start().await;
    let mut socket = running
        .send("GET / HTTP/1.1\nHost: localhost\nConnection: close\n\n")
        .await;
    socket.read_u8().await.expect("an answer");
    pause();
    // Some 25 KB a second.
    let (mut came, mut part) = (1, vec![0; 512 * 1024]);
    loop {
        sleep(Duration::from_secs(20)).await;
        match socket.read_exact(&mut part).await {
            Ok(read) => came += read,
            Err(_) => break,
        }
    }
    assert!(came + part.len() > MUCH, "cut off after {came} bytes");
}

#[tokio::test]
async fn a_stop_does_not_wait_long_for_those_who_take_nothing() {
    let running = Running::start().await;
    let mut socket = running.send("GET / HTTP/1.1\nHost: localhost\n\n").await;
    socket.read_u8().await.expect("an answer");
    pause();
    let began = Instant::now();
    running.stop.cancel();
    running.serving.await.expect("no panic");
    assert!(is_about(began.elapsed(), 5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_stop_waits_for_a_reader_who_takes_slowly() {
    let bytes = 2_000_000;
    let running = Running::greeting(bytes).await;
    let mut socket = running.send("GET / HTTP/1.1\nHost: localhost\n\n").await;
    socket.read_u8().await.expect("an answer");
    pause();
    running.stop.cancel();
    let (mut came, mut part) = (1, vec![0; 100 * 1024]);
    while came < bytes {
        sleep(Duration::from_secs(1)).await;
        match socket.read(&mut part).await {
            Ok(0) => panic!("cut off after {came} bytes"),
            Ok(read) => came += read,
            Err(error) => panic!("{error} after {came} bytes"),
        }
    }
    running.serving.await.expect("no panic");
}

#[tokio::test]
async fn a_stop_waits_for_a_body_that_comes_slowly() {
    let running = Running::start().await;
    let body = r#"{"application": "Zed"}"#;
    let head = format!(
        "POST /heartbeat HTTP/1.1\nHost: localhost\nAuthorization: Bearer light\n\
         Content-Type: application/json\nContent-Length: {}\n\n",
        body.len()
    );
    let mut socket = running.send(&head).await;
    while running.service.stats().total(Endpoint::Heartbeat).count == 0 {
        tokio::task::yield_now().await;
    }
    pause();
    running.stop.cancel();
    for byte in body.bytes() {
        sleep(Duration::from_secs(1)).await;
        socket.write_u8(byte).await.expect("it is waited for");
    }
    let mut answer = [0; 12];
    socket.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn a_heartbeat_that_comes_byte_by_byte_is_aborted() {
    let running = Running::start().await;
    for kind in [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let before = running.service.stats().total(Endpoint::Heartbeat).count;
        let head = format!(
            "POST /heartbeat HTTP/1.1\nHost: localhost\nAuthorization: Bearer light\n\
             Content-Type: {kind}\nContent-Length: 60000\n\n"
        );
        let mut socket = running.send(&head).await;
        while running.service.stats().total(Endpoint::Heartbeat).count == before {
            tokio::task::yield_now().await;
        }
        pause();
        let (answer, took) = trickle(&mut socket).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{kind}: {answer}");
        assert!(answer.contains(r#"{"error":"#), "{kind}: {answer}");
        assert!(is_about(took, 30), "{kind}: {took:?}");
        tokio::time::resume();
    }
    assert_eq!(running.service.presence().check().last_heartbeat, 0);
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_is_aborted() {
    let running = Running::start().await;
    let mut socket = running.send("GET / HTTP/1.1\nHost: ").await;
    // Another one, taken after it: so that one is being waited for.
    let mut other = running
        .send("GET /check HTTP/1.1\nHost: localhost\n\n")
        .await;
    other.read_u8().await.expect("an answer");
    pause();
    let (answer, took) = trickle(&mut socket).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 408 "),
        "{answer}"
    );
    assert!(is_about(took, 5), "{took:?}");
}

#[tokio::test]
async fn the_rest_of_a_refused_upload_is_read_for_a_while_and_no_longer() {
    let running = Running::start().await;
    let head = "POST /images/add HTTP/1.1\nHost: localhost\nContent-Length: 60000000\n\n";
    let mut socket = running.send(head).await;
    pause();
    let (answer, _) = trickle(&mut socket).await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let (rest, took) = trickle(&mut socket).await;
    assert_eq!(rest, "");
    assert!(is_about(took, 5), "{took:?}");
}

#[tokio::test]
async fn only_some_megabytes_of_a_refused_upload_are_read() {
    const ANNOUNCED: usize = 200_000_000;
    let running = Running::start().await;
    for length in [
        format!("Content-Length: {ANNOUNCED}"),
        "Transfer-Encoding: chunked".to_owned(),
    ] {
        let head = format!("POST /images/add HTTP/1.1\nHost: localhost\n{length}\n\n");
        let mut socket = running.send(&head).await;
        let chunk = [b"10000\r\n".as_slice(), &[b'a'; 0x10000], b"\r\n"].concat();
        let mut sent = 0;
        while sent < ANNOUNCED && socket.write_all(&chunk).await.is_ok() {
            sent += chunk.len();
        }
        // Besides 8 MiB, the system's buffers were filled.
        assert!(sent < 8 * 1024 * 1024 + MUCH, "{length}: {sent}");
    }
}

#[tokio::test]
async fn an_upload_that_comes_byte_by_byte_times_out() {
    let running = Running::start().await;
    for part in [
        // The image's own bytes, another field's, and before all parts.
        "--x\nContent-Disposition: form-data; name=\"image\"\n\n",
        "--x\nContent-Disposition: form-data; name=\"a\"\n\n",
        "",
    ] {
        let before = running.service.stats().total(Endpoint::AddImage).count;
        let head = format!(
            "POST /images/add HTTP/1.1\nHost: localhost\nAuthorization: Bearer light\n\
             Content-Type: multipart/form-data; boundary=x\nContent-Length: 90000\n\n{part}"
        );
        let mut socket = running.send(&head).await;
        while running.service.stats().total(Endpoint::AddImage).count == before {
            tokio::task::yield_now().await;
        }
        pause();
        let (answer, took) = trickle(&mut socket).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{part}: {answer}");
        assert!(
            answer.contains(r#"{"error":"Request timeout"}"#),
            "{answer}"
        );
        assert!(is_about(took, 60), "{part}: {took:?}");
        tokio::time::resume();
    }
}

#[tokio::test]
async fn an_upload_that_stops_times_out_sooner() {
    let running = Running::start().await;
    let head = "POST /images/add HTTP/1.1\nHost: localhost\nAuthorization: Bearer light\n\
         Content-Type: multipart/form-data; boundary=x\nContent-Length: 90000\n\n--x";
    let mut socket = running.send(head).await;
    while running.service.stats().total(Endpoint::AddImage).count == 0 {
        tokio::task::yield_now().await;
    }
    pause();
    let began = Instant::now();
    let mut answer = [0; 13];
    socket.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 408 ");
    assert!(is_about(began.elapsed(), 30), "{:?}", began.elapsed());
}
