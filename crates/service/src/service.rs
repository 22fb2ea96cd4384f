//! The service as a whole: everything that one data folder holds.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::db::{Database, DatabaseError};
use crate::edge::publishing::{self, LanyardAnswer, LanyardMessages, Publishing, Sources, lanyard};
use crate::error::message::Message;
use crate::game::{CurrentGame, Game};
use crate::images::{Images, all_are_reachable};
use crate::ip::{IpLookup, IpSettings};
use crate::presence::{Devices, Presence};
use crate::schema::{self, database_file};
use crate::settings::Settings;
use crate::state::{State, StateReader};
use crate::stats::Stats;
use crate::storage::{Documents, EdgeStore, Storage, StorageKind, edge_counts};
use crate::system::System;
use crate::text::address::Probe;
use crate::tokens::Tokens;
use crate::uploads::{OwnImages, Uploads};

/// How often call counts are written: a crash loses at most a second's.
const WRITE_COUNTS_EVERY: Duration = Duration::from_millis(500);

/// How often the Worker is asked what it has counted.
const ASK_WORKER_EVERY: Duration = Duration::from_secs(60);

/// How long a change of the settings waits until what was published is removed.
const REMOVE_WITHIN: Duration = Duration::from_secs(20);

/// Everything that one data folder holds; cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<ServiceParts>);

struct ServiceParts {
    database: Database,
    presence: Presence,
    images: Images,
    tokens: Tokens,
    stats: Stats,
    game: CurrentGame,
    ip: RwLock<Arc<IpLookup>>,
    system: System,
    /// Those that it follows now.
    settings: RwLock<Arc<Settings>>,
    /// The HTTP client of the game status and of the IP look-up.
    http: reqwest::Client,
    clock: Clock,
    probe: Probe,
    publishing: RwLock<Option<Publishing>>,
    /// Ends what was started with the publishing.
    stop_publishing: Mutex<CancellationToken>,
    lanyard: State<Option<LanyardMessages>>,
    stop: CancellationToken,
    background: tokio::sync::Mutex<JoinSet<()>>,
}

impl Service {
    /// Opens a data folder, creating what is missing, and starts the background
    /// tasks. The caller makes sure that no other process serves it.
    ///
    /// # Errors
    /// When the folder, the database or storage cannot be used; nothing has been changed. What the
    /// settings can mend is [`Message::Settings`].
    pub async fn open(
        data_folder: &Path,
        settings: impl Into<Arc<Settings>>,
        clock: Clock,
    ) -> Result<Self, Message> {
        let settings = settings.into();
        std::fs::create_dir_all(data_folder).map_err(|error| {
            crate::detail!(
                "the data folder {} cannot be used ({error}): check that it may be written",
                data_folder.display()
            )
        })?;
        let file = database_file(data_folder);
        let is_new = std::fs::metadata(&file).map_or(true, |found| found.len() == 0);
        if is_new && crate::storage::holds_images(data_folder) {
            return Err(crate::detail!(
                "{} is missing or empty, although there are pictures beside it: bring the database back from a backup, or move the folder \"images\" away to begin anew; nothing was changed",
                file.display()
            ));
        }
        let database = schema::open(&file).await?;
        let query =
            |error: DatabaseError| crate::detail!("{} cannot be read: {error}", file.display());
        let http = http_client()
            .map_err(|why| crate::detail!("no HTTPS client could be set up: {why}"))?;
        let presence = Presence::open(
            database.clone(),
            &settings.heartbeat,
            settings.presence.history_days,
            clock.clone(),
        )
        .await
        .map_err(query)?;
        let storage = Storage::open(data_folder, &settings.storage)?;
        all_are_reachable(&database, &settings.storage).await?;
        let images = Images::open(
            data_folder,
            database.clone(),
            storage,
            settings.storage.kind,
            settings.images.clone(),
            clock.clone(),
        )?;
        let stats = Stats::open(data_folder, database.clone(), clock.clone())
            .await
            .map_err(query)?;
        let tokens = Tokens::new(database.clone(), clock.clone());
        if let Err(error) = tokens.recognise_stored().await {
            tracing::warn!(%error, "the stored tokens could not be read");
        }
        let parts = ServiceParts {
            presence,
            images,
            tokens,
            stats,
            game: CurrentGame::new(Game::new(&settings.game, http.clone(), clock.clone())),
            ip: RwLock::new(Arc::new(IpLookup::open(
                &settings.ip,
                http.clone(),
                clock.clone(),
            ))),
            system: System::new(&settings.system),
            database,
            settings: RwLock::new(settings),
            http,
            clock,
            probe: Probe::of(rand::random()),
            publishing: RwLock::default(),
            stop_publishing: Mutex::default(),
            lanyard: State::default(),
            stop: CancellationToken::new(),
            background: tokio::sync::Mutex::default(),
        };
        let service = Self(Arc::new(parts));
        service.start_background().await;
        Ok(service)
    }

