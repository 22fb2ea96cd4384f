//! The only place that changes settings: validates once, writes, and publishes what has changed. It
//! knows none of its followers.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::broadcast;

use super::difference::{Difference, SettingsChange, StartedWith, Subscription};
use super::edit::Change;
use super::layers::{Layers, Origins, Reading};
use super::problem::Problems;
use super::settings_file::SettingsFile;
use super::valid_changes::{UpdateError, ValidChanges};
use super::{Settings, rows};
use crate::error::message::Message;
use crate::files::private_file;
use crate::settings::window::{FileProblem, Setting};
use crate::state::{State, StateReader};

/// The settings in force, shared by everything that reads them; clones are the same ones.
#[derive(Clone)]
pub struct CurrentSettings(Arc<Mutex<Arc<Settings>>>);

impl CurrentSettings {
    pub fn new(settings: Arc<Settings>) -> Self {
        Self(Arc::new(Mutex::new(settings)))
    }

    pub fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.0.lock())
    }

    /// Replaces them. Whoever has the ones from before keeps those.
    pub(crate) fn set(&self, settings: Arc<Settings>) {
        *self.0.lock() = settings;
    }
}

/// The settings, and the file they are written to.
pub struct SettingsStore {
    layers: Layers,
    current: CurrentSettings,
    file: SettingsFile,
    /// Where the value of each key was written.
    origins: Mutex<Origins>,
    started_with: StartedWith,
    /// Notified whenever settings have changed.
    changed: State<()>,
    /// What has changed, for those who follow.
    changes: broadcast::Sender<SettingsChange>,
    /// One change of the settings file at a time.
    turn: tokio::sync::Mutex<()>,
}

impl SettingsStore {
    /// The settings of this run, which were read from `layers` with this `text` of the file.
    pub fn new(layers: Layers, text: String, reading: Reading) -> Arc<Self> {
        let settings = Arc::new(reading.settings);
        Arc::new(Self {
            layers,
            file: SettingsFile::in_force(text),
            origins: Mutex::new(reading.origins),
            started_with: Arc::new(Mutex::new(Arc::clone(&settings))),
            changed: State::new(()),
            // No second change begins before all have followed the first.
            changes: broadcast::Sender::new(1),
            turn: tokio::sync::Mutex::default(),
            current: CurrentSettings::new(settings),
        })
    }

    pub fn subscribe(&self) -> Subscription {
        Subscription(self.changes.subscribe())
    }

    pub fn in_force(&self) -> CurrentSettings {
        self.current.clone()
    }

    pub fn current(&self) -> Arc<Settings> {
        self.current.get()
    }

    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Notified whenever settings have changed, or what is wrong with their file.
    pub fn changes(&self) -> StateReader<()> {
        self.changed.reader()
    }

    /// A row for each setting, as they are in this run.
    pub fn rows(&self) -> Vec<Setting> {
        let settings = self.current();
        let origins = self.origins.lock();
        rows::rows(&settings, &origins)
    }

