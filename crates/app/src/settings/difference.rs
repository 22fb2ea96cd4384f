//! Which settings differ, so that only the services that must restart do, and the owner is informed
//! when a change takes effect at the next start.

use std::collections::BTreeSet;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::Settings;
use super::known::{Key, all_keys};

/// Keys within sections that count at once whose own change counts from the
/// next start.
pub(super) const LATER: [&str; 1] = ["presence.history_days"];
/// Sections that count at once.
pub(super) const SECTIONS_AT_ONCE: [&str; 7] = [
    "app", "game", "links", "picgo", "presence", "tunnel", "watch",
];
/// Keys of other sections that count at once.
const AT_ONCE: [&str; 5] = [
    "server.public_url",
    "images.quality",
    "images.max_upload_bytes",
    "images.max_pixels",
    "images.max_animation_pixels",
];

/// Whether a change of this key counts in the program that runs.
pub fn counts_at_once(key: &str) -> bool {
    let section = key.split_once('.').map_or("", |(section, _)| section);
    AT_ONCE.contains(&key) || SECTIONS_AT_ONCE.contains(&section) && !LATER.contains(&key)
}

/// The keys whose values differ. It holds no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference(BTreeSet<String>);

impl Difference {
    /// The keys that are not the same in both.
    pub fn between(one: &Settings, other: &Settings) -> Self {
        let (values, others) = (values_of(one), values_of(other));
        let differ = |key: &String| {
            let written = Key::written(key);
            written.find_in(&values) != written.find_in(&others)
                || exposed(one, key) != exposed(other, key)
        };
        Self(all_keys().into_iter().filter(differ).collect())
    }

    /// These keys.
    pub fn of(keys: &[&str]) -> Self {
        Self(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    /// Whether a key of this section is among them that is not `but`.
    pub fn touches_other_than(&self, section: &str, but: &str) -> bool {
        Self(self.0.iter().filter(|key| *key != but).cloned().collect()).touches(section)
    }

    /// Whether a key of this section is among them.
    pub fn touches(&self, section: &str) -> bool {
        let of_section = |key: &String| {
            let rest = key.strip_prefix(section);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        self.0.iter().any(of_section)
    }

    /// Whether one of these keys is among them.
    pub fn touches_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.0.contains(*key))
    }

    /// Those that count at once, and those that count from the next start.
    pub fn keys(&self) -> (Vec<&str>, Vec<&str>) {
        let keys = self.0.iter().map(String::as_str);
        keys.partition(|key| counts_at_once(key))
    }

    /// Whether one of them counts from the next start.
    pub fn needs_a_restart(&self) -> bool {
        self.0.iter().any(|key| !counts_at_once(key))
    }
}

/// All values as JSON, less the secrets, which the sections never write.
pub fn values_of(settings: &Settings) -> Value {
    // Paths that are no UTF-8 cannot come out of TOML.
    serde_json::to_value(settings).unwrap_or_default()
}

/// The secret under this key, when the key is one and it is set.
pub fn secret<'a>(settings: &'a Settings, key: &str) -> Option<&'a SecretString> {
    match key {
        "storage.access_key" => settings.storage.access_key.as_ref(),
        "storage.secret_key" => settings.storage.secret_key.as_ref(),
        "game.steam_api_key" => settings.game.steam_api_key.as_ref(),
        "ip.ipinfo_token" => settings.ip.ipinfo_token.as_ref(),
        "presence.token" => settings.presence.token.as_ref(),
        "tunnel.cloudflared_token" => settings.tunnel.cloudflared_token.as_ref(),
        "picgo.secret" => settings.picgo.secret.as_ref(),
        _ => None,
    }
}

fn exposed<'a>(settings: &'a Settings, key: &str) -> Option<&'a str> {
    secret(settings, key).map(|secret| secret.expose_secret())
}
