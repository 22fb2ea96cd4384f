//! Writes `check.json`, `devices.json`, `lanyard.json`, `game_status.json` and `origin.json` when their
//! content changes, and before it expires.

use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::answers::{CheckAnswer, GameAnswer, PublishOrders, devices_now, show_the_same};
use super::lanyard::LanyardAnswer;
use super::origin::Seal;
use super::pages::A_SECOND;
use super::retry::Retry;
use super::status::PartReport;
use super::{A_MINUTE, JSON, NO_CACHE};
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::devices::DevicesReply;
use crate::game::CurrentGame;
use crate::http::replies::GameStatus;
use crate::presence::Presence;
use crate::state::{State, StateReader};
use crate::storage::{Document, Documents, StorageError};
use crate::text::address::WebAddress;

/// Changes that leave the state as it is are at least this far apart.
const SPACING: Duration = Duration::from_secs(10);
/// The writes of a day (UTC) to the Worker that may be [`A_SECOND`] apart. The free plan has 100,000.
const FREQUENT_WRITES: u32 = 20_000;
const AN_HOUR: Duration = Duration::from_secs(60 * 60);

/// What was written of one object.
struct LastWrite<T> {
    content: T,
    at: Instant,
    /// [`PublishOrders::hiding`] of then.
    orders: (bool, Option<Timestamp>, u64),
}

/// One object.
struct Object<T> {
    name: &'static str,
    written: Option<LastWrite<T>>,
    tried: Option<Instant>,
}

impl<T> Object<T> {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            written: None,
            tried: None,
        }
    }

    /// The soonest time at which a store takes the next one.
    fn soonest(&self) -> Instant {
        let now = Instant::now();
        self.tried.map_or(now, |tried| now.max(tried + A_SECOND))
    }

    /// Whether it was written under orders that hide as much of the owner.
    fn follows(&self, orders: &PublishOrders) -> bool {
        let written = self.written.as_ref();
        written.is_some_and(|written| written.orders == orders.hiding())
    }

    /// Writes this, where it is due.
    async fn write(
        &mut self,
        is_due: bool,
        content: T,
        bytes: impl FnOnce(&T) -> Vec<u8>,
        (documents, orders): (&Documents, &PublishOrders),
    ) -> Option<Result<(), StorageError>> {
        if !is_due {
            return None;
        }
        let document = Document {
            content: bytes(&content).into(),
            content_type: JSON,
            cache_control: NO_CACHE,
        };
        let started = Instant::now();
        let done = documents.put(self.name, document).await;
        let at = Instant::now();
        // One that hung until its limit has had its second.
        self.tried = Some(if done.is_ok() { at } else { started });
        // One that failed may be in the store all the same, if only its answer was lost.
        self.written = done.is_ok().then(|| LastWrite {
            content,
            at,
            orders: orders.hiding(),
        });
        Some(done)
    }
}

fn json(content: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(content).expect("plain data")
}

/// What is to be written, were it due.
struct WantedState {
    check: CheckAnswer,
    devices: DevicesReply,
    lanyard: LanyardAnswer,
    game: GameStatus,
    origin: Option<WebAddress>,
}

/// When each of them is due; `None` while it is as it should be.
#[derive(Clone, Copy)]
struct Due {
    check: Option<Instant>,
    devices: Option<Instant>,
    lanyard: Option<Instant>,
    game: Option<Instant>,
    origin: Option<Instant>,
}

/// Writes the five objects.
pub(super) struct Current {
    documents: Documents,
    presence: Presence,
    game: CurrentGame,
    clock: Clock,
    alive: Duration,
    /// `None` without a key: then there is no `origin.json`.
    seal: Option<Seal>,
    /// Whether the Worker keeps the objects: it answers from them alone, so they must be fresh.
    at_worker: bool,
    /// The number of a day, and the writes in it.
    writes: (i64, u32),
    check_object: Object<CheckAnswer>,
    devices_object: Object<DevicesReply>,
    lanyard_object: Object<LanyardAnswer>,
    game_object: Object<GameStatus>,
    origin_object: Object<Option<WebAddress>>,
    retry: Retry,
    report: PartReport,
}

impl Current {
    pub(super) fn new(
        documents: Documents,
        (presence, game): (Presence, CurrentGame),
        clock: Clock,
        alive: Duration,
        (seal, at_worker): (Option<Seal>, bool),
        report: PartReport,
    ) -> Self {
        Self {
            documents,
            presence,
            game,
            clock,
            alive,
            seal,
            at_worker,
            writes: (0, 0),
            check_object: Object::new("check.json"),
            devices_object: Object::new("devices.json"),
            lanyard_object: Object::new("lanyard.json"),
            game_object: Object::new("game_status.json"),
            origin_object: Object::new("origin.json"),
            retry: Retry::default(),
            report,
        }
    }

