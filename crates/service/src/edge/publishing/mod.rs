//! The snapshot: public answers in the object store, so that readers have them while this machine
//! is off.
//!
//! - `check.json`, `devices.json`, `lanyard.json` and `game_status.json`: what readers see of the owner,
//!   and until when it holds.
//! - `images/index.json`, `images/<name>.json`: the list of images in pages, each named by the
//!   digest of its content, with the places from which a seed draws. `names/<name>`: the image behind a
//!   second name.
//! - `origin.json`: where the Worker finds the service, sealed. `widget.js`: the custom element.
//!
//! Two tasks write it: one what readers see of the owner, which must not wait, and one the images.
//! Neither is ever waited for by an upload or a heartbeat: the rows mark what is still to be written.
//! Of two processes with different data folders only the first publishes to a store.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use secrecy::SecretString;
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::answers::{PublishOrders, is_plain};
use self::current::Current;
use self::index::INDEX;
use self::keeper::{Keeper, signed_widget};
use self::origin::Seal;
use self::pages::Pages;
use self::status::{PartReport, SnapshotPart};
use crate::clock::Clock;
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::game::CurrentGame;
use crate::images::Images;
use crate::presence::Presence;
use crate::state::{State, StateReader};
use crate::storage::{Documents, StorageSettings};
use crate::text::address::WebAddress;

mod answers;
mod current;
mod index;
mod keeper;
pub(crate) mod lanyard;
mod origin;
mod pages;
mod places;
mod removal;
mod retry;
mod settings;
mod status;
pub(crate) mod table;

pub use self::lanyard::{LanyardAnswer, LanyardMessages};
pub use self::settings::{PublishSettings, is_prefix};
pub use self::status::{PublishingStatus, PublishingTrouble};

/// How old a written game status may become, and how often everything is looked at: the machine's
/// clock may be set, and timers stand still while it sleeps.
const A_MINUTE: Duration = Duration::from_secs(60);
const JSON: &str = "application/json";
const NO_CACHE: &str = "no-cache";

/// How long one call may take that reads or writes images of the snapshot.
pub(crate) const IMAGES_WITHIN: Duration = Duration::from_secs(10);

/// How long one call may take that writes what readers see of the owner: a pause and sleep wait for
/// one that hangs, and sleep for four seconds at most.
const STATE_WITHIN: Duration = Duration::from_secs(2);

/// The time limit of the last writes.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// What is published, and with what.
pub(crate) struct Sources {
    /// Where the images of the snapshot are.
    pub(crate) documents: Documents,
    /// The same place, by other connections, for what readers see of the owner.
    pub(crate) state_documents: Documents,
    pub(crate) database: Database,
    pub(crate) presence: Presence,
    pub(crate) game: CurrentGame,
    pub(crate) images: Images,
    pub(crate) clock: Clock,
    /// `heartbeat.alive_seconds`.
    pub(crate) alive: Duration,
    /// `edge.secret`.
    pub(crate) secret: Option<SecretString>,
    /// Whether the Worker keeps the objects.
    pub(crate) at_worker: bool,
    /// The script of the custom element.
    pub(crate) widget: &'static str,
}

/// Publishes until it is stopped; cheap to clone.
#[derive(Clone)]
pub struct Publishing(Arc<Inner>);

struct Inner {
    clock: Clock,
    orders: State<PublishOrders>,
    /// The orders that readers see the effect of.
    settled: StateReader<PublishOrders>,
    /// Notified when the game may be another one.
    game_news: Arc<Notify>,
    status: State<PublishingStatus>,
    /// Whether the snapshot in the store is this data folder's; `false` until that is known.
    is_own: StateReader<bool>,
    documents: Documents,
    database: Database,
    stop: CancellationToken,
    tasks: Mutex<JoinSet<()>>,
}

impl Sources {
    /// Both connections to the store of these settings: of the images and of the state.
    pub(crate) fn documents(
        storage: &StorageSettings,
        publish: &PublishSettings,
    ) -> Result<[Documents; 2], Message> {
        let open = |limit| Documents::open(storage, storage.kind, &publish.prefix, limit);
        Ok([open(IMAGES_WITHIN)?, open(STATE_WITHIN)?])
    }
}

