//! Settings from outside: every layer, and what a wrong one is answered with. Keys that contradict
//! each other are in `service/behaviours.rs`.

// Not on Windows: there Wine answers for the machine, its user and its folders in its own way.
#[cfg(unix)]
mod at_once;

use porchlight_test_harness as harness;
use std::path::Path;

use harness::pictures::{jpeg, next_seed, scene};
use harness::process::Ended;
use harness::{TestService, eventually, files};
use tempfile::TempDir;

/// A data folder with this settings file.
fn folder_with(settings: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("settings.toml"), settings).expect("to write");
    folder
}

async fn greeting(service: &TestService) -> String {
    service.get("/").await.text().await.expect("a text")
}

/// Exit code 2, nothing on standard output, and each of these parts on
/// standard error.
fn assert_refused(ended: &Ended, parts: &[&str]) {
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert_eq!(ended.stdout, "");
    for part in parts {
        assert!(
            ended.stderr.contains(part),
            "{part:?} is missing in {:?}",
            ended.stderr
        );
    }
}

async fn refused_with(settings: &[&str]) -> Ended {
    TestService::builder().sets(settings).refused().await
}

#[tokio::test]
async fn the_command_line_overrides_the_environment_and_that_the_file() {
    let folder = folder_with("[server]\ngreeting = 'from the file'\nlisten = '127.0.0.1:1'\n");
    let from_file = || TestService::builder().data_dir(folder.path());
    let mut service = from_file().start().await;
    assert_eq!(greeting(&service).await, "from the file");
    service.stop().await;

    // A number where a text is wanted is a text.
    let from_environment = || from_file().env("PORCHLIGHT_SERVER_GREETING", "2026");
    let mut service = from_environment().start().await;
    assert_eq!(greeting(&service).await, "2026");
    service.stop().await;

    // What is no TOML is one, too, and a line break in it sets nothing else.
    let service = from_environment()
        .set("server.greeting=1\nlisten = 2")
        .env("PORCHLIGHT_SERVER_LISTEN", "127.0.0.1:1")
        .set("server.listen=127.0.0.1:1")
        .start()
        .await;
    assert_eq!(greeting(&service).await, "1\nlisten = 2");
    assert_ne!(service.address().port(), 1, "`--listen` overrides all");
}

#[tokio::test]
async fn every_problem_of_the_file_is_named_with_its_line() {
    let written = "# mine\nbehavior = 'A'\nlinks = 3\nzzz = 1\n[images]\nquality = 500\nqualty = 3\n\
                   max_pixels = 0\n\n[sever]\nx = 1\n[server]\nlisten = 1\n";
    let folder = folder_with(written);
    let ended = TestService::builder()
        .data_dir(folder.path())
        .refused()
        .await;
    assert_refused(
        &ended,
        &[
            "settings.toml, line 2: unknown key `behavior`, did you mean `behaviour`?",
            "settings.toml, line 3: links is a section",
            "settings.toml, line 4: unknown key `zzz`\n",
            "settings.toml, line 6: images.quality: 500 is out of bounds: from 1 to 100\n",
            "settings.toml, line 7: unknown key `images.qualty`, did you mean `images.quality`?",
            "settings.toml, line 8: images.max_pixels: 0 is out of bounds",
            "settings.toml, line 10: unknown section `[sever]`, did you mean `server`?",
            "settings.toml, line 13: server.listen:",
        ],
    );
    assert_eq!(ended.stderr.lines().count(), 8, "{ended:?}");
    let left = std::fs::read_to_string(folder.path().join("settings.toml")).expect("a file");
    assert_eq!(left, written);
    assert_eq!(files::below(folder.path()).len(), 1, "nothing was created");
}

#[tokio::test]
async fn a_file_that_is_no_toml_is_named_with_its_line() {
    for (written, place) in [
        ("[server]\ngreeting = \"open\n", "settings.toml, line 2: "),
        ("[images]\nquality = = 3\n", "settings.toml, line 2: "),
        (
            "[images]\nquality = 1\nquality = 2\n",
            "settings.toml, line 3: ",
        ),
    ] {
        let folder = folder_with(written);
        let from_file = TestService::builder().data_dir(folder.path());
        assert_refused(&from_file.refused().await, &[place]);
    }
}

#[tokio::test]
async fn other_layers_are_named_too() {
    let ended = refused_with(&["images.qualty=3", "quality"]).await;
    let parts = [
        "--set: unknown key `images.qualty`",
        "--set: \"quality\" is no setting",
    ];
    assert_refused(&ended, &parts);
    let ended = refused_with(&["images.quality=0"]).await;
    assert_refused(&ended, &["--set: images.quality: 0 is out of bounds"]);
    let ended = TestService::builder()
        .env("PORCHLIGHT_LIMITS_BURST", "many")
        .refused()
        .await;
    assert_refused(&ended, &["PORCHLIGHT_LIMITS_BURST: limits.burst: "]);
    let ended = TestService::builder()
        .env("PORCHLIGHT_LIMITS_BRUST", "1")
        .refused()
        .await;
    assert_refused(
        &ended,
        &["PORCHLIGHT_LIMITS_BRUST: unknown key `limits.brust`"],
    );
    let ended = TestService::builder()
        .env("PORCHLIGHT_LOG", "a=b=c")
        .refused()
        .await;
    assert_refused(&ended, &["PORCHLIGHT_LOG: "]);
}

