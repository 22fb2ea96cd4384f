//! The reporter against a tiny HTTP server with configured answers.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{HeartbeatTarget, Reporter, ReporterOrders, ShownFile, wait_after};
use crate::error::message::Message;
use crate::http::api_error::ApiError;
use crate::http::client::{Client, ClientError};
use crate::http::replies::HeartbeatFields;
use crate::text::rgba::Rgba;

const LIMIT: Duration = Duration::from_secs(20);

/// Accepts heartbeats and answers each in turn; the last answer repeats.
struct TestService {
    address: SocketAddr,
    taken: mpsc::UnboundedReceiver<HeartbeatFields>,
    task: tokio::task::JoinHandle<()>,
    folder: tempfile::TempDir,
}

impl Drop for TestService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A status line with its headers, and whether fields are echoed.
#[derive(Clone, Copy)]
enum ServiceAnswer {
    WithFields,
    WithoutFields,
    Broken,
    Refused,
    /// With a `Retry-After` of two seconds.
    Later,
}

impl TestService {
    async fn start(answers: &'static [ServiceAnswer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (received, taken) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let mut answers = answers.iter().copied().peekable();
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let fields = request(&mut stream).await;
                let answer = match answers.len() {
                    1 => answers.peek().copied(),
                    _ => answers.next(),
                };
                reply(&mut stream, answer.expect("an answer"), &fields).await;
                if received.send(fields).is_err() {
                    return;
                }
            }
        });
        Self {
            address,
            taken,
            task,
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// A reporter with these orders, which keeps what is shown beside this service.
    fn reporter(&self, orders: ReporterOrders) -> Reporter {
        let reporter = Reporter::start(ShownFile::read(self.folder.path().join("presence-shown")));
        reporter.follow(orders);
        reporter
    }

    fn orders(&self, content: Option<HeartbeatFields>, interval: Duration) -> ReporterOrders {
        let base = format!("http://{}", self.address);
        let target = Client::new(&base, "a-token".to_owned().into(), LIMIT).expect("a client");
        ReporterOrders {
            content,
            interval,
            target: HeartbeatTarget::Other(target),
        }
    }

    async fn next(&mut self) -> HeartbeatFields {
        let next = tokio::time::timeout(LIMIT, self.taken.recv()).await;
        next.expect("a heartbeat in time").expect("a heartbeat")
    }
}

/// At a program of this name.
fn at(application: &str) -> Option<HeartbeatFields> {
    Some(HeartbeatFields {
        application: application.to_owned(),
        introduce: String::new(),
        rgba: Rgba::opaque(1, 2, 3),
        application_online: true,
        track: None,
    })
}

const HOUR: Duration = Duration::from_secs(3_600);

async fn request(stream: &mut TcpStream) -> HeartbeatFields {
    let mut read = Vec::new();
    loop {
        let mut part = [0; 4096];
        let length = stream.read(&mut part).await.expect("to read");
        assert_ne!(length, 0, "the request broke off");
        read.extend_from_slice(&part[..length]);
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(fields) = serde_json::from_str(body)
        {
            assert!(head.starts_with("POST /heartbeat HTTP/1.1"), "{head}");
            assert!(
                head.to_lowercase()
                    .contains("authorization: bearer a-token")
            );
            return fields;
        }
    }
}

async fn reply(stream: &mut TcpStream, answer: ServiceAnswer, fields: &HeartbeatFields) {
    let (status, body) = match answer {
        ServiceAnswer::WithFields => {
            let mut body = serde_json::to_value(fields).expect("fields");
            body["message"] = "Heartbeat received".into();
            ("200 OK", body.to_string())
        }
        ServiceAnswer::WithoutFields => {
            ("200 OK", r#"{"message":"Heartbeat received"}"#.to_owned())
        }
        ServiceAnswer::Broken => (
            "500 Internal Server Error",
            r#"{"error":"Internal server error"}"#.to_owned(),
        ),
        ServiceAnswer::Refused => ("401 Unauthorized", r#"{"error":"Unauthorized"}"#.to_owned()),
        ServiceAnswer::Later => (
            "429 Too Many Requests\r\nRetry-After: 2",
            r#"{"error":"Too many requests"}"#.to_owned(),
        ),
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream
        .write_all((head + &body).as_bytes())
        .await
        .expect("to write");
}

#[tokio::test]
async fn heartbeats_come_at_the_interval() {
    let mut service = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), Duration::from_millis(20)));
    for _ in 0..3 {
        let fields = service.next().await;
        assert_eq!(Some(fields), at("Zed"));
    }
    reporter.stop().await;
}

