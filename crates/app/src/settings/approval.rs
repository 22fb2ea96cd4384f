//! Which changes of settings the owner must approve first.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use porchlight_api::WebAddress;
use serde_json::Value;

use super::changes::Changes;
use super::known::{Key, PROGRAM, SECRETS};
use super::store::SettingsStore;

/// Keys that lead secrets or pictures to the service that they name.
const LEAD_ELSEWHERE: [&str; 6] = [
    "presence.target_url",
    "storage.endpoint",
    "ip.ipinfo_url",
    "game.steam_api_url",
    "storage.bucket",
    "storage.access_key",
];
/// Keys that say by which way and under which name the world comes in.
const WAYS_IN: [&str; 5] = [
    "tunnel.cloudflared_token",
    "tunnel.ssh_host",
    "tunnel.hostname",
    "tunnel.public_url",
    "server.public_url",
];

/// What the page may not decide by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// This machine would run this, to reach the world.
    Program(Vec<String>),
    /// The program's output would be read by this.
    Pattern(String),
    /// Secrets or pictures would go to this address.
    Elsewhere {
        /// The setting.
        key: String,
        /// Where to; `None` where that is a secret.
        address: Option<String>,
    },
    /// The world would come in by this, or be told to.
    WayIn {
        /// The setting.
        key: String,
        /// Its value; `None` where that is a secret.
        value: Option<String>,
    },
    /// Other machines would reach the listener at this address.
    Listen(String),
    /// This header would say who calls.
    Caller(String),
    /// Client addresses reported by these peers would be trusted.
    Proxies(Vec<String>),
    /// All pictures in this folder would be put on the web.
    Folder(String),
    /// Files would be moved away once they are uploaded: `trash` or `archive`.
    After(String),
    /// Readers would be redirected to this address for images.
    Readers(String),
    /// The service would become public through a Cloudflare quick tunnel.
    QuickTunnel,
    /// Programs on this machine could upload with a secret, or with another
    /// one than before.
    Editors,
    /// All programs and users of this machine could upload without one.
    NoSecret,
}

impl SettingsStore {
    /// What the owner must be asked before these changes are made; those that
    /// change nothing are not asked about, nor folders that the owner has
    /// `chosen` in a dialog of the system.
    pub fn questions(&self, changes: &Changes, chosen: &BTreeSet<String>) -> Vec<Question> {
        let text = self.text_to_change();
        let written: toml::Table = text
            .ok()
            .and_then(|text| toml::from_str(&text).ok())
            .unwrap_or_default();
        let written = serde_json::to_value(written).unwrap_or_default();
        let before = |key: &str| {
            let before = Key::written(key).find_in(&written).cloned();
            before.unwrap_or_else(|| default_of(self, key))
        };
        let after = |key: &str| changes.get(key).cloned().unwrap_or_else(|| before(key));
        let mut questions = of_several_keys(&before, &after);
        for (key, value) in changes {
            let was = before(key);
            let of_key = match key.as_str() {
                "watch.folders" => new_folders(&was, value, chosen),
                // What this begins may have been written before.
                "tunnel.kind" if was != *value => {
                    let begun: &[&str] = match value.as_str() {
                        Some("command") => &["tunnel.command", PROGRAM],
                        Some("ssh") => &["tunnel.ssh_host", PROGRAM],
                        Some("cloudflared") => &["tunnel.cloudflared_token", PROGRAM],
                        _ => continue,
                    };
                    let asked = |key: &&str| question(key, &Value::Null, &after(key));
                    begun.iter().filter_map(asked).collect()
                }
                _ => question(key, &was, value).into_iter().collect(),
            };
            for question in of_key {
                if !questions.contains(&question) {
                    questions.push(question);
                }
            }
        }
        questions
    }
}

/// The value that a key has when nobody has written one.
fn default_of(store: &SettingsStore, key: &str) -> Value {
    let rows = store.rows();
    let row = rows.into_iter().find(|row| row.key == key);
    row.map_or(Value::Null, |row| row.default)
}

