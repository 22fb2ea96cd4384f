//! Reports of devices beside this computer: whose they are, and what the rules make of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use porchlight_api::{DeviceId, DeviceKind, HeartbeatFields, Rgba};
use tokio_util::sync::CancellationToken;

use super::device::{self, Device};
use super::report::Report;
use super::{Known, LONGEST_VALID, Presence, Shows};
use crate::database::DatabaseError;
use crate::detach::run_to_completion;

/// How many devices may wait for the owner.
const MOST_WAITING: usize = 20;
/// How soon a decision that another process wrote counts, and a pause ends what was reported.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);

/// A report of a device. Text is clean and within the bounds of a heartbeat.
pub struct DeviceReport {
    /// Which device it is.
    pub id: DeviceId,
    /// The number of the token that reports it.
    pub token: i64,
    /// What to call it until the owner gives it another name.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// In percent.
    pub battery: Option<u8>,
    /// Whether the battery is being charged.
    pub charging: Option<bool>,
    /// For how long it is valid, four hours at most; `None` for `heartbeat.alive_seconds`.
    pub valid_for: Option<Duration>,
    /// What is in use on it.
    pub content: ReportedContent,
}

/// What is in use on a device, before the owner's rules.
#[derive(Default)]
pub struct ReportedContent {
    /// The names of the app, the best one first.
    pub names: Vec<String>,
    /// The title of its window, or a line about it.
    pub title: String,
    /// Whether the client has one text for both, which is its only name.
    pub is_one_text: bool,
    /// What plays.
    pub track: Option<ReportedTrack>,
    /// The colour of the app; none where the client has none.
    pub rgba: Rgba,
    /// Whether the owner is using it.
    pub in_use: bool,
}

/// What a media player plays.
pub struct ReportedTrack {
    /// The player; empty where that is unknown.
    pub player: String,
    /// The title of the track.
    pub title: String,
    /// Its artist; empty where that is unknown.
    pub artist: String,
}

