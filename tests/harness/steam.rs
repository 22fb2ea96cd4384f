//! A stand-in for the Steam Web API and the Steam store, with one account.
//! It answers as they do, mistakes included: a wrong key gets a page of HTML,
//! a game without achievements status 400, an unknown game `success: false`.
//!
//! A test that includes this file includes `stand_in.rs` too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stand_in::{Call, Reply, StandIn};

/// The key that it takes.
pub const KEY: &str = "5EC7E700000000000000000000C0FFEE";

/// The account that it knows.
pub const STEAM_ID: &str = "76561197960287930";

/// Parts of the paths of its answers.
pub const SUMMARY: &str = "GetPlayerSummaries";
pub const OWNED: &str = "GetOwnedGames";
pub const LATELY: &str = "GetRecentlyPlayedGames";
pub const ACHIEVEMENTS: &str = "GetPlayerAchievements";
pub const STORE: &str = "appdetails";
pub const COVER: &str = "header.webp";

/// What is answered for the cover of Portal 2: the beginning of a WebP.
pub const COVER_FILE: &str = "RIFF\x10\0\0\0WEBPVP8 cover";

/// What the account does, owns and has reached, and what the store sells.
#[derive(Debug, Default)]
pub struct Account {
    /// The player of the summary; `null` for an account that is not there.
    pub player: Value,
    /// Minutes played by game; `None` when they are private.
    pub owned: Option<HashMap<u32, u64>>,
    /// Achievements by game, true when reached.
    pub achievements: HashMap<u32, Vec<bool>>,
    /// Whether achievements are private.
    pub achievements_private: bool,
    /// The store's `data` by game.
    pub pages: HashMap<u32, Value>,
    /// What is answered instead, by part of a path.
    pub faults: HashMap<&'static str, Reply>,
}

/// The running stand-in.
pub struct FakeSteam {
    account: Arc<Mutex<Account>>,
    pub web: StandIn,
}

impl FakeSteam {
    /// Starts with an account that is online and plays nothing.
    pub async fn start() -> Self {
        let account = Account {
            player: player(&json!({ "personastate": 1 })),
            owned: Some(HashMap::from([(620, 754), (400, 34)])),
            achievements: HashMap::from([(620, [vec![true], vec![false; 7]].concat())]),
            pages: HashMap::from([
                (
                    620,
                    json!({
                        "type": "game",
                        "name": "Portal 2",
                        "steam_appid": 620,
                        "is_free": false,
                        "short_description": "实验仍在继续 &amp; 蛋糕",
                        "price_overview": {
                            "currency": "CNY", "initial": 4200, "final": 4200,
                            "discount_percent": 0, "initial_formatted": "",
                            "final_formatted": "¥ 42.00"
                        }
                    }),
                ),
                (730, json!({ "name": "Counter-Strike 2", "is_free": true })),
            ]),
            ..Account::default()
        };
        let account = Arc::new(Mutex::new(account));
        let answering = Arc::clone(&account);
        let web = StandIn::start(move |call| answering.lock().expect("a lock").answer(call)).await;
        let cover = format!("{}/620/{COVER}", web.url());
        account
            .lock()
            .expect("a lock")
            .pages
            .entry(620)
            .and_modify(|page| {
                page["header_image"] = cover.into();
            });
        Self { account, web }
    }

    /// Starts with an account that plays Portal 2.
    pub async fn playing() -> Self {
        let steam = Self::start().await;
        steam.change(|account| {
            account.player = player(&json!({ "gameid": "620", "gameextrainfo": "Portal 2" }));
        });
        steam
    }

    /// Changes what it answers from now on.
    pub fn change(&self, change: impl FnOnce(&mut Account)) {
        change(&mut self.account.lock().expect("a lock"));
    }

    /// The settings that lead a service here.
    pub fn settings(&self) -> Vec<String> {
        vec![
            format!("game.steam_api_key={KEY}"),
            format!("game.steam_id={STEAM_ID}"),
            format!("game.steam_api_url={}", self.web.url()),
            format!("game.steam_store_url={}", self.web.url()),
            "game.local_steam=false".to_owned(),
        ]
    }
}

