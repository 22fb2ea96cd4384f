//! A change of the settings, as the process that follows it gets it.

use std::sync::Arc;

use secrecy::ExposeSecret as _;
use tokio::sync::oneshot;
use toml_edit::Value;

use super::Settings;
use super::edit::Change;
use super::meta::{SETTINGS, SettingMeta};
use crate::error::message::Message;

/// The keys of the settings whose values differ.
pub fn differing(one: &Settings, other: &Settings) -> Vec<&'static str> {
    let (values, others) = (one.values(), other.values());
    let secret = |row: &SettingMeta, all: &Settings| {
        let secret = row.read_secret?(all)?;
        Some(secret.expose_secret().to_owned())
    };
    let differ = |row: &&SettingMeta| {
        row.value_in(&values) != row.value_in(&others) || secret(row, one) != secret(row, other)
    };
    SETTINGS.iter().filter(differ).map(|row| row.key).collect()
}

/// A change of the settings. Whoever made it waits until [`Self::is_followed`].
// No `Debug`: it can hold secrets.
pub struct SettingsChange {
    pub(super) old: Arc<Settings>,
    pub(super) new: Arc<Settings>,
    /// What was written, whether or not it made a difference.
    pub(super) written: Vec<Change>,
    pub(super) followed: oneshot::Sender<Vec<Message>>,
}

impl SettingsChange {
    pub fn before(&self) -> &Settings {
        &self.old
    }

    pub fn now(&self) -> &Settings {
        &self.new
    }

    /// The settings from now on, to be kept.
    pub fn now_shared(&self) -> Arc<Settings> {
        Arc::clone(&self.new)
    }

    /// Whether the owner has written this key, and its value.
    pub fn written(&self, key: &str) -> Option<Option<&Value>> {
        let mut written = self.written.iter();
        let (_, value) = written.find(|(written, _)| *written == key)?;
        Some(value.as_ref())
    }

    /// Whether the owner has written a key of this section, whether or not that made a difference.
    pub fn is_about(&self, section: &str) -> bool {
        let mut keys = self.written.iter().map(|(key, _)| key);
        keys.any(|key| key.split('.').next() == Some(section))
    }

    /// All parts have followed, except for these reasons.
    pub fn is_followed(self, troubles: Vec<Message>) {
        // Whoever made the change may have stopped waiting.
        let _ = self.followed.send(troubles);
    }
}
