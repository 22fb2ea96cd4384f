//! `porchlight token`, beside a running service and without one.

use harness::process::{RunningProcess, clean_command};
use harness::{TestService, assert_error, files};
use porchlight_test_harness as harness;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// The status of a deletion with this token: 404 where it may delete.
async fn deleting_with(service: &TestService, token: &str) -> StatusCode {
    let path = "/images/00112233445566778899aabbccddeeff";
    let request = service.request(Method::DELETE, path).bearer_auth(token);
    request.send().await.expect("an answer").status()
}

async fn list(service: &TestService) -> Vec<Value> {
    let ended = service.run(&["token", "list", "--json"]).await;
    assert!(ended.status.success(), "{ended:?}");
    serde_json::from_str(&ended.stdout).expect("JSON alone on standard output")
}

/// The service's own copy of the token that may do everything.
fn own_admin(service: &TestService) -> String {
    let copies = std::fs::read(service.data_dir().join("own-tokens.json")).expect("a file");
    let copies: Value = serde_json::from_slice(&copies).expect("JSON");
    copies["admin"].as_str().expect("a token").to_owned()
}

fn names(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["name"].as_str().expect("a name"))
        .collect()
}

#[tokio::test]
async fn the_first_run_makes_one_for_heartbeats_and_one_for_everything() {
    let mut service = TestService::start(&[]).await;
    let rows = list(&service).await;
    assert_eq!(names(&rows), ["heartbeat", "admin"]);
    assert_eq!(rows[0]["scope"], "heartbeat");
    assert_eq!(rows[1]["scope"], "admin");
    service.restart().await;
    assert_eq!(list(&service).await.len(), 2, "the second run makes none");
}

#[tokio::test]
async fn a_token_made_before_the_first_run_changes_nothing_about_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), folder.path());
    command
        .args(["token", "new", "--name", "admin", "--scope", "upload"])
        .arg("--data-dir")
        .arg(folder.path());
    let ended = RunningProcess::spawn(command).ended().await;
    assert!(ended.status.success(), "{ended:?}");
    let service = TestService::builder().data_dir(folder.path()).start().await;
    assert_eq!(
        names(&list(&service).await),
        ["admin", "heartbeat", "admin (first run)"]
    );
    let own = own_admin(&service);
    assert_eq!(deleting_with(&service, &own).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_first_start_that_failed_half_way_is_made_up_for_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let copies = folder.path().join("own-tokens.json");
    std::fs::create_dir(&copies).expect("something in the way");
    let start = || TestService::builder().data_dir(folder.path());
    let ended = start().refused().await;
    let name = copies.to_str().expect("UTF-8");
    assert!(ended.stderr.contains(name), "{ended:?}");
    std::fs::remove_dir(&copies).expect("our own folder");
    let service = start().start().await;
    assert_eq!(names(&list(&service).await), ["heartbeat", "admin"]);
    assert!(copies.is_file());
}

#[tokio::test]
async fn a_new_token_is_printed_alone_and_works_at_once() {
    let service = TestService::start(&[]).await;
    let ended = service
        .run(&["token", "new", "--name", "the phone", "--scope", "admin"])
        .await;
    assert!(ended.status.success(), "{ended:?}");
    let token = ended.stdout.strip_suffix('\n').expect("one line");
    assert_eq!(token.len(), 43, "256 bits as text");
    assert_eq!(deleting_with(&service, token).await, StatusCode::NOT_FOUND);

    let listed = service.run(&["token", "list"]).await;
    assert!(listed.stdout.contains("the phone"), "{listed:?}");
    assert!(!listed.stdout.contains(token), "a list never shows a token");
}