/// A player with a public profile and these fields.
pub fn player(fields: &Value) -> Value {
    let mut player = json!({
        "steamid": STEAM_ID, "communityvisibilitystate": 3, "profilestate": 1,
        "personaname": "Owner", "personastate": 1,
        "avatarfull": "https://avatars.example/full.jpg",
    });
    for (field, value) in fields.as_object().expect("an object") {
        player[field] = value.clone();
    }
    player
}

impl Account {
    fn answer(&self, call: &Call) -> Reply {
        let fault = self
            .faults
            .iter()
            .find(|(part, _)| call.path.contains(*part));
        if let Some((_, fault)) = fault {
            return fault.clone();
        }
        let asked = |field: &str| {
            call.query
                .get(field)
                .map(String::as_str)
                .unwrap_or_default()
        };
        let number = |field: &str| asked(field).parse::<u32>().ok();
        if call.path == "/api/appdetails" {
            return number("appids").map_or_else(no_page, |game| self.page(game));
        }
        if call.path.ends_with(COVER) {
            return Reply::Body(200, "image/webp", COVER_FILE.to_owned());
        }
        if asked("key") != KEY {
            return Reply::html(
                403,
                "<html><head><title>Forbidden</title></head><body><h1>Forbidden</h1>Access is \
                 denied. Please verify your <pre>key=</pre> parameter.</body></html>",
            );
        }
        match call.path.trim_end_matches('/') {
            "/ISteamUser/GetPlayerSummaries/v2" | "/ISteamUser/GetPlayerSummaries/v0002" => {
                let here = asked("steamids") == STEAM_ID && !self.player.is_null();
                let players: Vec<_> = here.then_some(&self.player).into_iter().collect();
                Reply::json(200, &json!({ "response": { "players": players } }))
            }
            "/IPlayerService/GetOwnedGames/v1" => self.owned(),
            "/IPlayerService/GetRecentlyPlayedGames/v1" => self.lately(),
            "/ISteamUserStats/GetPlayerAchievements/v1" => {
                number("appid").map_or_else(no_page, |game| self.reached(game))
            }
            _ => no_page(),
        }
    }

    fn page(&self, game: u32) -> Reply {
        let entry = match self.pages.get(&game) {
            Some(data) => json!({ "success": true, "data": data }),
            None => json!({ "success": false }),
        };
        Reply::json(200, &json!({ game.to_string(): entry }))
    }

    fn owned(&self) -> Reply {
        let Some(owned) = &self.owned else {
            return Reply::json(200, &json!({ "response": {} }));
        };
        let game = |(id, minutes)| json!({ "appid": id, "playtime_forever": minutes });
        let games: Vec<_> = owned.iter().map(game).collect();
        Reply::json(
            200,
            &json!({ "response": { "game_count": games.len(), "games": games } }),
        )
    }

    fn lately(&self) -> Reply {
        if self.owned.is_none() {
            return Reply::json(200, &json!({ "response": {} }));
        }
        let one = |id: u32, name: &str, minutes: u32| {
            json!({
                "appid": id, "name": name, "playtime_2weeks": minutes,
                "playtime_forever": minutes + 720, "img_icon_url": "0123456789abcdef",
            })
        };
        let games = [one(620, "Portal 2", 36), one(400, "Portal", 34)];
        Reply::json(
            200,
            &json!({ "response": { "total_count": games.len(), "games": games } }),
        )
    }

    fn reached(&self, game: u32) -> Reply {
        let refused = |status, error: &str| {
            Reply::json(
                status,
                &json!({ "playerstats": { "error": error, "success": false } }),
            )
        };
        if self.achievements_private {
            return refused(403, "Profile is not public");
        }
        let Some(achievements) = self.achievements.get(&game) else {
            return refused(400, "Requested app has no stats");
        };
        let one = |(number, &reached): (usize, &bool)| json!({ "apiname": format!("A{number}"), "achieved": u8::from(reached), "unlocktime": 0 });
        let list: Vec<_> = achievements.iter().enumerate().map(one).collect();
        Reply::json(
            200,
            &json!({ "playerstats": {
                "steamID": STEAM_ID, "gameName": "Game", "achievements": list, "success": true
            } }),
        )
    }
}

fn no_page() -> Reply {
    Reply::html(
        404,
        "<html><head><title>404 Not Found</title></head><body>Not Found</body></html>",
    )
}
