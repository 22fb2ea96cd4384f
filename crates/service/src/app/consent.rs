//! What the owner decided about sharing: the answer of the first run, pauses, a fixed status.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Weak};

use toml_edit::Value;

use self::heartbeat::Heartbeat;
use self::log::log_presence;
use crate::app::options::Kind;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::game::GameNames;
use crate::http::replies::HeartbeatFields;
use crate::presence::computer::settings::Rule;
use crate::presence::computer::{
    ClientReport, ClientTrack, End, FixedStatus, LastForeground, Pause, Presence, PresenceState,
    of_client,
};
use crate::presence::window::Status;
use crate::presence::{OwnerDecisions, ReportedContent, Shows};
use crate::service::Service;
use crate::settings::settings_change::SettingsChange;
use crate::settings::store::{CurrentSettings, SettingsStore};
use crate::settings::valid_changes::UpdateError;
use crate::state::{State, StateReader};
use crate::status::window::home::Sharing;

pub mod heartbeat;
mod log;

/// The setting that the owner's answer is written as.
const ENABLED: &str = "presence.enabled";

/// What was decided in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Choice {
    /// The owner's answer; it counts for more than the setting, until that is
    /// changed.
    answer: Option<bool>,
    /// How many answers were given: a superseded one no longer counts.
    number: u64,
    /// The latest answer is not written yet: until then no other change overrules it.
    is_unwritten: bool,
}

impl Choice {
    /// Whether the owner has consented, given `presence.enabled`.
    fn shares(self, enabled: Option<bool>) -> bool {
        self.answer.or(enabled) == Some(true)
    }

    /// Takes an answer: a no at once, a yes only once it is written. Its number.
    fn take(&mut self, share: bool) -> u64 {
        self.number += 1;
        self.is_unwritten = true;
        if !share {
            self.answer = Some(false);
        }
        self.number
    }

    /// The answer of this number is written, or cannot be.
    fn was_written(&mut self, number: u64, share: bool, written: bool) {
        if self.number == number {
            self.is_unwritten = false;
            if written {
                self.answer = Some(share);
            }
        }
    }

