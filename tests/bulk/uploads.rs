//! What arrives, and what is not sent a second time.

use crate::folder;
use crate::harness::process::RunningProcess;
use crate::harness::{TestService, files, pictures};
use crate::plain::Plain;
use crate::{Report, Uploader, times_sent};

#[tokio::test]
async fn names_of_every_kind_arrive_once_each() {
    let service = TestService::start(&[]).await;
    let uploader = Uploader::of(&service);
    let odd = tempfile::tempdir().expect("a folder");
    let (pictures, skipped) = folder::odd(odd.path());

    let first = uploader.run_json(odd.path(), &service.url(""), &[]).await;
    assert_eq!(first.counts(), [pictures, 0, skipped, 0], "{first:?}");
    assert_eq!(first.code, Some(0));
    assert_eq!(service.count().await, pictures);
    assert_eq!(times_sent(&service).await, pictures);

    let second = uploader.run_json(odd.path(), &service.url("/"), &[]).await;
    assert_eq!(second.counts(), [0, pictures, skipped, 0], "{second:?}");
    assert_eq!(
        times_sent(&service).await,
        pictures,
        "nothing is sent again"
    );
}

#[tokio::test]
async fn new_pictures_are_in_the_album_that_is_named() {
    let service = TestService::start(&[]).await;
    let uploader = Uploader::of(&service);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.jpg"), pictures::photo()).expect("a file");
    let (folder, api) = (folder.path(), service.url(""));
    let report = uploader
        .run_json(folder, &api, &["--album", "猫 & co"])
        .await;
    assert_eq!(report.counts(), [1, 0, 0, 0], "{report:?}");
    let page = service.json("/images/list?album=%E7%8C%AB+%26%20co").await;
    assert_eq!(page["images"][0]["hash"], report.lines[0]["hash"]);
}

/// Typora's custom command gets paths as they are in the document.
#[tokio::test]
async fn percent_encoded_paths_and_file_addresses_are_found() {
    let service = TestService::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("图片 1");
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::write(inside.join("a b.png"), pictures::photo()).expect("a file");
    std::fs::write(inside.join("100%25.png"), pictures::photo()).expect("a file");
    let inside = inside.to_str().expect("UTF-8");
    let encoded = inside.replace(' ', "%20");
    let address = encoded
        .replace("图片", "%E5%9B%BE%E7%89%87")
        .replace('\\', "/");
    let slash = if cfg!(windows) { "/" } else { "" };
    let named = [
        format!("{inside}/a b.png"),
        format!("{encoded}/a%20b.png"),
        format!("file://{slash}{address}/a%20b.png"),
        format!("{inside}/100%25.png"),
    ];
    let uploader = Uploader::of(&service);
    let api = service.url("");
    let mut command = uploader.command(&["--links", "--api", &api]);
    command.args(&named);
    let ended = RunningProcess::spawn(command).ended().await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let links: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(
        (links.len(), links[0], links[1]),
        (4, links[1], links[2]),
        "{links:?}"
    );
    assert_eq!(service.count().await, 2);
    let gone = format!("{encoded}/gone%20.png");
    let mut command = uploader.command(&["--api", &api]);
    command.arg(&gone);
    let ended = RunningProcess::spawn(command).ended().await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("gone%20.png"), "{ended:?}");
}

#[tokio::test]
async fn each_picture_is_a_line_of_json_and_the_summary_is_the_last() {
    let service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(2);
    let bytes: u64 = ["000.jpg", "001.jpg"]
        .map(|name| pictures.path().join(name))
        .map(|file| std::fs::metadata(file).expect("a file").len())
        .iter()
        .sum();
    std::fs::write(pictures.path().join("broken.jpg"), "no picture").expect("a file");
    std::fs::write(pictures.path().join("empty.jpg"), "").expect("a file");
    let report = Uploader::of(&service)
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    assert_eq!(report.code, Some(1));
    assert_eq!(report.counts(), [2, 0, 0, 2]);
    let mut stored = 0;
    for line in report.of_status("uploaded") {
        let hash = line["hash"].as_str().expect("a hash");
        stored += service.webp(hash).await.len() as u64;
        assert!(line["file"].as_str().expect("a name").ends_with(".jpg"));
    }
    assert_eq!(report.summary["bytes_before"], bytes);
    assert_eq!(report.summary["bytes_after"], stored);
    assert!(report.summary["stopped"].is_null());
    let mut reasons: Vec<&str> = report
        .of_status("failed")
        .iter()
        .map(|line| line["reason"].as_str().expect("a reason"))
        .collect();
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [
            "the file is empty",
            "the service answered 415: Unsupported image format"
        ]
    );
    assert_eq!(
        times_sent(&service).await,
        3,
        "what is wrong is not tried again"
    );
}