    /// These changes of the file as it is now, validated.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub(super) fn valid(&self, changes: Vec<Change>) -> Result<ValidChanges, UpdateError> {
        ValidChanges::of(&self.layers, self.text_to_change()?, changes)
    }

    /// The text that a change is applied to.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn text_to_change(&self) -> Result<String, Problems> {
        self.file.text_to_change(&self.layers)
    }

    /// What is wrong with the settings file as it was edited, line by line.
    pub fn file_problems(&self) -> Vec<FileProblem> {
        self.file.problems()
    }

    /// Changes the settings file, all of the changes or none. Services that can follow do so at
    /// once; the rest counts from the next start.
    /// The environment and the command line take precedence over the file.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub async fn update(&self, changes: &[Change]) -> Result<Arc<Settings>, UpdateError> {
        self.update_if(changes, || true).await
    }

    /// The same, where these are still `wanted` when their turn has come.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub async fn update_if(
        &self,
        changes: &[Change],
        wanted: impl FnOnce() -> bool,
    ) -> Result<Arc<Settings>, UpdateError> {
        let turn = self.turn.lock().await;
        if !wanted() {
            return Ok(self.current());
        }
        self.write_in_turn(self.valid(changes.to_vec())?, turn)
            .await
    }

    /// The same with changes that were validated before.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub(super) async fn write_valid(
        &self,
        valid: ValidChanges,
    ) -> Result<Arc<Settings>, UpdateError> {
        let turn = self.turn.lock().await;
        self.write_in_turn(valid, turn).await
    }

    async fn write_in_turn(
        &self,
        mut valid: ValidChanges,
        _turn: tokio::sync::MutexGuard<'_, ()>,
    ) -> Result<Arc<Settings>, UpdateError> {
        let path = &self.layers.file;
        let there = || self.text_to_change();
        loop {
            let now = there()?;
            if now != valid.before {
                // What was edited by hand meanwhile is changed, not replaced.
                valid = ValidChanges::of(&self.layers, now, valid.changes)?;
            }
            let still = || there().is_ok_and(|now| now == valid.before);
            if valid.after == valid.before
                || private_file::write_where(path, &valid.after, still)
                    .map_err(|error| UpdateError::Write(path.display().to_string(), error))?
            {
                break;
            }
        }
        let ValidChanges {
            changes,
            after,
            reading,
            ..
        } = valid;
        self.file_is_right(after);
        *self.origins.lock() = reading.origins;
        let settings = Arc::new(reading.settings);
        self.publish(Arc::clone(&settings), changes)
            .await
            .1
            .map_err(UpdateError::Following)?;
        Ok(settings)
    }

    /// Reads the settings file, and applies what was edited in it.
    pub async fn reload(&self) {
        let _one_at_a_time = self.turn.lock().await;
        if !self.layers.file_is_named {
            // An editor may have put a new file there.
            self.layers.close_to_others();
        }
        let text = match self.file.other_text(&self.layers) {
            Ok(Some(text)) => text,
            Ok(None) => return self.set_wrong(None),
            Err(problems) => return self.set_wrong(Some(problems)),
        };
        let reading = match self.layers.read_with(&text) {
            Ok(reading) => reading,
            Err(problems) => return self.set_wrong(Some(problems)),
        };
        self.file_is_right(text);
        *self.origins.lock() = reading.origins;
        let settings = Arc::new(reading.settings);
        let (difference, followed) = self.publish(settings, Vec::new()).await;
        let (now, later) = difference.keys();
        if !now.is_empty() {
            tracing::info!("the settings file was edited; at once: {}", now.join(", "));
        }
        if !later.is_empty() {
            tracing::warn!(
                "the settings file was edited; from the next start on: {}",
                later.join(", ")
            );
        }
        if let Err(error) = followed {
            tracing::error!("the settings file was edited, but {error}");
        }
    }

    /// This text of the file is in force from now on.
    fn file_is_right(&self, text: String) {
        self.set_wrong(None);
        self.file.set_in_force(text);
    }

    /// Reports in the log and to subscribers what is wrong with the file.
    fn set_wrong(&self, wrong: Option<Problems>) {
        if !self.file.set_wrong(wrong.clone()) {
            return;
        }
        match wrong {
            Some(problems) => tracing::error!(
                "the settings file was edited and is not right, so the settings from before stay \
                 in force: {problems}"
            ),
            None => tracing::info!("the settings file is right again"),
        }
        self.changed.set(());
    }

    /// Puts these settings in force, and waits until all have followed.
    ///
    /// # Errors
    /// What cannot follow; everything else does.
    async fn publish(
        &self,
        settings: Arc<Settings>,
        written: Vec<Change>,
    ) -> (Difference, Result<(), Message>) {
        let before = self.current();
        self.current.set(Arc::clone(&settings));
        self.changed.set(());
        let (change, mut troubles) =
            SettingsChange::new(&before, settings, written, Arc::clone(&self.started_with));
        let difference = change.difference().clone();
        // There may be no follower.
        let _ = self.changes.send(change);
        let mut all = None;
        while let Some(trouble) = troubles.recv().await {
            all = Some(match all.take() {
                None => trouble,
                Some(before) => crate::detail!("{before}; {trouble}"),
            });
        }
        (difference, all.map_or(Ok(()), Err))
    }

    /// Whether settings were changed in this run that count from the next
    /// start. Changing them back undoes that.
    pub fn needs_restart(&self) -> bool {
        self.since_start().needs_a_restart()
    }

    /// Whether the storage that is open is no longer the one in the settings. Which of the two
    /// storages new images go to does not count.
    pub fn storage_waits_for_a_restart(&self) -> bool {
        self.since_start()
            .touches_other_than("storage", "storage.kind")
    }

    fn since_start(&self) -> Difference {
        let now = self.current();
        Difference::between(&self.started_with.lock(), &now)
    }

    /// Changes the settings that this run counts as started with, where it follows already.
    pub(crate) fn change_started_with(&self, change: impl FnOnce(&mut Settings)) {
        change(Arc::make_mut(&mut self.started_with.lock()));
    }

    /// Holds all changes back until it is dropped.
    #[cfg(test)]
    pub(crate) async fn take_turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }
}
