//! The bodies of the endpoints, field by field as the interface has them.
//!
//! A field that only one of the two behaviours has is an `Option` that is left
//! out when it is `None`.

use serde::{Deserialize, Serialize};

use crate::clock::timestamp::Timestamp;
use crate::text::image_hash::ImageHash;
use crate::text::rgba::Rgba;
use crate::text::{LONGEST_NAME, one_line};

/// The four fields that a heartbeat of Behaviour B carries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeartbeatFields {
    /// The foreground app; at most 200 characters.
    pub application: String,
    /// A line about it; at most 2,000 characters.
    pub introduce: String,
    /// Its colour.
    pub rgba: Rgba,
    /// Whether the owner is using it now.
    #[serde(rename = "applicationOnline")]
    pub application_online: bool,
    /// The track that the line is about. No heartbeat carries it from one process to another.
    #[serde(skip)]
    pub track: Option<SharedTrack>,
}

impl HeartbeatFields {
    /// Whether readers of `/check` see the same.
    #[must_use]
    pub fn read_as(&self, other: &Self) -> bool {
        self.application == other.application
            && self.introduce == other.introduce
            && self.rgba == other.rgba
            && self.application_online == other.application_online
    }
}

/// A track that readers may see: both texts are one clean line of at most 200 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedTrack {
    /// Its title.
    pub title: String,
    /// Its artist.
    pub artist: String,
}

impl SharedTrack {
    /// The track; `None` where its title or its artist is unknown.
    #[must_use]
    pub fn of(title: &str, artist: &str) -> Option<Self> {
        let [title, artist] = [title, artist].map(|text| one_line(text, LONGEST_NAME));
        (!title.is_empty() && !artist.is_empty()).then_some(Self { title, artist })
    }
}

/// `POST /heartbeat`: what was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeartbeatReply {
    /// Always `Heartbeat received`.
    pub message: String,
    /// The fields as they were recorded (Behaviour B).
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub fields: Option<HeartbeatFields>,
}

/// `GET /check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Whether the last heartbeat is recent enough.
    pub alive: bool,
    /// When it came, in whole Unix seconds; 0 before the first one.
    pub last_heartbeat: i64,
    /// Its fields (Behaviour B).
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub fields: Option<HeartbeatFields>,
}

/// One row of `GET /images/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageItem {
    /// The image's hash.
    pub hash: ImageHash,
    /// Always `image/webp`.
    #[serde(rename = "contentType")]
    pub content_type: String,
    /// When it was stored.
    #[serde(rename = "createdAt")]
    pub created_at: Timestamp,
    /// With `detail=1`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub details: Option<ItemDetails>,
}

/// What `GET /images/list?detail=1` adds to each row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemDetails {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Stored bytes.
    pub size: u64,
    /// More than one frame.
    pub animated: bool,
    /// The average colour, as `#rrggbb`; `null` before it is known.
    pub color: Option<String>,
    /// The ThumbHash in base64; `null` before it is known.
    pub thumbhash: Option<String>,
}

/// One call statistic, of `GET /api_stats` and `GET /api_stats/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ApiStat {
    /// The path of an endpoint.
    pub key: String,
    /// Calls of it, ever.
    #[cfg_attr(test, ts(type = "number"))]
    pub count: u64,
    /// When the last one came; `null` when there was none.
    #[serde(rename = "lastUpdated")]
    #[cfg_attr(test, ts(type = "string | null"))]
    pub last_updated: Option<Timestamp>,
}

/// `GET /game_status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameStatus {
    /// 在线, 在游戏中 or, where enabled, 离线.
    pub status: String,
    /// The game, when there is one.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub game: Option<PlayedGame>,
}

impl GameStatus {
    /// The owner is there and in no game: also the answer when nothing is known.
    pub const ONLINE: &'static str = "在线";
    /// The owner is in a game.
    pub const IN_GAME: &'static str = "在游戏中";
    /// The owner is offline; only where the settings enable it.
    pub const OFFLINE: &'static str = "离线";

    /// A status without a game.
    #[must_use]
    pub fn plain(status: &str) -> Self {
        Self {
            status: status.to_owned(),
            game: None,
        }
    }
}

/// The game being played; all of it is text, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// The game's name.
    pub game: String,
    /// Its number in the store.
    pub game_id: String,
    /// The store's short description.
    pub description: String,
    /// The store's price, or 免费.
    pub price: String,
    /// Time played in all: `12小时34分钟`.
    pub playtime: String,
    /// Achievements reached: `12.5%`, or 无成就数据.
    pub achievement_percentage: String,
}

/// `GET /ipcheck`; unknown fields are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IpInformation {
    /// The requested address.
    pub ip: String,
    /// Its name in the DNS.
    pub hostname: String,
    /// City.
    pub city: String,
    /// State or province.
    pub region: String,
    /// Country, as two letters.
    pub country: String,
    /// `latitude,longitude`.
    pub loc: String,
    /// The network's number and name: `AS64500 Example`.
    pub org: String,
    /// Postal code.
    pub postal: String,
    /// IANA time zone.
    pub timezone: String,
}