/// The approvals for settings that depend on each other, by their values before and after.
fn of_several_keys(before: &dyn Fn(&str) -> Value, after: &dyn Fn(&str) -> Value) -> Vec<Question> {
    type Values<'a> = &'a dyn Fn(&str) -> Value;
    let is_quick = |values: Values<'_>| {
        values("tunnel.kind") == "cloudflared"
            && matches!(values("tunnel.cloudflared_token").as_str(), None | Some(""))
    };
    let listens = |values: Values<'_>| values("picgo.enabled") == true;
    let secret = |values: Values<'_>| values("picgo.secret");
    let has_none = |values: Values<'_>| secret(values) == "";
    let begins = |now: bool, then: bool| now && !then;

    let mut questions = Vec::new();
    if begins(is_quick(after), is_quick(before)) {
        questions.push(Question::QuickTunnel);
    }
    let begins_to_listen = begins(listens(after), listens(before));
    if has_none(after) && (begins_to_listen || !has_none(before)) {
        questions.push(Question::NoSecret);
    } else if begins_to_listen || (listens(after) && secret(before) != secret(after)) {
        questions.push(Question::Editors);
    }
    questions
}

/// Those of these folders that were not there before and that the owner has not
/// chosen.
fn new_folders(before: &Value, after: &Value, chosen: &BTreeSet<String>) -> Vec<Question> {
    let known: Vec<&Value> = before.as_array().into_iter().flatten().collect();
    let folders = after.as_array().into_iter().flatten();
    folders
        .filter(|folder| !known.contains(folder))
        .filter_map(|folder| folder.as_str())
        .filter(|folder| !chosen.contains(*folder))
        .map(|folder| Question::Folder(folder.to_owned()))
        .collect()
}

fn question(key: &str, before: &Value, after: &Value) -> Option<Question> {
    if before == after || after.is_null() {
        return None;
    }
    let text = || after.as_str().unwrap_or_default().to_owned();
    match key {
        "tunnel.command" => {
            let words = after.as_array().into_iter().flatten();
            let words = words.filter_map(|word| Some(word.as_str()?.to_owned()));
            Some(Question::Program(words.collect()))
        }
        PROGRAM => (!text().is_empty()).then(|| Question::Program(vec![text()])),
        "tunnel.pattern" => Some(Question::Pattern(text())),
        _ if LEAD_ELSEWHERE.contains(&key) => {
            let same = origin_of(before).is_some_and(|one| Some(one) == origin_of(after));
            (!same).then(|| Question::Elsewhere {
                key: key.to_owned(),
                address: (!SECRETS.contains(&key)).then(text),
            })
        }
        "watch.after" => {
            let moved = ["trash", "archive"].contains(&after.as_str()?);
            moved.then(|| Question::After(text()))
        }
        _ if WAYS_IN.contains(&key) => {
            let same = origin_of(before).is_some_and(|one| Some(one) == origin_of(after));
            (!same).then(|| Question::WayIn {
                key: key.to_owned(),
                value: (!SECRETS.contains(&key)).then(text),
            })
        }
        "storage.storage_url" => {
            let same = origin_of(before).is_some_and(|one| Some(one) == origin_of(after));
            (!same).then(|| Question::Readers(text()))
        }
        "server.listen" => {
            let address: SocketAddr = after.as_str()?.parse().ok()?;
            let beyond = !address.ip().to_canonical().is_loopback();
            beyond.then(|| Question::Listen(text()))
        }
        "server.trusted_proxies" => {
            let known = before.as_array().map_or(&[][..], Vec::as_slice);
            let all = after.as_array().into_iter().flatten();
            let new = all.filter(|address| !known.contains(address));
            let new: Vec<String> = new
                .filter_map(|one| Some(one.as_str()?.to_owned()))
                .collect();
            (!new.is_empty()).then_some(Question::Proxies(new))
        }
        "server.client_ip" => (after.as_str()? != "peer").then(|| Question::Caller(text())),
        _ => None,
    }
}

/// Scheme, host and port of an address.
fn origin_of(value: &Value) -> Option<String> {
    let address: WebAddress = value.as_str()?.parse().ok()?;
    let (scheme, rest) = address.as_str().split_once("://")?;
    let host = rest.split('/').next().unwrap_or_default();
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests;