#[tokio::test]
async fn a_revoked_token_is_refused_from_then_on() {
    let service = TestService::start(&[]).await;
    let token = service.token("admin").await;
    assert_eq!(deleting_with(&service, &token).await, StatusCode::NOT_FOUND);
    let rows = list(&service).await;
    let id = rows.last().expect("a row")["id"].to_string();
    let ended = service.run(&["token", "revoke", &id]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stdout, "");
    assert_eq!(
        deleting_with(&service, &token).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(names(&list(&service).await), ["heartbeat", "admin"]);
}

#[tokio::test]
async fn the_last_use_is_shown() {
    let service = TestService::start(&[]).await;
    let token = service.token("admin").await;
    assert_eq!(list(&service).await[2]["last_used"], Value::Null);
    deleting_with(&service, &token).await;
    let used = harness::eventually("a last use", async || {
        list(&service).await[2]["last_used"]
            .as_str()
            .map(str::to_owned)
    })
    .await;
    assert!(used.ends_with('Z'), "{used}");
}

#[tokio::test]
async fn wrong_arguments_are_refused_with_a_correction() {
    let service = TestService::start(&[]).await;
    for (words, code, part) in [
        (
            &["token", "new", "--name", "admin", "--scope", "admin"][..],
            1,
            "another name",
        ),
        (
            &["token", "new", "--name", "", "--scope", "admin"],
            2,
            "1 to 100 characters",
        ),
        (
            &["token", "new", "--name", "x", "--scope", "root"],
            2,
            "heartbeat, upload or admin",
        ),
        (&["token", "new", "--name", "x"], 2, "--scope"),
        (&["token", "revoke", "nobody"], 1, "nobody"),
        (&["token"], 2, "revoke"),
    ] {
        let ended = service.run(words).await;
        assert_eq!(ended.status.code(), Some(code), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(part), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{words:?}");
    }
}

#[tokio::test]
async fn an_empty_folder_is_reported() {
    let mut service = TestService::start(&[]).await;
    service.stop().await;
    std::fs::remove_file(service.data_dir().join("porchlight.db")).expect("a database");
    let ended = service.run(&["token", "list"]).await;
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.contains("porchlight serve"), "{ended:?}");
    assert!(!service.data_dir().join("porchlight.db").exists());
}

#[tokio::test]
async fn tokens_of_the_environment_are_good_for_that_run_alone() {
    let mut service = TestService::start(&[]).await;
    let (token, heartbeat) = (service.admin_token.clone(), service.heartbeat_token.clone());
    assert_eq!(deleting_with(&service, &token).await, StatusCode::NOT_FOUND);
    assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
    assert_eq!(list(&service).await.len(), 2, "they are not stored");
    service.stop().await;
    let service = TestService::builder()
        .without_tokens()
        .data_dir(service.data_dir())
        .start()
        .await;
    assert_eq!(
        deleting_with(&service, &token).await,
        StatusCode::UNAUTHORIZED
    );
    let request = service.request(Method::POST, "/heartbeat");
    let answer = request.bearer_auth(&heartbeat).send().await;
    assert_error(answer.expect("an answer"), 401, "Unauthorized").await;
}

#[tokio::test]
async fn a_variable_that_holds_no_token_is_refused_without_showing_it() {
    for value in ["", " ", "two words", "line\nbreak", "ключ"] {
        let ended = TestService::builder()
            .env("PORCHLIGHT_ADMIN_TOKEN", value)
            .refused()
            .await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let why = "PORCHLIGHT_ADMIN_TOKEN holds no token";
        assert!(ended.stderr.contains(why), "{ended:?}");
        assert!(!ended.stderr.contains("two words"), "{ended:?}");
    }
}

#[tokio::test]
async fn a_token_that_can_be_guessed_is_refused_at_the_start() {
    for variable in ["PORCHLIGHT_ADMIN_TOKEN", "PORCHLIGHT_HEARTBEAT_TOKEN"] {
        let short = "fifteen-letters";
        let ended = TestService::builder().env(variable, short).refused().await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stderr.contains(variable), "{ended:?}");
        assert!(
            ended.stderr.contains("shorter than 16 characters"),
            "{ended:?}"
        );
        assert!(!ended.stderr.contains(short), "{ended:?}");
    }
    let service = TestService::builder()
        .env("PORCHLIGHT_ADMIN_TOKEN", "sixteen-_letters")
        .start()
        .await;
    assert_eq!(
        deleting_with(&service, "sixteen-_letters").await,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn the_database_holds_no_token_and_the_apps_own_are_closed_to_others() {
    let mut service = TestService::start(&[]).await;
    let token = service.token("admin").await;
    assert_eq!(deleting_with(&service, &token).await, StatusCode::NOT_FOUND);
    service.stop().await;
    let copies = service.data_dir().join("own-tokens.json");
    files::assert_mode(&copies, 0o600);
    let own_admin = own_admin(&service);
    for file in files::below(service.data_dir()) {
        let bytes = std::fs::read(&file).expect("a file");
        let holds = |token: &str| {
            bytes
                .windows(token.len())
                .any(|window| window == token.as_bytes())
        };
        for secret in [&token, &service.admin_token, &service.heartbeat_token] {
            assert!(!holds(secret), "{file:?}");
        }
        assert!(file == copies || !holds(&own_admin), "{file:?}");
    }
}
