//! Whether the owner is away: input, media, locks and sleep.

use serde_json::Value;

use crate::bus::{Login, Player, Saver};
use crate::companion::{Companion, command};
use crate::desktop::Desktop;
use crate::fixture::{Home, at, program, seen, service};

const IDLE_AFTER_TWO: &str = "presence.idle_seconds=2";

/// The owner is away; nothing else is shown, as in a pause.
fn away(check: &Value) -> bool {
    let shows_nothing = ["application", "introduce", "rgba"]
        .iter()
        .all(|key| check[*key] == "");
    shows_nothing && check["applicationOnline"] == false
}

/// Sees the owner there in every heartbeat, until some seconds of them are
/// over.
async fn stays_there(home: &Home, seconds: i64) {
    let beat = |check: &Value| check["last_heartbeat"].as_i64().expect("a time");
    let started = beat(&home.service.json("/check").await);
    home.sees("more heartbeats", |check| {
        assert_eq!(check["applicationOnline"], true, "{check}");
        beat(check) >= started + seconds
    })
    .await;
}

#[tokio::test]
async fn without_input_the_owner_is_idle_and_a_key_ends_that() {
    let home = Home::start(&[IDLE_AFTER_TWO]).await;
    let _terminal = home.terminal("Shell").await;
    home.desktop.xdotool(&["key", "a"]).await;
    home.sees("the terminal", at("XTerm")).await.soon();
    let check = home.sees("idleness", away).await;
    assert!(check.check["alive"] == true, "{}", check.check);

    home.desktop.xdotool(&["key", "a"]).await;
    home.sees("the owner", at("XTerm")).await.soon();
    home.sees("idleness again", away).await;
    home.desktop.xdotool(&["mousemove", "300", "300"]).await;
    home.sees("the owner", at("XTerm")).await.soon();
}

#[tokio::test]
async fn how_long_it_takes_counts_at_once() {
    let home = Home::start(&[]).await;
    let _terminal = home.terminal("Shell").await;
    home.desktop.xdotool(&["key", "a"]).await;
    home.sees("the terminal", at("XTerm")).await;
    let file = home.desktop.home().join("companion/settings.toml");
    std::fs::write(file, "[presence]\nidle_seconds = 2\n").expect("to write");
    // By default it takes minutes.
    home.sees("idleness", away).await;
}

#[tokio::test]
async fn playing_media_prevent_idle() {
    let home = Home::start(&[IDLE_AFTER_TWO]).await;
    let player = Player::start(&home.desktop, "Playing").await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    stays_there(&home, 4).await;
    player.becomes("Paused").await;
    home.sees("idleness", away).await.soon();
    player.becomes("Playing").await;
    home.sees("the owner", at("XTerm")).await.soon();
    drop(player);
    home.sees("idleness again", away).await.soon();
}

#[tokio::test]
async fn a_full_screen_film_prevents_idle_and_a_small_one_does_not() {
    let home = Home::start(&[IDLE_AFTER_TWO]).await;
    let film = program(&home.desktop, &["mpv", "A film", "fullscreen"]);
    home.bring_to_front("A film").await;
    home.sees("the player", at("mpv")).await;
    stays_there(&home, 4).await;
    drop(film);
    let _small = home.program("mpv", "A small film").await;
    home.sees("idleness", away).await;
}

#[tokio::test]
async fn behind_a_lock_the_owner_is_away_even_when_media_play() {
    let home = Home::start(&[]).await;
    let _player = Player::start(&home.desktop, "Playing").await;
    let saver = Saver::start(&home.desktop, false).await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    saver.becomes(true).await;
    home.sees("the lock", away).await.soon();
    saver.becomes(false).await;
    home.sees("the owner", at("XTerm")).await.soon();

    // A screen saver that breaks down locks nothing any more.
    saver.becomes(true).await;
    home.sees("the lock", away).await.soon();
    drop(saver);
    home.sees("the owner", at("XTerm")).await.soon();
    let _locked = Saver::start(&home.desktop, true).await;
    home.sees("a lock that was there before", away).await.soon();
}

#[tokio::test]
async fn a_lock_screen_in_front_is_a_lock_and_is_not_named() {
    let home = Home::start(&[]).await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    let lock = home.program("xscreensaver", "Screen").await;
    home.sees("the lock", away).await.soon();
    drop(lock);
    home.bring_to_front("Shell").await;
    home.sees("the owner", at("XTerm")).await.soon();
}

#[tokio::test]
async fn locks_and_sleep_come_from_logind() {
    let desktop = Desktop::start().await;
    let login = Login::start(&desktop).await;
    let service = service().await;
    let mut command = command(&desktop, &service.url(""), &service.heartbeat_token);
    command.env("DBUS_SYSTEM_BUS_ADDRESS", desktop.bus());
    let companion = Companion::spawn(command);
    let home = Home {
        companion,
        service,
        desktop,
    };
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    for _ in 0..2 {
        login.locks(true).await;
        home.sees("the lock", away).await.soon();
        login.locks(false).await;
        home.sees("the owner", at("XTerm")).await.soon();
    }
    login.sleeps(true).await;
    home.sees("sleep", away).await.soon();
    login.sleeps(false).await;
    seen(&home.service, "the owner", at("XTerm")).await;
    let log = home.companion.log();
    assert!(!log.contains("sleep is not announced"), "{log}");
    assert!(!log.contains("whether the screen is locked"), "{log}");
}
