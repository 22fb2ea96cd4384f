//! The Steam Web API: what the owner does, owns and has reached.
//!
//! No field of an answer is relied on: private profiles, mistakes and pages of
//! HTML come with any status.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::GameSettings;
use super::cached::{Answers, Failure, Found, Lifetime, Reader};
use crate::error::message::Message;
use crate::game::window::{Achievements, PlayedGame};
use crate::http::external::HttpAnswer;
use crate::text::address::WebAddress;
use crate::text::{LONGEST_NAME, one_line};

/// Play time and achievements change while the owner plays.
const NUMBERS: Lifetime = Lifetime {
    answer: Duration::from_secs(5 * 60),
    failure: Duration::from_secs(60),
};
/// The status that is made of it is cached. Only a `Retry-After` is waited for.
const PRESENCE: Lifetime = Lifetime {
    answer: Duration::ZERO,
    failure: Duration::ZERO,
};

/// What the owner is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Presence {
    Offline,
    Online,
    Playing(SteamGame),
}

/// A game that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SteamGame {
    /// Steam's number of it. One that the owner added by hand has a number
    /// beyond 31 bits, or beyond 32 in the Web API, which the store does not
    /// know.
    pub(super) id: u64,
    /// Its name; may be empty.
    pub(super) name: String,
}

impl SteamGame {
    /// The number under which the store knows it.
    pub(super) fn store_number(&self) -> Option<u32> {
        i32::try_from(self.id).ok().map(i32::unsigned_abs)
    }
}

/// The owner's account, as the Web API sees it.
#[derive(Debug)]
pub(super) struct SteamAccount {
    address: WebAddress,
    key: SecretString,
    steam_id: String,
}

impl SteamAccount {
    /// The account in the settings.
    ///
    /// # Errors
    /// Which settings it lacks.
    pub(super) fn of(settings: &GameSettings) -> Result<Self, Message> {
        match (&settings.steam_api_key, &settings.steam_id) {
            (Some(key), Some(id)) => Ok(Self {
                address: settings.steam_api_url.clone(),
                key: key.clone().into(),
                steam_id: id.clone(),
            }),
            (None, Some(_)) => Err(crate::detail!("the key of the Steam Web API is not set")),
            (Some(_), None) => Err(crate::detail!("the SteamID is not set")),
            (None, None) => Err(crate::detail!(
                "the key of the Steam Web API and the SteamID are not set"
            )),
        }
    }

    /// What the owner is doing.
    ///
    /// # Errors
    /// When that is not known now.
    pub(super) async fn presence(&self, answers: &Answers) -> Result<Presence, Failure> {
        let path = "/ISteamUser/GetPlayerSummaries/v2/";
        let query = [("steamids", self.steam_id.as_str())];
        let read = |answer: &HttpAnswer| {
            let body: Body<Players> = good(answer)?;
            let player = body.response.players.into_iter().next();
            player_presence(player.ok_or(crate::detail!(
                "Steam knows no such account: check the SteamID"
            ))?)
        };
        let found = self.get(answers, path, &query, PRESENCE, read).await;
        match (found.failure, found.value) {
            (None, Some(presence)) => Ok(presence),
            (failure, _) => Err(failure
                .unwrap_or_else(|| crate::detail!("Steam's answer was not understood").into())),
        }
    }

    /// Minutes played, by the game's number. Empty where the owner keeps it
    /// private.
    pub(super) async fn playtimes(&self, answers: &Answers) -> Found<HashMap<u32, u64>> {
        let path = "/IPlayerService/GetOwnedGames/v1/";
        let query = [
            ("steamid", self.steam_id.as_str()),
            ("include_played_free_games", "1"),
        ];
        let read = |answer: &HttpAnswer| {
            let body: Body<Games> = good(answer)?;
            let games = body.response.games.into_iter();
            let minutes = games.filter_map(|game| Some((game.number()?, game.playtime_forever?)));
            Ok(minutes.collect())
        };
        self.get(answers, path, &query, NUMBERS, read).await
    }

    /// What was played in the last two weeks. Empty where the owner keeps it
    /// private.
    pub(super) async fn lately(&self, answers: &Answers) -> Found<Vec<PlayedGame>> {
        let path = "/IPlayerService/GetRecentlyPlayedGames/v1/";
        let query = [("steamid", self.steam_id.as_str())];
        let read = |answer: &HttpAnswer| {
            let body: Body<Games> = good(answer)?;
            let minutes = |minutes: Option<u64>| u32::try_from(minutes?).ok();
            let games = body.response.games.into_iter();
            let played = games.filter_map(|game| {
                Some(PlayedGame {
                    app_id: game.number()?,
                    name: one_line(&game.name, LONGEST_NAME),
                    minutes_lately: minutes(game.playtime_2weeks),
                    minutes: minutes(game.playtime_forever),
                    last_played: None,
                })
            });
            Ok(played.collect())
        };
        self.get(answers, path, &query, NUMBERS, read).await
    }

    /// What was reached in a game; `None` where it has no achievements, or the
    /// owner keeps them private.
    pub(super) async fn achievements(
        &self,
        game: u32,
        answers: &Answers,
    ) -> Found<Option<Achievements>> {
        let path = "/ISteamUserStats/GetPlayerAchievements/v1/";
        let game = game.to_string();
        let query = [("steamid", self.steam_id.as_str()), ("appid", &game)];
        let read = |answer: &HttpAnswer| {
            // Here 403 is a private profile, and 400 a game without achievements.
            if matches!(answer.status.as_u16(), 400 | 403) {
                return Ok(None);
            }
            let body: PlayerStats = good(answer)?;
            let list = body.playerstats.achievements;
            Ok((!list.is_empty()).then(|| Achievements {
                reached: list.iter().filter(|one| one.achieved == Some(1)).count(),
                of: list.len(),
            }))
        };
        self.get(answers, path, &query, NUMBERS, read).await
    }

