//! Which changes of settings the owner must approve first.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use porchlight_api::WebAddress;
use porchlight_companion::settings::TunnelKind;
use serde::Deserialize as _;
use serde_json::Value;

use super::changes::Changes;
use super::meta::{ApprovalRule, PROGRAM, SettingMeta, meta};
use super::store::SettingsStore;

/// A change that the page must not make without the owner's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// This machine would run this program as the tunnel.
    Program(Vec<String>),
    /// The program's output would be read by this.
    Pattern(String),
    /// Secrets or pictures would go to this address.
    Elsewhere {
        key: String,
        /// Where to; `None` where that is a secret.
        address: Option<String>,
    },
    /// The service would be public through this, or links would name it.
    PublicAccess {
        key: String,
        /// Its value; `None` where that is a secret.
        value: Option<String>,
    },
    /// Other machines would reach the listener at this address.
    Listen(String),
    /// Client addresses would be taken from this header.
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
    /// Newer releases would be announced there, or by whoever has this key.
    Updates { key: String, value: String },
}

impl SettingsStore {
    /// What the owner must approve before these changes are made. Changes without
    /// an effect need no approval, nor do folders that the owner has
    /// `chosen` in a dialog of the system.
    pub fn approvals_for(&self, changes: &Changes, chosen: &BTreeSet<String>) -> Vec<Approval> {
        let text = self.text_to_change();
        let written = text
            .ok()
            .and_then(|text| toml_edit::de::from_str(&text).ok());
        let written: Value = written.unwrap_or_default();
        let before = |key: &str| {
            let row = meta(key)?;
            let before = Some(row.value_in(&written)).filter(|before| !before.is_null());
            Some(before.unwrap_or_else(|| row.default()))
        };
        let before = |key: &str| before(key).unwrap_or_default();
        let after = |key: &str| changes.get(key).cloned().unwrap_or_else(|| before(key));
        let mut approvals = of_several_keys(&before, &after);
        for (key, value) in changes {
            let Some(row) = meta(key) else {
                continue;
            };
            let was = before(key);
            let of_key = match row.approval {
                Some(ApprovalRule::Folders) => new_folders(&was, value, chosen),
                // The settings that this makes effective may have been written before.
                Some(ApprovalRule::TunnelKind) if was != *value => {
                    let effective: &[&str] = match TunnelKind::deserialize(value) {
                        Ok(TunnelKind::Command) => &["tunnel.command", PROGRAM],
                        Ok(TunnelKind::Ssh) => &["tunnel.ssh_host", PROGRAM],
                        Ok(TunnelKind::Cloudflared) => &["tunnel.cloudflared_token", PROGRAM],
                        // A value of another kind is refused when it is written.
                        Ok(TunnelKind::None) | Err(_) => continue,
                    };
                    let rows = effective.iter().filter_map(|key| meta(key));
                    let approval = |row| approval_for(row, &Value::Null, &after(row.key));
                    rows.filter_map(approval).collect()
                }
                _ => approval_for(row, &was, value).into_iter().collect(),
            };
            for approval in of_key {
                if !approvals.contains(&approval) {
                    approvals.push(approval);
                }
            }
        }
        approvals
    }
}

/// The approvals for settings that depend on each other, by their values before and after.
fn of_several_keys(before: &dyn Fn(&str) -> Value, after: &dyn Fn(&str) -> Value) -> Vec<Approval> {
    type Values<'a> = &'a dyn Fn(&str) -> Value;
    let is_quick = |values: Values<'_>| {
        values("tunnel.kind") == "cloudflared"
            && matches!(values("tunnel.cloudflared_token").as_str(), None | Some(""))
    };
    let listens = |values: Values<'_>| values("picgo.enabled") == true;
    let secret = |values: Values<'_>| values("picgo.secret");
    let has_none = |values: Values<'_>| secret(values) == "";
    let starts = |now: bool, then: bool| now && !then;

    let mut approvals = Vec::new();
    if starts(is_quick(after), is_quick(before)) {
        approvals.push(Approval::QuickTunnel);
    }
    let starts_to_listen = starts(listens(after), listens(before));
    if has_none(after) && (starts_to_listen || !has_none(before)) {
        approvals.push(Approval::NoSecret);
    } else if starts_to_listen || (listens(after) && secret(before) != secret(after)) {
        approvals.push(Approval::Editors);
    }
    approvals
}

/// Those of these folders that were not there before and that the owner has not
/// chosen.
fn new_folders(before: &Value, after: &Value, chosen: &BTreeSet<String>) -> Vec<Approval> {
    let known: Vec<&Value> = before.as_array().into_iter().flatten().collect();
    let folders = after.as_array().into_iter().flatten();
    folders
        .filter(|folder| !known.contains(folder))
        .filter_map(|folder| folder.as_str())
        .filter(|folder| !chosen.contains(*folder))
        .map(|folder| Approval::Folder(folder.to_owned()))
        .collect()
}

fn approval_for(row: &SettingMeta, before: &Value, after: &Value) -> Option<Approval> {
    if before == after || after.is_null() {
        return None;
    }
    let text = || after.as_str().unwrap_or_default().to_owned();
    let shown = || (!row.is_secret()).then(text);
    let same_origin = || origin_of(before).is_some_and(|one| Some(one) == origin_of(after));
    match row.approval? {
        ApprovalRule::Command => {
            let words = after.as_array().into_iter().flatten();
            let words = words.filter_map(|word| Some(word.as_str()?.to_owned()));
            Some(Approval::Program(words.collect()))
        }
        ApprovalRule::Program => (!text().is_empty()).then(|| Approval::Program(vec![text()])),
        ApprovalRule::Pattern => Some(Approval::Pattern(text())),
        ApprovalRule::SentElsewhere => (!same_origin()).then(|| Approval::Elsewhere {
            key: row.key.to_owned(),
            address: shown(),
        }),
        ApprovalRule::AfterUpload => {
            let moved = ["trash", "archive"].contains(&after.as_str()?);
            moved.then(|| Approval::After(text()))
        }
        ApprovalRule::PublicAccess => (!same_origin()).then(|| Approval::PublicAccess {
            key: row.key.to_owned(),
            value: shown(),
        }),
        ApprovalRule::Readers => (!same_origin()).then(|| Approval::Readers(text())),
        ApprovalRule::Updates => Some(Approval::Updates {
            key: row.key.to_owned(),
            value: text(),
        }),
        ApprovalRule::Listen => {
            let address: SocketAddr = after.as_str()?.parse().ok()?;
            let beyond = !address.ip().to_canonical().is_loopback();
            beyond.then(|| Approval::Listen(text()))
        }
        ApprovalRule::Proxies => {
            let known = before.as_array().map_or(&[][..], Vec::as_slice);
            let all = after.as_array().into_iter().flatten();
            let new = all.filter(|address| !known.contains(address));
            let new: Vec<String> = new
                .filter_map(|one| Some(one.as_str()?.to_owned()))
                .collect();
            (!new.is_empty()).then_some(Approval::Proxies(new))
        }
        ApprovalRule::ClientIp => (after.as_str()? != "peer").then(|| Approval::Caller(text())),
        // By the values of several keys: see `approvals_for` and `of_several_keys`.
        ApprovalRule::Folders | ApprovalRule::TunnelKind | ApprovalRule::Editors => None,
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