#[tokio::test]
async fn another_settings_file_can_be_named_and_must_be_there() {
    let folder = folder_with("[server]\ngreeting = 'from elsewhere'\n");
    let file = folder.path().join("settings.toml");
    let named = |file: &Path| {
        let file = file.to_str().expect("UTF-8").to_owned();
        TestService::builder().env("PORCHLIGHT_CONFIG", file)
    };
    let service = named(&file).start().await;
    assert_eq!(greeting(&service).await, "from elsewhere");
    let missing = folder.path().join("none.toml");
    let ended = named(&missing).refused().await;
    assert_refused(&ended, &[missing.to_str().expect("UTF-8")]);
}

/// Windows files have no mode.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_others_can_read_is_made_private_and_none_is_written_unasked() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = folder_with("");
    let file = folder.path().join("settings.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    let mut service = TestService::builder().data_dir(folder.path()).start().await;
    let mode = std::fs::metadata(&file)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    service.stop().await;
    assert!(service.stderr().contains("its mode is 0600 now"));

    let service = TestService::start(&[]).await;
    assert!(!service.data_dir().join("settings.toml").exists());
}

#[tokio::test]
async fn editors_upload_to_the_service_alone_and_unknown_variables_are_ignored() {
    let port = harness::free_port();
    let mut service = TestService::builder()
        .set("picgo.enabled=true")
        .set("picgo.secret=open-sesame")
        .set(format!("picgo.port={port}"))
        .env("PORCHLIGHT_COLOUR", "blue")
        .start()
        .await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.jpg");
    std::fs::write(&file, harness::pictures::photo()).expect("a file");
    let address = format!("http://127.0.0.1:{port}/upload?key=open-sesame");
    let request = service.http.post(address);
    let request = request.json(&serde_json::json!({ "list": [file] }));
    let (status, body) = harness::answer(request.send().await.expect("an answer")).await;
    assert_eq!((status, &body["success"]), (200, &true.into()), "{body}");
    assert_eq!(service.count().await, 1);
    service.stop().await;
    let log = service.stderr();
    assert!(log.contains("PORCHLIGHT_COLOUR"), "{log}");
    assert_eq!(log.matches("none of Porchlight's").count(), 1, "{log}");
}

#[tokio::test]
async fn no_log_holds_a_secret() {
    let mut service = TestService::builder()
        .set("presence.token=hush-presence")
        .set("game.steam_api_key=hush-steam")
        .env("PORCHLIGHT_STORAGE_SECRET_KEY", "hush-storage")
        .env("PORCHLIGHT_LOG", "trace")
        .start()
        .await;
    let token = service.token("admin").await;
    service
        .request(
            reqwest::Method::DELETE,
            "/images/00112233445566778899aabbccddeeff",
        )
        .bearer_auth(&token)
        .send()
        .await
        .expect("an answer");
    service.stop().await;
    let mut logs = vec![service.stderr()];
    for file in files::below(&service.data_dir().join("logs")) {
        logs.push(std::fs::read_to_string(file).expect("a log"));
    }
    assert!(logs.len() > 1, "there is a log file");
    for log in logs {
        assert!(log.contains("the service is up"), "{log}");
        for secret in ["hush-", &token, &service.admin_token] {
            assert!(!log.contains(secret), "a log holds {secret}");
        }
    }
}

#[tokio::test]
async fn an_edit_counts_while_the_service_runs_and_a_wrong_one_is_named_and_changes_nothing() {
    let folder = folder_with("[server]\ngreeting = 'before'\n");
    let file = folder.path().join("settings.toml");
    let service = TestService::builder().data_dir(folder.path()).start().await;
    let status = async || {
        service
            .upload(jpeg(&scene(next_seed(), 64, 48)))
            .await
            .status()
    };
    let logged = async |what: &str| {
        eventually(what, async || service.stderr().contains(what).then_some(())).await;
    };
    assert_eq!(status().await, 201);

    std::fs::write(&file, "[images]\nmax_upload_bytes = 10\n").expect("to write");
    logged("the settings file was edited: server.greeting, images.max_upload_bytes").await;
    assert_eq!(status().await, 413);
    assert_ne!(greeting(&service).await, "before");

    // As many editors write: another file, in the old one's place.
    let replace = |text: &str| {
        let new = folder.path().join("4913~");
        std::fs::write(&new, text).expect("to write");
        #[cfg(unix)]
        {
            let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            std::fs::set_permissions(&new, open).expect("a mode");
        }
        std::fs::rename(&new, &file).expect("to rename");
    };
    replace("[images]\nmax_upload_bytes = 0\n");
    logged("settings.toml, line 2: images.max_upload_bytes: 0 is out of bounds").await;
    assert_eq!(status().await, 413);

    // The text from before.
    replace("[images]\nmax_upload_bytes = 10\n");
    logged("the settings file is right again").await;
    assert_eq!(status().await, 413);
    replace("# all as it was\n");
    eventually("the limit of before", async || {
        (status().await == 201).then_some(())
    })
    .await;
    // It can hold secrets.
    files::assert_mode(&file, 0o600);
}
