//! Commands beside the running service: where they send images and tokens.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use porchlight_service::http::client::{Client, ClientError, Endpoint, Find};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::harness::process::{Ended, RunningProcess};
use crate::harness::stand_in::{Reply, StandIn};
use crate::harness::{TIMEOUT, TestService, free_port};
use crate::{Report, Uploader, folder};

/// `porchlight upload` of a folder beside the service, without an address. Its token is one of another service.
async fn upload_beside(service: &TestService, pictures: &Path) -> Ended {
    let uploader = Uploader::new();
    let mut command = uploader.command(&["--json"]);
    command.arg("--data-dir").arg(service.data_dir());
    command.arg("--folder").arg(pictures);
    RunningProcess::spawn(command).ended().await
}

/// The token in the instance file.
fn token_beside(service: &TestService) -> String {
    let file = std::fs::read(service.data_dir().join("running.json")).expect("a file");
    let discovery: Value = serde_json::from_slice(&file).expect("JSON");
    discovery["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn another_program_on_the_port_of_the_ended_service_gets_no_token() {
    for is_killed in [false, true] {
        let address = format!("127.0.0.1:{}", free_port());
        let mut service = TestService::builder().listen(&address).start().await;
        let pictures = folder::of_pictures(1);
        if is_killed {
            service.kill().await;
        } else {
            service.stop().await;
        }
        let answer = |_: &_| Reply::json(201, &json!({ "hash": "ab12" }));
        let other = StandIn::start_at(&address, answer).await;
        let ended = upload_beside(&service, pictures.path()).await;
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert!(ended.stderr.contains("no Porchlight serves"), "{ended:?}");
        let calls = other.calls();
        assert!(calls.is_empty(), "killed: {is_killed}: {calls:?}");
        drop(other);
        service.restart().await;
        let report = Report::of(upload_beside(&service, pictures.path()).await);
        assert_eq!(report.counts(), [1, 0, 0, 0], "{report:?}");
    }
}

#[tokio::test]
async fn a_service_that_starts_again_elsewhere_is_found() {
    let mut service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(1);
    let report = Report::of(upload_beside(&service, pictures.path()).await);
    assert_eq!(report.counts(), [1, 0, 0, 0], "{report:?}");
    // On another free port, with another token.
    let before = token_beside(&service);
    service.restart().await;
    assert_ne!(before, token_beside(&service));
    let report = Report::of(upload_beside(&service, pictures.path()).await);
    assert_eq!(report.counts(), [0, 1, 0, 0], "{report:?}");
}

#[tokio::test]
async fn the_token_for_commands_beside_it_uploads_and_does_nothing_else_and_ends_with_the_run() {
    let mut service = TestService::start(&[]).await;
    let hash = service.stored(folder::picture()).await;
    let token = token_beside(&service);
    let path = format!("/images/{hash}");
    let ask = async |service: &TestService, method: Method, path: &str| {
        let request = service.request(method, path).bearer_auth(&token);
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(ask(&service, Method::DELETE, &path).await, 403);
    assert_eq!(ask(&service, Method::POST, "/heartbeat").await, 403);
    let by_source = format!("/images/by-source/{}", "0".repeat(64));
    assert_eq!(ask(&service, Method::GET, &by_source).await, 404);
    service.restart().await;
    assert_eq!(ask(&service, Method::GET, &by_source).await, 401);
}

/// The service stops between its discovery and the connection, and another program has its port by
/// then.
#[tokio::test]
async fn on_a_connection_that_is_not_to_the_service_nothing_is_sent() {
    let other = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let target = Endpoint {
        base: format!("http://{}", other.local_addr().expect("an address")),
        token: "a-secret-token".to_owned().into(),
    };
    let looks = AtomicUsize::new(0);
    let first = target.clone();
    let find: Find = Arc::new(move || match looks.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(target.clone()),
        _ => Err("it has ended".to_owned()),
    });
    let client = Client::of_this_machine(first, find, TIMEOUT).expect("a client");
    let asking = tokio::spawn(async move { client.find_source(&[0; 32]).await });
    let (mut stream, _) = other.accept().await.expect("a connection");
    let mut sent = Vec::new();
    // However the connection ends.
    let _ = stream.read_to_end(&mut sent).await;
    assert_eq!(String::from_utf8_lossy(&sent), "");
    let refused = asking.await.expect("no panic").expect_err("refused");
    let ClientError::Unreachable { .. } = &refused else {
        panic!("{refused}");
    };
    assert!(refused.to_string().contains("another program"), "{refused}");
}
