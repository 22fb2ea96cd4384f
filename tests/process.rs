//! The process itself: how it starts, who keeps it from starting, and how it
//! ends without losing anything.

use porchlight_test_harness as harness;
use std::path::Path;

use harness::process::{Ended, RunningProcess, clean_command};
use harness::{TestService, form, pictures};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[cfg(windows)]
#[path = "process/windows.rs"]
mod windows;

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
async fn the_data_folder_is_private_and_has_the_documented_files() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("a/data");
    let service = TestService::builder().data_dir(&folder).start().await;
    for made in [&folder, &home.path().join("a")] {
        harness::files::assert_mode(made, 0o700);
    }
    for name in ["porchlight.db", "porchlight.lock", "logs"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let pid = std::fs::read_to_string(folder.join("porchlight.lock")).expect("a file");
    assert_eq!(pid.trim(), service.pid().to_string());
}

/// Windows files have no mode.
#[cfg(unix)]
#[tokio::test]
async fn an_open_data_folder_and_new_files_in_it_are_restricted() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let mut service = TestService::builder().data_dir(&data).start().await;
    let hash = service.stored(pictures::photo()).await;
    service.stop().await;
    let set = |path: &Path, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, mode).expect("a mode");
    };
    set(&data, 0o755);
    // All files that it creates are closed, though the umask allows everything.
    let mask = ["/bin/sh", "-c", "umask 0; exec \"$@\"", "sh"];
    let service = TestService::builder()
        .data_dir(&data)
        .wrapped_in(&mask)
        .start()
        .await;
    let new = service.stored(pictures::photo()).await;
    let image = |hash: &str| data.join(format!("images/{}/{hash}.webp", &hash[..2]));
    assert!(image(&hash).exists() && image(&new).exists());
    let mut closed = vec![data.clone()];
    while let Some(path) = closed.pop() {
        let Ok(about) = std::fs::metadata(&path) else {
            continue; // A temporary file.
        };
        let mode = about.permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", path.display());
        if about.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            closed.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
    }
    assert!(service.stderr().contains("other users could read"));
}

/// Windows names the place by a call, and not by a variable.
#[cfg(unix)]
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
async fn a_second_process_is_refused_with_the_first_ones_address() {
    let service = TestService::start(&[]).await;
    let ended = TestService::builder()
        .data_dir(service.data_dir())
        .refused()
        .await;
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stdout, "");
    let holder = format!("process {}", service.pid());
    assert!(ended.stderr.contains(&holder), "{ended:?}");
    assert!(ended.stderr.contains("--data-dir"), "{ended:?}");
    // Both name the folder, and not in the form that Windows uses for itself.
    for shown in [&ended.stderr, &service.stderr()] {
        assert!(!shown.contains(r"\\?\"), "{shown}");
    }
    assert_eq!(
        service.get("/check").await.status(),
        200,
        "the first keeps running"
    );
}

#[tokio::test]
async fn a_file_in_the_place_of_the_data_folder_is_named() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("file");
    std::fs::write(&file, "mine").expect("to write");
    let name = file.to_str().expect("UTF-8");
    for folder in [file.clone(), file.join("data")] {
        let ended = TestService::builder().data_dir(folder).refused().await;
        assert_eq!(ended.status.code(), Some(1));
        assert!(ended.stderr.contains(name), "{ended:?}");
    }
    assert_eq!(std::fs::read(&file).expect("a file"), b"mine");
}

#[tokio::test]
async fn a_request_to_end_ends_the_service_cleanly() {
    let mut service = TestService::start(&[]).await;
    assert_eq!(service.stop().await.code(), Some(0));
    service.restart().await;
    service.interrupt();
    // A second signal while it stops changes nothing.
    assert_eq!(service.stop().await.code(), Some(0));
}

