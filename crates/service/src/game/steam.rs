//! The Steam Web API: what the owner does, owns and has reached.
//!
//! No field of an answer is relied on: private profiles, mistakes and pages of
//! HTML come with any status.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::cached::Failure;
use super::sources::{Presence, RunningGame};
use crate::error::message::Message;
use crate::game::window::{Achievements, PlayedGame};
use crate::http::external as external_http;
use crate::http::external::{AskError, HttpAnswer};
use crate::text::address::WebAddress;
use crate::text::{LONGEST_NAME, one_line};

/// The owner's account, as the Web API sees it.
#[derive(Debug)]
pub(super) struct SteamAccount {
    http: reqwest::Client,
    address: WebAddress,
    key: SecretString,
    steam_id: String,
}

/// Why Steam could not be understood. None of these holds the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", Message::from(self))]
pub(super) enum SteamError {
    Silent(#[from] AskError),
    KeyRefused(u16),
    TooManyCalls {
        status: u16,
        pause: Option<Duration>,
    },
    Status(u16),
    Garbled,
    NoSuchAccount,
    PrivateProfile,
}

impl From<&SteamError> for Message {
    fn from(error: &SteamError) -> Self {
        match error {
            SteamError::Silent(why) => {
                let why = why.into();
                Self::SteamSilent { why }
            }
            SteamError::KeyRefused(status) => {
                let status = (*status).into();
                Self::SteamKeyRefused { status }
            }
            SteamError::TooManyCalls { status, .. } => {
                let status = (*status).into();
                Self::SteamTooManyCalls { status }
            }
            SteamError::Status(status) => {
                let status = (*status).into();
                Self::SteamStatus { status }
            }
            SteamError::Garbled => Self::SteamNotUnderstood,
            SteamError::NoSuchAccount => Self::SteamNoAccount,
            SteamError::PrivateProfile => Self::SteamPrivate,
        }
    }
}

impl SteamError {
    fn of_status(answer: &HttpAnswer) -> Self {
        let status = answer.status.as_u16();
        match status {
            429 => Self::TooManyCalls {
                status,
                pause: answer.retry_after,
            },
            401 | 403 => Self::KeyRefused(status),
            _ => Self::Status(status),
        }
    }
}

impl From<SteamError> for Failure {
    fn from(error: SteamError) -> Self {
        let pause = match &error {
            SteamError::TooManyCalls { pause, .. } => *pause,
            _ => None,
        };
        Self {
            why: (&error).into(),
            pause,
        }
    }
}

impl SteamAccount {
    pub(super) fn new(
        http: reqwest::Client,
        address: WebAddress,
        key: SecretString,
        steam_id: String,
    ) -> Self {
        Self {
            http,
            address,
            key,
            steam_id,
        }
    }

    /// What the owner is doing.
    pub(super) async fn presence(&self) -> Result<Presence, SteamError> {
        let body = self
            .good(
                "/ISteamUser/GetPlayerSummaries/v2/",
                &[("steamids", &self.steam_id)],
            )
            .await?;
        let players = body.pointer("/response/players").and_then(Value::as_array);
        let player = players.ok_or(SteamError::Garbled)?.first();
        player_presence(player.ok_or(SteamError::NoSuchAccount)?)
    }

    /// Minutes played, by the game's number. Empty where the owner keeps it
    /// private.
    pub(super) async fn playtimes(&self) -> Result<HashMap<u32, u64>, SteamError> {
        let query = [
            ("steamid", self.steam_id.as_str()),
            ("include_played_free_games", "1"),
        ];
        let body = self
            .good("/IPlayerService/GetOwnedGames/v1/", &query)
            .await?;
        let response = body.get("response").and_then(Value::as_object);
        let games = response
            .ok_or(SteamError::Garbled)?
            .get("games")
            .and_then(Value::as_array);
        let minutes = |game: &Value| {
            let number = u32::try_from(number(game, "appid")?).ok()?;
            Some((number, self::number(game, "playtime_forever")?))
        };
        Ok(games
            .map(|games| games.iter().filter_map(minutes).collect())
            .unwrap_or_default())
    }

