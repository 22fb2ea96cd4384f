//! Servers that are slow, full, gone, or not what they should be.

use crate::folder;
use crate::harness::TestService;
use crate::harness::process::RunningProcess;
use crate::plain::{Plain, Trouble};
use crate::{Uploader, times_sent};

#[tokio::test]
async fn what_passes_is_tried_again_and_arrives() {
    let plain = Plain::start(&[
        Trouble::Wait(1),
        Trouble::Status(503),
        Trouble::Status(500),
        Trouble::Cut,
    ])
    .await;
    let pictures = folder::of_pictures(6);
    let began = std::time::Instant::now();
    let told = Uploader::new()
        .run_json(pictures.path(), &plain.url(), &["--concurrent", "2"])
        .await;
    assert!(began.elapsed().as_millis() >= 1000, "it was asked to wait");
    assert_eq!(told.code, Some(0), "{told:?}");
    // The one whose answer broke off was there at the next try.
    assert_eq!(told.counts(), [5, 1, 0, 0], "{told:?}");
    assert_eq!(plain.arrived(), (7, 6));
}

#[tokio::test]
async fn what_stays_is_named_after_the_retries_and_the_rest_goes_on() {
    let plain = Plain::start(&[Trouble::Status(503); 2]).await;
    let pictures = folder::of_pictures(3);
    let more = ["--concurrent", "1", "--retries", "1"];
    let told = Uploader::new()
        .run_json(pictures.path(), &plain.url(), &more)
        .await;
    assert_eq!(told.code, Some(1));
    assert_eq!(told.counts(), [2, 0, 0, 1], "{told:?}");
    let failed = told.of_status("failed");
    let reason = failed[0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the service answered 503"), "{reason}");
}

#[tokio::test]
async fn what_is_wrong_is_not_tried_again() {
    for status in [400, 404, 413, 415, 422] {
        let plain = Plain::start(&[Trouble::Status(status)]).await;
        let pictures = folder::of_pictures(1);
        let told = Uploader::new()
            .run_json(pictures.path(), &plain.url(), &[])
            .await;
        assert_eq!(told.counts(), [0, 0, 0, 1], "{status}: {told:?}");
        assert_eq!(plain.arrived(), (0, 0), "{status}");
    }
}

#[tokio::test]
async fn a_wrong_token_is_said_once_and_ends_it() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(30);
    let told = Uploader::with_token("nobody-knows-this-one")
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(told.code, Some(1));
    let why = told.summary["stopped"].as_str().expect("a reason");
    assert!(why.contains("refused the token"), "{why}");
    assert!(told.stderr.contains("refused the token"), "{told:?}");
    assert!(!told.stderr.contains("nobody-knows-this-one"));
    assert!(told.lines.len() < 15, "the rest is not tried: {told:?}");
    assert_eq!(service.count().await, 0);
}

#[tokio::test]
async fn a_token_for_heartbeats_alone_uploads_nothing_and_one_for_uploads_is_enough() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(2);
    let heartbeat = service.token("heartbeat").await;
    let told = Uploader::with_token(&heartbeat)
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(told.code, Some(1));
    assert!(told.stderr.contains("refused the token"), "{told:?}");
    let upload = service.token("upload").await;
    let told = Uploader::with_token(&upload)
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(told.counts(), [2, 0, 0, 0], "{told:?}");
}

#[tokio::test]
async fn nobody_there_is_said_in_a_sentence() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let api = format!("http://{}", gone.local_addr().expect("an address"));
    drop(gone);
    let pictures = folder::of_pictures(1);
    let told = Uploader::new()
        .run_json(pictures.path(), &api, &["--retries", "1"])
        .await;
    assert_eq!(told.code, Some(1));
    assert!(told.stderr.contains("did not answer"), "{told:?}");
    assert!(
        told.stderr.contains("refused"),
        "the cause is named: {told:?}"
    );
}

#[tokio::test]
async fn a_service_that_went_away_ends_it_and_the_next_run_goes_on() {
    let plain = Plain::start(&[Trouble::Cut; 4]).await;
    let pictures = folder::of_pictures(20);
    let uploader = Uploader::new();
    let more = ["--concurrent", "1", "--retries", "0"];
    let told = uploader
        .run_json(pictures.path(), &plain.url(), &more)
        .await;
    assert_eq!(told.code, Some(1));
    let why = told.summary["stopped"].as_str().expect("a reason");
    assert!(why.contains("did not answer"), "{why}");
    assert!(told.lines.len() < 20, "the rest is not tried: {told:?}");
    // What troubles are left meet the next run, which tries again.
    let told = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(plain.arrived().1, 20);
}

#[tokio::test]
async fn many_more_at_once_than_the_rate_allows_all_arrive() {
    let sets = ["limits.requests_per_second=5", "limits.burst=2"];
    let service = TestService::start(&sets).await;
    let pictures = folder::of_pictures(30);
    let told = Uploader::of(&service)
        .run_json(pictures.path(), &service.url(""), &["--concurrent", "16"])
        .await;
    assert_eq!(told.counts(), [30, 0, 0, 0], "{told:?}");
    assert_eq!(service.count().await, 30);
}

#[tokio::test]
async fn without_json_each_is_a_line_and_failures_are_on_standard_error() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(2);
    std::fs::write(pictures.path().join("line\nbreak.jpg"), "no picture").expect("a file");
    let mut command = Uploader::of(&service).command(&["--api", &service.url("")]);
    command.arg("--folder").arg(pictures.path());
    let ended = RunningProcess::spawn(command).ended().await;
    assert_eq!(ended.status.code(), Some(1));
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{ended:?}");
    assert_eq!(ended.stdout.matches("uploaded  ").count(), 2);
    assert!(lines[2].starts_with("2 uploaded ("), "{ended:?}");
    assert!(lines[2].ends_with("0 already there, 0 skipped, 1 failed"));
    assert!(ended.stderr.contains("line\\nbreak.jpg"), "{ended:?}");
    assert_eq!(times_sent(&service).await, 3);
}
