//! Updates what the Worker answers: `POST /-/sync` with what has changed, at once, and each
//! minute without a change. `docs/internals.md` has the protocol.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Transaction;
use serde_json::{Value, json};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::parts::{AnswerSettings, Parts, ServiceState};
use super::table::{self, ImageRows};
use super::window::{EdgeGlance, EdgeState};
use crate::clock::Clock;
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::game::CurrentGame;
use crate::images::Images;
use crate::presence::Presence;
use crate::state::{State, StateReader};
use crate::stats::Stats;
use crate::storage::{EdgeStore, StorageKind, SyncError};
use crate::text::address::WebAddress;

const A_SECOND: Duration = Duration::from_secs(1);
/// How often a call is made without a change; the game is looked at, too.
const A_MINUTE: Duration = Duration::from_secs(60);
/// The calls of a day (UTC) that may be [`A_SECOND`] apart. Cloudflare's free plan has 100,000 requests.
const FREQUENT_CALLS: u32 = 20_000;
/// How far apart the calls are after those.
const SPACING: Duration = Duration::from_secs(10);
/// How long one call may take: sleep waits for four seconds at most.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// The time limit of a call with images.
const IMAGES_WITHIN: Duration = Duration::from_secs(30);
/// So many failures wait for [`A_MINUTE`].
const LONG: u32 = 7;
/// The time limit of the last call.
const LAST_CALL: Duration = Duration::from_secs(5);

/// What the Worker gets, and from where.
pub(crate) struct Sources {
    pub(crate) worker: EdgeStore,
    pub(crate) database: Database,
    pub(crate) presence: Presence,
    pub(crate) game: CurrentGame,
    pub(crate) images: Images,
    pub(crate) stats: Stats,
    pub(crate) clock: Clock,
    pub(crate) settings: AnswerSettings,
    /// The script of the custom element.
    pub(crate) widget: &'static str,
}

/// Keeps what the Worker answers as it should be, until it is stopped; cheap to clone.
#[derive(Clone)]
pub struct EdgeSync(Arc<Inner>);

struct Inner {
    orders: State<Orders>,
    /// The orders that readers see the effect of.
    settled: StateReader<Orders>,
    news: Arc<Notify>,
    settings: State<AnswerSettings>,
    status: State<EdgeGlance>,
    database: Database,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What the process is about to do, as far as it concerns the Worker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Orders {
    paused: bool,
    asleep: bool,
    stopping: bool,
    /// The proven address of the tunnel.
    tunnel: Option<WebAddress>,
    /// How often the state has changed: the answer to an older call does not count for a newer one.
    version: u64,
}

impl Orders {
    fn state(&self) -> ServiceState {
        match self {
            Self { stopping: true, .. } => ServiceState::Stopped,
            Self { asleep: true, .. } => ServiceState::Asleep,
            Self { paused: true, .. } => ServiceState::Paused,
            _ => ServiceState::Running,
        }
    }

    /// The address that the Worker uses. A plain HTTP address is not sent.
    fn address(&self) -> Option<&WebAddress> {
        self.tunnel.as_ref().filter(|url| !is_plain(url))
    }
}

/// Whether everybody on the way could read and change what this address carries.
fn is_plain(url: &WebAddress) -> bool {
    !url.is_https() && !url.is_loopback()
}

impl EdgeSync {
    /// Starts. Must be called on a tokio runtime.
    pub(crate) fn start(sources: Sources) -> Self {
        let orders = State::new(Orders::default());
        let status = State::new(EdgeGlance {
            state: EdgeState::Checking,
            ..EdgeGlance::default()
        });
        let settings = State::new(sources.settings.clone());
        let news = Arc::new(Notify::new());
        let settled = State::new(Orders::default());
        let read_settled = settled.reader();
        let database = sources.database.clone();
        let syncing = Syncing {
            sources,
            news: Arc::clone(&news),
            settings: settings.reader(),
            status: status.clone(),
            sent: Parts::default(),
            sent_at: None,
            number: None,
            full_list: None,
            other: None,
            address: None,
            calls: (0, 0),
            failures: 0,
            tried: (0, 0),
        };
        let running = syncing.run(orders.reader(), settled);
        Self(Arc::new(Inner {
            orders,
            settled: read_settled,
            news,
            settings,
            status,
            database,
            task: Mutex::new(Some(tokio::spawn(running))),
        }))
    }

    /// How it goes, now and whenever that changes.
    #[must_use]
    pub fn status(&self) -> StateReader<EdgeGlance> {
        self.0.status.reader()
    }

    /// Shows nothing about the owner from now on, or shows it again.
    pub fn pause(&self, paused: bool) {
        self.order(|orders| orders.paused = paused);
    }

    fn is_anothers(&self) -> bool {
        self.0
            .status
            .with(|status| status.state == EdgeState::Another)
    }

