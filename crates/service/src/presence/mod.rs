//! The owner's presence: the last heartbeat of each device, and which of them readers see.
//!
//! `/check` is answered from memory. A heartbeat is written through
//! to the database before it counts.

pub mod computer;
pub mod devices_window;
#[cfg(target_os = "linux")]
pub mod logind;
pub mod sleep;
#[cfg(windows)]
pub mod suspend;
pub mod window;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::db::{Database, DatabaseError};
use crate::devices::{DeviceAccess, DeviceId, DeviceKind};
use crate::http::replies::{Check, HeartbeatFields};
use crate::state::detach::run_to_completion;
use crate::state::{State, StateReader};

pub(crate) mod device;
mod history;
pub(crate) mod lanyard;
mod listed;
mod report;
mod reporting;
mod shown;
pub(crate) mod table;

pub use device::{DeviceRow, Devices, NewDevice};
pub use history::PastPresence;
pub use listed::{OwnersDevice, own_kind};
pub use reporting::{DeviceReport, ReportError, ReportedContent, ReportedTrack};

use device::Device;
use report::{Order, Report, is_within};
use shown::{Seen, shown};
use table::Change;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// How often old changes are removed when no heartbeat does it.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);
/// The most milliseconds for which a report of a device beside this computer is valid.
const LONGEST_VALID: i64 = crate::db::bounds::longest_valid!();
/// The maximum number of changes that are kept of a day: each further one removes the day's oldest.
const MOST_CHANGES_A_DAY: u32 = 5_000;

/// `[heartbeat]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeartbeatSettings {
    /// Whether heartbeats carry fields (Behaviour B) or nothing (A).
    pub fields: bool,
    /// For how many seconds after a heartbeat the owner counts as there.
    pub alive_seconds: u64,
}

impl Default for HeartbeatSettings {
    fn default() -> Self {
        Self {
            fields: true,
            alive_seconds: 600,
        }
    }
}

/// So many days, in milliseconds.
fn days(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(DAY)
}

impl HeartbeatSettings {
    fn alive_millis(&self) -> i64 {
        i64::try_from(self.alive_seconds.saturating_mul(1000)).unwrap_or(i64::MAX)
    }
}

/// `[devices]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DevicesSettings {
    /// Whether `/devices` lists any.
    pub show: bool,
    /// Whether it has their batteries.
    pub share_battery: bool,
    /// Whether the clients of sleepy, live-dashboard and mx-space may report.
    pub clients: bool,
}

impl Default for DevicesSettings {
    fn default() -> Self {
        Self {
            show: true,
            share_battery: false,
            clients: false,
        }
    }
}

/// `[lanyard]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanyardSettings {
    /// Whether its clients are answered.
    pub enabled: bool,
    /// Whom they ask for: digits.
    pub id: String,
}

impl Default for LanyardSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            id: "1".to_owned(),
        }
    }
}

/// Which reports readers may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shows {
    /// Those of all devices that the owner has allowed.
    AllDevices,
    /// The owner's own status, which this computer reports, before all others.
    OwnStatus,
    /// What this computer reports: the owner has paused, or does not share.
    #[default]
    OnlyOwn,
}

/// What the owner has decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnerDecisions {
    /// Which reports readers may see.
    pub shows: Shows,
    /// `[devices]`
    pub devices: DevicesSettings,
    /// `[lanyard]`
    pub lanyard: LanyardSettings,
}

/// The row of the history that was written, if one was.
type WrittenChange = Option<Change>;
type AskOwner = dyn Fn() -> OwnerDecisions + Send + Sync;
type Rules = dyn Fn(&ReportedContent) -> HeartbeatFields + Send + Sync;

/// The owner's presence; cheap to clone.
#[derive(Clone)]
pub struct Presence(Arc<Inner>);

