//! The service as a whole: everything that one data folder holds.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::db::{Database, DatabaseError};
use crate::edge::{AnswerSettings, EdgeSync, Sources};
use crate::error::message::Message;
use crate::game::{CurrentGame, Game};
use crate::images::{Images, all_are_reachable};
use crate::ip::{IpLookup, IpSettings};
use crate::presence::lanyard::{self, LanyardAnswer, LanyardMessages};
use crate::presence::{Devices, Presence};
use crate::schema::{self, database_file};
use crate::settings::Settings;
use crate::state::{State, StateReader};
use crate::stats::Stats;
use crate::storage::{EdgeStore, Storage};
use crate::system::System;
use crate::text::address::Probe;
use crate::tokens::Tokens;
use crate::uploads::{OwnImages, Uploads};

/// How often call counts are written: a crash loses at most a second's.
const WRITE_COUNTS_EVERY: Duration = Duration::from_millis(500);

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
    edge: RwLock<Option<EdgeSync>>,
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
            edge: RwLock::default(),
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
        LanyardAnswer::now(&self.0.presence)
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
        }
        if old.ip != new.ip {
            *parts.ip.write() = self.open_ip(new.ip.clone()).await;
        }
        if let Some(edge) = self.edge() {
            edge.follow(self.answer_settings());
        }
        followed
    }

    /// Has storage and the Worker follow a change of the settings. `widget` is as for
    /// [`Self::tell_worker`]. Storage that could not follow is tried again with the next change.
    ///
    /// # Errors
    /// What cannot follow.
    pub async fn follow_storage(
        &self,
        old: &Settings,
        new: &Settings,
        widget: &'static str,
    ) -> Result<(), Message> {
        let differs = self.settings().storage != new.storage;
        if differs {
            self.0.images.follow_storage(&new.storage).await?;
            let mut settings = self.0.settings.write();
            Arc::make_mut(&mut settings).storage = new.storage.clone();
        }
        let worker = |of: &Settings| (of.edge.url.clone(), of.edge.secret.clone());
        if worker(old) != worker(new) {
            if let Some(edge) = self.edge() {
                edge.stop().await;
            }
            self.tell_worker(widget)?;
        } else if let Some(edge) = self.edge() {
            edge.follow(self.answer_settings());
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

    /// Tells the Worker of the settings what readers are to see from now on, if they name one. `widget`
    /// is the script of the custom element. Only whoever serves this data folder does that.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn tell_worker(&self, widget: &'static str) -> Result<(), Message> {
        let parts = &*self.0;
        let worker = EdgeStore::of(&self.settings().edge, 0).transpose();
        let worker = worker.map_err(|why| crate::detail!("HTTPS cannot be used here: {why}"))?;
        let edge = worker.map(|worker| {
            EdgeSync::start(Sources {
                worker,
                database: parts.database.clone(),
                presence: parts.presence.clone(),
                game: parts.game.clone(),
                images: parts.images.clone(),
                stats: parts.stats.clone(),
                clock: parts.clock.clone(),
                settings: self.answer_settings(),
                widget,
            })
        });
        *parts.edge.write() = edge;
        Ok(())
    }

    fn answer_settings(&self) -> AnswerSettings {
        let settings = self.settings();
        AnswerSettings {
            delivery: settings.images.delivery,
            storage: settings.storage.kind,
            storage_url: settings.storage.storage_url.clone(),
            requests_per_second: settings.limits.requests_per_second,
            burst: settings.limits.burst,
            reports_offline: settings.game.report_offline,
        }
    }

    /// What tells the Worker; `None` where the settings name none.
    #[must_use]
    pub fn edge(&self) -> Option<EdgeSync> {
        self.0.edge.read().clone()
    }

    /// Stops the background tasks, writes pending changes and closes the
    /// database. Later calls fail.
    pub async fn close(&self) {
        if let Some(edge) = self.edge() {
            edge.stop().await;
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