    async fn start_background(&self) {
        let mut tasks = self.0.background.lock().await;
        let (stats, stop) = (self.0.stats.clone(), self.0.stop.clone());
        tasks.spawn(async move { keep_writing(&stats, stop).await });
        let (images, stop) = (self.0.images.clone(), self.0.stop.clone());
        tasks.spawn(async move { images.keep_removing(stop).await });
        let (images, stop) = (self.0.images.clone(), self.0.stop.clone());
        tasks.spawn(async move { images.keep_renditions_bounded(stop).await });
        let (images, stop) = (self.0.images.clone(), self.0.stop.clone());
        tasks.spawn(async move { images.complete_previews(stop).await });
        let (images, stop) = (self.0.images.clone(), self.0.stop.clone());
        tasks.spawn(async move { images.keep_trash_bounded(stop).await });
        let (presence, stop) = (self.0.presence.clone(), self.0.stop.clone());
        tasks.spawn(async move { presence.keep_pruned(stop).await });
        let (presence, stop) = (self.0.presence.clone(), self.0.stop.clone());
        tasks.spawn(async move { presence.keep_following(stop).await });
        let (presence, clock) = (self.0.presence.clone(), self.0.clock.clone());
        let (messages, stop) = (self.0.lanyard.clone(), self.0.stop.clone());
        tasks.spawn(lanyard::keep_current(presence, clock, messages, stop));
    }

    /// The owner's presence.
    #[must_use]
    pub fn presence(&self) -> &Presence {
        &self.0.presence
    }

    /// What Lanyard's clients are to see now.
    #[must_use]
    pub fn lanyard(&self) -> LanyardAnswer {
        LanyardAnswer::live(&self.0.presence, self.0.clock.now())
    }

    /// What its sockets are sent, now and whenever that changes; `None` while `lanyard.enabled` is off.
    #[must_use]
    pub fn lanyard_messages(&self) -> StateReader<Option<LanyardMessages>> {
        self.0.lanyard.reader()
    }

    /// The devices, as the owner changes them; [`Presence::follow`] makes that count at once.
    #[must_use]
    pub fn devices(&self) -> Devices {
        Devices::new(self.0.database.clone(), self.0.tokens.clone())
    }

    /// The uploads of the owner, which become these images. Called once.
    pub(crate) fn uploads(&self, own: OwnImages, data_folder: &Path) -> Uploads {
        Uploads::new(self.0.database.clone(), own, data_folder)
    }

    /// The images.
    #[must_use]
    pub fn images(&self) -> &Images {
        &self.0.images
    }

    /// The tokens.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    /// How many queries and writes an error in Porchlight has stopped since the start.
    #[must_use]
    pub fn database_panics(&self) -> u64 {
        self.0.database.panics()
    }

