//! The snapshot: public answers in the object store, so that readers have them while this machine
//! is off.
//!
//! - `check.json` and `game_status.json`: what readers see of the owner, and until when it holds.
//! - `images/index.json`, `images/<name>.json`: the list of images in pages, each named by the
//!   digest of its content. `names/<name>`: the image behind a second name.
//! - `origin.json`: where the Worker finds the service, sealed. `widget.js`: the custom element.
//!
//! Two tasks write it: one what readers see of the owner, which must not wait, and one the images.
//! Neither is ever waited for by an upload or a heartbeat: the rows say what is still to be written.
//! Of two processes with different data folders only the first publishes to a store.

use std::sync::Arc;
use std::time::Duration;

use porchlight_api::{Message, WebAddress};
use secrecy::SecretString;
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use self::answers::{Orders, is_plain};
use self::current::{A_MINUTE, Current};
use self::origin::Seal;
use self::pages::{Owner, Pages};
use self::retry::Retry;
use self::status::{Part, Report};
use crate::clock::Clock;
use crate::database::{Database, DatabaseError};
use crate::game::CurrentGame;
use crate::images::Images;
use crate::presence::Presence;
use crate::storage::{Document, Documents, StorageError};

mod answers;
mod current;
mod origin;
mod pages;
mod retry;
mod status;
pub(crate) mod table;
mod widget;

pub use self::status::{PublishingStatus, PublishingTrouble};

const JSON: &str = "application/json";
const NO_CACHE: &str = "no-cache";

/// Changes of images are collected for this long before they are written.
const COLLECT: Duration = Duration::from_secs(1);
/// The time limit of the last writes.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// Why something was not published.
#[derive(Debug, thiserror::Error)]
enum PublishError {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl From<&PublishError> for Message {
    fn from(error: &PublishError) -> Self {
        match error {
            PublishError::Storage(error) => error.into(),
            PublishError::Database(error) => error.into(),
        }
    }
}

/// What is published, and with what.
pub(crate) struct Sources {
    pub(crate) documents: Documents,
    pub(crate) database: Database,
    pub(crate) presence: Presence,
    pub(crate) game: CurrentGame,
    pub(crate) images: Images,
    pub(crate) clock: Clock,
    /// `heartbeat.alive_seconds`.
    pub(crate) alive: Duration,
    /// `edge.secret`.
    pub(crate) secret: Option<SecretString>,
    /// The script of the custom element.
    pub(crate) widget: &'static str,
}

/// Publishes until it is stopped; cheap to clone.
#[derive(Clone)]
pub struct Publishing(Arc<Inner>);

struct Inner {
    clock: Clock,
    orders: watch::Sender<Orders>,
    /// The orders that readers see the effect of.
    settled: watch::Receiver<Orders>,
    status: watch::Sender<PublishingStatus>,
    /// Whether the snapshot in the store is this data folder's; `false` until that is known.
    is_own: watch::Receiver<bool>,
    take_over: Arc<Notify>,
    stop: CancellationToken,
    tasks: Mutex<JoinSet<()>>,
}

impl Publishing {
    /// Starts to publish. Must be called on a tokio runtime.
    pub(crate) fn start(sources: Sources) -> Self {
        let Sources {
            documents,
            database,
            presence,
            game,
            images,
            clock,
            alive,
            secret,
            widget,
        } = sources;
        let (orders, read_orders) = watch::channel(Orders::default());
        let (write_settled, settled) = watch::channel(Orders::default());
        let (write_own, is_own) = watch::channel(false);
        let status = watch::Sender::new(PublishingStatus::default());
        let take_over = Arc::new(Notify::new());
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();

        let report = Report::new(status.clone(), Part::Presence);
        let seal = secret.as_ref().map(Seal::new);
        let current = Current::new(
            documents.clone(),
            (presence, game.clone()),
            clock.clone(),
            alive,
            seal,
            report,
        );
        let mut own = is_own.clone();
        let ended = stop.clone();
        tasks.spawn(async move {
            let is_own = tokio::select! {
                own = own.wait_for(|own| *own) => own.is_ok(),
                () = ended.cancelled() => false,
            };
            if is_own {
                let game_news = Notify::new();
                let writing = current.run(read_orders.clone(), write_settled, &game_news);
                tokio::select! {
                    () = writing => {}
                    () = keep_game_fresh(&game, read_orders.clone(), &game_news) => {}
                }
            }
        });

        let keeper = Keeper {
            changes: images.changes(),
            pages: Pages::new(documents.clone(), database, clock.clone()),
            widget: secret.map(|secret| widget::signed(widget, &secret)),
            documents,
            report: Report::new(status.clone(), Part::Images),
            status: status.clone(),
            clock: clock.clone(),
            take_over: Arc::clone(&take_over),
            stop: stop.clone(),
        };
        tasks.spawn(keeper.run(write_own));

        Self(Arc::new(Inner {
            clock,
            orders,
            settled,
            status,
            is_own,
            take_over,
            stop,
            tasks: Mutex::new(tasks),
        }))
    }