    /// Whether readers see that the owner has `paused`, or that a pause has ended.
    #[must_use]
    pub fn pause_has_taken_effect(&self, paused: bool) -> bool {
        let orders = self.0.orders.get();
        self.is_anothers()
            || orders.paused == paused && self.0.settled.get().version == orders.version
    }

    /// Answers by these settings from now on.
    pub(crate) fn follow(&self, settings: AnswerSettings) {
        self.0.settings.set(settings);
    }

    /// The game may be another one, or hidden now.
    pub fn look_at_game(&self) {
        self.0.news.notify_one();
    }

    /// The proven address of the tunnel, while there is one.
    pub fn tunnel(&self, url: Option<&WebAddress>) {
        let plain = url.is_some_and(is_plain);
        self.0.status.update(|status| status.plain_tunnel = plain);
        self.order(|orders| orders.tunnel = url.cloned());
    }

    /// Tells the Worker that the machine sleeps. Returns when it knows; its caller decides how long to
    /// wait.
    pub async fn sleep(&self) {
        self.order(|orders| orders.asleep = true);
        if self.is_anothers() {
            return;
        }
        let wanted = self.0.orders.with(|orders| orders.version);
        let mut settled = self.0.settled.clone();
        // An error: it has stopped already.
        let _ = settled.wait_for(|orders| orders.version >= wanted).await;
    }

    /// Ends the sleep.
    pub fn wake(&self) {
        self.order(|orders| orders.asleep = false);
    }

    /// Tells the Worker that the process stops, without waiting for it.
    pub fn goodbye(&self) {
        self.order(|orders| orders.stopping = true);
    }

    /// Replaces the service whose rows the Worker has.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn take_over(&self) -> Result<(), DatabaseError> {
        record_take_over(&self.0.database).await?;
        self.look_at_game();
        Ok(())
    }

    /// Tells the Worker that the process stops, for five seconds at most, and stops.
    pub(crate) async fn stop(&self) {
        self.goodbye();
        let task = self.0.task.lock().await.take();
        if let Some(mut task) = task
            && timeout(LAST_CALL, &mut task).await.is_err()
        {
            tracing::warn!("the Worker did not learn in time that the service stops");
            task.abort();
        }
    }

    fn order(&self, change: impl FnOnce(&mut Orders)) {
        self.0.orders.update(|orders| {
            let before = orders.state();
            change(orders);
            orders.version += u64::from(orders.state() != before);
        });
    }
}

/// Records that this data folder replaces the service whose rows the Worker has.
pub(crate) async fn record_take_over(database: &Database) -> Result<(), DatabaseError> {
    database
        .write(|transaction| Ok(table::take_over(transaction, true)?))
        .await
}

/// The transfer of the whole list of images.
#[derive(Debug, Clone, Copy, Default)]
struct FullList {
    /// The number of the list when this began, which it has at its end.
    target: i64,
    /// Of the part that comes next; the first is 0.
    part: i64,
    /// The number of the last image that was sent.
    after: i64,
}

struct Syncing {
    sources: Sources,
    news: Arc<Notify>,
    settings: StateReader<AnswerSettings>,
    status: State<EdgeGlance>,
    /// What the Worker has, as far as that is known.
    sent: Parts,
    /// When that was sent.
    sent_at: Option<Instant>,
    /// The number of its list; `None` before it has answered.
    number: Option<i64>,
    /// While it gets the whole list.
    full_list: Option<FullList>,
    /// The service whose rows it has, where that is another.
    other: Option<String>,
    /// The address that it uses.
    address: Option<WebAddress>,
    /// The number of a day, and the calls in it.
    calls: (i64, u32),
    /// Calls that failed one after another.
    failures: u32,
    /// The version of the orders of the last call, and how often the presence had hidden something.
    tried: (u64, u64),
}

impl Syncing {
    async fn run(mut self, mut orders: StateReader<Orders>, settled: State<Orders>) {
        let mut presence = self.sources.presence.changes();
        let mut images = self.sources.images.changes();
        let mut settings = self.settings.clone();
        let news = Arc::clone(&self.news);
        loop {
            let now = orders.latest();
            presence.mark_unchanged();
            images.mark_unchanged();
            settings.mark_unchanged();
            let wanted = self.wanted();
            let due = self.due(&wanted, &now, settled.with(|orders| orders.version));
            let due = due.await.max(self.allowed(&now));
            if due > Instant::now() {
                tokio::select! {
                    changed = orders.changed() => if changed.is_err() {
                        return;
                    },
                    _ = presence.changed() => {}
                    _ = images.changed() => {}
                    _ = settings.changed() => {}
                    () = news.notified() => {}
                    () = sleep_until(due) => {}
                }
                continue;
            }
            let mut other_state = orders.clone();
            let (hidings, mut hides) = (self.sources.presence.hidings(), presence.clone());
            let shown = self.sources.presence.clone();
            let answer = tokio::select! {
                answer = self.call(wanted, &now) => Some(answer),
                // What hides something does not wait for an answer.
                Ok(_) = other_state.wait_for(|orders| orders.version != now.version) => None,
                Ok(_) = hides.wait_for(|_| shown.hidings() != hidings) => None,
            };
            let is_done = matches!(answer, Some(Ok(())));
            if let Some(answer) = answer {
                self.report(answer);
            }
            if is_done {
                settled.set(now.clone());
            }
            if now.stopping && (is_done || self.failures > 1 || self.other.is_some()) {
                return;
            }
        }
    }

