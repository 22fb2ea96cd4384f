//! Which settings differ, so that only the services that must restart do, and the owner is informed
//! when a change takes effect at the next start; and a change as those who follow it get it.

use std::sync::Arc;

use parking_lot::Mutex;
use secrecy::ExposeSecret as _;
use tokio::sync::{broadcast, mpsc};
use toml_edit::Value;

use super::Settings;
use super::edit::Change;
use super::meta::{SETTINGS, SettingMeta, SettingsPart, meta};
use crate::error::message::Message;

/// The settings whose values differ. It holds no value.
#[derive(Debug, Clone, Default)]
pub struct Difference(Vec<&'static SettingMeta>);

impl Difference {
    /// The settings that are not the same in both.
    pub fn between(one: &Settings, other: &Settings) -> Self {
        let (values, others) = (one.values(), other.values());
        let differ = |row: &&SettingMeta| {
            row.value_in(&values) != row.value_in(&others)
                || exposed(one, row) != exposed(other, row)
        };
        Self(SETTINGS.iter().filter(differ).collect())
    }

    /// Whether one of this section is among them that is not `but`.
    pub fn touches_other_than(&self, section: &str, but: &str) -> bool {
        let mut others = self.0.iter().filter(|row| row.key != but);
        others.any(|row| row.section() == Some(section))
    }

    pub fn concerns(&self, part: SettingsPart) -> bool {
        self.0.iter().any(|row| row.parts.contains(&part))
    }

    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|row| row.key == key)
    }

    /// The keys of those that apply now, and of those that apply at the next start.
    pub fn keys(&self) -> (Vec<&str>, Vec<&str>) {
        let keys = |now| {
            let rows = self.0.iter().filter(move |row| row.applies_now() == now);
            rows.map(|row| row.key).collect()
        };
        (keys(true), keys(false))
    }

    /// Whether one of them applies at the next start.
    pub fn needs_a_restart(&self) -> bool {
        !self.0.iter().all(|row| row.applies_now())
    }
}

fn exposed<'a>(settings: &'a Settings, row: &SettingMeta) -> Option<&'a str> {
    let secret = row.read_secret?(settings);
    secret.map(|secret| secret.expose_secret())
}

/// A change of the settings, as those who follow it get it. The change is complete when all of them
/// have dropped it.
// No `Debug`: it can hold secrets.
#[derive(Clone)]
pub struct SettingsChange(Arc<Changed>);

struct Changed {
    new: Arc<Settings>,
    difference: Difference,
    /// What was written, whether or not it made a difference.
    written: Vec<Change>,
    started_with: StartedWith,
    troubles: mpsc::UnboundedSender<Message>,
}

/// The settings that this run was started with, and those that it has followed since although they
/// count from the next start.
pub(super) type StartedWith = Arc<Mutex<Arc<Settings>>>;

impl SettingsChange {
    /// The change, and the troubles of those who follow it.
    pub(super) fn new(
        old: &Settings,
        new: Arc<Settings>,
        written: Vec<Change>,
        started_with: StartedWith,
    ) -> (Self, mpsc::UnboundedReceiver<Message>) {
        let (troubles, reported) = mpsc::unbounded_channel();
        let changed = Changed {
            difference: Difference::between(old, &new),
            new,
            written,
            started_with,
            troubles,
        };
        (Self(Arc::new(changed)), reported)
    }

    pub fn new_settings(&self) -> &Settings {
        &self.0.new
    }

    pub fn difference(&self) -> &Difference {
        &self.0.difference
    }

    pub fn concerns(&self, part: SettingsPart) -> bool {
        self.0.difference.concerns(part)
    }

    /// Whether the owner has written this key, and its value.
    pub fn written(&self, key: &str) -> Option<Option<&Value>> {
        let mut written = self.0.written.iter();
        let (_, value) = written.find(|(written, _)| *written == key)?;
        Some(value.as_ref())
    }

    /// Changes the settings that this run counts as started with, where it follows already.
    pub fn counts_now(&self, change: impl FnOnce(&mut Settings)) {
        change(Arc::make_mut(&mut self.0.started_with.lock()));
    }

    /// Reports that a service of this part cannot follow. The owner sees it where the change
    /// is about that part; else it was so before.
    pub fn failed(&self, part: SettingsPart, why: Message) {
        let keys = self.0.written.iter().map(|(key, _)| key);
        let mut rows = keys.filter_map(|key| meta(key));
        if self.concerns(part) || rows.any(|row| row.parts.contains(&part)) {
            // Whoever made the change waits for it.
            let _ = self.0.troubles.send(why);
        }
    }
}

/// Gets each change of the settings, also of those of other parts: a service that could not start
/// tries again.
pub struct Subscription(pub(super) broadcast::Receiver<SettingsChange>);

impl Subscription {
    /// The next change; `None` once no more come. Whoever changes the settings waits until it is
    /// dropped, so all of them are received.
    pub async fn next(&mut self) -> Option<SettingsChange> {
        self.0.recv().await.ok()
    }
}