#[tokio::test]
async fn without_content_nothing_is_sent_not_even_a_goodbye() {
    let mut service = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(None, Duration::from_millis(1)));
    tokio::task::yield_now().await;
    reporter.stop().await;
    assert!(service.taken.try_recv().is_err());
}

#[tokio::test]
async fn a_pause_withdraws_presence_at_once_and_sends_nothing_more() {
    let mut service = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    assert!(service.next().await.application_online);
    reporter.follow(service.orders(None, HOUR));
    assert_eq!(service.next().await, HeartbeatFields::default());
    reporter.stop().await;
    assert!(
        service.taken.try_recv().is_err(),
        "nothing was shown any more"
    );
}

#[tokio::test]
async fn a_failed_pause_is_retried() {
    let mut service = TestService::start(&[
        ServiceAnswer::WithFields,
        ServiceAnswer::Broken,
        ServiceAnswer::WithFields,
    ])
    .await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    assert!(service.next().await.application_online);
    reporter.follow(service.orders(None, HOUR));
    assert_eq!(service.next().await, HeartbeatFields::default());
    assert_eq!(service.next().await, HeartbeatFields::default());
    reporter.stop().await;
}

#[tokio::test]
async fn stopping_sends_a_goodbye_that_shows_nothing() {
    let mut service = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    service.next().await;
    reporter.stop().await;
    assert_eq!(service.next().await, HeartbeatFields::default());
    let kept = service.folder.path().join("presence-shown");
    assert!(!kept.exists(), "nothing is shown any more");
    // What an earlier run has shown elsewhere is not this service's.
    std::fs::write(&kept, "http://127.0.0.1:1").expect("to write");
    service.reporter(service.orders(None, HOUR)).stop().await;
    assert!(service.taken.try_recv().is_err());
}

