//! The game status while Steam fails, is slow or is not there.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::stand_in::Reply;
use crate::steam::{ACHIEVEMENTS, FakeSteam, KEY, OWNED, STORE, SUMMARY, player};
use crate::{game, hand, online, settings};

#[tokio::test]
async fn on_any_failure_the_owner_is_online_and_the_key_is_not_leaked() {
    for (fault, expected) in [
        (
            Reply::html(401, "<h1>Unauthorized</h1>"),
            "refuses the key (401)",
        ),
        (
            Reply::html(429, "<h1>Too Many Requests</h1>"),
            "fewer calls (429)",
        ),
        (
            Reply::html(503, "<h1>Service Unavailable</h1>"),
            "status 503",
        ),
        (Reply::html(302, "elsewhere"), "status 302"),
        (
            Reply::json(200, &json!({ "response": {} })),
            "not understood",
        ),
        (Reply::json(200, &json!([])), "not understood"),
        (
            Reply::json(200, &json!({ "response": { "players": [] } })),
            "check the SteamID",
        ),
        (Reply::BrokenOff, "broke off"),
    ] {
        let steam = FakeSteam::playing().await;
        steam.change(|account| drop(account.faults.insert(SUMMARY, fault)));
        let game = game(&settings(&steam), &hand());
        assert_eq!(game.status().await, online(), "{expected}");
        let trouble = game.trouble().expect("a reason");
        assert!(trouble.to_string().contains(expected), "{trouble}");
        assert!(
            !trouble.to_string().contains(KEY) && !trouble.to_string().contains("http"),
            "{trouble}"
        );
        assert_eq!(steam.web.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_steam_that_is_not_there_is_named_without_its_address() {
    let settings = {
        let steam = FakeSteam::start().await;
        settings(&steam)
    };
    let game = game(&settings, &hand());
    assert_eq!(game.status().await, online());
    let trouble = game.trouble().expect("a reason");
    assert!(
        !trouble.to_string().contains(KEY) && !trouble.to_string().contains("127.0.0.1"),
        "{trouble}"
    );
}

#[tokio::test]
async fn a_steam_that_does_not_answer_times_out() {
    let steam = FakeSteam::playing().await;
    steam.change(|account| drop(account.faults.insert(SUMMARY, Reply::Silence)));
    let game = game(&settings(&steam), &hand());
    let began = Instant::now();
    assert_eq!(game.status().await, online());
    assert!(began.elapsed() < Duration::from_secs(15));
    assert!(
        game.trouble()
            .expect("a reason")
            .to_string()
            .contains("did not answer")
    );
}

#[tokio::test]
async fn while_steam_is_slow_the_recent_status_is_served() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let game = game(&settings(&steam), &hand);
    game.status().await;
    steam.change(|account| account.player = player(&json!({})));
    hand.advance(Duration::from_secs(30));
    steam.web.hold();
    assert_eq!(game.status().await.status, "在游戏中");
    steam.web.release();
    // The pending request is still answered.
    assert_eq!(game.status().await, online());
    assert_eq!(steam.web.count(SUMMARY), 2);
}

#[tokio::test]
async fn the_last_status_outlives_a_failure_for_five_minutes() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let game = game(&settings(&steam), &hand);
    game.status().await;
    steam.change(|account| drop(account.faults.insert(SUMMARY, Reply::html(500, "no"))));
    hand.advance(Duration::from_secs(299));
    assert_eq!(game.status().await.status, "在游戏中");
    assert!(game.trouble().is_some());
    hand.advance(Duration::from_secs(1));
    assert_eq!(game.status().await, online());

    steam.change(|account| account.faults.clear());
    hand.advance(Duration::from_secs(15));
    assert_eq!(game.status().await.status, "在游戏中");
    assert_eq!(game.trouble(), None);
}

#[tokio::test]
async fn a_failing_steam_is_not_called_for_a_while() {
    for (fault, pause) in [(Reply::html(500, "no"), 15), (Reply::Later(429, 120), 120)] {
        let (steam, hand) = (FakeSteam::playing().await, hand());
        steam.change(|account| drop(account.faults.insert(SUMMARY, fault)));
        let game = game(&settings(&steam), &hand);
        game.status().await;
        hand.advance(Duration::from_secs(pause - 1));
        game.status().await;
        assert_eq!(steam.web.count(SUMMARY), 1);
        hand.advance(Duration::from_secs(1));
        game.status().await;
        assert_eq!(steam.web.count(SUMMARY), 2);
    }
}

#[tokio::test]
async fn a_failing_store_affects_only_its_own_fields() {
    for fault in [
        Reply::Body(429, "application/json", "null".to_owned()),
        Reply::Body(200, "application/json", "null".to_owned()),
        Reply::html(403, "<h1>Access Denied</h1>"),
        Reply::BrokenOff,
    ] {
        let (steam, hand) = (FakeSteam::playing().await, hand());
        steam.change(|account| drop(account.faults.insert(STORE, fault)));
        let game = game(&settings(&steam), &hand);
        for _ in 0..2 {
            let played = game.status().await.game.expect("a game");
            assert_eq!(played.game, "Portal 2");
            assert_eq!(
                (played.description.as_str(), played.price.as_str()),
                ("", "")
            );
            assert_eq!(played.playtime, "12小时34分钟");
            // It is still so when the status is new and the store not yet due.
            assert!(
                game.trouble()
                    .expect("a reason")
                    .to_string()
                    .contains("store")
            );
            hand.advance(Duration::from_secs(30));
        }
        assert_eq!(steam.web.count(STORE), 1);
        steam.change(|account| account.faults.clear());
        assert_eq!(game.status().await.game.expect("a game").price, "¥ 42.00");
        assert_eq!(game.trouble(), None);
    }
}

#[tokio::test]
async fn known_details_of_a_game_stay_when_steam_fails_later() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let game = game(&settings(&steam), &hand);
    let before = game.status().await;
    steam.change(|account| {
        for part in [OWNED, ACHIEVEMENTS, STORE] {
            account.faults.insert(part, Reply::html(500, "no"));
        }
    });
    hand.advance(Duration::from_secs(2 * 24 * 60 * 60));
    assert_eq!(game.status().await, before);
    assert!(game.trouble().is_some());
}
