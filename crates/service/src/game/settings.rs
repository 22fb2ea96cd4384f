//! `[game]`

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::text::address::WebAddress;
use crate::text::secret::Secret;

/// `[game]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameSettings {
    /// A key of the Steam Web API.
    #[serde(skip_serializing)]
    pub steam_api_key: Option<Secret>,
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
            steam_api_url: "https://api.steampowered.com".parse().expect("an address"),
            steam_store_url: "https://store.steampowered.com"
                .parse()
                .expect("an address"),
            local_steam: true,
            steam_folder: None,
            report_offline: false,
        }
    }
}