    /// Writes until the orders are to stop, and these are carried out. `settled` has the orders
    /// that readers see the effect of; `game_news` changes when the game was looked at.
    pub(super) async fn run(
        mut self,
        mut orders: StateReader<PublishOrders>,
        settled: State<PublishOrders>,
        game_news: &Notify,
    ) {
        let mut changes = self.presence.changes();
        loop {
            let mut current = orders.latest();
            changes.mark_unchanged();
            // What the owner hides waits for no spacing.
            current.presence_hidings = self.presence.hidings();
            let next = self.round(&current).await;
            if self.is_settled(&current) {
                settled.set(current.clone());
                if current.stopping {
                    return;
                }
            }
            tokio::select! {
                changed = orders.changed() => match changed {
                    // A pause does not wait for the next try.
                    Ok(()) => self.retry.at_once(),
                    Err(_) => return,
                },
                _ = changes.changed() => {}
                () = game_news.notified() => {}
                () = sleep_until(next) => {}
            }
        }
    }

    /// Writes what is due, and returns when there may be something again.
    async fn round(&mut self, orders: &PublishOrders) -> Instant {
        let wanted = self.wanted(orders);
        let due = self.due(&wanted, orders);
        let now = Instant::now();
        if !self.retry.waits() {
            let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now);
            let tried = self.write(
                orders,
                wanted,
                [due.check, due.devices, due.lanyard, due.game, due.origin].map(is_due),
            );
            tried.await;
        }
        let wanted = self.wanted(orders);
        let Due {
            check,
            devices,
            lanyard,
            game,
            origin,
        } = self.due(&wanted, orders);
        let next = [check, devices, lanyard, game, origin];
        let next = next.into_iter().flatten().min();
        let next = next.map(|next| self.retry.not_before(next));
        let ends = self.until(wanted.check.valid_until.saturating_add(1));
        let ends = ends.filter(|ends| *ends > Instant::now());
        let times = [next, ends, Some(Instant::now() + A_MINUTE)];
        times.into_iter().flatten().min().unwrap_or(now)
    }

    fn wanted(&self, orders: &PublishOrders) -> WantedState {
        let now = self.clock.now();
        WantedState {
            check: CheckAnswer::now(&self.presence, orders, now),
            devices: devices_now(&self.presence, orders),
            lanyard: LanyardAnswer::now(&self.presence, orders, now),
            game: match orders.hides() {
                true => GameStatus::plain(GameStatus::ONLINE),
                false => self.game.get().known().status,
            },
            origin: orders.origin().cloned(),
        }
    }

    fn due(&self, wanted: &WantedState, orders: &PublishOrders) -> Due {
        let check = self.check_due(&wanted.check, orders);
        Due {
            check,
            devices: self.devices_due(&wanted.devices, orders),
            lanyard: self.lanyard_due(&wanted.lanyard, orders, check),
            game: self.game_due(&wanted.game, orders),
            origin: self.origin_due(wanted.origin.as_ref(), orders),
        }
    }

    fn check_due(&self, wanted: &CheckAnswer, orders: &PublishOrders) -> Option<Instant> {
        let object = &self.check_object;
        let Some(written) = object.written.as_ref().filter(|_| object.follows(orders)) else {
            return Some(object.soonest());
        };
        let content = &written.content;
        if content.state != wanted.state {
            Some(object.soonest())
        } else if !content.shows_the_same(wanted) {
            Some(object.soonest().max(written.at + self.presence_spacing()))
        } else if wanted.valid_until > content.valid_until {
            // Half of the time is left for tries.
            let half = i64::try_from(self.alive.as_secs() / 2).unwrap_or(i64::MAX);
            let mut renew = self.until(content.valid_until.saturating_sub(half))?;
            if self.at_worker {
                renew = renew.min(written.at + A_MINUTE);
            }
            Some(object.soonest().max(renew))
        } else {
            None
        }
    }

    fn devices_due(&self, wanted: &DevicesReply, orders: &PublishOrders) -> Option<Instant> {
        let object = &self.devices_object;
        let Some(written) = object.written.as_ref().filter(|_| object.follows(orders)) else {
            return Some(object.soonest());
        };
        if !show_the_same(&written.content, wanted) {
            return Some(object.soonest().max(written.at + self.presence_spacing()));
        }
        let pairs = written.content.devices.iter().zip(&wanted.devices);
        let later = pairs.filter(|(written, wanted)| wanted.valid_until > written.valid_until);
        let half_way = later.filter_map(|(written, _)| {
            let end = written.valid_until?;
            Some(end - end.saturating_sub(written.last_heartbeat) / 2)
        });
        let mut renew = self.until(half_way.min()?)?;
        if self.at_worker {
            renew = renew.min(written.at + A_MINUTE);
        }
        Some(object.soonest().max(renew))
    }

    /// It holds for as long as `check.json`, and is renewed with it.
    fn lanyard_due(
        &self,
        wanted: &LanyardAnswer,
        orders: &PublishOrders,
        check: Option<Instant>,
    ) -> Option<Instant> {
        let object = &self.lanyard_object;
        let Some(written) = object.written.as_ref().filter(|_| object.follows(orders)) else {
            return Some(object.soonest());
        };
        let changed = (!written.content.shows_the_same(wanted))
            .then(|| object.soonest().max(written.at + self.presence_spacing()));
        [changed, check].into_iter().flatten().min()
    }

    fn game_due(&self, wanted: &GameStatus, orders: &PublishOrders) -> Option<Instant> {
        let object = &self.game_object;
        let Some(written) = object.written.as_ref().filter(|_| object.follows(orders)) else {
            return Some(object.soonest());
        };
        if written.content == *wanted {
            return (!orders.hides()).then_some(written.at + A_MINUTE);
        }
        let hides = wanted.game.is_none();
        let spacing = if hides { A_SECOND } else { self.spacing() };
        Some(object.soonest().max(written.at + spacing))
    }

    fn origin_due(&self, wanted: Option<&WebAddress>, orders: &PublishOrders) -> Option<Instant> {
        self.seal.as_ref()?;
        let object = &self.origin_object;
        match &object.written {
            // What an earlier run wrote is left until there is something to write.
            None if object.tried.is_none() && wanted.is_none() && orders.absent_since.is_none() => {
                None
            }
            Some(written) if written.content.as_ref() == wanted => {
                wanted.map(|_| written.at + AN_HOUR)
            }
            _ => Some(object.soonest()),
        }
    }

    fn presence_spacing(&self) -> Duration {
        self.spacing().min(self.alive / 4).max(A_SECOND)
    }

    fn spacing(&self) -> Duration {
        match self.at_worker && self.writes.1 < FREQUENT_WRITES {
            true => A_SECOND,
            false => SPACING,
        }
    }

    /// Counts writes; a new day begins at zero.
    fn count(&mut self, writes: usize) {
        let day = self.clock.now().as_seconds().div_euclid(86_400);
        if self.writes.0 != day {
            self.writes = (day, 0);
        }
        let writes = u32::try_from(writes).unwrap_or(u32::MAX);
        self.writes.1 = self.writes.1.saturating_add(writes);
    }

    /// The time at which the machine's clock shows this; now, where it does already.
    fn until(&self, seconds: i64) -> Option<Instant> {
        let millis = seconds.saturating_mul(1000);
        let left = millis.saturating_sub(self.clock.now().as_millis()).max(0);
        Instant::now().checked_add(Duration::from_millis(left.unsigned_abs()))
    }

    /// Writes these of the five, side by side.
    async fn write(&mut self, orders: &PublishOrders, wanted: WantedState, due: [bool; 5]) {
        self.count(due.iter().filter(|due| **due).count());
        let now = self.clock.now();
        let (to, seal) = ((&self.documents, orders), &self.seal);
        let game_answer = |game: &GameStatus| json(&GameAnswer::now(game.clone(), now));
        let sealed = |origin: &Option<WebAddress>| {
            let sealed = seal.as_ref().map(|seal| seal.origin(origin.as_ref(), now));
            sealed.unwrap_or_default()
        };
        let [check, devices, lanyard, game, origin] = due;
        let done = tokio::join!(
            self.check_object.write(check, wanted.check, json, to),
            self.devices_object.write(devices, wanted.devices, json, to),
            self.lanyard_object.write(
                lanyard,
                wanted.lanyard,
                |answer| json(&answer.document()),
                to
            ),
            self.game_object.write(game, wanted.game, game_answer, to),
            self.origin_object.write(origin, wanted.origin, sealed, to),
        );
        let done = [done.0, done.1, done.2, done.3, done.4];
        let done = done.into_iter().flatten();
        let done: Result<Vec<()>, StorageError> = done.collect();
        match done {
            Ok(done) if done.is_empty() => {}
            Ok(_) => {
                self.retry.worked();
                self.report.written(self.clock.now());
            }
            Err(error) => {
                self.retry.failed();
                self.report.failed(&error, self.clock.now());
            }
        }
    }

    /// Whether readers see the effect of these orders, and the Worker knows when the owner is offline.
    fn is_settled(&self, orders: &PublishOrders) -> bool {
        let origin = self.origin_object.written.as_ref();
        let is_withdrawn = origin.is_some_and(|written| written.content.is_none());
        let worker_knows = self.seal.is_none() || orders.absent_since.is_none() || is_withdrawn;
        let of_owner = self.check_object.follows(orders)
            && self.devices_object.follows(orders)
            && self.lanyard_object.follows(orders);
        of_owner && self.game_object.follows(orders) && worker_knows
    }
}

