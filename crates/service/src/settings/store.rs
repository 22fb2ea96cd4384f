//! The only place that changes settings: validates once, writes, and hands on what has changed. It
//! does not know who follows.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use super::edit::Change;
use super::layers::{Layers, Origins, Reading};
use super::problem::Problems;
use super::settings_change::{SettingsChange, differing};
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
    /// Notified whenever settings have changed.
    changed: State<()>,
    /// Where changes go, once somebody follows.
    follower: Mutex<Option<mpsc::UnboundedSender<SettingsChange>>>,
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
            changed: State::new(()),
            follower: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            current: CurrentSettings::new(settings),
        })
    }

    /// Each change from now on, in order; the next one may come before this one was followed. Only one
    /// follows, the last that has asked.
    pub fn follow(&self) -> mpsc::UnboundedReceiver<SettingsChange> {
        let (follower, changes) = mpsc::unbounded_channel();
        *self.follower.lock() = Some(follower);
        changes
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

    /// Changes the settings file, all of the changes or none. They count when this returns.
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
        turn: tokio::sync::MutexGuard<'_, ()>,
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
        let (settings, followed) = self.publish(reading.settings, changes);
        drop(turn);
        followed.await.map_err(UpdateError::Following)?;
        Ok(settings)
    }

    /// Reads the settings file, applies what was edited in it, and waits until all parts have followed.
    pub async fn reload(&self) {
        let turn = self.turn.lock().await;
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
        let keys = differing(&self.current(), &reading.settings);
        let (_, followed) = self.publish(reading.settings, Vec::new());
        drop(turn);
        let followed = followed.await;
        if !keys.is_empty() {
            tracing::info!("the settings file was edited: {}", keys.join(", "));
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

    /// Puts these settings in force. The future waits until all parts have followed, and fails with what
    /// cannot follow; everything else does. Whoever holds the turn may give it back before: a slow store
    /// holds no other change back.
    fn publish(
        &self,
        settings: Settings,
        written: Vec<Change>,
    ) -> (Arc<Settings>, impl Future<Output = Result<(), Message>>) {
        let (old, new) = (self.current(), Arc::new(settings));
        self.current.set(Arc::clone(&new));
        self.changed.set(());
        let (followed, troubles) = oneshot::channel();
        let change = SettingsChange {
            old,
            new: Arc::clone(&new),
            written,
            followed,
        };
        match &*self.follower.lock() {
            // One that is gone drops the change, which ends the wait.
            Some(follower) => drop(follower.send(change)),
            None => drop(change),
        }
        let followed = async {
            let all = troubles.await.unwrap_or_default();
            let all = all.into_iter();
            let all = all.reduce(|all, trouble| crate::detail!("{all}; {trouble}"));
            all.map_or(Ok(()), Err)
        };
        (new, followed)
    }

    /// Holds all changes back until it is dropped.
    #[cfg(test)]
    pub(crate) async fn take_turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }
}