struct Inner {
    database: Database,
    clock: Clock,
    with_fields: AtomicBool,
    alive_millis: AtomicI64,
    history_millis: AtomicI64,
    opened: Instant,
    /// The last heartbeat before that.
    last_before: Option<Timestamp>,
    current: RwLock<Known>,
    one_at_a_time: Mutex<()>,
    changes: State<u64>,
    owner: OnceLock<Box<AskOwner>>,
    rules: OnceLock<Box<Rules>>,
    /// Which rules these are; 0 until that is known.
    rules_now: AtomicI64,
    /// Whether the owner shared nothing when their decisions last changed.
    hides: AtomicBool,
    /// When they began to share nothing, in milliseconds.
    hidden_since: AtomicI64,
    /// How often they hid something that readers may have seen.
    hidings: AtomicU64,
}

/// What is known of all devices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    /// The last heartbeat that names no device: that of this computer.
    own: Option<Report>,
    /// What is hidden of it; see [`Known::hide_own`].
    hidden: Option<HeartbeatFields>,
    devices: Vec<Device>,
    /// The last row of the history.
    change: Option<Change>,
}

impl Known {
    /// Ends what other rules have made of reports, where it is known which are in force.
    fn end_all_but(&mut self, rules: i64) {
        let others = self.devices.iter_mut();
        let others = others.filter(|device| rules != 0 && device.rules != rules);
        others.for_each(Device::end);
    }

    /// Whether readers saw a device before that they see no longer.
    fn hides_a_device_of(&self, before: &Self) -> bool {
        let seen = |known: &Self| -> Vec<i64> {
            let decided = known.devices.iter().map(|device| &device.decided);
            let seen = decided.filter(|decided| decided.access == DeviceAccess::Allowed);
            seen.filter_map(|decided| decided.token).collect()
        };
        let now = seen(self);
        seen(before).iter().any(|token| !now.contains(token))
    }

    /// Hides what this computer reported up to then, or shows it again.
    fn hide_own(&mut self, until: Timestamp, hides: bool) {
        let own = self.own.as_mut().filter(|own| own.at <= until);
        if !hides {
            let hidden = self.hidden.take();
            if let (Some(own), Some(hidden)) = (own, hidden) {
                own.fields = hidden;
            }
        } else if let Some(own) = own {
            let fields = std::mem::take(&mut own.fields);
            if self.hidden.is_none() || fields != HeartbeatFields::default() {
                self.hidden = Some(fields);
            }
        }
    }
}

/// What readers see of the owner.
pub(crate) struct VisiblePresence {
    pub(crate) check: Check,
    /// Since when they see it; `None` before the first heartbeat.
    pub(crate) since: Option<Timestamp>,
    /// Until when it is valid, in Unix seconds.
    pub(crate) valid_until: i64,
    /// Of which device it is, and since when that shows this app; `None` before the first heartbeat.
    pub(crate) device: Option<(DeviceId, DeviceKind, Timestamp)>,
}

impl VisiblePresence {
    /// What they see once it is over: no app.
    pub(crate) fn over(mut self) -> Self {
        self.check.alive = false;
        self.check.fields = self.check.fields.map(|_| HeartbeatFields::default());
        self
    }
}

impl Presence {
    pub(crate) async fn open(
        database: Database,
        settings: &HeartbeatSettings,
        history_days: u64,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let alive_millis = settings.alive_millis();
        let known = database.read(move |connection| {
            Ok(Known {
                own: table::own(connection, alive_millis)?,
                hidden: None,
                devices: device::all(connection)?,
                change: table::last_change(connection)?,
            })
        });
        let known = known.await?;
        let reports = known.devices.iter().filter_map(|one| one.report.as_ref());
        let last_before = reports.chain(&known.own).map(|report| report.at).max();
        let presence = Self(Arc::new(Inner {
            database,
            clock,
            with_fields: AtomicBool::new(settings.fields),
            alive_millis: AtomicI64::new(alive_millis),
            history_millis: AtomicI64::new(days(history_days)),
            opened: Instant::now(),
            last_before,
            current: RwLock::new(known),
            one_at_a_time: Mutex::default(),
            changes: State::new(0),
            owner: OnceLock::new(),
            rules: OnceLock::new(),
            rules_now: AtomicI64::new(0),
            hides: AtomicBool::new(true),
            hidden_since: AtomicI64::new(i64::MIN),
            hidings: AtomicU64::new(0),
        }));
        presence.prune().await?;
        Ok(presence)
    }

