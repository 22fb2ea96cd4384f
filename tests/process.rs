//! The process itself: how it starts, who keeps it from starting, and how it
//! ends without losing anything.

mod harness;

use std::path::Path;

use harness::process::{Ended, RunningProcess, clean_command};
use harness::{TestService, form, pictures};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

async fn run(home: &Path, words: &[&str]) -> Ended {
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home);
    command.args(words);
    RunningProcess::spawn(command).ended().await
}

#[tokio::test]
async fn readiness_is_one_line_on_standard_output() {
    let mut service = TestService::start(&[]).await;
    let line = format!("listening on http://{}\n", service.address());
    assert!(service.address().ip().is_loopback());
    assert_eq!(service.get("/check").await.status(), 200);
    assert!(service.stop().await.success());
    assert_eq!(service.stdout(), line);
}

#[tokio::test]
async fn the_data_folder_is_its_owners_alone_and_holds_what_it_should() {
    use std::os::unix::fs::PermissionsExt as _;

    let service = TestService::start(&[]).await;
    let folder = service.data_dir();
    let mode = std::fs::metadata(folder)
        .expect("a folder")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    for name in ["porchlight.db", "porchlight.lock", "logs"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let pid = std::fs::read_to_string(folder.join("porchlight.lock")).expect("a file");
    assert_eq!(pid.trim(), service.pid().to_string());
}

#[tokio::test]
async fn the_platforms_place_is_the_default() {
    let home = tempfile::tempdir().expect("a folder");
    let place = home.path().join("places");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command.env("XDG_DATA_HOME", &place);
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    let mut process = RunningProcess::spawn(command);
    assert!(process.line_with("listening on").await.is_some());
    let there = place.join("porchlight/porchlight.db").exists();
    process.terminate();
    assert!(process.wait().await.success());
    assert!(there || cfg!(not(target_os = "linux")));
}

#[tokio::test]
async fn a_second_process_is_told_who_serves_the_folder() {
    let service = TestService::start(&[]).await;
    let ended = TestService::builder()
        .data_dir(service.data_dir())
        .refused()
        .await;
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stdout, "");
    let holder = format!("process {}", service.pid());
    assert!(ended.stderr.contains(&holder), "{ended:?}");
    assert_eq!(
        service.get("/check").await.status(),
        200,
        "the first goes on"
    );
}

#[tokio::test]
async fn a_process_that_was_killed_holds_nothing() {
    let mut service = TestService::start(&[]).await;
    service.kill().await;
    service.restart().await;
    assert_eq!(service.get("/check").await.status(), 200);
}

#[tokio::test]
async fn a_port_in_use_is_named_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let ended = TestService::builder().listen(&address).refused().await;
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.contains(&address), "{ended:?}");
    assert!(ended.stderr.contains("--listen"), "{ended:?}");
}

#[tokio::test]
async fn a_file_in_the_place_of_the_data_folder_is_named() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("file");
    std::fs::write(&file, "mine").expect("to write");
    let ended = TestService::builder().data_dir(&file).refused().await;
    assert_eq!(ended.status.code(), Some(1));
    let name = file.to_str().expect("UTF-8");
    assert!(ended.stderr.contains(name), "{ended:?}");
    assert_eq!(std::fs::read(&file).expect("a file"), b"mine");
}

#[tokio::test]
async fn both_signals_end_it_well() {
    let mut service = TestService::start(&[]).await;
    assert_eq!(service.stop().await.code(), Some(0));
    service.restart().await;
    let pid = Pid::from_raw(service.pid().cast_signed()).expect("a process");
    kill_process(pid, Signal::INT).expect("our own process");
    // A second signal while it stops changes nothing.
    assert_eq!(service.stop().await.code(), Some(0));
}

#[tokio::test]
async fn an_upload_in_flight_is_finished_first() {
    let mut service = TestService::start(&[]).await;
    let (kind, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let address = service.address();
    let mut socket = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST /images/add HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: {kind}\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        service.admin_token,
        body.len()
    );
    socket.write_all(head.as_bytes()).await.expect("to write");
    // The service says this when it begins to read the body.
    let mut go_on = [0; 25];
    socket.read_exact(&mut go_on).await.expect("an answer");
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    let (first, rest) = body.split_at(body.len() / 2);
    socket.write_all(first).await.expect("to write");

    let pid = Pid::from_raw(service.pid().cast_signed()).expect("a process");
    kill_process(pid, Signal::TERM).expect("our own process");
    // It has begun to stop once it takes nobody new.
    harness::eventually("the listener is closed", async || {
        TcpStream::connect(address).await.is_err().then_some(())
    })
    .await;
    socket.write_all(rest).await.expect("to write");
    let mut reply = String::new();
    socket.read_to_string(&mut reply).await.expect("an answer");
    assert!(reply.starts_with("HTTP/1.1 201"), "{reply}");
    assert_eq!(service.stop().await.code(), Some(0));
    service.restart().await;
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn counts_are_written_before_it_ends() {
    let mut service = TestService::start(&[]).await;
    for _ in 0..7 {
        service.get("/check").await;
    }
    service.restart().await;
    let stat = service.json("/api_stats/check").await;
    assert_eq!(stat["count"], 7, "{stat}");
}

#[tokio::test]
async fn help_and_version_are_results_and_wrong_words_are_not() {
    let home = tempfile::tempdir().expect("a folder");
    let help = run(home.path(), &["--help"]).await;
    assert_eq!(help.status.code(), Some(0));
    for word in ["serve", "token", "--data-dir", "--hidden"] {
        assert!(help.stdout.contains(word), "{word}: {}", help.stdout);
    }
    let version = run(home.path(), &["--version"]).await;
    assert_eq!(
        version.stdout,
        format!("porchlight {}\n", env!("CARGO_PKG_VERSION"))
    );
    for words in [
        &["sreve"][..],
        &["serve", "--listen", "here"],
        &["serve", "--set"],
        &["--hidden", "serve"],
        &["--set", "behaviour=A", "token", "list"],
    ] {
        let ended = run(home.path(), words).await;
        assert_eq!(ended.status.code(), Some(2), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{words:?}");
        assert_ne!(ended.stderr, "", "{words:?}");
    }
}

#[cfg(not(feature = "desktop"))]
#[tokio::test]
async fn a_build_without_a_window_says_what_to_use() {
    let home = tempfile::tempdir().expect("a folder");
    let ended = run(home.path(), &[]).await;
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.stderr.contains("porchlight serve"), "{ended:?}");
}