#[tokio::test]
async fn a_service_that_shows_no_fields_gets_no_goodbye() {
    let mut service = TestService::start(&[ServiceAnswer::WithoutFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    service.next().await;
    let mut state = reporter.state();
    let taken = state.wait_for(|state| state.last_success.is_some()).await;
    assert!(taken.is_ok());
    reporter.stop().await;
    assert!(service.taken.try_recv().is_err());
}

#[tokio::test]
async fn trouble_is_reported_and_ends_when_the_service_is_back() {
    let mut service = TestService::start(&[ServiceAnswer::Broken, ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    let mut state = reporter.state();
    let troubled = state.wait_for(|state| state.trouble.is_some());
    let trouble = troubled.await.expect("a state").trouble.clone();
    assert_eq!(
        trouble.map(|why| why.to_string()).as_deref(),
        Some("the service answered 500: Internal server error")
    );
    service.next().await;
    service.next().await;
    let recovered = state.wait_for(|state| state.trouble.is_none());
    assert!(recovered.await.expect("a state").last_success.is_some());
    reporter.stop().await;
}

#[tokio::test]
async fn a_new_target_gets_heartbeats_and_the_old_one_is_cleared() {
    let mut old = TestService::start(&[ServiceAnswer::WithFields]).await;
    let mut new = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = old.reporter(old.orders(at("Zed"), HOUR));
    assert!(old.next().await.application_online);
    reporter.follow(new.orders(at("Zed"), HOUR));
    assert_eq!(old.next().await, HeartbeatFields::default());
    assert!(new.next().await.application_online);
    reporter.stop().await;
}

#[tokio::test]
async fn a_change_is_posted_before_the_interval_is_over() {
    let mut service = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    assert_eq!(Some(service.next().await), at("Zed"));
    reporter.follow(service.orders(at("Firefox"), HOUR));
    assert_eq!(Some(service.next().await), at("Firefox"));
    reporter.stop().await;
}

#[tokio::test]
async fn of_many_changes_within_a_second_the_newest_alone_is_posted() {
    let mut service = TestService::start(&[ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    service.next().await;
    let started = Instant::now();
    for number in 0..50 {
        reporter.follow(service.orders(at(&format!("program {number}")), HOUR));
    }
    assert_eq!(Some(service.next().await), at("program 49"));
    assert!(
        started.elapsed() > Duration::from_millis(800),
        "a second apart"
    );
    reporter.stop().await;
    assert_eq!(
        service.next().await,
        HeartbeatFields::default(),
        "the goodbye"
    );
    assert!(service.taken.try_recv().is_err());
}

#[tokio::test]
async fn a_change_during_a_wait_is_posted_only_after_it() {
    let mut service = TestService::start(&[ServiceAnswer::Later, ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    service.next().await;
    let started = Instant::now();
    let mut state = reporter.state();
    let waits = state.wait_for(|state| state.next_try.is_some()).await;
    assert_eq!(waits.expect("a state").trouble, Some(Message::AskedToWait));
    reporter.follow(service.orders(at("Firefox"), HOUR));
    // Hiding waits too for a `Retry-After`.
    reporter.follow(service.orders(None, HOUR));
    assert_eq!(service.next().await, HeartbeatFields::default());
    assert!(started.elapsed() > Duration::from_millis(1_800));
    reporter.stop().await;
}

#[tokio::test]
async fn a_pause_does_not_wait_for_a_backoff() {
    let mut service =
        TestService::start(&[ServiceAnswer::Refused, ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    service.next().await;
    let mut state = reporter.state();
    let troubled = state.wait_for(|state| state.trouble.is_some()).await;
    assert_eq!(
        troubled.expect("a state").trouble,
        Some(Message::TokenRefused)
    );
    reporter.follow(service.orders(None, HOUR));
    assert_eq!(service.next().await, HeartbeatFields::default());
    reporter.stop().await;
}

#[tokio::test]
async fn a_new_token_is_tried_at_once() {
    let mut service =
        TestService::start(&[ServiceAnswer::Refused, ServiceAnswer::WithFields]).await;
    let mut orders = service.orders(at("Zed"), HOUR);
    let base = orders.target.endpoint().base;
    let other = Client::new(&base, "a-token2".to_owned().into(), LIMIT).expect("a client");
    orders.target = HeartbeatTarget::Other(other);
    let reporter = service.reporter(orders);
    service.next().await;
    let mut state = reporter.state();
    assert!(
        state
            .wait_for(|state| state.trouble.is_some())
            .await
            .is_ok()
    );
    reporter.follow(service.orders(at("Zed"), HOUR));
    service.next().await;
    let recovered = state.wait_for(|state| state.last_success.is_some()).await;
    assert_eq!(recovered.expect("a state").trouble, None);
    reporter.stop().await;
}

#[test]
fn waits_grow_to_a_minute_and_follow_retry_after() {
    let broken = ClientError::of_the_service(&ApiError::Internal, &"the disk");
    let waits: Vec<u64> = (1..=8)
        .map(|failures| wait_after(&broken, failures).as_secs())
        .collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(wait_after(&broken, u32::MAX).as_secs(), 60);
    let failure = ClientError::Answered {
        status: 503,
        text: String::new(),
        is_by_the_service: true,
        retry_after: Some(Duration::from_secs(5)),
    };
    assert_eq!(wait_after(&failure, 1).as_secs(), 5);
    let failure = |seconds| ClientError::Wait {
        retry_after: Some(Duration::from_secs(seconds)),
    };
    assert_eq!(wait_after(&failure(17), 1).as_secs(), 17);
    assert_eq!(wait_after(&failure(0), 1).as_secs(), 1);
    assert_eq!(wait_after(&failure(u64::MAX), 1).as_secs(), 3_600);
    assert_eq!(wait_after(&ClientError::Refused, 1).as_secs(), 60);
}

#[tokio::test]
async fn the_owner_can_end_a_wait() {
    let mut service =
        TestService::start(&[ServiceAnswer::Refused, ServiceAnswer::WithFields]).await;
    let reporter = service.reporter(service.orders(at("Zed"), HOUR));
    service.next().await;
    let mut state = reporter.state();
    let refused = state.wait_for(|state| state.next_try.is_some());
    drop(refused.await.expect("a state"));
    let started = Instant::now();
    // It may not wait yet when its trouble is reported.
    loop {
        reporter.try_now();
        let next = tokio::time::timeout(Duration::from_millis(50), service.taken.recv());
        if next.await.is_ok() {
            break;
        }
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "it was not tried again"
        );
    }
    reporter.stop().await;
}
