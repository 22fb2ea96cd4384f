//! Commands that need the data folder, beside a Porchlight that has it: that one runs them.

use std::fs;

use crate::harness::s3::ObjectStore;
use crate::harness::{TestService, answer, eventually};
use crate::{checked, file_of, kinds, porchlight, wide, with_images};

#[tokio::test]
async fn a_repair_runs_while_readers_and_uploads_go_on() {
    let (service, hashes) = with_images(2).await;
    let source = wide();
    let hash = service.stored(source.clone()).await;
    let file = file_of(service.data_dir(), &hash);
    fs::write(&file, b"not what it was").expect("to write");

    let (code, report) = checked(service.data_dir(), &["--repair"]).await;
    assert_eq!((code, kinds(&report)), (0, vec!["wrong"]), "{report}");
    let aside = service
        .data_dir()
        .join("set-aside")
        .join(format!("{hash}.webp"));
    assert_eq!(fs::read(aside).expect("kept"), b"not what it was");
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 404);
    assert_eq!(service.json("/images/count").await["count"], 2);
    let (status, body) = answer(service.upload(source).await).await;
    assert_eq!((status, body["hash"].as_str()), (201, Some(hash.as_str())));
    for hash in &hashes {
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);
    }
    let (code, report) = checked(service.data_dir(), &["--repair"]).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(3)), "{report}");
}

#[tokio::test]
async fn images_move_while_they_are_served_and_the_next_upload_goes_there() {
    let store = ObjectStore::start().await;
    let (service, hashes) = with_images(3).await;
    let mut text = String::new();
    for setting in store.settings() {
        let (key, value) = setting.split_once('=').expect("a setting");
        let name = key.strip_prefix("storage.").expect("of storage");
        if name != "kind" {
            text += &format!("{name} = \"{}\"\n", value.trim_matches(['"', '\'']));
        }
    }
    fs::write(
        service.data_dir().join("settings.toml"),
        format!("# mine\n[storage]\n{text}"),
    )
    .expect("to write");
    let edited = "the settings file was edited";
    eventually(edited, async || {
        service.stderr().contains(edited).then_some(())
    })
    .await;

    let words = ["storage", "move", "--to", "s3"];
    let moved = porchlight(service.data_dir(), &words).await;
    assert!(moved.status.success(), "{moved:?}");
    assert!(moved.stdout.contains("3 images moved to s3"), "{moved:?}");
    assert_eq!(store.objects().len(), 3);
    let written = fs::read_to_string(service.data_dir().join("settings.toml"));
    let written = written.expect("settings");
    assert!(
        written.starts_with("# mine\n") && written.contains("kind = \"s3\""),
        "{written}"
    );
    for hash in &hashes {
        assert!(!file_of(service.data_dir(), hash).exists());
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);
    }
    service.stored(wide()).await;
    assert_eq!(store.objects().len(), 4);
}

#[tokio::test]
async fn images_of_another_server_arrive_in_the_service_that_runs() {
    let (other, hashes) = with_images(2).await;
    let service = TestService::start(&[]).await;
    let words = ["import", "--from", &other.url(""), "--private", "--json"];
    let imported = porchlight(service.data_dir(), &words).await;
    assert!(imported.status.success(), "{imported:?}");
    let last = imported.stdout.lines().last().expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(summary["summary"]["imported"], 2, "{imported:?}");
    for hash in &hashes {
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);
    }
}

#[tokio::test]
async fn a_wrong_command_is_refused_as_without_a_running_one() {
    let service = TestService::start(&[]).await;
    let words = ["storage", "move", "--to", "s3", "--json"];
    let refused = porchlight(service.data_dir(), &words).await;
    assert_eq!((refused.status.code(), &*refused.stdout), (Some(2), ""));
    assert!(refused.stderr.contains("storage.endpoint"), "{refused:?}");
}

/// Other users must not reach it.
#[cfg(unix)]
#[tokio::test]
async fn the_socket_is_the_owners_alone_and_takes_no_other_command() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;

    let mut service = TestService::start(&[]).await;
    let socket = service.data_dir().join("porchlight.sock");
    let mode = fs::metadata(&socket)
        .expect("a socket")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    for words in ["[\"token\", \"list\"]", "[\"serve\"]", "[\"--help\"]"] {
        let mut stream = UnixStream::connect(&socket).expect("a connection");
        writeln!(stream, "{{\"words\":{words},\"typed_in\":\"/\"}}").expect("sent");
        let lines: Vec<String> = BufReader::new(stream)
            .lines()
            .map_while(Result::ok)
            .collect();
        let last = lines.last().expect("an answer");
        assert!(
            last == "{\"ended\":1}" || last == "{\"ended\":2}",
            "{lines:?}"
        );
    }
    let mut stream = UnixStream::connect(&socket).expect("a connection");
    writeln!(stream, "no JSON").expect("sent");
    assert_eq!(BufReader::new(stream).lines().count(), 0);
    assert_eq!(service.get("/check").await.status(), 200);
    service.stop().await;
    assert!(!socket.exists());
}

/// The move ends with its next image, and new images go where they went before.
#[cfg(unix)]
#[tokio::test]
async fn a_client_that_is_gone_cancels_its_move() {
    use crate::harness::process::{RunningProcess, clean_command};

    let store = ObjectStore::start().await;
    let settings = store.settings();
    let settings: Vec<&str> = settings
        .iter()
        .map(String::as_str)
        .filter(|setting| !setting.starts_with("storage.kind"))
        .collect();
    let service = TestService::start(&settings).await;
    for _ in 0..12 {
        service.stored(wide()).await;
    }
    store.is(crate::harness::s3::StoreMode::WaitsAfter(8));
    let home = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command
        .args(["storage", "move", "--to", "s3", "--data-dir"])
        .arg(service.data_dir());
    let client = RunningProcess::spawn(command);
    eventually("the first object", async || {
        (!store.objects().is_empty()).then_some(())
    })
    .await;
    drop(client);
    store.is(crate::harness::s3::StoreMode::Well);
    let before = eventually("the end of the move", async || {
        let before = store.objects().len();
        service.stored(wide()).await;
        (store.objects().len() == before).then_some(before)
    })
    .await;
    assert!(before < 12, "it went on to its end");
}
