//! What only the owner sees: the source of a game, and what was played lately.

use std::sync::Arc;
use std::time::Duration;

use porchlight_service::game::Game;
use porchlight_service::game::window::{GameSource, PlayedGame};
use porchlight_service::presence::window::ForegroundApp;
use porchlight_service::settings::sections::GameSettings;

use crate::stand_in::Reply;
use crate::steam::{COVER, COVER_FILE, FakeSteam, LATELY, OWNED, STORE, SUMMARY};
use crate::steam_client::SteamClient;
use crate::{game, hand, settings};

/// The client of this machine beside the Web API.
fn both(client: &SteamClient, steam: &FakeSteam) -> GameSettings {
    GameSettings {
        local_steam: true,
        steam_folder: Some(client.folder().to_owned()),
        ..settings(steam)
    }
}

fn client_alone(client: &SteamClient, store: &FakeSteam) -> GameSettings {
    GameSettings {
        steam_api_key: None,
        ..both(client, store)
    }
}

#[tokio::test]
async fn the_owner_sees_the_source_of_the_game() {
    let (client, steam) = (SteamClient::installed(), FakeSteam::playing().await);
    let service = game(&both(&client, &steam), &hand());
    assert_eq!(service.known().source, None, "no request yet");
    service.status().await;
    assert_eq!(service.known().source, Some(GameSource::WebApi));
    let _game = client.start_game(70);
    let service = game(&both(&client, &steam), &hand());
    service.status().await;
    let known = service.known();
    assert_eq!(known.source, Some(GameSource::Client));
    assert_eq!(known.status.game.expect("a game").game, "Half-Life");
    service.keep_private(|game| game.name == "Half-Life");
    let known = service.known();
    assert!(known.private && known.status.game.is_none(), "{known:?}");
    service.hide_while(|| true);
    assert_eq!(
        (service.known().source, service.known().private),
        (None, false)
    );
}

#[tokio::test]
async fn a_game_is_known_by_its_programs_too() {
    let (client, steam) = (SteamClient::installed(), FakeSteam::playing().await);
    let _game = client.start_game_of(70, "hl2_linux");
    let service = game(&client_alone(&client, &steam), &hand());
    service.status().await;
    for (program, private) in [
        ("steam_app_70", true),
        ("hl2_linux", true),
        ("steam_app_7", false),
        ("hl2", false),
    ] {
        service.keep_private(move |game| game.programs.iter().any(|name| name == program));
        assert_eq!(service.known().private, private, "{program}");
    }
    // Of what runs elsewhere only the number is known.
    let service = game(&settings(&steam), &hand());
    service.status().await;
    service.keep_private(|game| game.programs == ["steam_app_620"]);
    assert!(service.known().private);
}

#[tokio::test]
async fn a_game_whose_window_was_hidden_stays_private_until_it_ends() {
    let (client, steam, hand) = (SteamClient::installed(), FakeSteam::start().await, hand());
    let window = |name: &str, title: &str| ForegroundApp {
        names: vec![name.to_owned()],
        title: title.to_owned(),
    };
    let is_private = async |service: &Arc<Game>| {
        // Longer than a status is good for, and than a window is remembered.
        hand.advance(Duration::from_secs(6 * 60));
        service.status().await;
        service.known().private
    };
    for (hidden, private) in [
        (window("HL2_linux", "A secret"), true),
        (window("steam_app_70", ""), true),
        (window("gamescope", "Half-Life — level 3"), true),
        (window("firefox", "A bank"), false),
    ] {
        let service = game(&client_alone(&client, &steam), &hand);
        // Also one that was not requested yet.
        service.saw_hidden(hidden.clone());
        let running = client.start_game_of(70, "hl2_linux");
        assert_eq!(is_private(&service).await, private, "{hidden:?}");
        assert_eq!(is_private(&service).await, private, "{hidden:?}");
        drop(running);
        assert!(!is_private(&service).await, "it has ended");
        let _again = client.start_game_of(70, "hl2_linux");
        assert!(!is_private(&service).await, "this one was not hidden");
    }
}

#[tokio::test]
async fn recently_played_comes_from_both_and_the_web_api_is_called_once_in_five_minutes() {
    let (client, steam, hand) = (SteamClient::installed(), FakeSteam::start().await, hand());
    let game = game(&both(&client, &steam), &hand);
    let portal_2 = PlayedGame {
        app_id: 620,
        name: "Portal 2".to_owned(),
        minutes_lately: Some(36),
        minutes: Some(756),
        last_played: Some(1_763_000_000_000),
    };
    let portal = PlayedGame {
        app_id: 400,
        name: "Portal".to_owned(),
        minutes_lately: Some(34),
        minutes: Some(754),
        last_played: None,
    };
    // Half a year after the client has seen one of them: the other one is newer.
    assert_eq!(game.recent().await, [portal, portal_2]);
    game.recent().await;
    assert_eq!(steam.web.count(LATELY), 1);
    hand.advance(Duration::from_secs(5 * 60));
    game.recent().await;
    assert_eq!(steam.web.count(LATELY), 2);
}

#[tokio::test]
async fn without_a_key_recently_played_comes_from_the_clients_files() {
    let (client, store, hand) = (SteamClient::installed(), FakeSteam::start().await, hand());
    let service = game(&client_alone(&client, &store), &hand);
    let recent = service.recent().await;
    assert_eq!(recent.len(), 1);
    assert_eq!(
        (recent[0].name.as_str(), recent[0].minutes),
        ("Portal 2", Some(754))
    );
    assert_eq!(
        service.client_folder().await.as_deref(),
        Some(client.folder())
    );
    client.write("userdata/22202/config/localconfig.vdf", "\"UserLocal");
    assert_eq!(service.recent().await, recent, "not read again so soon");
    hand.advance(Duration::from_secs(60));
    assert_eq!(service.recent().await, []);
    assert_eq!(store.web.calls().len(), 0);
}

