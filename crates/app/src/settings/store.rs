//! The only place that changes settings: validate, write, apply.

use std::sync::Arc;

use parking_lot::Mutex;
use porchlight_api::Message;
use porchlight_api::state::{State, StateReader};
use porchlight_api::window::{FileProblem, Setting};
use porchlight_core::Service;

use super::Settings;
use super::current::CurrentSettings;
use super::difference::Difference;
use super::edit::{self, Change};
use super::layers::{Layers, Origins};
use super::meta::Part;
use super::problem::Problems;
use super::rows;
use super::settings_file::SettingsFile;
use super::valid_changes::{UpdateError, ValidChanges, borrowed, owned};
use crate::consent::Consent;
use crate::services::Services;
use crate::services::listener::Listener;
use crate::services::public_address::PublicAddress;

/// The setting that the owner's answer about sharing is written as.
const ENABLED: &str = "presence.enabled";

/// Everything that follows changed settings in this run.
#[derive(Clone)]
pub struct Followers {
    /// The service.
    pub service: Service,
    /// Where it listens.
    pub listener: Listener,
    /// Its public address.
    pub address: Arc<PublicAddress>,
    /// Heartbeats and the game.
    pub consent: Arc<Consent>,
    /// The tunnel, watched folders and the listener for editors.
    pub services: Arc<Services>,
}

/// The settings, the file they are written to, and what follows them.
pub struct SettingsStore {
    layers: Layers,
    current: CurrentSettings,
    file: SettingsFile,
    /// Where the value of each key was written.
    origins: Mutex<Origins>,
    /// The settings that this run was started with.
    started_with: Mutex<Arc<Settings>>,
    /// Notified whenever settings have changed.
    changed: State<()>,
    /// One change of the settings file at a time.
    turn: tokio::sync::Mutex<()>,
    followers: Followers,
}

impl SettingsStore {
    /// The settings of this run: `current`, which were read from `layers` with this `text` of the
    /// file.
    pub fn new(
        layers: Layers,
        text: String,
        current: CurrentSettings,
        origins: Origins,
        followers: Followers,
    ) -> Arc<Self> {
        Arc::new(Self {
            layers,
            file: SettingsFile::in_force(text),
            origins: Mutex::new(origins),
            started_with: Mutex::new(current.get()),
            changed: State::new(()),
            turn: tokio::sync::Mutex::default(),
            current,
            followers,
        })
    }

    /// The settings as they are now.
    pub fn current(&self) -> Arc<Settings> {
        self.current.get()
    }

    /// What settings are read from.
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
    pub(super) fn valid(
        &self,
        changes: Vec<(String, Option<toml_edit::Value>)>,
    ) -> Result<ValidChanges, UpdateError> {
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
    pub async fn update(&self, changes: &[Change<'_>]) -> Result<Arc<Settings>, UpdateError> {
        self.write_valid(self.valid(owned(changes))?).await
    }

    /// The same with changes that were validated before.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub(super) async fn write_valid(
        &self,
        valid: ValidChanges,
    ) -> Result<Arc<Settings>, UpdateError> {
        let _one_at_a_time = self.turn.lock().await;
        let number = self.followers.consent.number();
        self.write_in_turn(valid, number).await
    }

    /// The owner's answer to the question of the first run, or a change of
    /// mind. A no counts at once, even where it cannot be written; a yes
    /// only once it is.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub async fn answer_sharing(&self, share: bool) -> Result<(), UpdateError> {
        let number = self.followers.consent.answer(share);
        let _one_at_a_time = self.turn.lock().await;
        if self.followers.consent.number() != number {
            // A later answer was given, and is the one that is written.
            return Ok(());
        }
        let valid = self.valid(owned(&[(ENABLED, Some(share.into()))]))?;
        self.write_in_turn(valid, number).await.map(drop)
    }

