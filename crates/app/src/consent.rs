//! What the owner decides while the program runs: whether to share what they
//! are at, and settings. Journey 3 begins with that yes.

use std::sync::{Arc, Weak};

use porchlight_api::window::{Sharing, Status};
use porchlight_companion::presence::{FixedStatus, LastFront, Pause, PresenceState};
use tokio::sync::watch;

use crate::host::{Host, Parts};
use crate::services::heartbeat::{Reporting, target};
use crate::settings::Settings;
use crate::settings::difference::Difference;
use crate::settings::edit::{self, Change, ChangeError};
use crate::settings::layers::{Layers, Reading};
use crate::settings::problem::Problems;

/// The setting that an answer is written down as.
const ENABLED: &str = "presence.enabled";

/// What was decided in this run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice {
    /// The owner's answer; it counts for more than the setting, until that is
    /// changed.
    answer: Option<bool>,
    /// How many answers were given: one that was overtaken counts no more.
    pub number: u64,
}

impl Choice {
    /// Whether the owner has said yes, given `presence.enabled`.
    pub fn shares(self, enabled: Option<bool>) -> bool {
        self.answer.or(enabled) == Some(true)
    }

    /// Follows a change of `presence.enabled` that was begun when so many
    /// answers had been given. `said` is what was written, if anything was;
    /// where the setting became another one by itself, it counts.
    fn follow(&mut self, number: u64, said: Option<Option<bool>>, differs: bool) {
        if self.number != number {
            return;
        }
        match said {
            Some(answer) => self.answer = answer,
            None if differs => self.answer = None,
            None => {}
        }
    }

    fn sharing(self, enabled: Option<bool>, paused: bool) -> Sharing {
        match self.answer.or(enabled) {
            None => Sharing::Unasked,
            Some(false) => Sharing::Off,
            Some(true) if paused => Sharing::Paused,
            Some(true) => Sharing::On,
        }
    }
}

/// Why settings were not changed; those from before hold.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// With the change they are not valid.
    #[error("{0}")]
    Settings(#[from] Problems),
    /// The file cannot be changed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// It cannot be written.
    #[error("the settings file {0} cannot be written: {1}")]
    Write(String, std::io::Error),
    /// They are written, and something cannot follow them.
    #[error("the settings are saved, but {0}")]
    Following(String),
}