/// As the setup asks, before it replaces the program. The program is a copy: what other tests run goes on.
#[cfg(windows)]
#[tokio::test]
async fn quit_ends_each_process_of_this_program_whatever_its_data_folder_and_no_other() {
    let home = tempfile::tempdir().expect("a folder");
    let program = home.path().join("porchlight.exe");
    std::fs::copy(env!("CARGO_BIN_EXE_porchlight"), &program).expect("a copy");
    let program = program.to_str().expect("UTF-8");
    let other = TestService::start(&[]).await;
    let mut services = Vec::new();
    for data in ["one", "two"] {
        let mut command = clean_command(program, home.path());
        command.arg("--data-dir").arg(home.path().join(data));
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        let mut service = RunningProcess::spawn(command);
        assert!(service.line_with("listening on").await.is_some());
        services.push(service);
    }
    let mut quit = clean_command(program, home.path());
    quit.arg("--quit");
    let quit = RunningProcess::spawn(quit).ended().await;
    assert!(quit.status.success(), "{quit:?}");
    for mut service in services {
        assert_eq!(service.wait().await.code(), Some(0));
    }
    assert_eq!(other.get("/check").await.status(), 200);
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
    // The service sends this when it starts to read the body.
    let mut go_on = [0; 25];
    socket.read_exact(&mut go_on).await.expect("an answer");
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    let (first, rest) = body.split_at(body.len() / 2);
    socket.write_all(first).await.expect("to write");

    service.terminate();
    // It has started to stop once it accepts no new connections.
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

/// A small file that takes minutes to convert: two frames of a chessboard,
/// over and over.
#[cfg(unix)]
fn slow_animation() -> Vec<u8> {
    use image::codecs::gif::GifEncoder;
    use image::{Frame, Rgba, RgbaImage};

    let mut two_frames = Vec::new();
    let mut encoder = GifEncoder::new(&mut two_frames);
    for turn in 0..2 {
        let board = RgbaImage::from_fn(1200, 1200, |x, y| match (x / 8 + y / 8 + turn) % 2 {
            0 => Rgba([250, 250, 250, 255]),
            _ => Rgba([20, 60, 90, 255]),
        });
        encoder.encode_frame(Frame::new(board)).expect("a frame");
    }
    drop(encoder);
    let frames_begin = two_frames
        .windows(3)
        .position(|bytes| bytes == [0x21, 0xF9, 0x04])
        .expect("a frame");
    let (head, frames) = two_frames.split_at(frames_begin);
    let (end, frames) = frames.split_last().expect("an end");
    [head, &frames.repeat(1000), &[*end]].concat()
}

/// Wine reads the processor times of its own process only.
#[cfg(unix)]
#[tokio::test]
async fn an_abandoned_conversion_does_not_delay_shutdown() {
    use std::time::{Duration, Instant};

    use harness::process::seconds_worked;

    let mut service = TestService::start(&["images.max_animation_pixels=100000000000"]).await;
    let (kind, body) = form::file("image", "a.gif", "image/gif", &slow_animation());
    let address = service.address();
    let mut socket = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST /images/add HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        service.admin_token,
        body.len()
    );
    socket.write_all(head.as_bytes()).await.expect("to write");
    socket.write_all(&body).await.expect("to write");
    // A helper process starts in far less.
    harness::eventually("the conversion is under way", async || {
        let helpers = harness::memory::children(service.pid());
        let worked: f64 = helpers.into_iter().map(seconds_worked).sum();
        (worked > 3.0).then_some(())
    })
    .await;
    drop(socket);

    let asked = Instant::now();
    assert_eq!(service.stop().await.code(), Some(0));
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
    assert!(service.stderr().contains("the service is down"));
}

/// Windows has no such limit.
#[cfg(unix)]
#[tokio::test]
async fn as_many_files_may_be_open_as_the_system_allows() {
    let few = ["sh", "-c", "ulimit -S -n 128 && exec \"$0\" \"$@\""];
    let service = TestService::builder().wrapped_in(&few).start().await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", service.pid()));
    let limits = limits.expect("Linux");
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let words: Vec<&str> = line.expect("a limit").split_whitespace().collect();
    assert_eq!(words[3], words[4], "{words:?}");
    assert_ne!(words[3], "128");
}

#[tokio::test]
async fn help_and_version_succeed_and_wrong_arguments_fail() {
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
async fn a_build_without_a_window_names_the_alternative() {
    let home = tempfile::tempdir().expect("a folder");
    let ended = run(home.path(), &[]).await;
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.stderr.contains("porchlight serve"), "{ended:?}");
}

#[tokio::test]
async fn standard_error_that_is_not_read_blocks_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command.arg("--data-dir").arg(home.path().join("data"));
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    command.env("PORCHLIGHT_LOG", "trace");
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    command.kill_on_drop(true);
    let mut process = command.spawn().expect("it starts");
    let mut line = String::new();
    let stdout = process.stdout.take().expect("piped");
    let mut stdout = tokio::io::BufReader::new(stdout);
    stdout.read_line(&mut line).await.expect("a line");
    let url = line.trim().replace("listening on ", "") + "/check";
    let http = harness::http();
    // Far more than a pipe holds: each request is logged in several lines.
    for number in 0..1_000 {
        let answer = tokio::time::timeout(harness::TIMEOUT, http.get(&url).send()).await;
        let answer = answer.unwrap_or_else(|_| panic!("request {number} is not answered"));
        assert!(answer.is_ok(), "{answer:?}");
    }
}
