//! Starting and stopping, and machines without sensors.

use crate::companion::{Companion, LOG, command};
use crate::desktop::Desktop;
use crate::fixture::{Home, at, seen, service};

#[tokio::test]
async fn on_sigterm_it_sends_a_goodbye_that_names_no_program() {
    let home = Home::start(&[]).await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    let ended = home.companion.terminated().await;
    assert!(ended.status.success(), "{ended:?}");
    let check = home.service.json("/check").await;
    assert_eq!(check["applicationOnline"], false);
    assert_eq!(check["application"], "");
    assert_eq!(check["alive"], true);
}

#[tokio::test]
async fn the_presence_of_a_killed_run_is_withdrawn_by_the_next_even_without_sharing() {
    for off in ["presence.enabled=false", "a pause"] {
        let mut home = Home::start(&[]).await;
        let _terminal = home.terminal("Shell").await;
        home.sees("the terminal", at("XTerm")).await;
        home.companion.kill().await;
        let (url, token) = (home.service.url(""), &home.service.heartbeat_token);
        let mut command = command(&home.desktop, &url, token);
        if off == "a pause" {
            let kept = home.desktop.home().join("companion/presence.json");
            std::fs::write(kept, r#"{"pause":{"until":null}}"#).expect("to write");
        } else {
            command.args(["--set", off]);
        }
        let again = Companion::spawn(command);
        let withdrawn = |check: &serde_json::Value| {
            check["application"] == "" && check["applicationOnline"] == false
        };
        let check = seen(&home.service, "nothing", withdrawn).await;
        // It is one heartbeat, and the next start has nothing to withdraw.
        assert!(again.terminated().await.status.success());
        let last = &check["last_heartbeat"];
        let third = Companion::start(&home.desktop, &url, token, &["presence.enabled=false"]);
        third.wait_for_log("presence: nothing is reported\n").await;
        assert!(third.terminated().await.status.success());
        assert_eq!(&home.service.json("/check").await["last_heartbeat"], last);
    }
}

#[tokio::test]
async fn without_consent_nothing_is_sent() {
    let desktop = Desktop::start().await;
    let service = service().await;
    let mut command = desktop.command(env!("CARGO_BIN_EXE_porchlight"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(desktop.home().join("companion"));
    command.env("PORCHLIGHT_PRESENCE_TARGET_URL", service.url(""));
    command.env("PORCHLIGHT_PRESENCE_TOKEN", &service.heartbeat_token);
    command.env("PORCHLIGHT_LOG", LOG);
    let mut companion = Companion::spawn(command);
    let own = format!("{}/check", companion.url().await);
    companion
        .wait_for_log("presence: nothing is reported\n")
        .await;
    let _terminal = crate::fixture::terminal(&desktop, "Shell");
    desktop.window("Shell").await;
    // Longer than the first look of the sensors and a change of the window take.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    let own = service.http.get(&own).send().await.expect("an answer");
    let own: serde_json::Value = own.json().await.expect("JSON");
    let ended = companion.terminated().await;
    assert!(ended.status.success(), "{ended:?}");
    for check in [own, service.json("/check").await] {
        assert_eq!(check["last_heartbeat"], 0, "{check}");
    }
}

#[tokio::test]
async fn without_sensors_it_reports_online_and_logs_why_nothing_else() {
    let desktop = Desktop::start().await;
    let service = service().await;
    let mut command = command(&desktop, &service.url(""), &service.heartbeat_token);
    command.env_remove("DISPLAY");
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    command.env("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent");
    let companion = Companion::spawn(command);
    let check = seen(&service, "a light", |check| {
        check["applicationOnline"] == true
    })
    .await;
    assert_eq!(check["application"], "");
    for lack in [
        "the program in front is not known: there is no display",
        "whether you are idle is not known: there is no display",
        "whether the screen is locked is not known: the session bus cannot be asked",
        "whether media play is not known: the session bus cannot be asked",
        "sleep is not announced: logind cannot be asked",
    ] {
        companion.wait_for_log(lack).await;
    }
}

#[tokio::test]
async fn a_lost_display_is_reported_and_no_app_is_sent() {
    let mut home = Home::start(&[]).await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    home.desktop.lose_screen().await;
    home.companion
        .wait_for_log("the X11 display cannot be asked")
        .await;
    let nothing = |check: &serde_json::Value| check["application"] == "";
    let check = home.sees("nothing named", nothing).await.check;
    assert_eq!(check["applicationOnline"], true);
}
