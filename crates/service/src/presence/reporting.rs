//! Reports of devices beside this computer: whose they are, and what the rules make of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::device::{self, Device};
use super::report::Report;
use super::{Known, LONGEST_VALID, Presence, Shows};
use crate::db::DatabaseError;
use crate::devices::DeviceId;
use crate::http::replies::HeartbeatFields;
use crate::state::detach::run_to_completion;
use crate::text::rgba::Rgba;

/// How many devices may wait for the owner.
const MOST_WAITING: usize = 20;
/// How soon a decision that another process wrote counts, and a pause ends what was reported.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);

/// A report of a device. Text is clean and within the bounds of a heartbeat.
pub struct DeviceReport {
    /// Which device it is: that of the token.
    pub id: DeviceId,
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
    /// The owner has forgotten the device.
    #[error("the device was forgotten")]
    Forgotten,
    /// Too many devices wait for the owner.
    #[error("too many devices are waiting")]
    TooManyWaiting,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl Presence {
    /// Takes a report of a device. While the owner has paused or does not share, nothing of the report is kept.
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
        let waiting = known.devices.iter().filter(|device| device.waits()).count();
        let mut devices = known.devices.iter_mut();
        let device = devices.find(|device| device.decided.id == report.id);
        let device = device.filter(|device| device.decided.token.is_some());
        let device = device.ok_or(ReportError::Forgotten)?;
        if self.decisions().shows == Shows::OnlyOwn {
            return Ok(true);
        }
        let valid_for = report.valid_for.map_or(self.alive_millis(), |valid_for| {
            i64::try_from(valid_for.as_millis()).unwrap_or(i64::MAX)
        });
        let fields = self.content(&report.content);
        let before = device.report.as_ref();
        let is_first = before.is_none();
        let valid_for = valid_for.min(LONGEST_VALID);
        device.report = Some(Report::after(before, now, valid_for, fields));
        (device.battery, device.charging) = (report.battery, report.charging);
        device.rules = rules;
        if is_first && device.waits() && waiting >= MOST_WAITING {
            return Err(ReportError::TooManyWaiting);
        }
        let device = device.clone();
        let written = self.commit(known, now, move |write| device::store(write, &device));
        Ok(written.await?)
    }