impl Host {
    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.parts().settings.lock())
    }

    /// The address that a blog is pointed at: the public one, else the local.
    pub fn blog_url(&self) -> String {
        let public = self.parts().public_address();
        public.map_or_else(|| self.local_url(), |url| url.to_string())
    }

    /// Changes the settings file, all of the changes or none. What can follow
    /// does at once; the rest counts from the next start.
    /// What the environment or the command line says stays over the file.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub async fn update_settings(
        &self,
        changes: &[Change<'_>],
    ) -> Result<Arc<Settings>, UpdateError> {
        let _one_at_a_time = self.parts().changing.lock().await;
        let number = self.parts().choice.lock().number;
        self.update_in_turn(changes, number).await
    }

    /// The same, when it is its turn. `number` is that of the answer that the
    /// changes go by.
    async fn update_in_turn(
        &self,
        changes: &[Change<'_>],
        number: u64,
    ) -> Result<Arc<Settings>, UpdateError> {
        let parts = self.parts();
        let path = &parts.layers.file;
        let there = || parts.file.text_to_change(&parts.layers);
        let (after, reading) = loop {
            let before = there()?;
            let (after, reading) = with_changes(&parts.layers, &before, changes)?;
            // What was edited by hand meanwhile is changed, not replaced.
            let still = || there().is_ok_and(|now| now == before);
            if after == before
                || edit::write_where(path, &after, still)
                    .map_err(|error| UpdateError::Write(path.display().to_string(), error))?
            {
                break (after, reading);
            }
        };
        let settings = Arc::new(reading.settings);
        self.settings_file_is_right(after);
        *parts.origins.lock() = reading.origins;
        self.take_over(Arc::clone(&settings), changes, number)
            .await
            .map_err(UpdateError::Following)?;
        Ok(settings)
    }

    /// Takes over changed settings: whatever can follow them in this run does.
    ///
    /// # Errors
    /// What cannot follow, in a sentence; everything else does.
    pub async fn take_over(
        &self,
        settings: Arc<Settings>,
        changes: &[Change<'_>],
        number: u64,
    ) -> Result<(), String> {
        let before = Arc::clone(&self.parts().settings.lock());
        let difference = Difference::between(&before, &settings);
        let mut target_trouble = None;
        if let Some(reporting) = &self.parts().reporting {
            match target(&settings, &self.listener().own_url(), &reporting.own_token) {
                Ok(target) => *reporting.target.lock() = target,
                Err(error) => target_trouble = Some(error.to_string()),
            }
        }
        *self.parts().settings.lock() = Arc::clone(&settings);
        let listens = self.listen_again(&settings).await;
        let said = changes.iter().find(|(key, _)| *key == ENABLED);
        let said = said.map(|(_, value)| value.as_ref().and_then(toml_edit::Value::as_bool));
        let differs = difference.touches_any(&[ENABLED]);
        self.parts().choice.lock().follow(number, said, differs);
        self.parts().settings_changed.send_replace(());
        self.parts().publish_address();
        if difference.touches("game") {
            self.parts().service.follow_game(&settings.game);
        }
        self.parts().service.images().follow(&settings.images);
        self.parts().show_or_hide_game();
        self.tell_reporter();
        let keys: Vec<&str> = changes.iter().map(|(key, _)| *key).collect();
        let written = Difference::of(&keys);
        let openings = &self.parts().openings;
        let followed = openings.follow(&settings, &difference, &written).await;
        self.remember_own_tokens().await;
        let listen = ["server.listen"];
        let asked = difference.touches_any(&listen) || written.touches_any(&listen);
        let troubles = [
            target_trouble,
            listens.err().filter(|_| asked),
            followed.err(),
        ];
        let troubles: Vec<String> = troubles.into_iter().flatten().collect();
        if troubles.is_empty() {
            Ok(())
        } else {
            Err(troubles.join("; "))
        }
    }

    /// Listens where the settings say, if it does not listen.
    async fn listen_again(&self, settings: &Settings) -> Result<(), String> {
        let listener = self.listener();
        if listener.port().is_err() && listener.try_again(&settings.server).await {
            self.begun_with(|begun| begun.server.listen = settings.server.listen);
        }
        listener.port().map(drop)
    }

    /// Tries again what the settings ask for and could not be opened.
    pub async fn try_openings(&self) {
        let _one_at_a_time = self.parts().changing.lock().await;
        let settings = self.settings();
        // The owner sees whether it does.
        let _ = self.listen_again(&settings).await;
        let nothing = Difference::of(&[]);
        let followed = self.parts().openings.follow(&settings, &nothing, &nothing);
        if let Err(error) = followed.await {
            tracing::warn!("it is still so that {error}");
        }
    }

    /// Whether settings were changed in this run that count from the next
    /// start. Changing them back undoes that.
    pub fn needs_restart(&self) -> bool {
        let now = Arc::clone(&self.parts().settings.lock());
        Difference::between(&self.parts().begun.lock(), &now).needs_a_restart()
    }

    /// Whether the storage that is open is not the one of the settings any more;
    /// to which of both new images go is no part of that.
    pub fn storage_waits_for_a_restart(&self) -> bool {
        let now = Arc::clone(&self.parts().settings.lock());
        let difference = Difference::between(&self.parts().begun.lock(), &now);
        difference.touches_other_than("storage", "storage.kind")
    }

    /// Changes what this run counts as begun with, where it follows already.
    pub fn begun_with(&self, change: impl FnOnce(&mut Settings)) {
        change(Arc::make_mut(&mut self.parts().begun.lock()));
    }

    /// Whether the owner shares what they are at.
    pub fn sharing(&self) -> Sharing {
        self.parts().sharing()
    }

    /// The owner's answer to the question of the first run, or a change of
    /// mind. A no counts at once, even where it cannot be written down; a yes
    /// only once it is.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub async fn answer_sharing(&self, share: bool) -> Result<(), UpdateError> {
        let number = {
            let mut choice = self.parts().choice.lock();
            choice.number += 1;
            if !share {
                choice.answer = Some(false);
            }
            choice.number
        };
        self.parts().show_or_hide_game();
        self.tell_reporter();
        let _one_at_a_time = self.parts().changing.lock().await;
        if self.parts().choice.lock().number != number {
            // A later answer was given, and is the one that is written.
            return Ok(());
        }
        let change = [(ENABLED, Some(share.into()))];
        self.update_in_turn(&change, number).await.map(drop)
    }

    /// Lets sharing rest. While it does, the game is told as little as anything
    /// else. A pause outlives this run.
    pub fn pause(&self, pause: Pause) {
        if let Some(reporting) = &self.parts().reporting {
            reporting.presence.pause(pause);
            self.parts().show_or_hide_game();
        }
    }

    /// Lets sharing go on.
    pub fn resume(&self) {
        if let Some(reporting) = &self.parts().reporting {
            reporting.presence.resume();
            self.parts().show_or_hide_game();
        }
    }

    /// Says the owner's own words in place of the program in front; without
    /// them, that again. They outlive this run.
    ///
    /// # Errors
    /// Why no heartbeat can say them, in a sentence; nothing changes then.
    pub fn fix_status(&self, status: Option<Status>) -> Result<(), String> {
        let status = status.map(words).transpose()?;
        match &self.parts().reporting {
            Some(reporting) => {
                let fixed = reporting.presence.fix(status);
                fixed.map_err(|error| error.to_string())
            }
            None => Ok(()),
        }
    }

    /// What is told of the owner and why it cannot be, now and whenever that
    /// changes.
    pub fn presence(&self) -> watch::Receiver<PresenceState> {
        match &self.parts().reporting {
            Some(reporting) => reporting.presence.state(),
            None => watch::channel(PresenceState::default()).1,
        }
    }
}

