//! Wrong words, and what is right instead.

use crate::Uploader;
use crate::folder;
use crate::harness::TestService;
use crate::harness::process::RunningProcess;

#[tokio::test]
async fn wrong_usage_is_distinguished_from_failed_images() {
    let pictures = folder::of_pictures(1);
    let folder = pictures.path().to_str().expect("UTF-8");
    let api = "http://127.0.0.1:9";
    let uploader = Uploader::new();
    for (words, part) in [
        (&[][..], "--folder"),
        (&["--folder", folder, "file.jpg", "--api", api], "--folder"),
        (&["--folder", "/nowhere/at/all", "--api", api], "no folder"),
        (&["--folder", folder, "--api", "here"], "web address"),
        (
            &["--folder", folder, "--api", api, "--concurrent", "0"],
            "--concurrent",
        ),
        (
            &["--folder", folder, "--api", api, "--timeout", "0"],
            "--timeout",
        ),
        (
            &["--folder", folder, "--api", api, "--retries", "x"],
            "--retries",
        ),
        (
            &["--folder", folder, "--api", api, "--token", "two words"],
            "--token",
        ),
    ] {
        let ended = RunningProcess::spawn(uploader.command(words)).ended().await;
        assert_eq!(ended.status.code(), Some(2), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(part), "{words:?}: {ended:?}");
        assert!(!ended.stderr.contains("two words"), "{ended:?}");
        assert_eq!(ended.stdout, "", "{words:?}");
    }
    let mut command = uploader.command(&["--folder", folder, "--api", api]);
    command.env_remove("PORCHLIGHT_ADMIN_TOKEN");
    let ended = RunningProcess::spawn(command).ended().await;
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.stderr.contains("PORCHLIGHT_ADMIN_TOKEN"), "{ended:?}");
}

#[tokio::test]
async fn named_files_are_always_tried() {
    let service = TestService::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("-dash");
    std::fs::write(&picture, folder::picture()).expect("a file");
    std::fs::write(folder.path().join("text.txt"), "no picture").expect("a file");
    let url = service.url("");
    let mut command = Uploader::of(&service).command(&["--api", &url, "--json", "--"]);
    command
        .args(["-dash", "text.txt", "missing.jpg", "."])
        .current_dir(folder.path());
    let report = crate::Report::of(RunningProcess::spawn(command).ended().await);
    assert_eq!(report.code, Some(1));
    assert_eq!(report.counts(), [1, 0, 0, 3], "{report:?}");
    let names: Vec<&str> = report
        .of_status("failed")
        .iter()
        .map(|line| line["file"].as_str().expect("a name"))
        .collect();
    for name in ["text.txt", "missing.jpg", "."] {
        assert!(names.contains(&name), "{names:?}");
    }
}
