//! The owner's game status: what is being played, and its details.
//!
//! Readers are answered from memory. When that is too old, one of them starts a
//! refresh, and all concurrent readers share its outcome, so that more readers
//! do not cause more calls to Steam.
//!
//! The Steam client on this machine is queried first, since it needs no key.
//! The Web API is queried when no game runs here, for one may run elsewhere,
//! and it supplies what the client does not know.

mod answers;
mod cached;
mod cover;
mod details;
mod display_text;
mod local;
mod owner;
mod private;
mod settings;
mod sources;
mod steam;
mod store;
pub mod window;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::task::JoinHandle;

use self::answers::SteamAnswers;
use self::cached::{Cached, Failure, Lifetime};
use self::details::Details;
use self::local::LocalSteam;
use self::private::Private;
use self::sources::{GameActivity, Presence, Sources};
use self::steam::SteamAccount;
use self::store::Store;
use crate::clock::Clock;
use crate::error::message::Message;
use crate::game::window::{GameSource, RunningGame};
use crate::http::replies::GameStatus;
use crate::presence::window::ForegroundApp;

/// How long a status is valid, and how long after a failure Steam is not
/// called.
const STATUS: Lifetime = Lifetime {
    answer: Duration::from_secs(30),
    failure: Duration::from_secs(15),
};

/// For how long the last status is served while Steam fails. A game seldom ends
/// sooner; after it, the owner counts as online.
const MAX_STALE: Duration = Duration::from_secs(5 * 60);

/// How long a reader waits for a new status where a recent one could be served.
const READER_WAITS: Duration = Duration::from_secs(2);

pub use self::cover::Cover;
pub use self::private::GameNames;
pub use self::settings::GameSettings;

/// The owner's game status.
pub struct Game {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Clock,
    report_offline: bool,
    private: Private,
    cached: Mutex<Cache>,
    sources: Sources,
    /// Locked for a whole refresh: those who wait for it find its answer.
    details: tokio::sync::Mutex<Details>,
    http: reqwest::Client,
    settings: GameSettings,
    answers: SteamAnswers,
    /// Locked while the sources are tested.
    trial: tokio::sync::Mutex<()>,
}

struct Cache {
    status: Cached<FoundStatus>,
    /// What was private when it was found is public by now.
    became_public: bool,
    trouble: Option<Message>,
}

/// A status, and its source.
#[derive(Debug, Clone)]
struct FoundStatus {
    status: GameStatus,
    running: Option<RunningGame>,
    source: GameSource,
    /// The names of its programs on this machine.
    programs: Vec<String>,
}

impl FoundStatus {
    /// Whether its details were looked up, where it is a game.
    fn is_looked_up(&self) -> bool {
        self.running.is_some() || self.status.game.is_none()
    }
}

/// The game status with the settings as they are now; clones are the same one.
#[derive(Clone)]
pub(crate) struct CurrentGame(Arc<RwLock<Arc<Game>>>);

impl CurrentGame {
    pub(crate) fn new(game: Game) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(game))))
    }

    pub(crate) fn get(&self) -> Arc<Game> {
        Arc::clone(&self.0.read())
    }

    /// Replaces it by what becomes of it.
    pub(crate) fn change(&self, change: impl FnOnce(&Game) -> Game) {
        let mut game = self.0.write();
        *game = Arc::new(change(&game));
    }
}

/// What is known without a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What readers see.
    pub status: GameStatus,
    /// The game that runs, for the owner alone; `None` while it is not shown.
    pub running: Option<RunningGame>,
    /// Its source; `None` where nothing recent is known.
    pub source: Option<GameSource>,
    /// Whether there is a game that is kept private.
    pub private: bool,
}

impl Game {
    /// The status of the account in the settings; nothing is requested before
    /// the first call. `http` should follow no redirects, since they could
    /// carry the key elsewhere.
    #[must_use]
    pub fn new(settings: &GameSettings, http: reqwest::Client, clock: Clock) -> Self {
        Self::with(settings, http, clock, SteamAnswers::default())
    }