    /// Follows a change of the settings. `written` is what was written as `presence.enabled`, if
    /// anything was; where the setting became another one by itself, it counts.
    fn follow(&mut self, written: Option<Option<bool>>, differs: bool) {
        if self.is_unwritten {
            return;
        }
        match written {
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

/// What decides whether readers see the owner; clones are the same one.
#[derive(Clone)]
struct Decision {
    settings: CurrentSettings,
    choice: State<Choice>,
    /// Whether the owner is asked, in the window.
    asks: bool,
    heartbeat: Arc<Heartbeat>,
}

impl Decision {
    /// `None` for a service without an owner beside it: `porchlight serve` whose settings say nothing of
    /// presence.
    fn reporter(&self) -> Option<&Presence> {
        let has_owner = self.asks || self.settings.get().presence.enabled.is_some();
        has_owner.then(|| self.heartbeat.presence())
    }

    fn is_paused(&self) -> bool {
        let paused = |reporter: &Presence| reporter.paused().is_some();
        self.reporter().is_some_and(paused)
    }

    fn sharing(&self) -> Sharing {
        let enabled = self.settings.get().presence.enabled;
        self.choice.get().sharing(enabled, self.is_paused())
    }

    /// The game of a service without an owner beside it is shown. Otherwise it is hidden also while
    /// its own window, or any that is kept private, is in the foreground.
    fn hides_game(&self) -> bool {
        self.reporter().is_some_and(|reporter| {
            let hidden = reporter.state().with(|state| state.hidden);
            hidden || self.sharing() != Sharing::On
        })
    }

    /// What readers may see of the owner's devices. Without an owner there is nobody to pause.
    fn of_devices(&self) -> OwnerDecisions {
        let settings = self.settings.get();
        let has_status = |reporter: &Presence| reporter.state().with(|state| state.fixed.is_some());
        let shows = match self.reporter() {
            Some(_) if self.sharing() != Sharing::On => Shows::OnlyOwn,
            Some(reporter) if has_status(reporter) => Shows::OwnStatus,
            _ => Shows::AllDevices,
        };
        OwnerDecisions {
            shows,
            devices: settings.devices,
            lanyard: settings.lanyard.clone(),
        }
    }

    /// What the rules make of a device's report.
    fn rules_for(&self, reported: &ReportedContent) -> HeartbeatFields {
        let track = reported.track.as_ref().map(|track| ClientTrack {
            player: &track.player,
            title: &track.title,
            artist: &track.artist,
        });
        let report = ClientReport {
            names: &reported.names,
            title: &reported.title,
            is_one_text: reported.is_one_text,
            rgba: &reported.rgba,
            track,
        };
        of_client(&report, &self.settings.get().presence)
    }

    /// A number for everything that decides what readers see of a device's report.
    fn rules(&self) -> i64 {
        let settings = self.settings.get();
        let presence = &settings.presence;
        let rules: Vec<_> = presence.rules.iter().flatten().map(Rule::text).collect();
        let consents = (
            presence.share_titles,
            presence.share_music,
            presence.share_browser_music,
        );
        let all = (
            env!("CARGO_PKG_VERSION"),
            rules,
            consents,
            presence.language,
        );
        let mut hasher = DefaultHasher::new();
        format!("{all:?}").hash(&mut hasher);
        // 0 is for those that are not known.
        hasher.finish().max(1).cast_signed()
    }

    fn keeps_private(&self, game: &GameNames) -> bool {
        let settings = self.settings.get();
        let mut rules = settings.presence.rules.iter().flatten();
        rules.any(|rule| rule.hides_game(&game.name, &game.programs))
    }
}

/// Whether the owner shares their presence, and everything that follows from it: heartbeats,
/// whether the game is shown, and whether the Worker shows anything of the owner.
pub struct Consent {
    decision: Decision,
    store: Arc<SettingsStore>,
    service: Service,
}

impl Consent {
    /// Nothing was decided in this run yet; the settings count. From now on the game of the service
    /// and the owner's other devices are shown and hidden by it.
    pub fn new(
        kind: Kind,
        store: Arc<SettingsStore>,
        service: Service,
        heartbeat: Heartbeat,
    ) -> Arc<Self> {
        let decision = Decision {
            settings: store.in_force(),
            choice: State::default(),
            asks: kind == Kind::Desktop,
            heartbeat: Arc::new(heartbeat),
        };
        let (hiding, keeping) = (decision.clone(), decision.clone());
        let game = service.game();
        game.hide_while(move || hiding.hides_game());
        game.keep_private(move |game| keeping.keeps_private(game));
        let (deciding, ruling) = (decision.clone(), decision.clone());
        let presence = service.presence();
        presence.ask_owner(move || deciding.of_devices());
        presence.apply_rules(move |reported| ruling.rules_for(reported));
        presence.rules_are(decision.rules());
        Arc::new(Self {
            decision,
            store,
            service,
        })
    }

    fn reporter(&self) -> Option<&Presence> {
        self.decision.reporter()
    }

    pub fn sharing(&self) -> Sharing {
        self.decision.sharing()
    }

    /// The owner's answer to the question of the first run, or a change of
    /// mind. A no counts at once, even where it cannot be written; a yes
    /// only once it is.
    ///
    /// # Errors
    /// See [`UpdateError`].
    pub async fn answer(&self, share: bool) -> Result<(), UpdateError> {
        let choice = &self.decision.choice;
        let number = choice.update(|choice| choice.take(share));
        self.update_reporter();
        // Where a later answer was given, that is the one that is written.
        let is_last = || choice.with(|choice| choice.number == number);
        let change = [(ENABLED, Some(share.into()))];
        let written = self.store.update_if(&change, is_last).await;
        let is_written = matches!(written, Ok(_) | Err(UpdateError::Following(_)));
        choice.update(|choice| choice.was_written(number, share, is_written));
        self.update_reporter();
        written.map(drop)
    }

    /// Has the reporter and the service's presence follow the settings and the owner's choice as they
    /// are now.
    fn update_reporter(&self) {
        self.service.presence().decisions_changed();
        let settings = self.decision.settings.get();
        let shares = self.decision.choice.get();
        let shares = shares.shares(settings.presence.enabled);
        self.decision.heartbeat.follow(&settings, shares);
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
        self.service.presence().decisions_changed();
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
        self.service.presence().decisions_changed();
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

    /// Sends a heartbeat that waits for its next try at once.
    pub fn try_now(&self) {
        if let Some(reporter) = self.reporter() {
            reporter.try_now();
        }
    }

    /// Sends a goodbye and stops the reporter.
    pub(crate) async fn stop(&self) {
        self.decision.heartbeat.presence().stop().await;
    }

    /// Whether a pause, or its end, is still being told to the Worker.
    pub fn is_settling(&self) -> bool {
        let paused = self.decision.is_paused();
        let edge = self.service.edge();
        edge.is_some_and(|edge| !edge.pause_has_taken_effect(paused))
    }

    /// Has the heartbeats and the Worker follow the settings, the owner's decisions and what is in
    /// the foreground, until the host is gone.
    pub(crate) fn follow(self: &Arc<Self>) {
        let reporter = self.decision.heartbeat.presence();
        let (mut choice, mut front) = (self.decision.choice.reader(), reporter.last_window());
        let mut state = reporter.state();
        if !self.decision.asks {
            tokio::spawn(log_presence(reporter.state()));
        }
        // At once: what the Worker gets first must not show what a pause hides.
        self.tell_worker();
        let consent = Arc::downgrade(self);
        let mut decided = self.decision.of_devices();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    Ok(()) = state.changed() => {}
                    Ok(()) = choice.changed() => {}
                    () = front.changed() => {}
                    else => return,
                }
                let Some(consent) = Weak::upgrade(&consent) else {
                    return;
                };
                consent.tell_worker();
                let now = consent.decision.of_devices();
                if decided != now {
                    decided = now;
                    consent.service.presence().decisions_changed();
                }
            }
        });
    }

