//! What the owner decided about sharing: the answer of the first run, pauses, a fixed status.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use porchlight_api::state::StateReader;
use porchlight_api::window::{Sharing, Status};
use porchlight_api::{Message, Timestamp};
use porchlight_companion::presence::{FixedStatus, LastForeground, Pause, Presence, PresenceState};
use porchlight_core::Service;

use crate::services::heartbeat::Heartbeat;
use crate::settings::current::CurrentSettings;

/// What was decided in this run.
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    /// The owner's answer; it counts for more than the setting, until that is
    /// changed.
    answer: Option<bool>,
    /// How many answers were given: a superseded one no longer counts.
    number: u64,
}

impl Choice {
    /// Whether the owner has said yes, given `presence.enabled`.
    fn shares(self, enabled: Option<bool>) -> bool {
        self.answer.or(enabled) == Some(true)
    }

    /// Follows a change of `presence.enabled` that was started when this many
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

/// Whether the owner shares their presence, and everything that follows from it: heartbeats,
/// whether the game is shown, and whether the snapshot shows anything of the owner.
pub struct Consent {
    settings: CurrentSettings,
    service: Service,
    /// `None` without the tray app: nothing is reported then.
    heartbeat: Option<Heartbeat>,
    choice: Mutex<Choice>,
}

impl Consent {
    /// Nothing was decided in this run yet; the settings count.
    pub fn new(
        settings: CurrentSettings,
        service: Service,
        heartbeat: Option<Heartbeat>,
    ) -> Arc<Self> {
        Arc::new(Self {
            settings,
            service,
            heartbeat,
            choice: Mutex::default(),
        })
    }

    /// The heartbeats; `None` without the tray app.
    pub fn heartbeat(&self) -> Option<&Heartbeat> {
        self.heartbeat.as_ref()
    }

    fn reporter(&self) -> Option<&Presence> {
        self.heartbeat.as_ref().map(Heartbeat::presence)
    }

    /// Whether the owner shares their presence.
    pub fn sharing(&self) -> Sharing {
        let paused = |reporter: &Presence| reporter.paused().is_some();
        let paused = self.reporter().is_some_and(paused);
        let enabled = self.settings.get().presence.enabled;
        self.choice.lock().sharing(enabled, paused)
    }

    /// Applies the owner's answer, which is not written yet: a no at once, a yes only once it is
    /// written. Returns the number of the answer.
    pub(crate) fn answer(&self, share: bool) -> u64 {
        let number = {
            let mut choice = self.choice.lock();
            choice.number += 1;
            if !share {
                choice.answer = Some(false);
            }
            choice.number
        };
        self.show_or_hide_game();
        self.update_reporter();
        number
    }

    /// The number of the latest answer.
    pub(crate) fn number(&self) -> u64 {
        self.choice.lock().number
    }

    /// Follows a change of `presence.enabled`. `number` is that of the latest answer when the
    /// change was started, `said` what was written, if anything was, and `differs` whether the
    /// setting is another one now.
    pub(crate) fn follow(&self, number: u64, said: Option<Option<bool>>, differs: bool) {
        self.choice.lock().follow(number, said, differs);
    }

    /// Has the reporter follow the settings and the owner's choice as they are now.
    pub(crate) fn update_reporter(&self) {
        if let Some(heartbeat) = &self.heartbeat {
            let settings = self.settings.get();
            let choice = *self.choice.lock();
            heartbeat.follow(&settings, choice.shares(settings.presence.enabled));
        }
    }

    /// Pauses sharing. Meanwhile the game is hidden, too. A pause outlives this run.
    ///
    /// # Errors
    /// When it cannot be written; it is in force, but ends with this run.
    pub async fn pause(&self, pause: Pause) -> Result<(), Message> {
        let Some(reporter) = self.reporter() else {
            return Ok(());
        };
        let written = reporter.pause(pause);
        self.show_or_hide_game();
        written.await
    }

