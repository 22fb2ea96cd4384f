//! `porchlight update --check` against an announcement on loopback.
//!
//! The files beside this one were signed by `minisign -G -W -p own.pub -s own.key` and
//! `minisign -S -s own.key -m FILE`; `other-key.minisig` signs `newer.json` with a second key made
//! in the same way. To change one, make a new key and sign them all again: the keys are not kept.

use harness::process::{Ended, RunningProcess, clean_command};
use harness::stand_in::{Reply, StandIn};
use porchlight_test_harness as harness;
use serde_json::{Value, json};

/// The public key of the signatures.
const KEY: &str = "RWTf6LxT3m4gMDYprChzKspDViqg573H64lABYU4gktUl+ZDvN8ZfGzE";

const NEWER: &str = include_str!("newer.json");
const NEWER_SIGNED: &str = include_str!("newer.json.minisig");
const OLDER: &str = include_str!("older.json");
const OLDER_SIGNED: &str = include_str!("older.json.minisig");
const OTHER_KEY: &str = include_str!("other-key.minisig");
const PAGE: &str = include_str!("page.html");
const PAGE_SIGNED: &str = include_str!("page.html.minisig");

/// Runs `porchlight update` with these words and settings.
async fn update(words: &[&str], settings: &[String]) -> Ended {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command.arg("--data-dir").arg(home.path());
    command.arg("update").args(words);
    for setting in settings {
        command.args(["--set", setting]);
    }
    let ended = RunningProcess::spawn(command).ended().await;
    let left: Vec<_> = std::fs::read_dir(home.path()).expect("read").collect();
    assert!(left.is_empty(), "nothing is stored: {left:?}");
    ended
}

/// A server of this announcement and this signature.
async fn publisher(file: &str, signature: &str) -> StandIn {
    let (file, signature) = (file.to_owned(), signature.to_owned());
    StandIn::start(move |call| match call.path.as_str() {
        "/latest.json" => Reply::Body(200, "application/json", file.clone()),
        "/latest.json.minisig" => Reply::Body(200, "text/plain", signature.clone()),
        _ => Reply::html(404, "not here"),
    })
    .await
}

fn settings(publisher: &StandIn) -> [String; 2] {
    [
        format!("update.url={}/latest.json", publisher.url()),
        format!("update.public_key={KEY}"),
    ]
}

/// The result as JSON, with the exit code.
async fn checked(file: &str, signature: &str) -> (Value, Option<i32>) {
    let publisher = publisher(file, signature).await;
    let ended = update(&["--check", "--json"], &settings(&publisher)).await;
    let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(found["running"], env!("CARGO_PKG_VERSION"));
    assert_eq!(found["way"], json!({ "by": "download" }));
    (found["result"].clone(), ended.status.code())
}

#[tokio::test]
async fn a_newer_release_is_named_with_its_notes_and_its_page() {
    let page = "https://light.example.blog/releases/99.0.0";
    let (result, code) = checked(NEWER, NEWER_SIGNED).await;
    let notes = "Pictures load faster.\n[31mNothing[0m else changed.";
    assert_eq!(
        result,
        json!({ "state": "newer", "version": "99.0.0", "notes": notes, "page": page })
    );
    assert_eq!(code, Some(0));

    let publisher = publisher(NEWER, NEWER_SIGNED).await;
    let ended = update(&["--check"], &settings(&publisher)).await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let running = env!("CARGO_PKG_VERSION");
    assert_eq!(
        ended.stdout,
        format!(
            "Porchlight 99.0.0 is available. This is {running}.\n  Pictures load faster.\n  \
             [31mNothing[0m else changed.\nDownload: {page}\n"
        )
    );
    let paths: Vec<_> = publisher
        .calls()
        .into_iter()
        .map(|call| call.address)
        .collect();
    assert_eq!(paths, ["/latest.json", "/latest.json.minisig"]);
}

#[tokio::test]
async fn an_older_release_is_no_update() {
    let (result, code) = checked(OLDER, OLDER_SIGNED).await;
    assert_eq!(result, json!({ "state": "up_to_date" }));
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn an_announcement_with_a_wrong_signature_is_rejected() {
    let long = " ".repeat(64 * 1024 + 1);
    for (file, signature, why) in [
        (OLDER, NEWER_SIGNED, "altered"),
        (&NEWER.replace("99", "98"), NEWER_SIGNED, "altered"),
        (NEWER, OTHER_KEY, "other_key"),
        (NEWER, PAGE, "not_signed"),
        (NEWER, "", "not_signed"),
        (PAGE, NEWER_SIGNED, "altered"),
        (PAGE, PAGE_SIGNED, "malformed"),
        (&long, NEWER_SIGNED, "too_long"),
        (NEWER, &long, "too_long"),
    ] {
        let (result, code) = checked(file, signature).await;
        let expected = json!({ "state": "failed", "why": { "code": why } });
        assert_eq!(result, expected);
        assert_eq!(code, Some(1), "{why}");
    }
}

#[tokio::test]
async fn an_unreachable_publisher_is_named() {
    // It redirects nowhere on this machine.
    let wrong = StandIn::start(|_| Reply::html(302, "elsewhere")).await;
    let ended = update(&["--check"], &settings(&wrong)).await;
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.contains("status 302"), "{}", ended.stderr);

    let broken = StandIn::start(|_| Reply::BrokenOff).await;
    let ended = update(&["--check"], &settings(&broken)).await;
    assert_eq!(ended.status.code(), Some(1));
    assert!(
        ended.stderr.contains("cannot be reached"),
        "{}",
        ended.stderr
    );

    let gone = settings(&broken);
    drop(broken);
    let ended = update(&["--check"], &gone).await;
    assert_eq!(ended.status.code(), Some(1));
    assert!(
        ended.stderr.contains("cannot be reached"),
        "{}",
        ended.stderr
    );
    assert_eq!(ended.stdout, "");
}

#[tokio::test]
async fn without_settings_it_names_the_commands_that_set_them() {
    let address = "update.url=https://light.example.blog/latest.json".to_owned();
    let key = format!("update.public_key={KEY}");
    for (settings, word) in [
        (vec![], "Set `update.url`"),
        (vec![key.clone()], "Set `update.url`"),
        (vec![address.clone()], "`update.public_key` is not set"),
        (
            vec![address, "update.public_key=RWTf".to_owned()],
            "minisign.pub",
        ),
        (
            vec![
                "update.url=http://light.example.blog/latest.json".to_owned(),
                key,
            ],
            "https://",
        ),
    ] {
        let ended = update(&["--check"], &settings).await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
    let ended = update(&[], &[]).await;
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.stderr.contains("--check"), "{}", ended.stderr);
}
