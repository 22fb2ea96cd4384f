//! The owner's game.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;

/// Where a game status came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum GameSource {
    /// The Steam client on this machine.
    Client,
    /// The Steam Web API.
    WebApi,
}

/// Why the game is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum GameHidden {
    /// Nothing is shared, or not yet.
    NotShared,
    /// Sharing is paused.
    Paused,
    /// A rule hides it, or the foreground app is never shared.
    Private,
}

/// The game status in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GameGlance {
    /// `在线`, `在游戏中` or `离线`, as the blog reads it.
    pub status: String,
    /// The game, while one is shown.
    pub game: Option<String>,
    /// The source; `null` where none is available.
    pub source: Option<GameSource>,
    /// Why it is not shown, if so.
    pub hidden: Option<GameHidden>,
    /// Why nothing better is known.
    pub trouble: Option<Message>,
}

/// A game that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlayedGame {
    /// Its number at Steam.
    pub app_id: u32,
    /// Its name.
    pub name: String,
    /// Minutes in the last two weeks.
    pub minutes_lately: Option<u32>,
    /// Minutes ever.
    pub minutes: Option<u32>,
    /// When it was last played.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_played: Option<i64>,
}

/// A field of the answer that the blog reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GameField {
    /// Its name in the answer.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Achievements of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Achievements {
    /// How many the owner has reached.
    #[cfg_attr(test, ts(type = "number"))]
    pub reached: usize,
    /// How many there are.
    #[cfg_attr(test, ts(type = "number"))]
    pub of: usize,
}

/// The game that runs, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunningGame {
    /// The number of its cover; `null` where it has none.
    pub cover: Option<u32>,
    /// When it was first seen to run.
    #[cfg_attr(test, ts(type = "number"))]
    pub since: i64,
    /// Minutes played ever.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub minutes: Option<u64>,
    /// Its achievements, where it has any.
    pub achievements: Option<Achievements>,
}

/// Everything about the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GamePage {
    /// In short.
    pub glance: GameGlance,
    /// The game that runs, while it is shown.
    pub running: Option<RunningGame>,
    /// What the blog reads, field by field.
    pub answer: Vec<GameField>,
    /// Recently played, the latest first.
    pub recent: Vec<PlayedGame>,
    /// Whether a Web API key is set.
    pub has_key: bool,
    /// The SteamID, if set.
    pub steam_id: Option<String>,
    /// Whether the Steam client on this machine is queried.
    pub asks_client: bool,
    /// Where that client is installed, if it was found.
    pub client_folder: Option<String>,
}