impl Parts {
    fn sharing(&self) -> Sharing {
        let paused = |reporting: &Reporting| reporting.presence.paused().is_some();
        let paused = self.reporting.as_ref().is_some_and(paused);
        let enabled = self.settings.lock().presence.enabled;
        self.choice.lock().sharing(enabled, paused)
    }

    /// The game that somebody plays is told where they share what they are at.
    /// A service without an owner beside it tells what its settings say.
    pub fn show_or_hide_game(&self) {
        let rules = self.settings.lock().presence.rules.clone();
        self.service.game().keep_private(move |game| {
            let mut rules = rules.iter().flatten();
            rules.any(|rule| rule.hides_game(&game.name, &game.programs))
        });
        if let Some(reporting) = &self.reporting {
            let settings = Arc::clone(&self.settings.lock());
            // Its game stays private when another window comes in front.
            if let Some(window) = reporting.presence.last_front().hidden(&settings.presence) {
                self.service.game().saw_hidden(window);
            }
            // Also while its own window, or any that is kept private, is in front.
            let hidden = reporting.presence.state().borrow().hidden;
            let hidden = hidden || self.sharing() != Sharing::On;
            self.service.game().hide(hidden);
        }
    }
}

/// The text with the changes made, and what that comes to.
///
/// # Errors
/// See [`UpdateError`]: a text that is no TOML is wrong on a line.
pub fn with_changes(
    layers: &Layers,
    text: &str,
    changes: &[Change<'_>],
) -> Result<(String, Reading), UpdateError> {
    let after = match edit::changed(text, changes) {
        Err(ChangeError::NotToml(why)) => {
            layers.read_with(text)?;
            return Err(ChangeError::NotToml(why).into());
        }
        after => after?,
    };
    let reading = layers.read_with(&after)?;
    Ok((after, reading))
}

/// The owner's words as a heartbeat can say them.
fn words(status: Status) -> Result<FixedStatus, String> {
    let application = status.application.trim();
    if application.is_empty() {
        return Err("a status needs some words".to_owned());
    }
    let rgba = status.rgba.parse();
    Ok(FixedStatus {
        application: application.to_owned(),
        introduce: status.introduce.trim().to_owned(),
        rgba: rgba.map_err(|error: porchlight_api::InvalidRgba| error.to_string())?,
    })
}

/// Shows the game again after a pause that ends by itself, and hides it with
/// its window, until the host is gone.
pub fn follow_pauses(
    mut state: watch::Receiver<PresenceState>,
    mut front: LastFront,
    host: Weak<Parts>,
) {
    tokio::spawn(async move {
        loop {
            tokio::select! {
                changed = state.changed() => if changed.is_err() {
                    return;
                },
                () = front.changed() => {}
            }
            let Some(parts) = Weak::upgrade(&host) else {
                return;
            };
            parts.show_or_hide_game();
        }
    });
}

#[cfg(test)]
pub mod tests;