    /// What was played in the last two weeks. Empty where the owner keeps it
    /// private.
    pub(super) async fn lately(&self) -> Result<Vec<PlayedGame>, SteamError> {
        let query = [("steamid", self.steam_id.as_str())];
        let body = self
            .good("/IPlayerService/GetRecentlyPlayedGames/v1/", &query)
            .await?;
        let response = body.get("response").and_then(Value::as_object);
        let games = response.ok_or(SteamError::Garbled)?.get("games");
        let minutes = |game: &Value, field: &str| u32::try_from(number(game, field)?).ok();
        let game = |game: &Value| {
            Some(PlayedGame {
                app_id: u32::try_from(number(game, "appid")?).ok()?,
                name: one_line(game.get("name")?.as_str()?, LONGEST_NAME),
                minutes_lately: minutes(game, "playtime_2weeks"),
                minutes: minutes(game, "playtime_forever"),
                last_played: None,
            })
        };
        let games = games.and_then(Value::as_array);
        Ok(games
            .map(|games| games.iter().filter_map(game).collect())
            .unwrap_or_default())
    }

    /// What was reached in a game; `None` where it has no achievements, or the
    /// owner keeps them private.
    pub(super) async fn achievements(&self, game: u32) -> Result<Option<Achievements>, SteamError> {
        let query = [
            ("steamid", self.steam_id.as_str()),
            ("appid", &game.to_string()),
        ];
        let answer = self
            .ask("/ISteamUserStats/GetPlayerAchievements/v1/", &query)
            .await?;
        // Here 403 is a private profile, and 400 a game without achievements.
        if matches!(
            answer.status,
            StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN
        ) {
            return Ok(None);
        }
        if !answer.status.is_success() {
            return Err(SteamError::of_status(&answer));
        }
        let body: Value = answer.json().ok_or(SteamError::Garbled)?;
        let list = body
            .pointer("/playerstats/achievements")
            .and_then(Value::as_array);
        Ok(list
            .filter(|list| !list.is_empty())
            .map(|list| Achievements {
                reached: list
                    .iter()
                    .filter(|one| number(one, "achieved") == Some(1))
                    .count(),
                of: list.len(),
            }))
    }

    async fn good(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, SteamError> {
        let answer = self.ask(path, query).await?;
        if !answer.status.is_success() {
            return Err(SteamError::of_status(&answer));
        }
        answer.json().ok_or(SteamError::Garbled)
    }

    async fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<HttpAnswer, AskError> {
        let request = self
            .http
            .get(self.address.join(path))
            .query(&[("key", self.key.expose_secret()), ("format", "json")])
            .query(query);
        external_http::ask(request).await
    }
}

fn player_presence(player: &Value) -> Result<Presence, SteamError> {
    let name = player
        .get("gameextrainfo")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if let Some(id) = number(player, "gameid").filter(|&id| id != 0) {
        return Ok(Presence::Playing(RunningGame {
            id,
            name: one_line(name, LONGEST_NAME),
        }));
    }
    // A profile that is not public (3) reports 0, offline, whatever its owner
    // does.
    if number(player, "communityvisibilitystate").is_some_and(|visibility| visibility != 3) {
        return Err(SteamError::PrivateProfile);
    }
    Ok(match number(player, "personastate") {
        Some(0) => Presence::Offline,
        _ => Presence::Online,
    })
}

/// A whole number that may be written as text, as `gameid` is.
fn number(from: &Value, field: &str) -> Option<u64> {
    let value = from.get(field)?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SteamError, player_presence};
    use crate::game::sources::{Presence, RunningGame};

    #[test]
    fn an_incomplete_summary_is_read() {
        let playing = |id, name: &str| {
            Ok(Presence::Playing(RunningGame {
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
                Err(SteamError::PrivateProfile),
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
            assert_eq!(player_presence(&player), presence, "{player}");
        }
    }
}