/// Why a report does not count.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A device of this id belongs to another token, or is this computer.
    #[error("the device belongs to another token")]
    AnothersDevice,
    /// Too many devices wait for the owner.
    #[error("too many devices are waiting")]
    TooManyWaiting,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl Presence {
    /// Takes a report of a device that names itself. A new one waits until its owner allows it.
    /// While the owner has paused or does not share, nothing of the report is kept.
    ///
    /// # Errors
    /// See [`ReportError`]; nothing has changed then.
    pub async fn report(&self, report: DeviceReport) -> Result<(), ReportError> {
        let presence = self.clone();
        run_to_completion(async move { presence.take_report(report).await }).await
    }

    async fn take_report(&self, report: DeviceReport) -> Result<(), ReportError> {
        let _turn = self.0.one_at_a_time.lock().await;
        while !self.try_report(&report).await? {}
        Ok(())
    }

    /// Whether it counts: not where the owner has decided otherwise meanwhile.
    async fn try_report(&self, report: &DeviceReport) -> Result<bool, ReportError> {
        let mut known = self.known();
        self.follow_decisions(&mut known).await?;
        let (now, rules) = (self.0.clock.now(), self.0.rules_now.load(Ordering::Relaxed));
        let devices = &mut known.devices;
        let place = devices.iter().position(|device| device.id == report.id);
        let is_new = place.is_none();
        if is_new {
            let waiting = devices.iter().filter(|device| device.waits());
            if report.id == DeviceId::own() {
                return Err(ReportError::AnothersDevice);
            }
            if waiting.count() >= MOST_WAITING {
                return Err(ReportError::TooManyWaiting);
            }
            devices.push(Device {
                id: report.id.clone(),
                token: report.token,
                name: report.name.clone(),
                kind: report.kind,
                is_allowed: false,
                is_hidden: false,
                is_revoked: false,
                battery: None,
                charging: None,
                report: None,
                rules,
                is_stored: false,
            });
        }
        let place = place.unwrap_or(devices.len() - 1);
        let device = &mut devices[place];
        if device.token != report.token {
            return Err(ReportError::AnothersDevice);
        }
        if self.decisions().shows == Shows::OnlyOwn {
            if !is_new {
                return Ok(true);
            }
        } else {
            let valid_for = report.valid_for.map_or(self.0.alive_millis, |valid_for| {
                i64::try_from(valid_for.as_millis()).unwrap_or(i64::MAX)
            });
            let valid_for = valid_for.min(LONGEST_VALID);
            let fields = self.content(&report.content);
            let before = device.report.as_ref();
            device.report = Some(Report::after(before, now, valid_for, fields));
            (device.battery, device.charging) = (report.battery, report.charging);
            device.rules = rules;
        }
        let device = device.clone();
        let written = self.commit(known, now, move |write| device::store(write, &device));
        Ok(written.await?)
    }

    /// What readers may see of a report.
    fn content(&self, reported: &ReportedContent) -> HeartbeatFields {
        let rules = self.0.rules.get().filter(|_| self.0.with_fields);
        let fields = rules.filter(|_| reported.in_use);
        let fields = fields.map(|rules| rules(reported)).unwrap_or_default();
        HeartbeatFields {
            application_online: reported.in_use,
            ..fields
        }
    }

    /// Follows what the owner has decided, also in another process, and the end of reports.
    pub(crate) async fn keep_following(&self, stop: CancellationToken) {
        let mut is_failing = false;
        let mut changes = self.changes();
        loop {
            // Only a report adds the first device.
            let next = async {
                while self.has_no_devices() && changes.changed().await.is_ok() {}
                tokio::time::sleep(FOLLOW_EVERY).await;
            };
            if stop.run_until_cancelled(next).await.is_none() {
                return;
            }
            let followed = self.follow().await;
            if let Err(error) = &followed
                && !is_failing
            {
                tracing::warn!(%error, "what the owner decided about devices is not followed");
            }
            is_failing = followed.is_err();
        }
    }

    /// Follows at once what the owner has decided.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn follow(&self) -> Result<(), DatabaseError> {
        if self.has_no_devices() {
            return Ok(());
        }
        let _turn = self.0.one_at_a_time.lock().await;
        let before = self.known();
        let mut known = before.clone();
        self.follow_decisions(&mut known).await?;
        let mut ended = Vec::new();
        let rules = self.0.rules_now.load(Ordering::Relaxed);
        let hides = self.decisions().shows == Shows::OnlyOwn;
        for device in &mut known.devices {
            let is_valid = device
                .report
                .as_ref()
                .is_some_and(|report| report.valid_for > 0);
            let by_others = rules != 0 && device.rules != rules;
            if by_others || (hides || device.is_revoked) && is_valid {
                device.end();
                device.rules = rules;
                ended.push(device.clone());
            }
        }
        let now = self.0.clock.now();
        if known == before && self.next_change(&known, now).is_none() {
            return Ok(());
        }
        let written = self.commit(known, now, move |write| {
            let mut ended = ended.iter();
            ended.try_for_each(|device| device::store(write, device))
        });
        // What was decided meanwhile is followed the next time.
        written.await.map(drop)
    }

    fn has_no_devices(&self) -> bool {
        self.read_known().devices.is_empty()
    }

    pub(super) async fn follow_decisions(&self, known: &mut Known) -> Result<(), DatabaseError> {
        let decisions = self.0.database.read(device::decisions).await?;
        let place_of = |id: &DeviceId| decisions.iter().position(|decided| decided.id == *id);
        known.devices.retain_mut(|device| {
            let decision = place_of(&device.id).map(|place| &decisions[place]);
            if let Some(decision) = decision {
                device.name.clone_from(&decision.name);
                device.is_allowed = decision.is_allowed;
                device.is_hidden = decision.is_hidden;
                device.is_revoked = decision.is_revoked;
            }
            decision.is_some()
        });
        known.devices.sort_by_key(|device| place_of(&device.id));
        // The rows of one that was forgotten are gone.
        known.change.take_if(|change| {
            let id = change.device.as_ref();
            id.is_some_and(|id| place_of(id).is_none())
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use porchlight_api::{Scope, Timestamp};

    use super::*;
    use crate::clock::StoppedClock;
    use crate::presence::{Devices, HeartbeatSettings, NewDevice, OwnerDecisions};
    use crate::tokens::Tokens;

    const START: i64 = 1_000_000_000_000;
    const HOUR: Duration = Duration::from_secs(60 * 60);

    struct Home {
        presence: Presence,
        devices: Devices,
        clock: StoppedClock,
        shows: Arc<Mutex<Shows>>,
        _folder: tempfile::TempDir,
    }

    impl Home {
        /// With an owner who shares, and a phone that is allowed.
        async fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let database = crate::schema::open(&folder.path().join("a.db")).await;
            let database = database.expect("a database");
            let clock = StoppedClock::at(Timestamp::from_millis(START));
            let settings = HeartbeatSettings::default();
            let presence = Presence::open(database.clone(), &settings, 30, clock.clock()).await;
            let presence = presence.expect("presence");
            let shows = Arc::new(Mutex::new(Shows::AllDevices));
            let asked = Arc::clone(&shows);
            presence.ask_owner(move || OwnerDecisions {
                shows: *asked.lock().expect("no panic"),
                ..OwnerDecisions::default()
            });
            presence.apply_rules(|reported| HeartbeatFields {
                application: reported.names[0].clone(),
                ..HeartbeatFields::default()
            });
            let home = Self {
                presence,
                devices: Devices::new(database),
                clock,
                shows,
                _folder: folder,
            };
            home.phone("first").await;
            home.allow("phone").await;
            home
        }

        async fn allow(&self, id: &str) {
            let allowed = self.devices.allow(id.parse().expect("an id")).await;
            assert!(allowed.expect("an answer"));
            self.presence.follow().await.expect("followed");
        }

        async fn phone(&self, application: &str) {
            self.reports("phone", application).await;
        }

        async fn reports(&self, id: &str, application: &str) {
            // Of the environment.
            self.reports_by(-7, id, application).await;
        }

        async fn reports_by(&self, token: i64, id: &str, application: &str) {
            let report = DeviceReport {
                id: id.parse().expect("an id"),
                token,
                name: format!("The {id}"),
                kind: DeviceKind::Phone,
                battery: None,
                charging: None,
                valid_for: Some(4 * HOUR),
                content: ReportedContent {
                    names: vec![application.to_owned()],
                    in_use: !application.is_empty(),
                    ..ReportedContent::default()
                },
            };
            self.presence.report(report).await.expect("taken");
        }

        async fn computer(&self, application: &str) {
            let fields = HeartbeatFields {
                application: application.to_owned(),
                application_online: true,
                ..HeartbeatFields::default()
            };
            self.presence.record(Some(fields)).await.expect("recorded");
        }

        fn wait(&self, minutes: u64) {
            self.clock.advance(Duration::from_secs(minutes * 60));
        }

        async fn shows(&self, shows: Shows) {
            *self.shows.lock().expect("no panic") = shows;
            self.presence.follow().await.expect("followed");
        }

        fn shown(&self) -> String {
            shown(&self.presence)
        }

        /// As the next run finds it.
        async fn again(&self) -> Presence {
            let settings = HeartbeatSettings::default();
            let database = self.devices.database().clone();
            let presence = Presence::open(database, &settings, 30, self.clock.clock()).await;
            let presence = presence.expect("presence");
            presence.ask_owner(|| OwnerDecisions {
                shows: Shows::AllDevices,
                ..OwnerDecisions::default()
            });
            presence
        }

        /// Application, device, and the minutes of both ends.
        async fn history(&self) -> Vec<(String, Option<String>, i64, i64)> {
            let at = |hours: i64| Timestamp::from_millis(START + hours * 3_600_000);
            let minutes = |at: Timestamp| (at.as_millis() - START) / 60_000;
            let past = self.presence.history(at(-1), at(100)).await;
            let past = past.expect("the past").into_iter();
            past.map(|one| {
                let (from, to) = (minutes(one.from), minutes(one.to));
                (one.fields.application, one.device, from, to)
            })
            .collect()
        }
    }

    fn shown(presence: &Presence) -> String {
        presence.check().fields.expect("fields").application
    }

    fn stretch(
        application: &str,
        device: Option<&str>,
        from: i64,
        to: i64,
    ) -> (String, Option<String>, i64, i64) {
        let device = device.map(|id| format!("The {id}"));
        (application.to_owned(), device, from, to)
    }

    #[tokio::test]
    async fn an_added_device_has_the_name_and_kind_of_its_owner_and_does_not_wait() {
        let home = Home::new().await;
        let add = async |id: &str, token, allowed| {
            let new = NewDevice {
                id: id.parse().expect("an id"),
                token,
                name: "Mine".to_owned(),
                kind: DeviceKind::Tablet,
                allowed,
            };
            home.presence.add_device(new).await
        };
        add("slate", -7, true).await.expect("added");
        add("tv", -7, false).await.expect("added");
        for taken in ["slate", "phone", "this-computer"] {
            let refused = add(taken, -7, true).await;
            assert!(
                matches!(refused, Err(ReportError::AnothersDevice)),
                "{taken}"
            );
        }
        let listed = || -> Vec<(String, DeviceKind)> {
            let devices = home.presence.devices().into_iter();
            devices.map(|device| (device.name, device.kind)).collect()
        };
        let phone = ("The phone".to_owned(), DeviceKind::Phone);
        assert_eq!(listed(), std::slice::from_ref(&phone), "before a report");
        home.wait(1);
        home.reports("slate", "sketch").await;
        home.reports("tv", "film").await;
        home.reports("stranger", "maps").await;
        let slate = ("Mine".to_owned(), DeviceKind::Tablet);
        assert_eq!(listed(), [phone.clone(), slate.clone()]);
        assert_eq!(home.presence.waiting_devices(), 1, "the stranger alone");

        let ids = ["slate", "phone"].map(|id| id.parse().expect("an id"));
        home.devices.order(ids.to_vec()).await.expect("ordered");
        home.presence.follow().await.expect("followed");
        assert_eq!(listed(), [slate, phone]);
        let shown = home.presence.devices_of_owner().into_iter();
        let shown: Vec<_> = shown.filter(|device| device.is_shown).collect();
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].item.id.as_str(), "slate");
    }

    #[tokio::test]
    async fn the_history_names_the_device_that_readers_saw() {
        let home = Home::new().await;
        home.wait(1);
        home.phone("maps").await;
        home.wait(5);
        home.reports("waiting", "secret").await;
        home.computer("editor").await;
        home.wait(5);
        home.phone("maps").await;
        home.wait(20);
        // The computer has been silent for too long, and the phone's report goes on.
        home.presence.follow().await.expect("followed");
        home.wait(9);
        assert_eq!(
            home.history().await,
            [
                stretch("first", Some("phone"), 0, 1),
                stretch("maps", Some("phone"), 1, 6),
                stretch("editor", None, 6, 16),
                stretch("maps", Some("phone"), 31, 40),
            ]
        );
        let forgotten = home.devices.forget("phone".parse().expect("an id")).await;
        assert!(forgotten.expect("an answer"));
        home.presence.follow().await.expect("followed");
        assert_eq!(home.history().await, [stretch("editor", None, 6, 16)]);
        assert_eq!(home.shown(), "editor", "the last seen");
    }

    #[tokio::test]
    async fn a_pause_ends_what_devices_show_and_nothing_of_a_report_is_kept_meanwhile() {
        let home = Home::new().await;
        home.wait(10);
        *home.shows.lock().expect("no panic") = Shows::OnlyOwn;
        // At once, before anything follows.
        assert_eq!(home.shown(), "");
        let listed = home.presence.devices();
        assert_eq!(
            (listed[0].online, listed[0].application.as_str()),
            (false, "")
        );
        home.shows(Shows::OnlyOwn).await;
        home.wait(10);
        home.phone("secret").await;
        home.reports("new", "secret").await;
        home.shows(Shows::AllDevices).await;
        home.allow("new").await;
        assert_eq!(home.shown(), "");
        let listed = home.presence.devices();
        assert_eq!(listed.len(), 1, "one that has not reported is not listed");
        assert_eq!(listed[0].last_heartbeat, START / 1_000);
        home.wait(10);
        home.phone("maps").await;
        home.wait(1);
        assert_eq!(
            home.history().await,
            [
                stretch("first", Some("phone"), 0, 10),
                stretch("maps", Some("phone"), 30, 31),
            ]
        );
    }

    #[tokio::test]
    async fn what_came_with_a_revoked_token_is_no_longer_shown() {
        let home = Home::new().await;
        let tokens = Tokens::new(home.devices.database().clone(), home.clock.clock());
        tokens
            .create("tv", Scope::Heartbeat)
            .await
            .expect("a token");
        let number = tokens.list().await.expect("tokens")[0].id;
        home.wait(1);
        home.reports_by(number, "tv", "film").await;
        home.allow("tv").await;
        assert_eq!(home.shown(), "film");
        let hidings = home.presence.hidings();
        assert!(tokens.revoke("tv").await.expect("an answer"));
        home.presence.follow().await.expect("followed");
        assert_eq!(home.shown(), "first");
        assert!(
            home.presence.hidings() > hidings,
            "the snapshot follows at once"
        );
    }

    #[tokio::test]
    async fn a_pause_hides_what_this_computer_reported_before_it() {
        let home = Home::new().await;
        home.presence.decisions_changed();
        home.wait(1);
        home.computer("editor").await;
        home.wait(1);
        home.phone("maps").await;
        *home.shows.lock().expect("no panic") = Shows::OnlyOwn;
        home.presence.decisions_changed();
        // Before the empty heartbeat, which may have to wait.
        assert_eq!(home.shown(), "");
        *home.shows.lock().expect("no panic") = Shows::AllDevices;
        home.presence.decisions_changed();
        let listed = home.presence.devices().into_iter();
        let own = listed.map(|device| device.application).next();
        assert_eq!(
            own.as_deref(),
            Some("editor"),
            "the pause ended before it was sent"
        );
        *home.shows.lock().expect("no panic") = Shows::OnlyOwn;
        home.presence.decisions_changed();
        assert_eq!(home.shown(), "");
        home.presence.follow().await.expect("followed");
        home.wait(1);
        home.presence.decisions_changed();
        home.computer("of another program").await;
        assert_eq!(home.shown(), "of another program");
        home.presence.decisions_changed();
        assert_eq!(home.shown(), "of another program", "no further pause began");
        // Nothing comes back from before an earlier pause.
        *home.shows.lock().expect("no panic") = Shows::AllDevices;
        home.presence.decisions_changed();
        home.wait(1);
        home.computer("").await;
        for shows in [Shows::OnlyOwn, Shows::AllDevices] {
            *home.shows.lock().expect("no panic") = shows;
            home.presence.decisions_changed();
        }
        let listed = home.presence.devices().into_iter();
        let own = listed.map(|device| device.application).next();
        assert_eq!(own.as_deref(), Some(""));
    }

    #[tokio::test]
    async fn other_rules_end_what_devices_show() {
        let home = Home::new().await;
        home.presence.rules_are(1);
        home.phone("first").await;
        home.presence.rules_are(1);
        home.presence.follow().await.expect("followed");
        assert_eq!(home.shown(), "first", "they are the same");
        home.presence.rules_are(2);
        assert_eq!(home.shown(), "", "before anything follows");
        home.phone("second").await;
        home.presence.follow().await.expect("followed");
        assert_eq!(home.shown(), "second");
        // They change while nothing runs.
        let again = home.again().await;
        assert_eq!(shown(&again), "second");
        again.rules_are(3);
        assert_eq!(shown(&again), "");
        again.follow().await.expect("followed");
        assert_eq!(shown(&home.again().await), "");
    }

    #[tokio::test]
    async fn the_first_report_after_other_rules_is_shown_once_it_is_allowed() {
        let home = Home::new().await;
        let phone: DeviceId = "phone".parse().expect("an id");
        assert!(home.devices.forget(phone).await.expect("an answer"));
        home.presence.follow().await.expect("followed");
        home.presence.rules_are(5);
        home.presence.follow().await.expect("followed");
        home.phone("maps").await;
        home.presence.follow().await.expect("followed");
        home.allow("phone").await;
        assert_eq!(home.shown(), "maps");
    }

    #[tokio::test]
    async fn a_device_that_was_just_forgotten_is_in_no_history() {
        let home = Home::new().await;
        home.wait(1);
        home.computer("editor").await;
        home.wait(1);
        // By another process; nothing here has followed it.
        let phone: DeviceId = "phone".parse().expect("an id");
        assert!(home.devices.forget(phone).await.expect("an answer"));
        home.presence
            .record(Some(HeartbeatFields::default()))
            .await
            .expect("recorded");
        assert_eq!(home.shown(), "");
        home.wait(1);
        assert_eq!(
            home.history().await,
            [stretch("editor", None, 1, 2), stretch("", None, 2, 3)]
        );
        home.phone("maps").await;
        assert_eq!(home.shown(), "", "it waits again");
    }

    #[tokio::test]
    async fn a_clock_that_is_set_back_ends_reports_and_the_next_ones_count() {
        let home = Home::new().await;
        home.wait(60);
        home.phone("maps").await;
        home.clock
            .set(Timestamp::from_millis(START - 12 * 3_600_000));
        assert!(!home.presence.check().alive);
        assert!(!home.presence.devices()[0].online);
        for _ in 0..3 {
            let before = home.presence.changes().get();
            home.presence.follow().await.expect("followed");
            home.presence.follow().await.expect("followed");
            assert!(
                home.presence.changes().get() <= before + 1,
                "nothing is written over and over"
            );
        }
        home.phone("camera").await;
        assert_eq!(home.shown(), "camera");
        assert!(home.presence.check().alive);
    }

    #[tokio::test]
    async fn a_status_of_the_owner_is_shown_before_all_devices() {
        let home = Home::new().await;
        home.computer("at lunch").await;
        home.wait(1);
        home.phone("maps").await;
        assert_eq!(home.shown(), "maps");
        home.shows(Shows::OwnStatus).await;
        assert_eq!(home.shown(), "at lunch");
        home.phone("camera").await;
        assert_eq!(home.shown(), "at lunch");
    }
}