    /// Removes changes that are older than `presence.history_days`, until it is stopped.
    pub(crate) async fn keep_pruned(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PRUNE_EVERY) => {}
            }
            if let Err(error) = self.prune().await {
                tracing::warn!(%error, "the history of presence is not pruned");
            }
        }
    }

    async fn prune(&self) -> Result<(), DatabaseError> {
        let keep_from = self.keep_from();
        self.0
            .database
            .write(move |transaction| Ok(table::forget_changes_before(transaction, keep_from)?))
            .await
    }

    /// Changes that ended before this are removed. The current presence is kept.
    ///
    /// A machine's clock can be months ahead until it is set: before a run has lasted an hour,
    /// ages are counted from the last heartbeat of the run before.
    fn keep_from(&self) -> Timestamp {
        let inner = &self.0;
        let valid = self.alive_millis().max(LONGEST_VALID);
        let kept = inner.history_millis.load(Ordering::Relaxed).max(valid);
        let mut now = inner.clock.now();
        if inner.opened.elapsed() < PRUNE_EVERY {
            now = inner.last_before.map_or(now, |last| now.min(last));
        }
        Timestamp::from_millis(now.as_millis().saturating_sub(kept))
    }

    /// Whether heartbeats carry fields (Behaviour B).
    #[must_use]
    pub fn with_fields(&self) -> bool {
        self.0.with_fields.load(Ordering::Relaxed)
    }

    /// `heartbeat.alive_seconds`, in milliseconds.
    fn alive_millis(&self) -> i64 {
        self.0.alive_millis.load(Ordering::Relaxed)
    }

    /// Applies these settings from now on, also to the last heartbeat of this computer. Changes that
    /// are too old now are removed.
    ///
    /// # Errors
    /// When the database fails; the settings count all the same.
    pub(crate) async fn follow_settings(
        &self,
        settings: &HeartbeatSettings,
        history_days: u64,
    ) -> Result<(), DatabaseError> {
        let inner = &self.0;
        let alive = settings.alive_millis();
        inner.with_fields.store(settings.fields, Ordering::Relaxed);
        inner.alive_millis.store(alive, Ordering::Relaxed);
        let history = days(history_days);
        inner.history_millis.store(history, Ordering::Relaxed);
        if let Some(own) = &mut self.write_known().own {
            own.valid_for = alive;
        }
        inner.changes.update(|count| *count += 1);
        self.prune().await
    }

    /// Takes a heartbeat. Without fields only its time is recorded.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn record(&self, fields: Option<HeartbeatFields>) -> Result<(), DatabaseError> {
        let presence = self.clone();
        run_to_completion(async move { presence.take(fields).await }).await
    }

    async fn take(&self, fields: Option<HeartbeatFields>) -> Result<(), DatabaseError> {
        // Two heartbeats at once reach the disk and the memory in one order.
        let _turn = self.0.one_at_a_time.lock().await;
        let now = self.0.clock.now();
        let mut is_stale = false;
        loop {
            let mut known = self.known();
            if is_stale {
                self.follow_decisions(&mut known).await?;
            }
            let before = known.own.as_ref();
            let fields = fields.clone().unwrap_or_else(|| {
                let before = before.map(|before| before.fields.clone());
                before.unwrap_or_default()
            });
            let own = Report::after(before, now, self.alive_millis(), fields);
            known.own = Some(own.clone());
            let store = move |write: &Transaction<'_>| table::store(write, &own);
            if self.commit(known, now, store).await? {
                return Ok(());
            }
            is_stale = true;
        }
    }

    /// Writes what is known from now on, with what that changes for readers. Whether it did: not
    /// where the owner has decided otherwise meanwhile, in another process.
    async fn commit(
        &self,
        mut known: Known,
        now: Timestamp,
        store: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<bool, DatabaseError> {
        let inner = &self.0;
        let change = self.next_change(&known, now);
        let keep_from = self.keep_from();
        let day = inner.clock.day_of(now).from;
        let decided: Vec<_> = known
            .devices
            .iter()
            .map(|one| one.decided.clone())
            .collect();
        let write = move |write: &Transaction<'_>| -> Result<Option<WrittenChange>, DatabaseError> {
            let decided_now = device::decisions(write)?;
            if !decided.iter().all(|one| decided_now.contains(one)) {
                return Ok(None);
            }
            store(write)?;
            let Some(mut change) = change else {
                return Ok(Some(None));
            };
            if change.row == 0 {
                change.row = table::add_change(write, &change)?;
                table::forget_all_but(write, day, MOST_CHANGES_A_DAY)?;
                table::forget_changes_before(write, keep_from)?;
            } else {
                table::set_end(write, &change)?;
            }
            Ok(Some(Some(change)))
        };
        let Some(written) = inner.database.write(write).await? else {
            return Ok(false);
        };
        known.change = written.or(known.change);
        let mut current = self.write_known();
        // The owner may have decided otherwise while it was written.
        known.end_all_but(inner.rules_now.load(Ordering::Relaxed));
        let hidden_since = Timestamp::from_millis(inner.hidden_since.load(Ordering::Relaxed));
        known.hide_own(hidden_since, inner.hides.load(Ordering::Relaxed));
        if known.hides_a_device_of(&current) {
            inner.hidings.fetch_add(1, Ordering::Relaxed);
        }
        *current = known;
        drop(current);
        inner.changes.update(|count| *count += 1);
        Ok(true)
    }

    /// The row of the history that follows from what is known: a new one, or the last with another
    /// end; `None` while the last is right.
    fn next_change(&self, known: &Known, now: Timestamp) -> Option<Change> {
        let alive = self.alive_millis();
        let last = known.change.as_ref();
        // Whether a report at this time goes on with the last row.
        let reaches =
            |last: &Change, time| is_within(last.until, time, last.valid_for.unwrap_or(alive));
        let seen = self.seen(known, now);
        let Some(seen) = seen.filter(|seen| seen.report.is_valid(now)) else {
            let last = last.filter(|last| reaches(last, now) && last.device.is_some())?;
            let shown_for = now.as_millis().saturating_sub(last.until.as_millis());
            return (Some(shown_for) != last.valid_for).then(|| Change {
                valid_for: Some(shown_for.max(0)),
                ..last.clone()
            });
        };
        let report = seen.report;
        let same = last.filter(|last| last.is_of(seen) && reaches(last, report.at));
        match same {
            Some(last) if last.until == report.at => None,
            Some(last) => Some(Change {
                until: report.at,
                valid_for: seen.device.map(|_| report.valid_for),
                ..last.clone()
            }),
            None => Some(Change {
                row: 0,
                device: seen.device.map(|device| device.decided.id.clone()),
                at: now,
                until: report.at,
                valid_for: seen.device.map(|_| report.valid_for),
                fields: report.fields.clone(),
            }),
        }
    }

    /// The answer of `/check`.
    #[must_use]
    pub fn check(&self) -> Check {
        self.shown().check
    }

    /// Since when readers see what they see now; `None` before the first
    /// heartbeat.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        self.shown().since
    }

    /// Whether the last heartbeat of this computer reports that the owner uses it.
    #[must_use]
    pub fn own_is_online(&self) -> bool {
        let known = self.read_known();
        let own = known.own.as_ref();
        own.is_some_and(|own| own.is_valid(self.0.clock.now()) && own.fields.application_online)
    }

    /// What readers see now.
    pub(crate) fn shown(&self) -> VisiblePresence {
        let known = self.read_known();
        let now = self.0.clock.now();
        let seen = self.seen(&known, now);
        let report = seen.map(|seen| seen.report);
        let alive = report.is_some_and(|report| report.is_valid(now));
        let since = seen.map(|seen| {
            let change = known.change.as_ref().filter(|change| change.is_of(seen));
            match change {
                _ if !alive => seen.report.end(),
                Some(change) => change.at,
                None => seen.report.used_at,
            }
        });
        let fields = self.with_fields().then(|| {
            let fields = report.map(|report| report.fields.clone());
            let fields = fields.unwrap_or_default();
            HeartbeatFields {
                application_online: alive && fields.application_online,
                ..fields
            }
        });
        VisiblePresence {
            check: Check {
                alive,
                last_heartbeat: report.map_or(0, |report| report.at.as_seconds()),
                fields,
            },
            since,
            valid_until: report.map_or(0, |report| report.end().as_seconds()),
            device: seen.map(|seen| {
                let own = || (DeviceId::own(), own_kind());
                let other = seen.device.map(|device| &device.decided);
                let other = other.map(|decided| (decided.id.clone(), decided.kind));
                let (id, kind) = other.unwrap_or_else(own);
                (id, kind, seen.report.used_at)
            }),
        }
    }

    fn seen<'a>(&self, known: &'a Known, now: Timestamp) -> Option<Seen<'a>> {
        let shows = match known.devices.is_empty() {
            true => Shows::OnlyOwn,
            false => self.decisions().shows,
        };
        let own = known.own.as_ref();
        let order = Order {
            now,
            alive: self.alive_millis(),
            with_fields: self.with_fields(),
        };
        shown(own, &known.devices, shows, order)
    }

    /// Whom to ask at each use what the owner has decided; until it is set, readers see the reports
    /// of this computer alone. Only the first call counts.
    pub fn ask_owner(&self, ask: impl Fn() -> OwnerDecisions + Send + Sync + 'static) {
        // A second one would come from a second owner.
        let _ = self.0.owner.set(Box::new(ask));
        self.decisions_changed();
    }

    /// What makes of a report what readers may see; until it is set, that is nothing. Only the first
    /// call counts.
    pub fn apply_rules(
        &self,
        rules: impl Fn(&ReportedContent) -> HeartbeatFields + Send + Sync + 'static,
    ) {
        let _ = self.0.rules.set(Box::new(rules));
    }

    /// Which rules [`Presence::apply_rules`] goes by from now on: any number but 0, the same for the
    /// same rules in any run. What others have made of reports is no longer shown.
    pub fn rules_are(&self, rules: i64) {
        if self.0.rules_now.swap(rules, Ordering::Relaxed) != rules {
            self.0.hidings.fetch_add(1, Ordering::Relaxed);
        }
        // At once: a database that fails must not keep it in view.
        self.write_known().end_all_but(rules);
        self.0.changes.update(|count| *count += 1);
    }

    /// What the owner has decided.
    #[must_use]
    pub fn decisions(&self) -> OwnerDecisions {
        let ask = self.0.owner.get();
        ask.map_or_else(OwnerDecisions::default, |ask| ask())
    }

    /// What [`Self::decisions`] returns is another now.
    pub fn decisions_changed(&self) {
        let inner = &self.0;
        let hides = self.decisions().shows == Shows::OnlyOwn;
        if inner.hides.swap(hides, Ordering::Relaxed) != hides {
            if hides {
                // The empty heartbeat of this computer may have to wait.
                let now = inner.clock.now().as_millis();
                inner.hidden_since.store(now, Ordering::Relaxed);
                inner.hidings.fetch_add(1, Ordering::Relaxed);
            }
            let since = Timestamp::from_millis(inner.hidden_since.load(Ordering::Relaxed));
            self.write_known().hide_own(since, hides);
        }
        self.0.changes.update(|count| *count += 1);
    }

    /// How often the owner's decisions hid something that readers may have seen in this run.
    pub(crate) fn hidings(&self) -> u64 {
        self.0.hidings.load(Ordering::Relaxed)
    }

    /// Counts up with every accepted heartbeat and every decision of the owner.
    #[must_use]
    pub fn changes(&self) -> StateReader<u64> {
        self.0.changes.reader()
    }

    fn read_known(&self) -> RwLockReadGuard<'_, Known> {
        let current = &self.0.current;
        current.read()
    }

    fn write_known(&self) -> RwLockWriteGuard<'_, Known> {
        let current = &self.0.current;
        current.write()
    }

    fn known(&self) -> Known {
        self.read_known().clone()
    }
}

impl Change {
    /// Whether it has this content of this device.
    fn is_of(&self, seen: Seen<'_>) -> bool {
        let device = seen.device.map(|device| &device.decided.id);
        self.device.as_ref() == device && self.fields.read_as(&seen.report.fields)
    }
}
