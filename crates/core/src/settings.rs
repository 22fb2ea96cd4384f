//! The settings of the service, one struct a section of `settings.toml`.
//!
//! The table of all settings in the app has the bounds of each, and refuses what is beyond them.

use std::path::PathBuf;

use porchlight_api::WebAddress;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::images::convert::Sandbox;

/// What the keys of all images begin with in an object store.
pub(crate) const IMAGES: &str = "randomimg";

/// What [`Service::open`](crate::Service::open) is given.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `[heartbeat]`
    pub heartbeat: HeartbeatSettings,
    /// `[images]`
    pub images: ImagesSettings,
    /// `[storage]`
    pub storage: StorageSettings,
    /// `[publish]`
    pub publish: PublishSettings,
    /// `[edge]`
    pub edge: EdgeSettings,
    /// `[game]`
    pub game: GameSettings,
    /// `[ip]`
    pub ip: IpSettings,
    /// `[system]`
    pub system: SystemSettings,
    /// `presence.history_days`: how long changes of presence are kept.
    pub history_days: u32,
}

/// `[heartbeat]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeartbeatSettings {
    /// Whether heartbeats carry fields (Behaviour B) or nothing (A).
    pub fields: bool,
    /// For how many seconds after a heartbeat the owner counts as there.
    pub alive_seconds: u64,
}

impl Default for HeartbeatSettings {
    fn default() -> Self {
        Self {
            fields: true,
            alive_seconds: 600,
        }
    }
}

/// How readers get an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// The bytes, from here (Behaviour A).
    #[default]
    Direct,
    /// A redirect to the object store (Behaviour B).
    Redirect,
}

/// `[images]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImagesSettings {
    /// How readers get an image.
    pub delivery: Delivery,
    /// The quality of lossy WebP, 1 to 100.
    pub quality: u64,
    /// The largest upload, in bytes.
    pub max_upload_bytes: u64,
    /// The most pixels an image may have.
    pub max_pixels: u64,
    /// The most pixels that all frames of an animation may have together.
    pub max_animation_pixels: u64,
    /// The maximum size of all renditions on disk, in bytes; the least recently
    /// used go first.
    pub rendition_cache_bytes: u64,
    /// Where images with sandboxed decoders are decoded. Not a setting: the program supplies it.
    #[serde(skip)]
    pub sandbox: Sandbox,
}

impl Default for ImagesSettings {
    fn default() -> Self {
        Self {
            delivery: Delivery::Direct,
            quality: 80,
            max_upload_bytes: 50 * 1024 * 1024,
            max_pixels: 100_000_000,
            max_animation_pixels: 1_000_000_000,
            rendition_cache_bytes: 1024 * 1024 * 1024,
            sandbox: Sandbox::Unavailable,
        }
    }
}

/// Where WebP files are stored. In settings: where new ones go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    /// In the data folder.
    #[default]
    Disk,
    /// In an S3-compatible object store.
    S3,
}

/// `[storage]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct StorageSettings {
    /// Where WebP files are stored.
    pub kind: StorageKind,
    /// The object store's own address.
    pub endpoint: Option<WebAddress>,
    /// Its region.
    pub region: Option<String>,
    /// The bucket.
    pub bucket: Option<String>,
    /// The key's name.
    #[serde(skip_serializing)]
    pub access_key: Option<SecretString>,
    /// The key.
    #[serde(skip_serializing)]
    pub secret_key: Option<SecretString>,
    /// The public address of the store or of its CDN.
    pub storage_url: Option<WebAddress>,
}

impl StorageKind {
    /// As it is written in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::S3 => "s3",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Disk => Self::S3,
            Self::S3 => Self::Disk,
        }
    }
}

impl StorageSettings {
    /// Whether they describe an object store completely enough to use it.
    #[must_use]
    pub fn describe_a_store(&self) -> bool {
        self.endpoint.is_some()
            && self.bucket.is_some()
            && self.access_key.is_some()
            && self.secret_key.is_some()
    }
}

/// `[publish]`: the snapshot of the public answers in the object store.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublishSettings {
    /// Whether there is one.
    pub enabled: bool,
    /// What the names of its objects begin with; it ends in a slash.
    pub prefix: String,
}

impl Default for PublishSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            prefix: "porchlight/".to_owned(),
        }
    }
}

/// `[edge]`: the Worker that answers for the service.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EdgeSettings {
    /// The Worker's address.
    pub url: Option<WebAddress>,
    /// The key that it shares with the service.
    #[serde(skip_serializing)]
    pub secret: Option<SecretString>,
}

/// `[game]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameSettings {
    /// A key of the Steam Web API.
    #[serde(skip_serializing)]
    pub steam_api_key: Option<SecretString>,
    /// The owner's SteamID: the number of 17 digits.
    pub steam_id: Option<String>,
    /// The country whose prices are shown, two letters; without it the store
    /// uses the caller's address.
    pub region: Option<String>,
    /// The language of descriptions, by the store's own names for languages
    /// (`schinese`, `english`, `japanese`).
    pub language: String,
    /// The Steam Web API.
    pub steam_api_url: WebAddress,
    /// The Steam store.
    pub steam_store_url: WebAddress,
    /// Whether the Steam client on this machine is queried.
    pub local_steam: bool,
    /// Where that client is installed; without it the usual places are tried.
    pub steam_folder: Option<PathBuf>,
    /// Whether 离线 is shown.
    pub report_offline: bool,
}

impl Default for GameSettings {
    fn default() -> Self {
        Self {
            steam_api_key: None,
            steam_id: None,
            region: None,
            language: "schinese".to_owned(),
            steam_api_url: known("https://api.steampowered.com"),
            steam_store_url: known("https://store.steampowered.com"),
            local_steam: true,
            steam_folder: None,
            report_offline: false,
        }
    }
}

/// `[ip]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IpSettings {
    /// A MaxMind-format database; with it no look-up leaves the machine.
    pub mmdb: Option<PathBuf>,
    /// A token of ipinfo.io.
    #[serde(skip_serializing)]
    pub ipinfo_token: Option<SecretString>,
    /// ipinfo.io, or a mirror.
    pub ipinfo_url: WebAddress,
}

impl Default for IpSettings {
    fn default() -> Self {
        Self {
            mmdb: None,
            ipinfo_token: None,
            ipinfo_url: known("https://ipinfo.io"),
        }
    }
}

/// `[system]`: what `/sysinfo` may show beyond what is harmless.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemSettings {
    /// Show the user's name.
    pub show_user: bool,
    /// Show the host's name.
    pub show_host: bool,
    /// Show the machine's addresses.
    pub show_addresses: bool,
}

fn known(address: &str) -> WebAddress {
    address.parse().expect("a fixed address")
}

/// Whether the names of a snapshot's objects may begin with this: names that need no escaping in an
/// address, and none of the images' own.
#[must_use]
pub fn is_prefix(text: &str) -> bool {
    let is_name = |name: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !matches!(name, "" | "." | "..") && name.bytes().all(known)
    };
    let names: Option<Vec<&str>> = text.strip_suffix('/').map(|all| all.split('/').collect());
    names.is_some_and(|names| names[0] != IMAGES && names.into_iter().all(is_name))
}