    /// The call counts.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.0.stats
    }

    /// The game status.
    #[must_use]
    pub fn game(&self) -> Arc<Game> {
        self.0.game.get()
    }

    /// The IP look-up.
    #[must_use]
    pub fn ip(&self) -> Arc<IpLookup> {
        Arc::clone(&self.0.ip.read())
    }

    /// The system information.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.0.system
    }

    /// The settings that it follows now.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.0.settings.read())
    }

    /// Has each subject whose section differs follow these settings, but for storage.
    ///
    /// # Errors
    /// When the database fails; the settings count all the same.
    pub async fn follow(&self, new: &Arc<Settings>) -> Result<(), DatabaseError> {
        let parts = &*self.0;
        let old = {
            let mut settings = parts.settings.write();
            // Storage follows on its own.
            let storage = settings.storage.clone();
            let next = Settings {
                storage,
                ..(**new).clone()
            };
            std::mem::replace(&mut *settings, Arc::new(next))
        };
        let (days, presence) = (new.presence.history_days, &parts.presence);
        let mut followed = Ok(());
        if (&old.heartbeat, old.presence.history_days) != (&new.heartbeat, days) {
            followed = presence.follow_settings(&new.heartbeat, days).await;
        }
        if old.system != new.system {
            parts.system.follow(&new.system).await;
        }
        if old.images != new.images {
            parts.images.follow(new.images.clone());
        }
        if old.game != new.game {
            // What is hidden stays hidden; answers are kept where the request stays the same.
            parts.game.follow(&new.game);
            if let Some(publishing) = self.publishing() {
                publishing.look_at_game();
            }
        }
        if old.ip != new.ip {
            *parts.ip.write() = self.open_ip(new.ip.clone()).await;
        }
        followed
    }

    /// Has storage and the snapshot follow a change of the settings. `widget` is as for
    /// [`Self::publish`]. Storage that could not follow is tried again with the next change.
    ///
    /// # Errors
    /// What cannot follow.
    pub async fn follow_storage(
        &self,
        old: &Settings,
        new: &Settings,
        widget: &'static str,
    ) -> Result<(), Message> {
        let published = |of: &Settings| (of.publish.clone(), of.edge.clone(), of.heartbeat.clone());
        let differs = self.settings().storage != new.storage;
        if differs {
            self.0.images.follow_storage(&new.storage).await?;
            let mut settings = self.0.settings.write();
            Arc::make_mut(&mut settings).storage = new.storage.clone();
        }
        if differs || published(old) != published(new) {
            self.publish_anew(old, widget).await?;
        }
        Ok(())
    }

    /// The look-up with these settings. A file is read on a separate thread.
    async fn open_ip(&self, settings: IpSettings) -> Arc<IpLookup> {
        let (http, clock) = (self.0.http.clone(), self.0.clock.clone());
        let opened = tokio::task::spawn_blocking(move || IpLookup::open(&settings, http, clock));
        match opened.await {
            Ok(opened) => Arc::new(opened),
            Err(error) => {
                tracing::error!(%error, "the file of ip.mmdb could not be opened");
                self.ip()
            }
        }
    }

    /// Shows that a public address leads to this process.
    #[must_use]
    pub fn probe(&self) -> &Probe {
        &self.0.probe
    }

    /// Starts to publish the snapshot, where the settings switch it on; otherwise removes what an earlier
    /// run has published. `widget` is the script of the custom element. Only whoever serves this
    /// data folder publishes.
    ///
    /// # Errors
    /// When the settings describe no object store.
    pub async fn publish(&self, widget: &'static str) -> Result<(), Message> {
        let parts = &*self.0;
        let (settings, stop) = (self.settings(), parts.stop.child_token());
        parts.stop_publishing.lock().clone_from(&stop);
        if settings.storage.kind == StorageKind::Edge
            && let Some(Ok(worker)) = EdgeStore::of(&settings.storage.edge, 0)
        {
            let (stats, stop) = (parts.stats.clone(), stop.clone());
            let counting = async move { keep_counting(&worker, &stats, stop).await };
            parts.background.lock().await.spawn(counting);
        }
        if !settings.publish.enabled {
            self.remove_published().await;
            return Ok(());
        }
        let [documents, state_documents] =
            Sources::documents(&settings.storage, &settings.publish)?;
        let elsewhere = self.documents_of(|kind| kind != settings.storage.kind)?;
        let removing = publishing::remove_elsewhere(elsewhere, parts.database.clone(), stop);
        parts.background.lock().await.spawn(removing);
        *parts.publishing.write() = Some(Publishing::start(Sources {
            documents,
            state_documents,
            database: parts.database.clone(),
            presence: parts.presence.clone(),
            game: parts.game.clone(),
            images: parts.images.clone(),
            clock: parts.clock.clone(),
            alive: Duration::from_secs(settings.heartbeat.alive_seconds),
            secret: settings.edge.secret.clone().map(Into::into),
            at_worker: settings.storage.kind == StorageKind::Edge,
            widget,
        }));
        Ok(())
    }

    /// Ends what is published by the settings of before, and publishes by those of now.
    async fn publish_anew(&self, old: &Settings, widget: &'static str) -> Result<(), Message> {
        self.0.stop_publishing.lock().cancel();
        let settings = self.settings();
        // A store that the settings no longer describe may be gone, as a Worker that was removed.
        let is_removed = !settings.publish.enabled && settings.storage.uses(old.storage.kind);
        match self.publishing() {
            Some(_) if is_removed => self.stop_publishing().await?,
            Some(publishing) => publishing.stop().await,
            None => {}
        }
        self.publish(widget).await
    }

    /// The snapshots in stores that the settings describe.
    fn documents_of(
        &self,
        is_meant: impl Fn(StorageKind) -> bool,
    ) -> Result<Vec<Documents>, Message> {
        let settings = self.settings();
        let (storage, prefix) = (&settings.storage, &settings.publish.prefix);
        let described = StorageKind::REMOTE.into_iter();
        let described = described.filter(|kind| storage.describes(*kind));
        let meant = described.filter(|kind| is_meant(*kind));
        meant
            .map(|kind| Documents::open(storage, kind, prefix, publishing::IMAGES_WITHIN))
            .collect()
    }

    /// Removes what was published, in the background.
    async fn remove_published(&self) {
        let documents = self.documents_of(|_| true);
        let stop = self.0.stop_publishing.lock().clone();
        let database = self.0.database.clone();
        let removing = publishing::remove_published(documents, database, stop);
        self.0.background.lock().await.spawn(removing);
    }

    /// What publishes the snapshot; `None` where nothing does.
    #[must_use]
    pub fn publishing(&self) -> Option<Publishing> {
        let publishing = self.0.publishing.read().clone();
        publishing.filter(|publishing| !publishing.has_stopped())
    }

    /// Stops publishing for this run, and removes what was published.
    ///
    /// # Errors
    /// Why that is still in the store after 20 seconds. It is tried again until it succeeds.
    pub async fn stop_publishing(&self) -> Result<(), Message> {
        let Some(publishing) = self.publishing() else {
            return Ok(());
        };
        let removed = timeout(REMOVE_WITHIN, publishing.stop_and_remove()).await;
        let removed = removed.unwrap_or(Err(crate::detail!("no answer came in time")));
        if let Err(why) = removed {
            self.remove_published().await;
            return Err(crate::detail!(
                "what was published stays in the object store until it can be removed: {why}"
            ));
        }
        Ok(())
    }

    /// Stops the background tasks, writes pending changes and closes the
    /// database. Later calls fail.
    pub async fn close(&self) {
        if let Some(publishing) = self.publishing() {
            publishing.stop().await;
        }
        self.0.stop.cancel();
        let mut tasks = self.0.background.lock().await;
        while tasks.join_next().await.is_some() {}
        if let Err(error) = self.0.stats.write_last().await {
            tracing::error!(%error, "the last call counts were not written");
        }
        self.0.database.clone().close().await;
    }
}