    /// How it goes, now and whenever that changes.
    #[must_use]
    pub fn status(&self) -> watch::Receiver<PublishingStatus> {
        self.0.status.subscribe()
    }

    /// Shows nothing about the owner from now on, or shows it again.
    pub fn pause(&self, paused: bool) {
        self.order(|orders| orders.paused = paused);
    }

    /// Whether readers of the snapshot see the effect of a pause, or of its end.
    #[must_use]
    pub fn pause_has_taken_effect(&self) -> bool {
        let wanted = self.0.orders.borrow().paused;
        !*self.0.is_own.borrow() || self.0.settled.borrow().paused == wanted
    }

    /// The proven address of the tunnel, while there is one.
    pub fn tunnel(&self, url: Option<&WebAddress>) {
        let plain = url.is_some_and(is_plain);
        self.0
            .status
            .send_if_modified(|status| std::mem::replace(&mut status.plain_tunnel, plain) != plain);
        self.order(|orders| orders.tunnel = url.cloned());
    }

    /// Publishes "offline", for as long as the machine sleeps or until it stops. Returns when
    /// that is written; its caller decides how long to wait.
    pub async fn sleep(&self) {
        self.goodbye();
        let mut settled = self.0.settled.clone();
        if *self.0.is_own.borrow() {
            let written = settled.wait_for(|orders| orders.absent_since.is_some());
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
    pub fn take_over(&self) {
        self.0.take_over.notify_one();
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

    fn order(&self, change: impl FnOnce(&mut Orders)) {
        self.0.orders.send_if_modified(|orders| {
            let before = orders.clone();
            change(orders);
            *orders != before
        });
    }
}

/// Looks at the game every minute, while it is shown.
async fn keep_game_fresh(game: &CurrentGame, mut orders: watch::Receiver<Orders>, news: &Notify) {
    loop {
        let hides = orders.borrow_and_update().hides();
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

/// Keeps the images of the snapshot as the rows are.
struct Keeper {
    pages: Pages,
    changes: watch::Receiver<u64>,
    documents: Documents,
    /// `widget.js`, until it is written.
    widget: Option<String>,
    report: Report,
    status: watch::Sender<PublishingStatus>,
    clock: Clock,
    take_over: Arc<Notify>,
    stop: CancellationToken,
}

impl Keeper {
    async fn run(mut self, is_own: watch::Sender<bool>) {
        if !self.compare().await {
            return;
        }
        is_own.send_replace(true);
        let mut retry = Retry::default();
        loop {
            let is_last = self.stop.is_cancelled();
            let _ = self.changes.borrow_and_update();
            match self.write().await {
                Ok(()) => {
                    retry.worked();
                    self.report.written(self.clock.now());
                }
                Err(error) => {
                    retry.failed();
                    self.report.failed(&error, self.clock.now());
                }
            }
            if is_last {
                return;
            }
            self.rest(&retry).await;
        }
    }

    /// Finds out whose snapshot is in the store, and what is missing there; `false` when it is to
    /// stop.
    async fn compare(&mut self) -> bool {
        let mut retry = Retry::default();
        let mut take_over = false;
        loop {
            let compared = tokio::select! {
                compared = self.pages.compare(take_over) => compared,
                () = self.stop.cancelled() => return false,
            };
            let again = match compared {
                Ok(owner) => {
                    let another = owner == Owner::Another;
                    self.status.send_modify(|status| status.another = another);
                    if !another {
                        return true;
                    }
                    tracing::warn!("the store holds another Porchlight's snapshot: not publishing");
                    None
                }
                Err(error) => {
                    self.report.failed(&error, self.clock.now());
                    retry.failed();
                    Some(retry.not_before(Instant::now()))
                }
            };
            tokio::select! {
                () = self.take_over.notified() => take_over = true,
                () = at(again) => {}
                () = self.stop.cancelled() => return false,
            }
        }
    }

    async fn write(&mut self) -> Result<(), PublishError> {
        if let Some(script) = &self.widget {
            let document = Document {
                content: script.clone().into(),
                content_type: "text/javascript; charset=utf-8",
                cache_control: NO_CACHE,
            };
            self.documents.put("widget.js", document).await?;
            self.widget = None;
        }
        self.pages.round().await?;
        let on_disk = self.pages.on_disk().await?;
        self.status
            .send_if_modified(|status| std::mem::replace(&mut status.on_disk, on_disk) != on_disk);
        Ok(())
    }

    /// Waits until there is something to write, or until it is to stop.
    async fn rest(&mut self, retry: &Retry) {
        if retry.waits() {
            let again = retry.not_before(Instant::now());
            tokio::select! {
                () = sleep_until(again) => {}
                () = self.stop.cancelled() => {}
            }
            return;
        }
        let removal = self.pages.next_removal();
        let news = async {
            tokio::select! {
                _ = self.changes.changed() => tokio::time::sleep(COLLECT).await,
                () = at(removal) => {}
            }
        };
        tokio::select! {
            () = news => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// Waits until then; for ever where there is no such time.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
