//! Servers that are slow, full, gone, or not what they should be.

use crate::Uploader;
use crate::folder;
use crate::harness::{TestService, free_port};
use crate::plain::{Plain, Trouble};

#[tokio::test]
async fn uploads_are_retried_after_temporary_errors() {
    let plain = Plain::start(&[
        Trouble::Wait(1),
        Trouble::Status(503),
        Trouble::Status(500),
        Trouble::Cut,
    ])
    .await;
    let pictures = folder::of_pictures(6);
    let began = std::time::Instant::now();
    let report = Uploader::new()
        .run_json(pictures.path(), &plain.url(), &["--concurrent", "2"])
        .await;
    assert!(began.elapsed().as_millis() >= 1000, "it was asked to wait");
    assert_eq!(report.code, Some(0), "{report:?}");
    // The one whose response was cut off was stored at the retry.
    assert_eq!(report.counts(), [5, 1, 0, 0], "{report:?}");
    assert_eq!(plain.arrived(), (7, 6));
}

#[tokio::test]
async fn lasting_failures_are_named_after_the_retries_and_the_rest_continues() {
    let plain = Plain::start(&[Trouble::Status(503); 2]).await;
    let pictures = folder::of_pictures(3);
    let more = ["--concurrent", "1", "--retries", "1"];
    let report = Uploader::new()
        .run_json(pictures.path(), &plain.url(), &more)
        .await;
    assert_eq!(report.code, Some(1));
    assert_eq!(report.counts(), [2, 0, 0, 1], "{report:?}");
    let failed = report.of_status("failed");
    let reason = failed[0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the service answered 503"), "{reason}");
}

#[tokio::test]
async fn invalid_files_are_not_retried() {
    for status in [400, 404, 413, 415, 422] {
        let plain = Plain::start(&[Trouble::Status(status)]).await;
        let pictures = folder::of_pictures(1);
        let report = Uploader::new()
            .run_json(pictures.path(), &plain.url(), &[])
            .await;
        assert_eq!(report.counts(), [0, 0, 0, 1], "{status}: {report:?}");
        assert_eq!(plain.arrived(), (0, 0), "{status}");
    }
}

#[tokio::test]
async fn a_wrong_token_is_reported_once_and_stops_the_run() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(30);
    let report = Uploader::with_token("unknown-token")
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(report.code, Some(1));
    let why = report.summary["stopped"].as_str().expect("a reason");
    assert!(why.contains("refused the token"), "{why}");
    assert!(report.stderr.contains("refused the token"), "{report:?}");
    assert!(!report.stderr.contains("unknown-token"));
    assert!(report.lines.len() < 15, "the rest is not tried: {report:?}");
    assert_eq!(service.count().await, 0);
}

#[tokio::test]
async fn a_heartbeat_token_uploads_nothing_and_an_upload_token_suffices() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(2);
    let heartbeat = service.token("heartbeat").await;
    let report = Uploader::with_token(&heartbeat)
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(report.code, Some(1));
    assert!(report.stderr.contains("refused the token"), "{report:?}");
    let upload = service.token("upload").await;
    let report = Uploader::with_token(&upload)
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(report.counts(), [2, 0, 0, 0], "{report:?}");
}

#[tokio::test]
async fn an_unreachable_service_is_reported_in_a_sentence() {
    let api = format!("http://127.0.0.1:{}", free_port());
    let pictures = folder::of_pictures(1);
    let report = Uploader::new()
        .run_json(pictures.path(), &api, &["--retries", "1"])
        .await;
    assert_eq!(report.code, Some(1));
    assert!(report.stderr.contains("did not answer"), "{report:?}");
    assert!(
        report.stderr.contains("refused"),
        "the cause is named: {report:?}"
    );
}

#[tokio::test]
async fn a_lost_service_stops_the_run_and_the_next_run_continues() {
    let plain = Plain::start(&[Trouble::Cut; 4]).await;
    let pictures = folder::of_pictures(20);
    let uploader = Uploader::new();
    let more = ["--concurrent", "1", "--retries", "0"];
    let report = uploader
        .run_json(pictures.path(), &plain.url(), &more)
        .await;
    assert_eq!(report.code, Some(1));
    let why = report.summary["stopped"].as_str().expect("a reason");
    assert!(why.contains("did not answer"), "{why}");
    assert!(report.lines.len() < 20, "the rest is not tried: {report:?}");
    // What troubles are left meet the next run, which tries again.
    let report = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(report.code, Some(0), "{report:?}");
    assert_eq!(plain.arrived().1, 20);
}

#[tokio::test]
async fn many_more_at_once_than_the_rate_allows_all_arrive() {
    let sets = ["limits.requests_per_second=5", "limits.burst=2"];
    let service = TestService::start(&sets).await;
    let pictures = folder::of_pictures(30);
    let report = Uploader::of(&service)
        .run_json(pictures.path(), &service.url(""), &["--concurrent", "16"])
        .await;
    assert_eq!(report.counts(), [30, 0, 0, 0], "{report:?}");
    assert_eq!(service.count().await, 30);
}

/// A name of two lines.
#[cfg(unix)]
#[tokio::test]
async fn without_json_each_is_a_line_and_failures_are_on_standard_error() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(2);
    std::fs::write(pictures.path().join("line\nbreak.jpg"), "no picture").expect("a file");
    let mut command = Uploader::of(&service).command(&["--api", &service.url("")]);
    command.arg("--folder").arg(pictures.path());
    let ended = crate::harness::process::RunningProcess::spawn(command)
        .ended()
        .await;
    assert_eq!(ended.status.code(), Some(1));
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{ended:?}");
    assert_eq!(ended.stdout.matches("uploaded  ").count(), 2);
    assert!(lines[2].starts_with("2 uploaded ("), "{ended:?}");
    assert!(lines[2].ends_with("0 already there, 0 skipped, 1 failed"));
    assert!(ended.stderr.contains("line\\nbreak.jpg"), "{ended:?}");
    assert_eq!(crate::times_sent(&service).await, 3);
}