async fn keep_writing(stats: &Stats, stop: CancellationToken) {
    let mut tick = tokio::time::interval(WRITE_COUNTS_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut failing = false;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {}
        }
        // Logged once, not twice a second for as long as the disk is full.
        match stats.write().await {
            Ok(()) => failing = false,
            Err(error) if !failing => {
                failing = true;
                tracing::error!(%error, "call counts cannot be written; they are kept in memory");
            }
            Err(_) => {}
        }
    }
}

/// Adds what the Worker counts. What does not come now comes the next time.
async fn keep_counting(worker: &EdgeStore, stats: &Stats, stop: CancellationToken) {
    let mut tick = tokio::time::interval(ASK_WORKER_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let counting = async {
        loop {
            tick.tick().await;
            let counted = match edge_counts(worker).await {
                Ok(counts) => stats.add_from_edge(counts).await.map_err(Message::from),
                Err(why) => Err(why),
            };
            if let Err(why) = counted {
                tracing::debug!(%why, "the Worker's counts were not added");
            }
        }
    };
    stop.run_until_cancelled(counting).await;
}

fn http_client() -> reqwest::Result<reqwest::Client> {
    crate::http::client_tls::http_client()
        .user_agent(concat!("Porchlight/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(5))
        .timeout(Duration::from_secs(10))
        // A redirect would send a key to its target.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .build()
}