    /// When the next call may be made.
    fn allowed(&self, orders: &Orders) -> Instant {
        let Some(sent_at) = self.sent_at else {
            return Instant::now();
        };
        // What hides something waits for no spacing and no other try.
        let is_tried = self.tried == (orders.version, self.sources.presence.hidings());
        sent_at
            + if is_tried {
                self.pause()
            } else {
                A_SECOND.min(self.pause())
            }
    }

    /// The time between two calls.
    fn pause(&self) -> Duration {
        match self.failures {
            0 if self.full_list.is_some() => Duration::ZERO,
            0 if self.calls.1 < FREQUENT_CALLS => A_SECOND,
            0 => SPACING,
            failures => A_MINUTE.min(A_SECOND * 2_u32.saturating_pow(failures - 1)),
        }
    }

    fn wanted(&self) -> Parts {
        let Sources {
            presence,
            game,
            widget,
            clock,
            ..
        } = &self.sources;
        let now = clock.now().as_seconds();
        let settings = self.settings.get();
        Parts::now(now, presence, game, &settings, widget)
    }

    /// When the next call is due.
    async fn due(&self, wanted: &Parts, orders: &Orders, settled: u64) -> Instant {
        let now = Instant::now();
        let Some(sent_at) = self.sent_at.filter(|_| self.failures == 0) else {
            return now;
        };
        let database = &self.sources.database;
        if self.other.is_some() {
            let is_free = matches!(database.read(table::takes_over).await, Ok(true));
            let is_time = is_free || orders.stopping || sent_at + A_MINUTE <= now;
            return if is_time { now } else { now + A_SECOND };
        }
        let differs = orders.version != settled
            || self.full_list.is_some()
            || self.address.as_ref() != orders.address()
            || wanted.shows_another(&self.sent);
        if differs || database.read(table::number).await.ok() != self.number {
            return now;
        }
        // Half of the time is left for tries.
        let clock = self.sources.clock.now().as_seconds();
        let pairs = [
            (Some(self.sent.valid_until), Some(wanted.valid_until)),
            (self.sent.device_ends, wanted.device_ends),
        ];
        let renewed = pairs.into_iter().filter_map(|(sent, wanted)| {
            let left = sent.filter(|sent| wanted > Some(*sent))? - clock;
            Some(Duration::from_secs(u64::try_from(left / 2).unwrap_or(0)))
        });
        sent_at + renewed.min().unwrap_or(A_MINUTE).clamp(A_SECOND, A_MINUTE)
    }

    async fn call(&mut self, wanted: Parts, orders: &Orders) -> Result<(), SyncError> {
        // What is asked of Steam comes with the next call.
        self.sources.game.get().look();
        let hides = orders.state() != ServiceState::Running && self.tried.0 != orders.version;
        self.sent_at = Some(Instant::now());
        self.tried = (orders.version, self.sources.presence.hidings());
        let day = self.sources.clock.now().as_seconds().div_euclid(86_400);
        let calls = if self.calls.0 == day { self.calls.1 } else { 0 };
        self.calls = (day, calls + 1);
        let (service, counted, takes_over) = self
            .sources
            .database
            .read(|connection| {
                let service = table::service(connection)?;
                let counted = Stats::edge_batch(connection)?;
                Ok((service, counted, table::takes_over(connection)?))
            })
            .await?;
        let mut body = json!({
            "service": service, "counted": counted, "state": orders.state(),
            "valid_until": wanted.valid_until, "address": orders.address(),
        });
        if let Some(other) = self.other.as_ref().filter(|_| takes_over) {
            body["replaces"] = other.as_str().into();
        }
        if body.get("replaces").is_some() {
            // Part of a list for this service would be none for the other's place.
            (self.full_list, self.number) = (None, Some(0));
        }
        let known = self.number.filter(|number| hides && *number > 0);
        let (images, next) = match known {
            // What hides something does not wait for rows.
            Some(number) => (json!({ "from": number, "to": number }), self.full_list),
            None => self.images().await?,
        };
        let limit = match images.get("put") {
            None => ANSWER_WITHIN,
            Some(_) => IMAGES_WITHIN,
        };
        let to = images["to"].as_i64();
        body["images"] = images;
        let mut body = body.to_string();
        for (name, part) in wanted.since(&self.sent) {
            body.truncate(body.len() - 1);
            body += &format!(",{}:{part}}}", Value::from(name));
        }
        // Whatever it has of this where no answer comes: all of it comes again.
        self.sent = Parts::default();
        let answer = self
            .sources
            .worker
            .sync(body.to_string().into(), limit)
            .await;
        if let Err(SyncError::Images(number)) = answer {
            (self.number, self.full_list) = (Some(number), None);
        }
        let answer = answer?;
        (self.sent, self.address) = (wanted, orders.address().cloned());
        self.other = None;
        (self.full_list, self.number) = (next, if next.is_none() { to } else { self.number });
        if takes_over && next.is_none() {
            let done = |transaction: &Transaction<'_>| Ok(table::take_over(transaction, false)?);
            self.sources
                .database
                .write::<_, DatabaseError>(done)
                .await?;
        }
        self.sources.stats.add_from_edge(answer.counts).await?;
        let on_disk = self.sources.images.count_in(StorageKind::Disk).await?;
        self.status.update(|status| status.on_disk = on_disk);
        Ok(())
    }