    async fn get<T>(
        &self,
        answers: &Answers,
        path: &str,
        query: &[(&str, &str)],
        lifetime: Lifetime,
        read: fn(&HttpAnswer) -> Result<T, Failure>,
    ) -> Found<T> {
        let own = [("key", self.key.expose_secret()), ("format", "json")];
        let query = own.iter().chain(query);
        let address = Url::parse_with_params(&self.address.join(path), query);
        let reader = Reader {
            lifetime,
            silent: |why| crate::detail!("Steam {why}"),
            read,
        };
        answers.get(address.expect("an address"), reader).await
    }
}

fn good<T: DeserializeOwned>(answer: &HttpAnswer) -> Result<T, Failure> {
    if answer.status.is_success() {
        return Ok(answer
            .json()
            .ok_or(crate::detail!("Steam's answer was not understood"))?);
    }
    let status = answer.status.as_u16().into();
    let why = match answer.status.as_u16() {
        429 => crate::detail!("Steam asks for fewer calls ({status})"),
        401 | 403 => Message::SteamKeyRefused { status },
        _ => crate::detail!("Steam answered with status {status}"),
    };
    // At other statuses the next try comes as usual: Steam's maintenance is over when it is.
    let pause = answer.retry_after.filter(|_| answer.status.as_u16() == 429);
    Err(Failure { why, pause })
}

#[derive(Deserialize)]
struct Body<T> {
    response: T,
}

#[derive(Deserialize)]
struct Players {
    players: Vec<Player>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Player {
    #[serde(deserialize_with = "number")]
    gameid: Option<u64>,
    #[serde(deserialize_with = "text")]
    gameextrainfo: String,
    #[serde(deserialize_with = "number")]
    communityvisibilitystate: Option<u64>,
    #[serde(deserialize_with = "number")]
    personastate: Option<u64>,
}

#[derive(Deserialize)]
struct Games {
    #[serde(default)]
    games: Vec<Game>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Game {
    #[serde(deserialize_with = "number")]
    appid: Option<u64>,
    #[serde(deserialize_with = "text")]
    name: String,
    #[serde(deserialize_with = "number")]
    playtime_2weeks: Option<u64>,
    #[serde(deserialize_with = "number")]
    playtime_forever: Option<u64>,
}

impl Game {
    fn number(&self) -> Option<u32> {
        u32::try_from(self.appid?).ok()
    }
}

#[derive(Deserialize)]
struct PlayerStats {
    #[serde(default)]
    playerstats: AchievementList,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AchievementList {
    achievements: Vec<Achievement>,
}

#[derive(Deserialize)]
struct Achievement {
    #[serde(default, deserialize_with = "number")]
    achieved: Option<u64>,
}

fn player_presence(player: Player) -> Result<Presence, Failure> {
    if let Some(id) = player.gameid.filter(|&id| id != 0) {
        return Ok(Presence::Playing(SteamGame {
            id,
            name: one_line(&player.gameextrainfo, LONGEST_NAME),
        }));
    }
    // A profile that is not public (3) reports 0, offline, whatever its owner
    // does.
    let visibility = player.communityvisibilitystate;
    if visibility.is_some_and(|visibility| visibility != 3) {
        return Err(Message::SteamPrivate.into());
    }
    Ok(match player.personastate {
        Some(0) => Presence::Offline,
        _ => Presence::Online,
    })
}

/// A whole number that may be written as text, as `gameid` is.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(value.as_u64().or_else(|| value.as_str()?.parse().ok()))
}

/// A text; empty where it is anything else.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_incomplete_summary_is_read() {
        let playing = |id, name: &str| {
            Ok(Presence::Playing(SteamGame {
                id,
                name: name.to_owned(),
            }))
        };
        for (player, presence) in [
            (json!({}), Ok(Presence::Online)),
            (json!({ "personastate": 0 }), Ok(Presence::Offline)),
            (json!({ "personastate": "0" }), Ok(Presence::Offline)),
            (
                json!({ "personastate": 3, "communityvisibilitystate": 3 }),
                Ok(Presence::Online),
            ),
            (
                json!({ "personastate": 0, "communityvisibilitystate": 1 }),
                Err(Message::SteamPrivate.into()),
            ),
            (
                json!({ "gameid": "620", "gameextrainfo": "Portal 2" }),
                playing(620, "Portal 2"),
            ),
            (
                json!({ "gameid": 620, "gameextrainfo": 7 }),
                playing(620, ""),
            ),
            (
                json!({ "gameid": "0", "personastate": 1 }),
                Ok(Presence::Online),
            ),
            (
                json!({ "gameid": "what", "personastate": null }),
                Ok(Presence::Online),
            ),
            (
                json!({ "gameid": "18446744073709551615", "gameextrainfo": "Mine" }),
                playing(u64::MAX, "Mine"),
            ),
            (
                json!({ "gameid": 620, "gameextrainfo": "\u{202e}Por\u{200b}tal\n\u{1b}2" }),
                playing(620, "Portal 2"),
            ),
        ] {
            let read = serde_json::from_value(player.clone()).expect("a player");
            assert_eq!(player_presence(read), presence, "{player}");
        }
    }
}
