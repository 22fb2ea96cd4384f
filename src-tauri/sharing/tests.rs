//! The host as the tray app has it, with a service of its own.

use std::path::Path;

use porchlight_api::Check;
use tempfile::TempDir;

#[path = "../../tests/harness/stand_in.rs"]
mod stand_in;
#[path = "../../tests/harness/steam.rs"]
mod steam;

use super::*;
use crate::host::{Kind, StartOptions};

#[test]
fn nothing_is_posted_before_a_yes() {
    let mut choice = Choice::default();
    assert_eq!(choice.sharing(None), Sharing::Unasked);
    assert!(!choice.posts(None) && !choice.posts(Some(false)));
    assert!(choice.posts(Some(true)));
    choice.paused = true;
    assert_eq!(choice.sharing(Some(true)), Sharing::Paused);
    assert!(!choice.posts(Some(true)));
}

#[test]
fn a_no_counts_for_more_than_any_setting() {
    let choice = Choice {
        answer: Some(false),
        paused: false,
    };
    assert_eq!(choice.sharing(Some(true)), Sharing::Off);
}

async fn host(folder: &Path, set: &[&str]) -> Host {
    let options = StartOptions {
        data_dir: Some(folder.to_owned()),
        listen: Some(([127, 0, 0, 1], 0).into()),
        set: set.iter().map(|set| (*set).to_owned()).collect(),
    };
    match Host::start(options, Kind::Desktop).await {
        Ok(host) => host,
        Err(error) => panic!("{error}"),
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn written(folder: &TempDir) -> String {
    std::fs::read_to_string(folder.path().join("settings.toml")).unwrap_or_default()
}

async fn check(host: &Host) -> Check {
    let url = format!("{}/check", host.local_url());
    let client = reqwest::Client::builder().no_proxy().build();
    let answer = client.expect("a client").get(url).send().await;
    answer.expect("an answer").json().await.expect("JSON")
}

/// The application that readers see, once it is this one.
async fn shown(host: &Host, application: &str, online: bool) {
    for _ in 0..500 {
        let check = check(host).await;
        let fields = check.fields.expect("fields");
        if fields.application == application && fields.application_online == online {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("never shown: {application:?}");
}

#[tokio::test]
async fn a_yes_lights_the_light_and_a_pause_puts_it_out() {
    let folder = folder();
    let host = host(folder.path(), &["presence.interval_seconds=3600"]).await;
    assert_eq!(host.sharing(), Sharing::Unasked);
    assert_eq!(check(&host).await.last_heartbeat, 0);

    host.answer_sharing(true).await.expect("written");
    assert_eq!(host.sharing(), Sharing::On);
    assert_eq!(written(&folder), "[presence]\nenabled = true\n");
    let mut state = host.reporter();
    let taken = state.wait_for(|state| state.last_success.is_some()).await;
    assert_eq!(taken.expect("a state").trouble, None);
    shown(&host, "Porchlight", true).await;

    host.pause(true);
    assert_eq!(host.sharing(), Sharing::Paused);
    shown(&host, "", false).await;
    host.pause(false);
    shown(&host, "Porchlight", true).await;
    host.answer_sharing(false).await.expect("written");
    assert_eq!(host.sharing(), Sharing::Off);
    shown(&host, "", false).await;
    assert_eq!(written(&folder), "[presence]\nenabled = false\n");
    host.stop().await;
}

#[tokio::test]
async fn a_pause_hides_the_game_too() {
    let steam = steam::FakeSteam::playing().await;
    let settings = steam.settings();
    let set: Vec<&str> = settings.iter().map(String::as_str).collect();
    let folder = folder();
    let host = host(folder.path(), &set).await;
    let game = host.service().game();
    assert_eq!(game.status().await.status, "在游戏中");

    host.pause(true);
    let hidden = game.status().await;
    assert_eq!((hidden.status.as_str(), hidden.game), ("在线", None));
    host.pause(false);
    assert_eq!(game.status().await.status, "在游戏中");
    host.stop().await;
}

#[tokio::test]
async fn stopping_says_goodbye_and_gives_the_folder_free() {
    let folder = folder();
    let set = ["presence.enabled=true"];
    let first = host(folder.path(), &set).await;
    let mut state = first.reporter();
    let taken = state.wait_for(|state| state.last_success.is_some()).await;
    assert!(taken.is_ok());
    first.clone().stop().await;
    first.stop().await;

    let second = host(folder.path(), &["presence.enabled=false"]).await;
    let fields = check(&second).await.fields.expect("fields");
    assert_eq!(fields.application, "Porchlight");
    assert!(!fields.application_online);
    second.stop().await;
}

#[tokio::test]
async fn a_change_that_is_not_valid_changes_nothing() {
    let folder = folder();
    let file = "# mine\n[server]\ngreeting = 'hello'\n";
    std::fs::write(folder.path().join("settings.toml"), file).expect("to write");
    let host = host(folder.path(), &[]).await;
    let refused = host
        .update_settings(&[
            ("server.greeting", Some("bye".into())),
            ("images.quality", Some(500.into())),
        ])
        .await;
    let why = refused.expect_err("not valid").to_string();
    assert!(
        why.contains("images.quality: 500 is out of bounds"),
        "{why}"
    );
    assert_eq!(written(&folder), file);
    assert_eq!(host.settings().server.greeting, "hello");
    host.stop().await;
}

#[tokio::test]
async fn a_public_address_is_what_a_blog_is_pointed_at() {
    let folder = folder();
    let host = host(folder.path(), &[]).await;
    assert_eq!(host.blog_url(), host.local_url());
    let address = "https://light.example.blog";
    host.update_settings(&[("server.public_url", Some(address.into()))])
        .await
        .expect("valid");
    assert_eq!(host.blog_url(), address);
    host.update_settings(&[("server.public_url", None)])
        .await
        .expect("valid");
    assert_eq!(host.blog_url(), host.local_url());
    host.stop().await;
}

#[tokio::test]
async fn a_file_broken_by_hand_keeps_the_last_good_settings() {
    let folder = folder();
    let host = host(folder.path(), &["server.greeting=good"]).await;
    std::fs::write(folder.path().join("settings.toml"), "server = [").expect("to write");
    assert!(host.answer_sharing(true).await.is_err());
    assert_eq!(
        host.sharing(),
        Sharing::Unasked,
        "a yes that is not written is none"
    );
    assert!(host.answer_sharing(false).await.is_err());
    assert_eq!(host.sharing(), Sharing::Off, "a no counts all the same");
    assert_eq!(host.settings().server.greeting, "good");
    assert_eq!(written(&folder), "server = [");
    host.stop().await;
}
