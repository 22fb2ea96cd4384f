//! `GET /game_status` of the real binary, with a stand-in for Steam.

use harness::TestService;
use harness::{stand_in, steam};
use porchlight_test_harness as harness;
use serde_json::json;
use stand_in::Reply;
use steam::{FakeSteam, KEY, SUMMARY, player};

async fn service(steam: &FakeSteam, more: &[&str]) -> TestService {
    TestService::builder()
        .sets(&steam.settings())
        .sets(more)
        .start()
        .await
}

#[tokio::test]
async fn a_blog_sees_the_game_that_runs() {
    let steam = FakeSteam::playing().await;
    let service = service(&steam, &[]).await;
    let response = service.get("/game_status").await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(
        response.json::<serde_json::Value>().await.expect("JSON"),
        json!({
            "status": "在游戏中",
            "game": "Portal 2",
            "game_id": "620",
            "description": "实验仍在继续 & 蛋糕",
            "price": "¥ 42.00",
            "playtime": "12小时34分钟",
            "achievement_percentage": "12.5%",
        })
    );
    // Readers do not multiply the calls: one each for the four questions.
    for _ in 0..20 {
        service.json("/game_status").await;
    }
    assert_eq!(steam.web.calls().len(), 4);
    assert!(!service.stderr().contains("incomplete"));
}

#[tokio::test]
async fn without_a_game_the_owner_is_online_and_nothing_else_is_shown() {
    let steam = FakeSteam::start().await;
    let service = service(&steam, &[]).await;
    assert_eq!(
        service.json("/game_status").await,
        json!({ "status": "在线" })
    );
}

#[tokio::test]
async fn offline_is_shown_where_enabled() {
    let steam = FakeSteam::start().await;
    steam.change(|account| account.player = player(&json!({ "personastate": 0 })));
    let silent = service(&steam, &[]).await;
    assert_eq!(
        silent.json("/game_status").await,
        json!({ "status": "在线" })
    );
    let offline = service(&steam, &["game.report_offline=true"]).await;
    assert_eq!(
        offline.json("/game_status").await,
        json!({ "status": "离线" })
    );
    // Snoozing is not.
    steam.change(|account| account.player = player(&json!({ "personastate": 4 })));
    let snoozing = service(&steam, &["game.report_offline=true"]).await;
    assert_eq!(
        snoozing.json("/game_status").await,
        json!({ "status": "在线" })
    );
}

#[tokio::test]
async fn without_an_account_the_owner_is_online() {
    let service = TestService::start(&["game.local_steam=false"]).await;
    assert_eq!(
        service.json("/game_status").await,
        json!({ "status": "在线" })
    );
}

#[tokio::test]
async fn when_steam_fails_the_owner_is_online_and_no_log_holds_the_key() {
    for (fault, why) in [
        (
            Reply::html(403, "<h1>Forbidden</h1>"),
            "refuses the key (403)",
        ),
        (Reply::html(200, "<h1>Maintenance</h1>"), "not understood"),
        (Reply::BrokenOff, "broke off"),
    ] {
        let steam = FakeSteam::playing().await;
        steam.change(|account| drop(account.faults.insert(SUMMARY, fault)));
        let mut service = TestService::builder()
            .sets(&steam.settings())
            .env("PORCHLIGHT_LOG", "trace")
            .start()
            .await;
        assert_eq!(
            service.json("/game_status").await,
            json!({ "status": "在线" })
        );
        assert_eq!(steam.web.calls().len(), 1);
        service.stop().await;
        let log = service.stderr();
        let line = log
            .lines()
            .find(|line| line.contains("the game status is incomplete"));
        assert!(line.is_some_and(|line| line.contains(why)), "{why}: {log}");
        assert!(!service.stderr().contains(KEY), "{}", service.stderr());
        assert!(!service.stdout().contains(KEY), "{}", service.stdout());
    }
}

#[tokio::test]
async fn an_invalid_steam_id_is_refused_by_name() {
    let ended = TestService::builder()
        .set("game.steam_id=me")
        .refused()
        .await;
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(ended.stderr.contains("game.steam_id"), "{ended:?}");
}

#[tokio::test]
async fn a_game_without_a_name_has_that_of_the_store_or_none_and_all_fields_are_text() {
    const SHORTCUT: u64 = 0x9abc_def0_0200_0000;
    let steam = FakeSteam::start().await;
    for (id, name, of_store) in [
        (json!("620"), json!(null), "Portal 2"),
        (json!("620"), json!(7), "Portal 2"),
        (json!(99_999_999), json!(""), ""),
        (json!(SHORTCUT.to_string()), json!(null), ""),
        (json!(SHORTCUT), json!(null), ""),
        (json!(SHORTCUT.to_string()), json!("灯 Garden"), "灯 Garden"),
    ] {
        let summary = json!({ "gameid": id, "gameextrainfo": name });
        steam.change(|account| account.player = player(&summary));
        let service = service(&steam, &[]).await;
        let before = steam.web.count("/api/appdetails");
        let game = service.json("/game_status").await;
        let fields = game.as_object().expect("an object");
        assert_eq!(fields.len(), 7, "{game}");
        assert!(fields.values().all(serde_json::Value::is_string), "{game}");
        let id = id.as_str().map_or(id.to_string(), str::to_owned);
        assert_eq!(
            (&game["status"], &game["game"], &game["game_id"]),
            (&json!("在游戏中"), &json!(of_store), &json!(id)),
        );
        // The store knows no numbers of 64 bits.
        let asked = steam.web.count("/api/appdetails") - before;
        assert_eq!(asked, usize::from(id.len() < 10), "{id}");
        assert!(
            !service.stderr().contains("incomplete"),
            "{}",
            service.stderr()
        );
    }
}

#[tokio::test]
async fn a_private_profile_is_named_in_the_log_and_the_owner_is_online() {
    let steam = FakeSteam::start().await;
    let summary = json!({ "communityvisibilitystate": 1, "personastate": 0 });
    steam.change(|account| account.player = player(&summary));
    let mut service = service(&steam, &["game.report_offline=true"]).await;
    assert_eq!(
        service.json("/game_status").await,
        json!({ "status": "在线" })
    );
    service.stop().await;
    let log = service.stderr();
    assert!(log.contains("the Steam profile is private"), "{log}");
}