#[cfg(test)]
mod tests {
    use crate::http::replies::HeartbeatFields;

    use super::super::IMAGES_WITHIN;
    use super::super::status::{PublishingStatus, SnapshotPart};
    use super::*;
    use crate::clock::StoppedClock;
    use crate::game::Game;
    use crate::presence::HeartbeatSettings;
    use crate::storage::{StorageKind, StorageSettings};

    struct Owner {
        current: Current,
        clock: StoppedClock,
        orders: PublishOrders,
        _folder: tempfile::TempDir,
    }

    impl Owner {
        async fn new(at_worker: bool) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let database = crate::schema::open(&folder.path().join("porchlight.db")).await;
            let clock = StoppedClock::at(Timestamp::from_millis(1_700_000_000_000));
            let settings = HeartbeatSettings::default();
            let database = database.expect("a database");
            let presence = Presence::open(database, &settings, 30, clock.clock()).await;
            let http = crate::http::client_tls::http_client()
                .build()
                .expect("a client");
            let game = Game::new(&Default::default(), http, clock.clock());
            // Nothing is written there.
            let storage = StorageSettings {
                endpoint: "http://127.0.0.1:9".parse().ok(),
                bucket: Some("pictures".to_owned()),
                access_key: Some("key".into()),
                secret_key: Some("secret".into()),
                ..StorageSettings::default()
            };
            let documents = Documents::open(&storage, StorageKind::S3, "p/", IMAGES_WITHIN);
            let report = State::new(PublishingStatus::default());
            Self {
                current: Current::new(
                    documents.expect("a store"),
                    (presence.expect("a presence"), CurrentGame::new(game)),
                    clock.clock(),
                    Duration::from_secs(settings.alive_seconds),
                    (None, at_worker),
                    PartReport::new(report, SnapshotPart::Presence),
                ),
                clock,
                orders: PublishOrders::default(),
                _folder: folder,
            }
        }