impl Publishing {
    /// Starts to publish. Must be called on a tokio runtime.
    pub(crate) fn start(sources: Sources) -> Self {
        let Sources {
            documents,
            state_documents,
            database,
            presence,
            game,
            images,
            clock,
            alive,
            secret,
            at_worker,
            widget,
        } = sources;
        let orders = State::new(PublishOrders::default());
        let read_orders = orders.reader();
        let write_settled = State::new(PublishOrders::default());
        let settled = write_settled.reader();
        let write_own = State::new(false);
        let is_own = write_own.reader();
        let status = State::new(PublishingStatus::default());
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();

        let report = PartReport::new(status.clone(), SnapshotPart::Presence);
        let seal = secret.as_ref().map(Seal::new);
        let current = Current::new(
            state_documents,
            (presence, game.clone()),
            clock.clone(),
            alive,
            (seal, at_worker),
            report,
        );
        let mut own = is_own.clone();
        let ended = stop.clone();
        let game_news = Arc::new(Notify::new());
        let news = Arc::clone(&game_news);
        tasks.spawn(async move {
            let is_own = tokio::select! {
                own = own.wait_for(|own| *own) => own.is_ok(),
                () = ended.cancelled() => false,
            };
            if is_own {
                let writing = current.run(read_orders.clone(), write_settled, &news);
                tokio::select! {
                    () = writing => {}
                    () = keep_game_fresh(&game, read_orders.clone(), &news) => {}
                }
            }
        });

        let keeper = Keeper {
            changes: images.changes(),
            pages: Pages::new(documents.clone(), database.clone(), clock.clone()),
            widget: secret.map(|secret| signed_widget(widget, &secret)),
            documents: documents.clone(),
            report: PartReport::new(status.clone(), SnapshotPart::Images),
            status: status.clone(),
            clock: clock.clone(),
            stop: stop.clone(),
        };
        tasks.spawn(keeper.run(write_own));

        Self(Arc::new(Inner {
            clock,
            orders,
            settled,
            game_news,
            status,
            is_own,
            documents,
            database,
            stop,
            tasks: Mutex::new(tasks),
        }))
    }

    /// How it goes, now and whenever that changes.
    #[must_use]
    pub fn status(&self) -> StateReader<PublishingStatus> {
        self.0.status.reader()
    }

    /// Shows nothing about the owner from now on, or shows it again.
    pub fn pause(&self, paused: bool) {
        self.order(|orders| orders.paused = paused);
    }

    /// Whether readers of the snapshot see that the owner has `paused`, or that a pause has ended.
    #[must_use]
    pub fn pause_has_taken_effect(&self, paused: bool) -> bool {
        let is_anothers = self.0.status.with(|status| status.another);
        let is_ordered = self.0.orders.with(|orders| orders.paused == paused);
        is_anothers || is_ordered && self.0.settled.get().hidings == self.hidings()
    }

    /// The game may be another one, or hidden now.
    pub fn look_at_game(&self) {
        self.0.game_news.notify_one();
    }

    /// The proven address of the tunnel, while there is one.
    pub fn tunnel(&self, url: Option<&WebAddress>) {
        let plain = url.is_some_and(is_plain);
        self.0.status.update(|status| status.plain_tunnel = plain);
        self.order(|orders| orders.tunnel = url.cloned());
    }

    /// Publishes "offline", for as long as the machine sleeps or until it stops. Returns when
    /// that is written; its caller decides how long to wait.
    pub async fn sleep(&self) {
        self.goodbye();
        let mut settled = self.0.settled.clone();
        if self.0.is_own.get() {
            let wanted = self.hidings();
            let written = settled.wait_for(|orders| orders.hidings >= wanted);
            // An error: everything has stopped already.
            let _ = written.await;
        }
    }

    /// The same, without waiting for it.
    pub fn goodbye(&self) {
        let now = self.0.clock.now();
        self.order(|orders| orders.absent_since = orders.absent_since.or(Some(now)));
    }

    /// Ends the sleep.
    pub fn wake(&self) {
        self.order(|orders| orders.absent_since = None);
    }