    /// What readers may see of a report.
    fn content(&self, reported: &ReportedContent) -> HeartbeatFields {
        let rules = self.0.rules.get().filter(|_| self.with_fields());
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
            // The first device is of interest from its first report on.
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
            if by_others || (hides || device.decided.token.is_none()) && is_valid {
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
        let mut before = std::mem::take(&mut known.devices);
        known.devices = decisions
            .into_iter()
            .map(|decided| {
                // One with another token was forgotten, and added again under the same id.
                let is_it = |device: &mut Device| {
                    device.decided.id == decided.id
                        && (device.decided.token == decided.token || decided.token.is_none())
                };
                let known = before.extract_if(.., is_it).next();
                match known {
                    Some(device) => Device { decided, ..device },
                    None => Device::new(decided),
                }
            })
            .collect();
        // The rows of one that was forgotten are gone.
        known.change.take_if(|change| {
            let id = change.device.as_ref();
            id.is_some_and(|id| before.iter().any(|device| device.decided.id == *id))
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use std::sync::Arc;

    use crate::clock::timestamp::Timestamp;
    use crate::devices::DeviceKind;

    use super::*;
    use crate::clock::StoppedClock;
    use crate::presence::{Devices, HeartbeatSettings, NewDevice, OwnerDecisions};
    use crate::tokens::Tokens;

    const START: i64 = 1_000_000_000_000;
    const HOUR: Duration = Duration::from_secs(60 * 60);

    struct Home {
        presence: Presence,
        devices: Devices,
        tokens: Tokens,
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
                shows: *asked.lock(),
                ..OwnerDecisions::default()
            });
            presence.apply_rules(|reported| HeartbeatFields {
                application: reported.names[0].clone(),
                ..HeartbeatFields::default()
            });
            let tokens = Tokens::new(database.clone(), clock.clock());
            let home = Self {
                presence,
                devices: Devices::new(database, tokens.clone()),
                tokens,
                clock,
                shows,
                _folder: folder,
            };
            home.add("phone", true).await;
            home.phone("first").await;
            home
        }

        async fn add(&self, id: &str, allowed: bool) {
            let new = NewDevice {
                name: id.to_owned(),
                kind: DeviceKind::Phone,
                allowed,
            };
            let added = self.devices.add(new).await.expect("added");
            assert_eq!(added.0.as_str(), id);
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
            self.try_reports(id, application).await.expect("taken");
        }

        async fn try_reports(&self, id: &str, application: &str) -> Result<(), ReportError> {
            let report = DeviceReport {
                id: id.parse().expect("an id"),
                battery: None,
                charging: None,
                valid_for: Some(4 * HOUR),
                content: ReportedContent {
                    names: vec![application.to_owned()],
                    in_use: !application.is_empty(),
                    ..ReportedContent::default()
                },
            };
            self.presence.report(report).await
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
            *self.shows.lock() = shows;
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
        let device = device.map(str::to_owned);
        (application.to_owned(), device, from, to)
    }

    #[tokio::test]
    async fn a_device_waits_from_its_first_report_on_unless_it_was_allowed_before() {
        let home = Home::new().await;
        home.add("slate", true).await;
        home.add("tv", false).await;
        let listed = || -> Vec<String> {
            let devices = home.presence.devices().into_iter();
            devices.map(|device| device.name).collect()
        };
        home.presence.follow().await.expect("followed");
        assert_eq!(listed(), ["phone"], "before a report");
        assert_eq!(home.presence.waiting_devices(), 0);
        home.wait(1);
        home.reports("slate", "sketch").await;
        home.reports("tv", "film").await;
        assert_eq!(listed(), ["phone", "slate"]);
        assert_eq!(home.presence.waiting_devices(), 1);

        let ids = ["slate", "phone"].map(|id| id.parse().expect("an id"));
        home.devices.order(ids.to_vec()).await.expect("ordered");
        home.presence.follow().await.expect("followed");
        assert_eq!(listed(), ["slate", "phone"]);
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
        home.add("waiting", false).await;
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
        *home.shows.lock() = Shows::OnlyOwn;
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
        home.add("new", false).await;
        home.reports("new", "secret").await;
        assert_eq!(home.presence.waiting_devices(), 0);
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
        home.wait(1);
        home.add("tv", true).await;
        home.reports("tv", "film").await;
        assert_eq!(home.shown(), "film");
        let hidings = home.presence.hidings();
        assert!(home.tokens.revoke("tv").await.expect("an answer"));
        home.presence.follow().await.expect("followed");
        assert_eq!(home.shown(), "first");
        assert!(
            home.presence.hidings() > hidings,
            "the Worker follows at once"
        );
        let refused = home.try_reports("tv", "film").await;
        assert!(
            matches!(refused, Err(ReportError::Forgotten)),
            "{refused:?}"
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
        *home.shows.lock() = Shows::OnlyOwn;
        home.presence.decisions_changed();
        // Before the empty heartbeat, which may have to wait.
        assert_eq!(home.shown(), "");
        *home.shows.lock() = Shows::AllDevices;
        home.presence.decisions_changed();
        let listed = home.presence.devices().into_iter();
        let own = listed.map(|device| device.application).next();
        assert_eq!(
            own.as_deref(),
            Some("editor"),
            "the pause ended before it was sent"
        );
        *home.shows.lock() = Shows::OnlyOwn;
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
        *home.shows.lock() = Shows::AllDevices;
        home.presence.decisions_changed();
        home.wait(1);
        home.computer("").await;
        for shows in [Shows::OnlyOwn, Shows::AllDevices] {
            *home.shows.lock() = shows;
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
        home.presence.rules_are(5);
        home.presence.follow().await.expect("followed");
        home.wait(1);
        home.add("slate", false).await;
        home.reports("slate", "maps").await;
        home.presence.follow().await.expect("followed");
        home.allow("slate").await;
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
        let refused = home.try_reports("phone", "maps").await;
        assert!(
            matches!(refused, Err(ReportError::Forgotten)),
            "{refused:?}"
        );
    }

    #[tokio::test]
    async fn nothing_of_a_device_that_was_forgotten_is_shown_of_another_of_its_name() {
        let home = Home::new().await;
        home.wait(1);
        let phone: DeviceId = "phone".parse().expect("an id");
        assert!(home.devices.forget(phone).await.expect("an answer"));
        home.add("phone", true).await;
        home.presence.follow().await.expect("followed");
        assert_eq!(home.shown(), "");
        assert_eq!(home.presence.devices(), [], "it has not reported");
        home.phone("maps").await;
        home.wait(1);
        let history = [stretch("maps", Some("phone"), 1, 2)];
        assert_eq!(home.history().await, history);
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