    /// The images of the next call, and where the one after it goes on.
    async fn images(&mut self) -> Result<(Value, Option<FullList>), SyncError> {
        let database = &self.sources.database;
        if self.full_list.is_none() {
            let number = database.read(table::number).await?;
            // Before the first answer it may have all there is.
            let from = self.number.unwrap_or(number);
            let changes = database.read(move |connection| table::changes(connection, from));
            if let Some(ImageRows { to, put, delete }) = changes.await? {
                let images = match put.is_empty() && delete.is_empty() {
                    true => json!({ "from": from, "to": to }),
                    false => json!({ "from": from, "to": to, "put": put, "delete": delete }),
                };
                return Ok((images, None));
            }
            self.full_list = Some(FullList {
                target: number,
                ..FullList::default()
            });
        }
        let now = self.full_list.unwrap_or_default();
        let rows = database.read(move |connection| table::rows_after(connection, now.after));
        let (rows, last) = rows.await?;
        let next = last.map(|after| FullList {
            part: now.part + 1,
            after,
            ..now
        });
        // The numbers of the parts are below zero, which no list has.
        let to = next.map_or(now.target, |next| -next.part);
        let mut images = json!({ "from": -now.part, "to": to, "put": rows });
        if next.is_some() {
            images["more"] = true.into();
        }
        Ok((images, next))
    }

    /// Logged once, so that a long outage does not fill the log.
    fn report(&mut self, answer: Result<(), SyncError>) {
        let now = self.sources.clock.now().as_millis();
        let before = self.status.with(|status| status.state.clone());
        let failed = |why: Message| {
            let since = match &before {
                EdgeState::Fails { since, .. } => *since,
                _ => now,
            };
            EdgeState::Fails { why, since }
        };
        let clock_is_off = matches!(answer, Err(SyncError::Clock(_)));
        let mut limit = None;
        let state = match answer {
            Ok(()) => EdgeState::Works { at: now },
            // It gets the list that it lacks at once.
            Err(SyncError::Images(_)) if self.failures == 0 => before.clone(),
            Err(SyncError::Images(_)) => failed(crate::detail!("its answer cannot be understood")),
            Err(SyncError::Service(other)) => {
                self.other = Some(other);
                EdgeState::Another
            }
            Err(SyncError::Day(end)) => {
                let until = end.to_string().into();
                limit = Some(Message::EdgeDaySpent { until });
                EdgeState::Limit {
                    until: end.as_millis(),
                }
            }
            Err(SyncError::Clock(why) | SyncError::Failed(why)) => failed(why),
        };
        self.failures = match &state {
            EdgeState::Works { .. } | EdgeState::Another => 0,
            EdgeState::Limit { .. } => LONG,
            _ => self.failures + 1,
        };
        let why = match &state {
            EdgeState::Fails { why, .. } => Some(why.clone()),
            EdgeState::Limit { .. } => limit,
            _ => None,
        };
        let has_failed =
            |state: &EdgeState| matches!(state, EdgeState::Fails { .. } | EdgeState::Limit { .. });
        if let Some(why) = why.filter(|_| !has_failed(&before)) {
            tracing::warn!(%why, "the Worker was not updated; retrying");
        }
        if state == EdgeState::Another && before != state {
            tracing::warn!(
                "the Worker belongs to another Porchlight: `porchlight edge take-over` replaces it"
            );
        }
        if matches!(state, EdgeState::Works { .. }) && has_failed(&before) {
            tracing::info!("the Worker is updated again");
        }
        self.status.update(|status| {
            (status.state, status.clock_is_off) = (state, clock_is_off);
        });
    }
}
