//! The game status against a stand-in for Steam, with a clock that the tests
//! move.

mod failures;
#[cfg(target_os = "linux")]
mod owner;
mod status;

use std::sync::Arc;

use porchlight_service::clock::StoppedClock;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::game::Game;
use porchlight_service::http::replies::GameStatus;
use porchlight_service::settings::sections::GameSettings;
#[cfg(target_os = "linux")]
use porchlight_test_harness::steam_client;
use porchlight_test_harness::{stand_in, steam};
use steam::{FakeSteam, KEY, STEAM_ID};

fn settings(steam: &FakeSteam) -> GameSettings {
    GameSettings {
        local_steam: false,
        steam_api_key: Some(KEY.into()),
        steam_id: Some(STEAM_ID.to_owned()),
        steam_api_url: steam.web.url().parse().expect("an address"),
        steam_store_url: steam.web.url().parse().expect("an address"),
        ..GameSettings::default()
    }
}

fn http() -> reqwest::Client {
    let client = porchlight_service::http::client_tls::http_client().no_proxy();
    client
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client")
}

fn hand() -> StoppedClock {
    StoppedClock::at(Timestamp::from_millis(1_769_847_300_000))
}

fn game(settings: &GameSettings, hand: &StoppedClock) -> Arc<Game> {
    Game::new(settings, http(), hand.clock())
}

fn online() -> GameStatus {
    GameStatus::plain("在线")
}