    /// The status with new settings. What is private stays so, and cached
    /// answers are kept where the same data of the same account is requested.
    #[must_use]
    pub fn followed_by(&self, settings: &GameSettings, http: reqwest::Client) -> Self {
        let shared = &self.shared;
        let answers = shared.answers.still_valid(&shared.settings, settings);
        let next = Self::with(settings, http, shared.clock.clone(), answers);
        next.shared.private.copy(&shared.private);
        next
    }

    fn with(
        settings: &GameSettings,
        http: reqwest::Client,
        clock: Clock,
        answers: SteamAnswers,
    ) -> Self {
        let account = settings
            .steam_api_key
            .as_ref()
            .zip(settings.steam_id.as_ref());
        let account = account.map(|(key, id)| {
            let address = settings.steam_api_url.clone();
            Arc::new(SteamAccount::new(
                http.clone(),
                address,
                key.clone(),
                id.clone(),
            ))
        });
        let no_account = match (&settings.steam_api_key, &settings.steam_id) {
            (None, Some(_)) => Message::SteamKeyUnset,
            (Some(_), None) => Message::SteamIdUnset,
            _ => Message::SteamAccountUnset,
        };
        let local = settings
            .local_steam
            .then(|| LocalSteam::new(settings.steam_folder.clone(), settings.steam_id.clone()));
        let no_source = local.is_none() && account.is_none();
        let trouble = no_source.then(|| no_account.clone());
        let store = Store::new(
            http.clone(),
            settings.steam_store_url.clone(),
            settings.region.clone(),
            settings.language.clone(),
        );
        let details = Details::new(store, account.clone(), answers.clone());
        let sources = Sources {
            local,
            account,
            no_account,
            key_alone: settings.steam_api_key.is_some() && settings.steam_id.is_none(),
        };
        let cached = Cache {
            status: Cached::default(),
            became_public: false,
            trouble,
        };
        let report_offline = settings.report_offline;
        let shared = Shared {
            clock,
            report_offline,
            private: Private::default(),
            cached: Mutex::new(cached),
            sources,
            details: tokio::sync::Mutex::new(details),
            http,
            settings: settings.clone(),
            answers,
            trial: tokio::sync::Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The current status. It never fails: when nothing recent is known, the
    /// owner is online. It may take some seconds when Steam is slow.
    pub async fn status(&self) -> GameStatus {
        if self.is_hidden() {
            return GameStatus::plain(GameStatus::ONLINE);
        }
        if let Some(round) = self.look() {
            let has_recent = self.shared.recent().is_some();
            if has_recent {
                let _ = tokio::time::timeout(READER_WAITS, round).await;
            } else if let Err(error) = round.await {
                tracing::error!(%error, "refreshing the game status failed");
            }
        }
        // Checked last: it may have been hidden in between.
        self.known().status
    }

    /// Refreshes from Steam if that is due and a source is configured. Must be
    /// called on a tokio runtime.
    pub fn look(&self) -> Option<JoinHandle<()>> {
        if self.is_hidden() || self.shared.sources.is_empty() || !self.shared.is_due() {
            return None;
        }
        // A separate task: when a reader disconnects, others still get the
        // outcome, and the next reader does not restart it.
        let shared = Arc::clone(&self.shared);
        Some(tokio::spawn(async move { shared.ask().await }))
    }

    /// The current status, without a request.
    #[must_use]
    pub fn known(&self) -> Known {
        let recent = self.shared.recent().filter(|_| !self.is_hidden());
        let nothing = || GameStatus::plain(GameStatus::ONLINE);
        match recent {
            Some(found) if self.shared.hides(&found) => Known {
                status: nothing(),
                running: None,
                source: Some(found.source),
                private: true,
            },
            Some(found) => Known {
                status: found.status,
                running: found.running,
                source: Some(found.source),
                private: false,
            },
            None => Known {
                status: nothing(),
                running: None,
                source: None,
                private: false,
            },
        }
    }

    /// Hides what is played whenever this is true: the owner is online, and nothing else is shown or
    /// requested.
    pub fn hide_while(&self, hidden: impl Fn() -> bool + Send + Sync + 'static) {
        self.shared.private.hide_while(hidden);
    }

    /// Which games are private, whenever that is asked. They are not looked up.
    pub fn keep_private(&self, is_private: impl Fn(&GameNames) -> bool + Send + Sync + 'static) {
        self.shared.private.follow(is_private);
    }

    /// Reports a hidden window in the foreground. The game it belongs to is
    /// private until it ends, whatever is in the foreground later.
    pub fn saw_hidden(&self, window: ForegroundApp) {
        self.shared.private.saw_hidden(window, &self.shared.clock);
    }

    fn is_hidden(&self) -> bool {
        self.shared.private.is_hidden()
    }

    /// Why nothing better is known; `None` without a failure, and before the first request. It contains no key and no URL.
    #[must_use]
    pub fn trouble(&self) -> Option<Message> {
        self.shared.cached().trouble.clone()
    }
}

impl Shared {
    fn cached(&self) -> MutexGuard<'_, Cache> {
        // Every change under this lock is atomic, so a panic leaves no partial
        // state.
        self.cached.lock()
    }

    /// Whether it is time to look; once at once, where what was private when it was found is so no
    /// more.
    fn is_due(&self) -> bool {
        let found = self.cached().status.last().cloned();
        let is_public = found.is_some_and(|found| !found.is_looked_up() && !self.keeps(&found));
        let mut cached = self.cached();
        if is_public && !cached.became_public {
            cached.status.invalidate();
        }
        cached.became_public = is_public;
        cached.status.is_due(&self.clock)
    }

    /// Whether readers see nothing of it: it is private, or was when it was found.
    fn hides(&self, found: &FoundStatus) -> bool {
        !found.is_looked_up() || self.keeps(found)
    }

    /// Whether what is played is private.
    fn keeps(&self, found: &FoundStatus) -> bool {
        let game = found.status.game.as_ref();
        game.is_some_and(|game| {
            let names = GameNames::new(&game.game, &game.game_id, &found.programs);
            self.private.keeps(&names)
        })
    }

    fn recent(&self) -> Option<FoundStatus> {
        self.cached()
            .status
            .last_within(MAX_STALE, &self.clock)
            .cloned()
    }

    /// One refresh, unless another has just ended.
    async fn ask(&self) {
        let mut details = self.details.lock().await;
        if !self.is_due() {
            return;
        }
        let outcome = match self.sources.doing(&self.answers, &self.clock).await {
            Ok(doing) => {
                if !matches!(doing.presence, Presence::Playing(_)) {
                    self.private.no_game_runs(&self.clock);
                    self.answers.nothing_runs();
                }
                let (status, running, failure) = self.status_of(&doing, &mut details).await;
                let found = FoundStatus {
                    status,
                    running,
                    source: doing.source,
                    programs: doing.programs,
                };
                Ok((found, failure))
            }
            Err(failure) => Err(failure),
        };
        let mut cached = self.cached();
        let trouble = match outcome {
            Ok((found, of_details)) => {
                cached.status.answered(found, &self.clock, STATUS);
                of_details.map(|failure| failure.why)
            }
            Err(failure) => {
                let why = failure.why.clone();
                cached.status.failed(failure, &self.clock, STATUS);
                Some(why)
            }
        };
        if trouble != cached.trouble {
            match &trouble {
                Some(why) => tracing::warn!("the game status is incomplete: {why}"),
                None => tracing::info!("the game status is complete again"),
            }
            cached.trouble = trouble;
        }
    }

    /// The status, for the owner what runs, and the failure if a look-up failed. A private game is
    /// not looked up: neither the store nor Steam is asked about it.
    async fn status_of(
        &self,
        doing: &GameActivity,
        details: &mut Details,
    ) -> (GameStatus, Option<RunningGame>, Option<Failure>) {
        let status = match &doing.presence {
            Presence::Playing(game) => {
                let names = GameNames::new(&game.name, &game.id.to_string(), &doing.programs);
                let (played, running, failure) = if self.private.keeps(&names) {
                    (Details::named(game), None, None)
                } else {
                    let found = details.of(game, doing.minutes, &self.clock).await;
                    (found.0, Some(found.1), found.2)
                };
                let status = GameStatus {
                    status: GameStatus::IN_GAME.to_owned(),
                    game: Some(played),
                };
                return (status, running, failure);
            }
            Presence::Offline if self.report_offline => GameStatus::OFFLINE,
            Presence::Offline | Presence::Online => GameStatus::ONLINE,
        };
        (GameStatus::plain(status), None, None)
    }
}
