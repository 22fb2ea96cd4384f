//! Starting and stopping `porchlight watch`.

use crate::Fixture;
use crate::harness::process::{Ended, RunningProcess, clean_command};
use crate::harness::{TestService, eventually};

async fn run(words: &[&str]) -> Ended {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command.arg("watch").args(words);
    RunningProcess::spawn(command).ended().await
}

#[tokio::test]
async fn wrong_usage_is_reported_with_exit_code_2() {
    for (words, part) in [
        (&["--api", "http://127.0.0.1:1"][..], "--folder"),
        (
            &["--folder", ".", "--api", "http://127.0.0.1:1"],
            "PORCHLIGHT_ADMIN_TOKEN",
        ),
        (&["--folder", ".", "--link", "here"], "{url}"),
        (
            &[
                "--folder",
                ".",
                "--api",
                "http://127.0.0.1:1",
                "--token",
                "a b",
            ],
            "--token holds no token",
        ),
    ] {
        let ended = run(words).await;
        assert_eq!(ended.status.code(), Some(2), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(part), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "");
    }
}

#[tokio::test]
async fn the_watcher_stops_cleanly_and_a_second_one_on_the_same_state_is_refused() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let watcher = fixture.watching(&[]).await;
    let second = RunningProcess::spawn(fixture.command(&[])).ended().await;
    assert_eq!(second.status.code(), Some(1), "{second:?}");
    assert!(second.stderr.contains("--data-dir"), "{second:?}");
    watcher.0.terminate();
    let ended = watcher.0.ended().await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(ended.stderr, "");
    let _third = fixture.watching(&[]).await;
}

#[tokio::test]
async fn without_an_address_pictures_go_to_the_running_service_beside_which_it_runs() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let folder = fixture.folder();
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), fixture.home.path());
    command.args(["watch", "--json", "--folder"]).arg(&folder);
    command.arg("--data-dir").arg(service.data_dir());
    let mut watcher = crate::Watcher(RunningProcess::spawn(command));
    fixture.put("a.jpg");
    assert_eq!(watcher.next().await["status"], "uploaded");
    assert_eq!(service.count().await, 1);
    assert!(service.data_dir().join("outbox.db").exists());
}

#[tokio::test]
async fn the_token_is_in_no_file_and_in_no_line() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let mut command = fixture.command(&[]);
    command.env("PORCHLIGHT_LOG", "trace");
    let mut watcher = RunningProcess::spawn(command);
    fixture.put("a.jpg");
    watcher.line_with("/i/").await.expect("a link");
    eventually("it is done", async || (fixture.rows(2) == 1).then_some(())).await;
    watcher.terminate();
    let ended = watcher.ended().await;
    assert!(!ended.stderr.contains(&fixture.token));
    for file in crate::harness::files::below(&fixture.state()) {
        let bytes = std::fs::read(&file).expect("a file");
        let token = fixture.token.as_bytes();
        assert!(
            !bytes.windows(token.len()).any(|part| part == token),
            "{file:?}"
        );
    }
}