    /// Ends a pause.
    ///
    /// # Errors
    /// When that cannot be written; it has ended, but the next run may be paused again.
    pub async fn resume(&self) -> Result<(), Message> {
        let Some(reporter) = self.reporter() else {
            return Ok(());
        };
        let written = reporter.resume();
        self.show_or_hide_game();
        written.await
    }

    /// Reports the owner's own words in place of the foreground app; `None` ends that. They outlive
    /// this run.
    ///
    /// # Errors
    /// Why no heartbeat can carry them; nothing changes then. When they cannot be written; they are
    /// shown, but only by this run.
    pub async fn fix_status(&self, status: Option<Status>) -> Result<(), Message> {
        let status = status.map(words).transpose()?;
        match self.reporter() {
            Some(reporter) => reporter.fix(status).await,
            None => Ok(()),
        }
    }

    /// What is reported and why it cannot be, now and whenever that changes.
    pub fn presence(&self) -> StateReader<PresenceState> {
        match self.reporter() {
            Some(reporter) => reporter.state(),
            None => StateReader::constant(PresenceState::default()),
        }
    }

    /// The last foreground app that is not Porchlight.
    pub fn last_front(&self) -> LastForeground {
        match self.reporter() {
            Some(reporter) => reporter.last_window(),
            None => LastForeground::none(),
        }
    }

    /// The `program` of a rule for the app that readers know by this name; `None` where no program
    /// on this machine is known by it.
    pub async fn program_of(&self, application: String) -> Option<String> {
        self.reporter()?.program_of(application).await
    }

    /// Whether heartbeats go to the service of this process.
    pub(crate) fn reports_to_own_service(&self) -> bool {
        self.settings.get().presence.target_url.is_none()
    }

    /// Sends a heartbeat that waits for its next try at once.
    pub fn try_now(&self) {
        if let Some(reporter) = self.reporter() {
            reporter.try_now();
        }
    }

    /// Says goodbye and stops the reporter.
    pub(crate) async fn stop(&self) {
        if let Some(reporter) = self.reporter() {
            reporter.stop().await;
        }
    }

    /// Shows the game that is played where its owner shares their presence. A service without an
    /// owner beside it goes by its settings.
    pub(crate) fn show_or_hide_game(&self) {
        let rules = self.settings.get().presence.rules.clone();
        self.service.game().keep_private(move |game| {
            let mut rules = rules.iter().flatten();
            rules.any(|rule| rule.hides_game(&game.name, &game.programs))
        });
        if let Some(reporter) = self.reporter() {
            let settings = self.settings.get();
            // Its game stays private when another window comes to the foreground.
            if let Some(window) = reporter.last_window().hidden(&settings.presence) {
                self.service.game().saw_hidden(window);
            }
            if let Some(publishing) = self.service.publishing() {
                publishing.pause(reporter.paused().is_some());
            }
            // Also while its own window, or any that is kept private, is in the foreground.
            let hidden = reporter.state().with(|state| state.hidden);
            let hidden = hidden || self.sharing() != Sharing::On;
            self.service.game().hide(hidden);
        }
        if let Some(publishing) = self.service.publishing() {
            publishing.look_at_game();
        }
    }

    /// Shows the game again after a pause that ends by itself, and hides it with
    /// its window, until the host is gone.
    pub(crate) fn follow_pauses(self: &Arc<Self>) {
        let Some(reporter) = self.reporter() else {
            return;
        };
        let (mut state, mut front) = (reporter.state(), reporter.last_window());
        let consent = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    changed = state.changed() => if changed.is_err() {
                        return;
                    },
                    () = front.changed() => {}
                }
                let Some(consent) = Weak::upgrade(&consent) else {
                    return;
                };
                consent.show_or_hide_game();
            }
        });
    }
}

/// The owner's words as a heartbeat can carry them.
fn words(status: Status) -> Result<FixedStatus, Message> {
    let application = status.application.trim();
    if application.is_empty() {
        return Err(Message::StatusEmpty);
    }
    Ok(FixedStatus {
        application: application.to_owned(),
        introduce: status.introduce.trim().to_owned(),
        rgba: status.rgba.parse()?,
        until: status.until.map(Timestamp::from_millis),
    })
}

#[cfg(test)]
mod tests;