    /// Has what is shared follow a change of the settings.
    ///
    /// # Errors
    /// When reports cannot be sent to the other service of the settings.
    pub(crate) fn follow_change(&self, change: &SettingsChange) -> Result<(), Message> {
        let (old, new) = (&change.before().presence, &change.now().presence);
        let written = change.written(ENABLED);
        let written = written.map(|value| value.and_then(Value::as_bool));
        self.service.presence().rules_are(self.decision.rules());
        let choice = &self.decision.choice;
        choice.update(|choice| choice.follow(written, old.enabled != new.enabled));
        let target = match old == new {
            true => Ok(()),
            false => self.decision.heartbeat.set_target(change.now()),
        };
        self.update_reporter();
        self.tell_worker();
        target.map_err(|why| crate::detail!("HTTPS cannot be used here: {why}"))
    }

    /// Tells the Worker what the decision is now, and remembers a hidden window: its game stays
    /// private when another one comes to the foreground.
    pub(crate) fn tell_worker(&self) {
        if let Some(reporter) = self.reporter() {
            let settings = self.decision.settings.get();
            if let Some(window) = reporter.last_window().hidden(&settings.presence) {
                self.service.game().saw_hidden(window);
            }
        }
        if let Some(edge) = self.service.edge() {
            edge.pause(self.decision.is_paused());
            edge.look_at_game();
        }
    }
}

/// The owner's words as a heartbeat can carry them.
fn words(status: Status) -> Result<FixedStatus, Message> {
    let application = status.application.trim();
    if application.is_empty() {
        return Err(crate::detail!("a status needs some words"));
    }
    Ok(FixedStatus {
        application: application.to_owned(),
        introduce: status.introduce.trim().to_owned(),
        rgba: status.rgba.parse()?,
        until: status
            .until
            .map(|time| End::at(Timestamp::from_millis(time))),
    })
}

#[cfg(test)]
mod tests;
