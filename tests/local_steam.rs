//! `GET /game_status` from the Steam client on the same machine, with no key:
//! a folder and processes as the real client makes them.
#![cfg(target_os = "linux")]

use harness::TestService;
use harness::{stand_in, steam, steam_client};
use porchlight_test_harness as harness;
use serde_json::{Value, json};
use stand_in::Reply;
use steam::{FakeSteam, SUMMARY, player};
use steam_client::SteamClient;

async fn service(client: &SteamClient, store: &FakeSteam, more: &[String]) -> TestService {
    TestService::builder()
        .sets(&client.settings(&store.web.url()))
        .sets(more)
        .start()
        .await
}

async fn status(client: &SteamClient, store: &FakeSteam, more: &[String]) -> Value {
    service(client, store, more)
        .await
        .json("/game_status")
        .await
}

#[tokio::test]
async fn a_game_on_this_machine_is_shown_without_a_key() {
    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    let _game = client.start_game(620);
    assert_eq!(
        status(&client, &store, &[]).await,
        json!({
            "status": "在游戏中",
            "game": "Portal 2",
            "game_id": "620",
            "description": "实验仍在继续 & 蛋糕",
            "price": "¥ 42.00",
            "playtime": "12小时34分钟",
            "achievement_percentage": "无成就数据",
        })
    );
    // The store alone was asked.
    assert_eq!(store.web.calls().len(), 1);
}

#[tokio::test]
async fn a_game_in_another_library_is_found_beside_a_drive_that_is_not_there() {
    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    let _game = client.start_game(70);
    let game = status(&client, &store, &[]).await;
    assert_eq!(game["game"], "Half-Life");
    assert_eq!(game["playtime"], "");
}

#[tokio::test]
async fn of_two_games_the_one_started_last_is_shown_until_it_ends() {
    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    let _first = client.start_game(620);
    let second = client.start_game(70);
    assert_eq!(status(&client, &store, &[]).await["game"], "Half-Life");
    drop(second);
    assert_eq!(status(&client, &store, &[]).await["game"], "Portal 2");
}

#[tokio::test]
async fn the_web_api_supplies_data_missing_from_the_client() {
    let (client, web) = (SteamClient::installed(), FakeSteam::start().await);
    client.write("userdata/22202/config/localconfig.vdf", "\"UserLocal");
    let _game = client.start_game(620);
    let mut settings = web.settings();
    settings.push("game.local_steam=true".to_owned());
    let game = status(&client, &web, &settings).await;
    assert_eq!(game["playtime"], "12小时34分钟");
    assert_eq!(game["achievement_percentage"], "12.5%");
}

#[tokio::test]
async fn a_game_on_another_machine_comes_from_the_web_api() {
    let (client, web) = (SteamClient::installed(), FakeSteam::playing().await);
    let mut settings = web.settings();
    settings.push("game.local_steam=true".to_owned());
    let game = status(&client, &web, &settings).await;
    assert_eq!(game["game"], "Portal 2");
}

/// Steam answers `gameid` alone for games that it does not sell.
#[tokio::test]
async fn the_client_names_a_game_that_the_web_api_does_not() {
    let (client, web) = (SteamClient::installed(), FakeSteam::start().await);
    let shortcut = client.add_shortcut(0x9abc_def0, "灯 \u{202e}Garden");
    let mut settings = web.settings();
    settings.push("game.local_steam=true".to_owned());
    for (id, name) in [(shortcut, "灯 Garden"), (70, "Half-Life")] {
        let summary = json!({ "gameid": id.to_string() });
        web.change(|account| account.player = player(&summary));
        let game = status(&client, &web, &settings).await;
        assert_eq!(
            (&game["game"], &game["game_id"]),
            (&name.into(), &id.to_string().into())
        );
    }
}

#[tokio::test]
async fn a_failing_web_api_does_not_affect_the_client() {
    let (client, web) = (SteamClient::installed(), FakeSteam::start().await);
    web.change(|account| drop(account.faults.insert(SUMMARY, Reply::BrokenOff)));
    let _game = client.start_game(620);
    let mut settings = web.settings();
    settings.push("game.local_steam=true".to_owned());
    assert_eq!(status(&client, &web, &settings).await["game"], "Portal 2");
}

#[tokio::test]
async fn broken_files_of_the_client_count_as_missing() {
    for (file, text) in [
        ("steamapps/appmanifest_620.acf", "\"AppState\"\n{\n\t\"app"),
        ("steamapps/appmanifest_620.acf", ""),
        ("steamapps/libraryfolders.vdf", "{{{{"),
        (
            "steamapps/libraryfolders.vdf",
            "\"libraryfolders\" { \"0\" \"what\" }",
        ),
        ("config/loginusers.vdf", "\"users\" \"nobody\""),
        ("userdata/22202/config/localconfig.vdf", "\u{0}\u{1}"),
    ] {
        let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
        client.write(file, text);
        let _game = client.start_game(620);
        let game = status(&client, &store, &[]).await;
        assert_eq!(game["status"], "在游戏中", "{file}: {text}");
        // The store knows its name, where the client's files do not.
        assert_eq!(game["game"], "Portal 2", "{file}: {text}");
    }
}

#[tokio::test]
async fn without_a_running_game_the_owner_is_online_and_no_request_is_made() {
    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    assert_eq!(
        status(&client, &store, &[]).await,
        json!({ "status": "在线" })
    );
    assert!(store.web.calls().is_empty());
}

#[tokio::test]
async fn without_a_client_the_log_names_what_is_missing() {
    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    let nowhere = format!("game.steam_folder={}/none", client.folder().display());
    let mut service = service(&client, &store, &[nowhere]).await;
    assert_eq!(
        service.json("/game_status").await,
        json!({ "status": "在线" })
    );
    service.stop().await;
    assert!(
        service.stderr().contains("no Steam client was found"),
        "{}",
        service.stderr()
    );
}