    /// Publishes although the store holds another's snapshot, which is replaced.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn take_over(&self) -> Result<(), DatabaseError> {
        record_take_over(&self.0.database).await
    }

    /// Whether it was stopped.
    pub(crate) fn has_stopped(&self) -> bool {
        self.0.stop.is_cancelled()
    }

    /// Stops, and removes what was published.
    ///
    /// # Errors
    /// When the store or the database fails.
    pub(crate) async fn stop_and_remove(&self) -> Result<(), Message> {
        self.stop().await;
        let (documents, database) = (&self.0.documents, &self.0.database);
        removal::remove(documents, database).await?;
        removal::forget(database).await
    }

    /// Writes what is not written yet, for five seconds at most, and stops.
    pub(crate) async fn stop(&self) {
        self.goodbye();
        self.order(|orders| orders.stopping = true);
        self.0.stop.cancel();
        let mut tasks = self.0.tasks.lock().await;
        let all = async { while tasks.join_next().await.is_some() {} };
        if timeout(LAST_WRITES, all).await.is_err() {
            tracing::warn!("the last of the snapshot was not written in time");
            tasks.shutdown().await;
        }
    }

    fn order(&self, change: impl FnOnce(&mut PublishOrders)) {
        self.0.orders.update(|orders| {
            let before = orders.hiding();
            change(orders);
            orders.hidings += u64::from(orders.hiding() != before);
        });
    }

    /// How often it changed whether the owner is hidden.
    fn hidings(&self) -> u64 {
        self.0.orders.with(|orders| orders.hidings)
    }
}

/// Records that this data folder replaces the snapshot in the store.
pub(crate) async fn record_take_over(database: &Database) -> Result<(), DatabaseError> {
    database
        .write(|transaction| Ok(table::take_over(transaction)?))
        .await
}

/// Removes what was published before publishing was switched off, until that succeeds or `stop` is
/// cancelled; does nothing where nothing was.
pub(crate) async fn remove_published(
    documents: Result<Vec<Documents>, Message>,
    database: Database,
    stop: CancellationToken,
) {
    if !matches!(database.read(table::has_published).await, Ok(true)) {
        return;
    }
    let documents = documents.and_then(|documents| match documents.is_empty() {
        true => Err(crate::detail!("the settings describe no object store")),
        false => Ok(documents),
    });
    match documents {
        Ok(documents) => {
            // Side by side: one that does not answer holds up no other.
            let all = documents.iter();
            let removing =
                all.map(|documents| removal::keep_removing(documents, &database, u32::MAX));
            let removing = join_all(removing);
            if stop.run_until_cancelled(removing).await.is_some()
                && let Err(error) = removal::forget(&database).await
            {
                tracing::warn!(%error, "what was published is removed and still marked as published");
            }
        }
        Err(error) => tracing::warn!(
            %error,
            "publishing is off, but what was published stays in the store, which the settings no \
             longer describe"
        ),
    }
}

/// Removes what an earlier run published in stores that are described and not written to any more. A
/// Worker without a store never has anything, so this is given up after a while.
pub(crate) async fn remove_elsewhere(
    documents: Vec<Documents>,
    database: Database,
    stop: CancellationToken,
) {
    const TRIES: u32 = 10;
    let removing = documents.iter().map(async |documents| {
        // A Worker's store that was never used stays so.
        if !matches!(documents.get(INDEX).await, Ok(None)) {
            removal::keep_removing(documents, &database, TRIES).await;
        }
    });
    stop.run_until_cancelled(join_all(removing)).await;
}

/// Looks at the game every minute, while it is shown.
async fn keep_game_fresh(
    game: &CurrentGame,
    mut orders: StateReader<PublishOrders>,
    news: &Notify,
) {
    loop {
        let hides = orders.latest().hides();
        if !hides {
            game.get().status().await;
            news.notify_one();
        }
        tokio::select! {
            changed = orders.changed() => if changed.is_err() {
                // Whoever writes decides when this ends.
                std::future::pending::<()>().await;
            },
            () = tokio::time::sleep(A_MINUTE) => {}
        }
    }
}

#[cfg(test)]
mod tests;
