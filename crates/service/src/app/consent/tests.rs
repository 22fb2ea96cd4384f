//! The host as the tray app starts it, with a separate service.

use std::time::Duration;

use porchlight_test_harness::{eventually, steam};
use secrecy::ExposeSecret as _;
use tempfile::TempDir;

use super::*;
use crate::app::host::Host;
use crate::devices::DeviceKind;
use crate::http::replies::{Check, HeartbeatFields};
use crate::presence::lanyard::LanyardMessages;
use crate::presence::{Devices, NewDevice};
use crate::testing::host;

#[test]
fn no_heartbeat_is_sent_before_consent() {
    let choice = Choice::default();
    assert_eq!(choice.sharing(None, false), Sharing::Unasked);
    assert!(!choice.shares(None) && !choice.shares(Some(false)));
    assert!(choice.shares(Some(true)));
    assert_eq!(choice.sharing(Some(true), true), Sharing::Paused);
    assert_eq!(choice.sharing(None, true), Sharing::Unasked);
}

#[test]
fn a_refusal_overrides_every_setting() {
    let choice = Choice {
        answer: Some(false),
        ..Choice::default()
    };
    assert_eq!(choice.sharing(Some(true), false), Sharing::Off);
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn written(folder: &TempDir) -> String {
    std::fs::read_to_string(folder.path().join("settings.toml")).unwrap_or_default()
}

async fn check(host: &Host) -> Check {
    let url = format!("{}/check", host.local_url());
    let client = crate::http::client_tls::http_client().no_proxy().build();
    let answer = client.expect("a client").get(url).send().await;
    answer.expect("an answer").json().await.expect("JSON")
}

/// What readers see, read in process.
fn check_of(host: &Host) -> HeartbeatFields {
    let check = host.service().presence().check();
    check.fields.expect("fields")
}

/// Has readers see these words: what is in front, and whether there was any input, is up to the desktop,
/// if any, that the tests run on.
async fn fix_status(host: &Host) {
    let status = Status {
        application: "Out by bike".to_owned(),
        introduce: String::new(),
        rgba: String::new(),
        until: None,
    };
    let fixed = host.consent().fix_status(Some(status)).await;
    fixed.expect("a status");
}

/// Waits until readers see the status, or nothing of the owner.
async fn shown(host: &Host, shown: bool) {
    for _ in 0..500 {
        let check = check(host).await;
        let fields = check.fields.expect("fields");
        let is_seen = match shown {
            true => fields.application == "Out by bike",
            false => fields == HeartbeatFields::default(),
        };
        if is_seen {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("never shown: {shown:?}");
}

async fn first_heartbeat(host: &Host) {
    let mut state = host.consent().presence();
    let taken = state.wait_for(|state| state.reporter.last_success.is_some());
    assert_eq!(taken.await.expect("a state").reporter.trouble, None);
}

#[tokio::test]
async fn consent_turns_the_tray_icon_on_and_a_pause_turns_it_off() {
    let folder = folder();
    let host = host(folder.path(), &["presence.interval_seconds=3600"]).await;
    assert_eq!(host.consent().sharing(), Sharing::Unasked);
    fix_status(&host).await;
    assert_eq!(check(&host).await.last_heartbeat, 0);

    host.consent().answer(true).await.expect("written");
    assert_eq!(host.consent().sharing(), Sharing::On);
    assert_eq!(written(&folder), "[presence]\nenabled = true\n");
    first_heartbeat(&host).await;
    shown(&host, true).await;

    host.consent()
        .pause(Pause::UntilResumed)
        .await
        .expect("a pause");
    assert_eq!(host.consent().sharing(), Sharing::Paused);
    shown(&host, false).await;
    host.consent().resume().await.expect("no pause");
    shown(&host, true).await;
    host.consent().answer(false).await.expect("written");
    assert_eq!(host.consent().sharing(), Sharing::Off);
    shown(&host, false).await;
    assert_eq!(written(&folder), "[presence]\nenabled = false\n");
    host.stop().await;
}

#[tokio::test]
async fn without_consent_and_in_a_pause_no_device_is_shown() {
    let folder = folder();
    let settings = ["presence.interval_seconds=3600"];
    let host = host(folder.path(), &settings).await;
    let devices = Devices::open_beside(folder.path()).await.expect("devices");
    let new = NewDevice {
        name: "Phone".to_owned(),
        kind: DeviceKind::Phone,
        allowed: false,
    };
    let (_, token) = devices.add(new).await.expect("a device");
    let http = crate::http::client_tls::http_client().no_proxy().build();
    let http = http.expect("a client");
    let phone = async |application: &str| {
        let report = serde_json::json!({
            "application": application, "applicationOnline": true,
        });
        let request = http.post(format!("{}/heartbeat", host.local_url()));
        let request = request.bearer_auth(token.expose_secret()).json(&report);
        let answer = request.send().await.expect("an answer");
        assert!(matches!(answer.status().as_u16(), 200 | 429));
    };
    let shown = || check_of(&host).application;
    let is_listed = |application: &str| {
        let devices = host.service().presence().devices();
        let mut shown = devices.iter().map(|device| &device.application);
        shown.any(|shown| shown.starts_with(application))
    };
    let answers_lanyard = |application: &str| {
        let answer = host.service().lanyard();
        let body = answer.for_id("1").expect("a body");
        body.to_string().contains(application)
    };
    let messages = host.service().lanyard_messages();
    let sockets_show = async |application: &str, shows: bool| {
        let sent = |messages: &Option<LanyardMessages>| {
            let update = messages.as_ref().map(|messages| &messages.update[..]);
            let update = String::from_utf8_lossy(update.unwrap_or_default());
            update.contains(application) == shows
        };
        let mut messages = messages.clone();
        let sent = tokio::time::timeout(Duration::from_secs(1), messages.wait_for(sent));
        sent.await.expect("within a second").expect("a service");
    };
    // An app that changes comes before what this machine reports meanwhile.
    let comes = async |application: &str| {
        let mut number = 0;
        eventually(application, async || {
            number += 1;
            phone(&format!("{application} {number}")).await;
            (shown().starts_with(application) && is_listed(application)).then_some(())
        })
        .await;
    };
    phone("before").await;
    let allowed = devices.allow("phone".parse().expect("an id")).await;
    assert!(allowed.expect("an answer"));
    phone("unasked").await;
    assert_eq!(shown(), "");
    assert!(!is_listed("before") && !is_listed("unasked"));
    assert!(!answers_lanyard("before") && !answers_lanyard("unasked"));

    host.consent().answer(true).await.expect("written");
    first_heartbeat(&host).await;
    comes("shared").await;
    fix_status(&host).await;
    eventually("a status", async || {
        (shown() == "Out by bike").then_some(())
    })
    .await;
    phone("beside a status").await;
    assert_eq!(shown(), "Out by bike");
    host.consent().fix_status(None).await.expect("no status");
    comes("again").await;
    assert!(answers_lanyard("again"));
    sockets_show("again", true).await;
    fix_status(&host).await;
    sockets_show("Out by bike", true).await;

    let pause = host.consent().pause(Pause::UntilResumed).await;
    pause.expect("a pause");
    assert_eq!(shown(), "", "what this computer reported before");
    assert!(!shown().starts_with("again") && !is_listed("again") && !answers_lanyard("again"));
    sockets_show("again", false).await;
    sockets_show("Out by bike", false).await;
    phone("paused").await;
    host.consent().fix_status(None).await.expect("no status");
    host.consent().resume().await.expect("no pause");
    assert!(shown() != "paused" && !is_listed("paused"));
    comes("after").await;
    sockets_show("after", true).await;
    host.consent().answer(false).await.expect("written");
    assert!(!shown().starts_with("after") && !is_listed("after") && !answers_lanyard("after"));
    sockets_show("after", false).await;
    phone("refused").await;
    assert!(shown() != "refused" && !is_listed("refused"));
    host.stop().await;
}

#[tokio::test]
async fn a_changed_setting_counts_for_more_than_the_answer_before() {
    let folder = folder();
    let host = host(folder.path(), &[]).await;
    let enabled = async |value: Option<bool>| {
        let change = [("presence.enabled", value.map(Into::into))];
        host.store().update(&change).await.expect("written");
    };
    host.consent().answer(true).await.expect("written");
    enabled(Some(false)).await;
    assert_eq!(host.consent().sharing(), Sharing::Off);
    enabled(Some(true)).await;
    assert_eq!(host.consent().sharing(), Sharing::On);
    host.consent().answer(false).await.expect("written");
    enabled(Some(true)).await;
    assert_eq!(host.consent().sharing(), Sharing::On);
    enabled(None).await;
    assert_eq!(host.consent().sharing(), Sharing::Unasked);
    // By hand, taken over with the next change of anything.
    host.consent().answer(true).await.expect("written");
    let by_hand = "[presence]\nenabled = false\n";
    std::fs::write(folder.path().join("settings.toml"), by_hand).expect("to write");
    let other = [("app.theme", Some("dark".into()))];
    host.store().update(&other).await.expect("written");
    assert_eq!(host.consent().sharing(), Sharing::Off);
    host.stop().await;
}

#[tokio::test]
async fn false_in_the_settings_overrides_true_on_the_command_line() {
    let folder = folder();
    let host = host(folder.path(), &["presence.enabled=true"]).await;
    let no = [("presence.enabled", Some(false.into()))];
    host.store().update(&no).await.expect("written");
    assert_eq!(host.consent().sharing(), Sharing::Off);
    host.stop().await;
}

#[tokio::test]
async fn consent_that_a_later_refusal_overtakes_never_counts() {
    let folder = folder();
    let host = host(folder.path(), &[]).await;
    let turn = host.store().take_turn().await;
    let yes = async {
        host.consent().answer(true).await.expect("overtaken");
        assert_eq!(host.consent().sharing(), Sharing::Off);
    };
    let no = host.consent().answer(false);
    let (_, no, ()) = tokio::join!(yes, no, async { drop(turn) });
    no.expect("written");
    assert_eq!(host.consent().sharing(), Sharing::Off);
    assert_eq!(written(&folder), "[presence]\nenabled = false\n");
    host.stop().await;
}

#[tokio::test]
async fn without_consent_and_in_a_pause_the_game_is_hidden_too() {
    let steam = steam::FakeSteam::playing().await;
    let settings = steam.settings();
    let set: Vec<&str> = settings.iter().map(String::as_str).collect();
    let folder = folder();
    let host = host(folder.path(), &set).await;
    let game = host.service().game();
    let unasked = game.status().await;
    assert_eq!((unasked.status.as_str(), unasked.game), ("在线", None));
    host.consent().answer(true).await.expect("written");
    assert_eq!(game.status().await.status, "在游戏中");

    host.consent()
        .pause(Pause::UntilResumed)
        .await
        .expect("a pause");
    let hidden = game.status().await;
    assert_eq!((hidden.status.as_str(), hidden.game), ("在线", None));
    host.consent().resume().await.expect("no pause");
    assert_eq!(game.status().await.status, "在游戏中");
    host.consent().answer(false).await.expect("written");
    assert_eq!(game.status().await.status, "在线");
    host.stop().await;
}

#[tokio::test]
async fn a_pause_outlives_a_restart_and_hides_the_game_from_the_start() {
    let steam = steam::FakeSteam::playing().await;
    let mut settings = steam.settings();
    settings.push("presence.enabled=true".to_owned());
    let set: Vec<&str> = settings.iter().map(String::as_str).collect();
    let folder = folder();
    let first = host(folder.path(), &set).await;
    fix_status(&first).await;
    first
        .consent()
        .pause(Pause::UntilTomorrow)
        .await
        .expect("a pause");
    first.stop().await;

    let second = host(folder.path(), &set).await;
    assert_eq!(second.consent().sharing(), Sharing::Paused);
    let game = second.service().game();
    assert_eq!(game.status().await.status, "在线");
    second.consent().resume().await.expect("no pause");
    shown(&second, true).await;
    assert_eq!(game.status().await.status, "在游戏中");
    second.stop().await;
}

#[tokio::test]
async fn stopping_sends_a_goodbye_and_releases_the_folder() {
    let folder = folder();
    let set = ["presence.enabled=true"];
    let first = host(folder.path(), &set).await;
    fix_status(&first).await;
    first_heartbeat(&first).await;
    shown(&first, true).await;
    first.clone().stop().await;
    first.stop().await;

    let second = host(folder.path(), &["presence.enabled=false"]).await;
    let fields = check(&second).await.fields.expect("fields");
    assert_eq!(fields, HeartbeatFields::default(), "nothing is named");
    second.stop().await;
}

#[tokio::test]
async fn a_change_that_is_not_valid_changes_nothing() {
    let folder = folder();
    let file = "# mine\n[server]\ngreeting = 'hello'\n";
    std::fs::write(folder.path().join("settings.toml"), file).expect("to write");
    let host = host(folder.path(), &[]).await;
    let refused = host
        .store()
        .update(&[
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
async fn a_blog_uses_the_public_address() {
    let folder = folder();
    let host = host(folder.path(), &[]).await;
    assert_eq!(host.blog_url(), host.local_url());
    let address = "https://light.example.blog";
    host.store()
        .update(&[("server.public_url", Some(address.into()))])
        .await
        .expect("valid");
    assert_eq!(host.blog_url(), address);
    host.store()
        .update(&[("server.public_url", None)])
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
    assert!(host.consent().answer(true).await.is_err());
    assert_eq!(
        host.consent().sharing(),
        Sharing::Unasked,
        "a yes that is not written is none"
    );
    assert!(host.consent().answer(false).await.is_err());
    assert_eq!(
        host.consent().sharing(),
        Sharing::Off,
        "a no counts all the same"
    );
    assert_eq!(host.settings().server.greeting, "good");
    assert_eq!(written(&folder), "server = [");
    host.stop().await;
}

#[tokio::test]
async fn a_rule_that_hides_the_game_hides_it_from_readers_too_and_it_is_not_looked_up() {
    for program in ["/^Portal/", "steam_app_620"] {
        let steam = steam::FakeSteam::playing().await;
        let mut settings = steam.settings();
        settings.push("presence.enabled=true".to_owned());
        let set: Vec<&str> = settings.iter().map(String::as_str).collect();
        let folder = folder();
        let host = host(folder.path(), &set).await;
        let rules = format!("[{{ program = '{program}', hide = true }}]");
        let rules = Some(rules.parse().expect("rules"));
        let kept = host.store().update(&[("presence.rules", rules)]).await;
        kept.expect("a rule");
        let hidden = host.service().game().status().await;
        assert_eq!((hidden.status.as_str(), hidden.game), ("在线", None));
        assert!(host.service().game().known().private, "{program}");
        let lookups = [
            steam::STORE,
            steam::OWNED,
            steam::LATELY,
            steam::ACHIEVEMENTS,
        ];
        for lookup in lookups {
            assert_eq!(steam.web.count(lookup), 0, "{lookup} for {program}");
        }
        // Without the rule it is shown whole at once.
        let kept = host.store().update(&[("presence.rules", None)]).await;
        kept.expect("no rule");
        let shown = host.service().game().status().await;
        let game = shown.game.expect("a game");
        assert_eq!(game.price, "¥ 42.00");
        assert_ne!(steam.web.count(steam::OWNED), 0);
        host.stop().await;
    }
}

#[tokio::test]
async fn a_status_is_validated_before_it_is_shown() {
    let folder = folder();
    let host = host(folder.path(), &[]).await;
    let status = |application: &str, rgba: &str| Status {
        application: application.to_owned(),
        introduce: String::new(),
        rgba: rgba.to_owned(),
        until: None,
    };
    for (bad, why) in [
        (status("  ", ""), "needs some words"),
        (status("Out", "red"), "colour"),
        (status(&"x".repeat(201), ""), "200 characters"),
        (status("a\nb", ""), "line breaks"),
    ] {
        let error = host.consent().fix_status(Some(bad)).await.expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    }
    host.consent()
        .fix_status(Some(status(" Out by bike ", "1, 2,3,1")))
        .await
        .expect("a status");
    let fixed = |words: Option<&'static str>| {
        let mut state = host.consent().presence();
        async move {
            let is_it = |state: &PresenceState| {
                state.fixed.as_ref().map(|fixed| fixed.application.as_str()) == words
            };
            drop(state.wait_for(is_it).await.expect("a state"));
        }
    };
    fixed(Some("Out by bike")).await;
    host.consent().fix_status(None).await.expect("no status");
    fixed(None).await;
    host.stop().await;
}