        async fn beats(&self, application: &str) {
            let fields = HeartbeatFields {
                application: application.to_owned(),
                application_online: true,
                ..HeartbeatFields::default()
            };
            let beat = self.current.presence.record(Some(fields)).await;
            beat.expect("a heartbeat");
        }

        /// Writes what is to be seen now.
        fn writes(&mut self) {
            let content = self.current.wanted(&self.orders).check;
            let at = Instant::now();
            let object = &mut self.current.check_object;
            object.tried = Some(at);
            object.written = Some(LastWrite {
                content,
                at,
                orders: self.orders.hiding(),
            });
        }

        /// How long after the last write the next one is due.
        fn waits(&self) -> Option<Duration> {
            let wanted = self.current.wanted(&self.orders);
            let due = self.current.check_due(&wanted.check, &self.orders)?;
            let written = self.current.check_object.written.as_ref()?;
            Some(due - written.at)
        }
    }

    #[tokio::test]
    async fn the_worker_gets_a_change_within_a_second_and_a_heartbeat_each_minute() {
        for (at_worker, change, heartbeat) in [(true, A_SECOND, 60), (false, SPACING, 300)] {
            let mut owner = Owner::new(at_worker).await;
            tokio::time::pause();
            owner.beats("Editor").await;
            owner.writes();
            assert_eq!(owner.waits(), None);
            owner.beats("Browser").await;
            assert_eq!(owner.waits(), Some(change));
            owner.writes();
            owner.clock.advance(Duration::from_secs(1));
            owner.beats("Browser").await;
            let left = owner.waits().expect("it is renewed");
            // The half of what holds is counted from the last heartbeat.
            assert!(left <= Duration::from_secs(heartbeat) && left.as_secs() >= heartbeat - 1);
            tokio::time::resume();
        }
    }

    #[tokio::test]
    async fn what_the_owner_hides_is_written_at_once() {
        let mut owner = Owner::new(false).await;
        owner.beats("Editor").await;
        owner.writes();
        owner.current.presence.rules_are(7);
        owner.orders.presence_hidings = owner.current.presence.hidings();
        assert_eq!(owner.waits(), Some(A_SECOND));
    }

    #[tokio::test]
    async fn after_20_000_writes_in_a_day_a_change_waits_for_ten_seconds() {
        let mut owner = Owner::new(true).await;
        tokio::time::pause();
        for (writes, waits) in [(19_999, A_SECOND), (1, SPACING), (7, SPACING)] {
            owner.current.count(writes);
            assert_eq!(owner.current.spacing(), waits);
        }
        owner.clock.advance(Duration::from_secs(86_400));
        owner.current.count(1);
        assert_eq!(owner.current.spacing(), A_SECOND);
        owner.beats("Editor").await;
        owner.writes();
        owner.current.count(FREQUENT_WRITES as usize);
        owner.beats("Browser").await;
        assert_eq!(owner.waits(), Some(SPACING));
    }
}