#[tokio::test]
async fn a_game_that_was_never_played_is_not_listed() {
    let (client, store) = (SteamClient::installed(), FakeSteam::start().await);
    let config = |last: &str| {
        format!(
            r#""UserLocalConfigStore" {{ "Software" {{ "valve" {{ "Steam" {{ "apps" {{
                "70" {{ "LastPlayed" "{last}" "Playtime" "1" }} "x" {{ }} "620" "none" }} }} }} }} }}"#
        )
    };
    for (last, listed) in [("0", 0), ("86400", 0), ("1763000000", 1)] {
        client.write("userdata/22202/config/localconfig.vdf", &config(last));
        let game = game(&client_alone(&client, &store), &hand());
        assert_eq!(game.recent().await.len(), listed, "{last}");
    }
}

#[tokio::test]
async fn new_settings_keep_valid_cached_data() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let before = settings(&steam);
    let service = game(&before, &hand);
    service.status().await;
    service.recent().await;
    let offline = GameSettings {
        report_offline: true,
        ..before.clone()
    };
    let service = service.followed_by(&offline);
    assert_eq!(
        service.status().await.game.expect("a game").price,
        "¥ 42.00"
    );
    service.recent().await;
    for part in [STORE, OWNED, LATELY] {
        assert_eq!(steam.web.count(part), 1, "{part}");
    }
    let elsewhere = GameSettings {
        region: Some("de".to_owned()),
        ..offline.clone()
    };
    service.followed_by(&elsewhere).status().await;
    assert_eq!((steam.web.count(STORE), steam.web.count(OWNED)), (2, 1));

    let calls = steam.web.count(SUMMARY);
    steam.change(|account| drop(account.faults.insert(SUMMARY, Reply::Later(429, 120))));
    let service = game(&before, &hand);
    service.status().await;
    let service = service.followed_by(&offline);
    hand.advance(Duration::from_secs(119));
    service.status().await;
    let why = service.trouble().expect("a reason").to_string();
    assert!(why.contains("fewer calls"), "{why}");
    assert_eq!(steam.web.count(SUMMARY), calls + 1, "it is not called");
    steam.change(|account| account.faults.clear());
    hand.advance(Duration::from_secs(15));
    assert_eq!(service.status().await.status, "在游戏中");
}

#[tokio::test]
async fn the_running_game_has_numbers_and_the_time_it_was_first_seen() {
    let (steam, hand) = (FakeSteam::playing().await, hand());
    let service = game(&settings(&steam), &hand);
    service.status().await;
    let first = service.known().running.expect("a game");
    assert_eq!((first.cover, first.minutes), (Some(620), Some(754)));
    let achievements = first.achievements.expect("achievements");
    assert_eq!((achievements.reached, achievements.of), (1, 8));
    hand.advance(Duration::from_secs(600));
    let service = service.followed_by(&settings(&steam));
    service.status().await;
    assert_eq!(
        service.known().running.expect("a game").since,
        first.since,
        "also with new settings"
    );
    service.keep_private(|_| true);
    assert_eq!(service.known().running, None);
}

#[tokio::test]
async fn the_cover_is_requested_once_and_only_while_its_game_is_shown() {
    let steam = FakeSteam::playing().await;
    let service = game(&settings(&steam), &hand());
    assert_eq!(service.cover(620).await, None, "nothing is known yet");
    service.status().await;
    assert_eq!(steam.web.count(COVER), 0, "the page is not open");
    for _ in 0..3 {
        let cover = service.cover(620).await.expect("a cover");
        assert_eq!(cover.bytes, COVER_FILE.as_bytes());
        assert_eq!(cover.media_type, "image/webp");
    }
    assert_eq!(steam.web.count(COVER), 1);
    assert_eq!(service.cover(400).await, None, "another game");
    service.hide_while(|| true);
    assert_eq!(service.cover(620).await, None);
}

#[tokio::test]
async fn a_cover_must_be_a_small_picture_of_the_same_host() {
    for fault in [
        Reply::html(200, "<script>"),
        Reply::Body(404, "image/webp", COVER_FILE.to_owned()),
        Reply::Body(
            200,
            "image/webp",
            format!("{COVER_FILE}{}", "x".repeat(1024 * 1024)),
        ),
        Reply::BrokenOff,
    ] {
        let steam = FakeSteam::playing().await;
        steam.change(|account| drop(account.faults.insert(COVER, fault)));
        let service = game(&settings(&steam), &hand());
        service.status().await;
        for _ in 0..3 {
            assert_eq!(service.cover(620).await, None);
        }
        assert_eq!(steam.web.count(COVER), 1, "not again at once");
    }
    let (steam, elsewhere) = (FakeSteam::playing().await, FakeSteam::start().await);
    let cover = format!("{}/620/{COVER}", elsewhere.web.url());
    steam.change(|account| {
        account.pages.get_mut(&620).expect("a page")["header_image"] = cover.into()
    });
    let service = game(&settings(&steam), &hand());
    service.status().await;
    assert_eq!(service.cover(620).await, None);
    assert_eq!(elsewhere.web.count(COVER), 0);
}