    /// Writes and applies them, with the turn held. `number` is that of the answer that the
    /// changes go by.
    async fn write_in_turn(
        &self,
        mut valid: ValidChanges,
        number: u64,
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
                || edit::write_where(path, &valid.after, still)
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
        let settings = Arc::new(reading.settings);
        self.file_is_right(after);
        *self.origins.lock() = reading.origins;
        self.apply(Arc::clone(&settings), &borrowed(&changes), number)
            .await
            .map_err(UpdateError::Following)?;
        Ok(settings)
    }

    /// Reads the settings file, and applies what was edited in it.
    pub async fn reload(&self) {
        let _one_at_a_time = self.turn.lock().await;
        let text = match self.file.other_text(&self.layers) {
            Ok(Some(text)) => text,
            Ok(None) => return self.set_wrong(None),
            Err(problems) => return self.set_wrong(Some(problems)),
        };
        let reading = match self.layers.read_with(&text) {
            Ok(reading) => reading,
            Err(problems) => return self.set_wrong(Some(problems)),
        };
        if !self.layers.file_is_named {
            // An editor may have put a new file there.
            self.layers.close_to_others();
        }
        self.file_is_right(text);
        *self.origins.lock() = reading.origins;
        let before = self.current();
        let settings = Arc::new(reading.settings);
        let difference = Difference::between(&before, &settings);
        let number = self.followers.consent.number();
        let followed = self.apply(settings, &[], number).await;
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

    /// Applies changed settings: each follower that can follow them in this run does.
    ///
    /// # Errors
    /// What cannot follow; everything else does.
    async fn apply(
        &self,
        settings: Arc<Settings>,
        changes: &[Change<'_>],
        number: u64,
    ) -> Result<(), Message> {
        let Followers {
            service,
            address,
            consent,
            services,
            ..
        } = &self.followers;
        let before = self.current();
        let difference = Difference::between(&before, &settings);
        let target = match consent.heartbeat() {
            Some(heartbeat) => heartbeat.set_target(&settings),
            None => Ok(()),
        };
        let target_trouble = target.err().map(Message::from);
        self.current.set(Arc::clone(&settings));
        let listens = self.listen_again(&settings).await;
        let said = changes.iter().find(|(key, _)| *key == ENABLED);
        let said = said.map(|(_, value)| value.as_ref().and_then(toml_edit::Value::as_bool));
        consent.follow(number, said, difference.touches_any(&[ENABLED]));
        self.changed.set(());
        address.publish();
        if difference.concerns(Part::Game) {
            service.follow_game(&settings.game);
        }
        service.images().follow(&settings.images);
        consent.show_or_hide_game();
        consent.update_reporter();
        let keys: Vec<&str> = changes.iter().map(|(key, _)| *key).collect();
        let written = Difference::of(&keys);
        let followed = services.follow(&settings, &difference, &written).await;
        let unpublished = if settings.publish.enabled {
            Ok(())
        } else {
            self.change_started_with(|started| started.publish.enabled = false);
            service.stop_publishing().await
        };
        let listen = ["server.listen"];
        let asked = difference.touches_any(&listen) || written.touches_any(&listen);
        let troubles = [
            target_trouble,
            listens.err().filter(|_| asked),
            followed.err(),
            unpublished.err(),
        ];
        let troubles = troubles.into_iter().flatten();
        troubles.reduce(Message::and).map_or(Ok(()), Err)
    }

    /// Listens where the settings say, if it does not listen.
    async fn listen_again(&self, settings: &Settings) -> Result<(), Message> {
        let listener = &self.followers.listener;
        if listener.port().is_err() && listener.try_again(&settings.server).await {
            self.change_started_with(|started| started.server.listen = settings.server.listen);
        }
        listener.port().map(drop)
    }

    /// Starts again what the settings ask for and what could not be started.
    pub async fn retry(&self) {
        let _one_at_a_time = self.turn.lock().await;
        let settings = self.current();
        // The owner sees whether it does.
        let _ = self.listen_again(&settings).await;
        let nothing = Difference::of(&[]);
        let followed = self
            .followers
            .services
            .follow(&settings, &nothing, &nothing);
        if let Err(error) = followed.await {
            tracing::warn!("it still cannot start: {error}");
        }
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
