//! Which changes of settings the owner must approve first.

use std::net::SocketAddr;

use serde_json::Value;

use super::changes::Changes;
use super::meta::{ApprovalRule, SettingMeta, meta};
use super::store::SettingsStore;
use crate::text::address::WebAddress;

/// The one setting whose empty value lets others in.
const SECRET_OF_EDITORS: &str = "picgo.secret";

/// A change that the page must not make without the owner's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// This machine would run this program as the tunnel.
    Program(Vec<String>),
    /// Others would reach the service through this setting.
    Public {
        key: String,
        /// Its value; `None` where that is a secret.
        value: Option<String>,
    },
    /// Pictures or secrets would go where this setting says.
    Elsewhere {
        key: String,
        /// Its value; `None` where that is a secret.
        value: Option<String>,
    },
}

impl SettingsStore {
    /// What the owner must approve before these changes are made. Changes without an effect need no
    /// approval.
    pub fn approvals_for(&self, changes: &Changes) -> Vec<Approval> {
        let text = self.text_to_change();
        let written = text
            .ok()
            .and_then(|text| toml_edit::de::from_str(&text).ok());
        let written: Value = written.unwrap_or_default();
        let approval = |(key, after): (&String, &Value)| {
            let row = meta(key)?;
            let before = Some(row.value_in(&written)).filter(|before| !before.is_null());
            let before = before.unwrap_or_else(|| row.default());
            approval_for(row, &before, after)
        };
        changes.iter().filter_map(approval).collect()
    }
}

fn approval_for(row: &SettingMeta, before: &Value, after: &Value) -> Option<Approval> {
    let rule = row.approval?;
    let words = words_of(after);
    let is_harmless = match rule {
        ApprovalRule::Runs => words.concat().is_empty(),
        _ if row.key == SECRET_OF_EDITORS => *after != "",
        ApprovalRule::Public if after.is_array() => {
            let known = words_of(before);
            words.iter().all(|word| known.contains(word))
        }
        ApprovalRule::Public | ApprovalRule::Elsewhere => {
            let text = words.concat();
            admits_nobody(&text) || is_of_one_origin(&words_of(before).concat(), &text)
        }
    };
    if is_harmless || before == after {
        return None;
    }
    let (key, value) = (
        row.key.to_owned(),
        (!row.is_secret() || after == "").then(|| words.join(", ")),
    );
    Some(match rule {
        ApprovalRule::Runs => Approval::Program(words),
        ApprovalRule::Public => Approval::Public { key, value },
        ApprovalRule::Elsewhere => Approval::Elsewhere { key, value },
    })
}

/// The text of a value, or those of a list.
fn words_of(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Array(all) => all.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    }
}

/// Whether a value is none, that of `tunnel.kind` or `server.client_ip` which admits nobody, or an
/// address of this machine to listen at.
fn admits_nobody(text: &str) -> bool {
    let listens = text.parse::<SocketAddr>();
    ["", "none", "peer"].contains(&text)
        || listens.is_ok_and(|address| address.ip().to_canonical().is_loopback())
}

/// Whether scheme, host and port of two addresses are the same.
fn is_of_one_origin(before: &str, after: &str) -> bool {
    let origin = |text: &str| {
        let address: WebAddress = text.parse().ok()?;
        let (scheme, rest) = address.as_str().split_once("://")?;
        let host = rest.split('/').next().unwrap_or_default();
        Some(format!("{scheme}://{host}"))
    };
    origin(before).is_some_and(|before| Some(before) == origin(after))
}

#[cfg(test)]
mod tests;