#[tokio::test]
async fn the_same_bytes_under_two_names_are_sent_once() {
    let service = TestService::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder::picture();
    for name in ["a.jpg", "b.jpg", "c.jpg", "d.jpg"] {
        std::fs::write(folder.path().join(name), &picture).expect("a file");
    }
    let report = Uploader::of(&service)
        .run_json(folder.path(), &service.url(""), &[])
        .await;
    assert_eq!(report.counts(), [1, 3, 0, 0], "{report:?}");
    assert_eq!(times_sent(&service).await, 1);
}

#[tokio::test]
async fn after_a_kill_stored_images_are_not_sent_again() {
    let service = TestService::start(&[]).await;
    let uploader = Uploader::of(&service);
    let pictures = folder::of_pictures(24);
    let mut first = RunningProcess::spawn(uploader.json(pictures.path(), &service.url(""), &[]));
    for _ in 0..6 {
        assert!(first.line_with("uploaded").await.is_some());
    }
    first.kill();
    first.wait().await;

    let second = uploader
        .run_json(pictures.path(), &service.url(""), &[])
        .await;
    let [uploaded, there, skipped, failed] = second.counts();
    assert_eq!(
        (uploaded + there, skipped, failed),
        (24, 0, 0),
        "{second:?}"
    );
    assert!((6..24).contains(&there), "{second:?}");
    // Those five that were under way may have been cut off; the others not.
    assert!(times_sent(&service).await <= 24 + 5);
    assert_eq!(service.count().await, 24);
}

#[tokio::test]
async fn a_server_without_lookup_gets_no_accepted_image_again() {
    let plain = Plain::start(&[]).await;
    let uploader = Uploader::new();
    let pictures = folder::of_pictures(20);
    plain.answer_only(8);
    let mut first = RunningProcess::spawn(uploader.json(pictures.path(), &plain.url(), &[]));
    for _ in 0..8 {
        assert!(first.line_with("uploaded").await.is_some());
    }
    first.kill();
    first.wait().await;
    let answered = plain.sent();
    assert_eq!(answered.len(), 8);
    plain.answer_all();

    let second = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    let [uploaded, there, skipped, failed] = second.counts();
    assert_eq!(
        (uploaded + there, skipped, failed),
        (20, 0, 0),
        "{second:?}"
    );
    let sent = plain.sent();
    for done in &answered {
        let times = sent
            .iter()
            .filter(|sent| sent.digest == done.digest)
            .count();
        assert_eq!(times, 1, "it was answered, so it is not sent again");
    }
    assert_eq!(plain.arrived().1, 20);

    let third = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(third.counts(), [0, 20, 0, 0]);
    assert_eq!(plain.sent().len(), sent.len());
}

#[tokio::test]
async fn images_deleted_on_such_a_server_are_sent_again() {
    let plain = Plain::start(&[]).await;
    let uploader = Uploader::new();
    let pictures = folder::of_pictures(3);
    uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    plain.delete_one();
    let report = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(report.counts(), [1, 2, 0, 0], "{report:?}");
}

#[tokio::test]
async fn no_name_of_a_file_leaves_the_machine() {
    let plain = Plain::start(&[]).await;
    let uploader = Uploader::new();
    let pictures = folder::of_pictures(2);
    uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    for sent in plain.sent() {
        assert_eq!(sent.file_name, "picture");
        assert_eq!(sent.authorization, format!("Bearer {}", uploader.token));
    }
}

#[tokio::test]
async fn without_an_address_the_running_service_is_used_with_its_own_token() {
    let mut service = TestService::start(&[]).await;
    let pictures = folder::of_pictures(3);
    let folder = pictures.path().to_str().expect("UTF-8").to_owned();
    let words = ["upload", "--json", "--folder", &folder];
    let report = Report::of(service.run(&words).await);
    assert_eq!(report.counts(), [3, 0, 0, 0], "{report:?}");
    assert_eq!(service.count().await, 3);

    let running = service.data_dir().join("running.json");
    files::assert_mode(&running, 0o600);
    service.kill().await;
    assert!(running.exists(), "a killed process leaves it");
    let ended = service.run(&words).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("no Porchlight serves"), "{ended:?}");
    service.restart().await;
    assert_eq!(Report::of(service.run(&words).await).counts(), [0, 3, 0, 0]);
    service.stop().await;
    assert!(!running.exists());
    let ended = service.run(&words).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("--api"), "{ended:?}");
}
