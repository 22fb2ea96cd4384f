//! The status of the owner and of a game, and how often Steam is called.

use std::time::Duration;

use porchlight_service::settings::sections::GameSettings;
use serde_json::json;

use crate::steam::{ACHIEVEMENTS, FakeSteam, OWNED, STORE, SUMMARY, player};
use crate::{game, hand, online, settings};

#[tokio::test]
async fn the_store_is_queried_with_the_language_and_country_of_the_settings() {
    let steam = FakeSteam::playing().await;
    let query_of = |number: usize| {
        let calls = steam.web.calls();
        let mut store = calls.into_iter().filter(|call| call.path.contains(STORE));
        store.nth(number).expect("a call").query
    };
    game(&settings(&steam), &hand()).status().await;
    assert_eq!(query_of(0).get("l").map(String::as_str), Some("schinese"));
    assert_eq!(query_of(0).get("cc"), None);
    assert!(!query_of(0).contains_key("key"));

    let abroad = GameSettings {
        region: Some("JP".to_owned()),
        language: "japanese".to_owned(),
        ..settings(&steam)
    };
    game(&abroad, &hand()).status().await;
    assert_eq!(query_of(1).get("l").map(String::as_str), Some("japanese"));
    assert_eq!(query_of(1).get("cc").map(String::as_str), Some("JP"));
}

#[tokio::test]
async fn without_an_account_the_owner_is_online_and_sees_why() {
    let steam = FakeSteam::playing().await;
    let nothing = GameSettings {
        steam_api_key: None,
        steam_id: None,
        ..settings(&steam)
    };
    let no_key = GameSettings {
        steam_api_key: None,
        ..settings(&steam)
    };
    let no_id = GameSettings {
        steam_id: None,
        ..settings(&steam)
    };
    for (settings, named) in [
        (nothing, "the key of the Steam Web API and the SteamID"),
        (no_key, "the key of the Steam Web API"),
        (no_id, "the SteamID"),
    ] {
        let game = game(&settings, &hand());
        assert_eq!(game.status().await, online());
        assert!(
            game.trouble()
                .expect("a reason")
                .to_string()
                .starts_with(named)
        );
    }
    assert_eq!(steam.web.calls().len(), 0);
}

#[tokio::test]
async fn each_answer_is_refreshed_only_when_it_expires() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let game = game(&settings(&steam), &hand);
    let counts = || [SUMMARY, OWNED, ACHIEVEMENTS, STORE].map(|part| steam.web.count(part));
    for (advance, expected) in [
        (0, [1, 1, 1, 1]),
        (29, [1, 1, 1, 1]),
        (1, [2, 1, 1, 1]),
        (5 * 60, [3, 2, 2, 1]),
        (24 * 60 * 60, [4, 3, 3, 2]),
    ] {
        hand.advance(Duration::from_secs(advance));
        for _ in 0..3 {
            assert_eq!(game.status().await.status, "在游戏中");
        }
        assert_eq!(counts(), expected, "after {advance} s more");
    }
}

#[tokio::test]
async fn concurrent_readers_share_one_call_to_steam() {
    let steam = FakeSteam::playing().await;
    let game = game(&settings(&steam), &hand());
    steam.web.hold();
    let readers: Vec<_> = (0..50)
        .map(|_| {
            let game = std::sync::Arc::clone(&game);
            tokio::spawn(async move { game.status().await })
        })
        .collect();
    steam.web.called(1).await;
    steam.web.release();
    for reader in readers {
        assert_eq!(reader.await.expect("a status").status, "在游戏中");
    }
    assert_eq!(steam.web.calls().len(), 4);
}

#[tokio::test]
async fn a_reader_who_hangs_up_neither_stops_nor_repeats_the_calls() {
    let steam = FakeSteam::playing().await;
    let game = game(&settings(&steam), &hand());
    steam.web.hold();
    tokio::select! {
        _ = game.status() => panic!("nothing was answered yet"),
        () = steam.web.called(1) => {}
    }
    steam.web.release();
    assert_eq!(game.status().await.status, "在游戏中");
    assert_eq!(steam.web.count(SUMMARY), 1);
}

#[tokio::test]
async fn of_a_private_profile_nothing_is_claimed() {
    let steam = FakeSteam::start().await;
    let hidden = json!({ "communityvisibilitystate": 1, "personastate": 0 });
    steam.change(|account| account.player = player(&hidden));
    let settings = GameSettings {
        report_offline: true,
        ..settings(&steam)
    };
    let game = game(&settings, &hand());
    assert_eq!(game.status().await, online());
    assert!(
        game.trouble()
            .expect("a reason")
            .to_string()
            .contains("private")
    );
}

#[tokio::test]
async fn a_game_that_steam_does_not_sell_has_only_its_name() {
    let steam = FakeSteam::start().await;
    let own = json!({ "gameid": "13934291298396405760", "gameextrainfo": "My Shortcut" });
    let gone = json!({ "gameid": "99", "gameextrainfo": "Delisted" });
    for (fields, id, name, calls) in [
        (own, "13934291298396405760", "My Shortcut", 1),
        (gone, "99", "Delisted", 5),
    ] {
        steam.change(|account| account.player = player(&fields));
        let status = game(&settings(&steam), &hand()).status().await;
        assert_eq!(
            serde_json::to_value(status).expect("JSON"),
            json!({
                "status": "在游戏中", "game": name, "game_id": id, "description": "",
                "price": "", "playtime": "", "achievement_percentage": "无成就数据",
            })
        );
        assert_eq!(steam.web.calls().len(), calls);
    }
}

#[tokio::test]
async fn a_private_profile_shows_no_details_and_is_no_failure() {
    let steam = FakeSteam::playing().await;
    steam.change(|account| {
        account.owned = None;
        account.achievements_private = true;
    });
    let game = game(&settings(&steam), &hand());
    let played = game.status().await.game.expect("a game");
    assert_eq!(played.playtime, "");
    assert_eq!(played.achievement_percentage, "无成就数据");
    assert_eq!(played.price, "¥ 42.00");
    assert_eq!(game.trouble(), None);
}

#[tokio::test]
async fn a_free_game_without_achievements_is_shown_as_such_with_its_name_from_the_store() {
    let steam = FakeSteam::start().await;
    steam.change(|account| account.player = player(&json!({ "gameid": "730" })));
    let played = game(&settings(&steam), &hand())
        .status()
        .await
        .game
        .expect("a game");
    assert_eq!(played.game, "Counter-Strike 2");
    assert_eq!(played.price, "免费");
    assert_eq!(played.achievement_percentage, "无成就数据");
}

#[tokio::test]
async fn a_hidden_game_is_neither_shown_nor_requested() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let game = game(&settings(&steam), &hand);
    game.hide_while(|| true);
    assert_eq!(game.status().await, online());
    assert_eq!(steam.web.calls().len(), 0);

    game.hide_while(|| false);
    assert_eq!(game.status().await.status, "在游戏中");
    game.hide_while(|| true);
    assert_eq!(game.status().await, online(), "also what is known already");
}

#[tokio::test]
async fn a_game_that_is_hidden_during_its_request_is_not_shown() {
    let steam = FakeSteam::playing().await;
    let game = game(&settings(&steam), &hand());
    steam.web.hold();
    let hide = async {
        steam.web.called(1).await;
        game.hide_while(|| true);
        steam.web.release();
    };
    let (status, ()) = tokio::join!(game.status(), hide);
    assert_eq!(status, online());
}
