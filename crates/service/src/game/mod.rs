//! The owner's game status: what is being played, and its details.
//!
//! Readers are answered from memory. When that is too old, one of them starts a
//! refresh, and all concurrent readers share its outcome, so that more readers
//! do not cause more calls to Steam.
//!
//! The Steam client on this machine is queried first, since it needs no key.
//! The Web API is queried when no game runs here, for one may run elsewhere,
//! and it supplies what the client does not know.

mod cached;
mod display_text;
mod local;
mod private;
mod recent;
mod settings;
mod steam;
mod store;
pub mod window;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::task::JoinHandle;

use self::cached::{Answers, Cached, Failure, Found, Lifetime};
use self::local::LocalSteam;
use self::private::Private;
use self::steam::{Presence, SteamAccount, SteamGame};
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::game::window::{GameSource, PlayedGame as OwnedGame, RunningGame};
use crate::http::replies::{GameStatus, PlayedGame};
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

pub use self::private::GameNames;
pub use self::settings::GameSettings;
pub use self::store::Cover;

/// The owner's game status with one set of settings.
pub struct Game {
    settings: GameSettings,
    /// The Steam client on this machine, unless it is switched off.
    local: Option<LocalSteam>,
    /// The account, or which settings it lacks.
    account: Result<SteamAccount, Message>,
    private: Private,
    /// Shared with the status of earlier and later settings.
    answers: Arc<Answers>,
    /// The game that runs, and when it was first seen to; shared likewise.
    running: Arc<Mutex<Option<(u64, Timestamp)>>>,
    cached: Mutex<Cache>,
    /// What was played on this machine, for the owner alone.
    played_here: tokio::sync::Mutex<Cached<Vec<OwnedGame>>>,
    /// Locked for a whole refresh: those who wait for it find its answer.
    turn: tokio::sync::Mutex<()>,
}

struct Cache {
    status: Cached<FoundStatus>,
    /// What was private when it was found is public by now.
    became_public: bool,
    trouble: Option<Message>,
}

/// What the owner is doing, and by which source.
struct Activity {
    presence: Presence,
    /// Minutes of the game that this machine knows of.
    minutes: Option<u64>,
    source: GameSource,
    /// The names of the game's programs on this machine.
    programs: Vec<String>,
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
    pub(crate) fn new(game: Arc<Game>) -> Self {
        Self(Arc::new(RwLock::new(game)))
    }

    pub(crate) fn get(&self) -> Arc<Game> {
        Arc::clone(&self.0.read())
    }

    /// Goes on with new settings.
    pub(crate) fn follow(&self, settings: &GameSettings) {
        let mut game = self.0.write();
        *game = game.followed_by(settings);
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
    pub fn new(settings: &GameSettings, http: reqwest::Client, clock: Clock) -> Arc<Self> {
        let answers = Arc::new(Answers::new(http, clock));
        Arc::new(Self::with(settings, answers, Arc::default()))
    }

    /// The status with new settings. What is private stays so, and cached
    /// answers are kept where the same data of the same account is requested.
    #[must_use]
    pub fn followed_by(&self, settings: &GameSettings) -> Arc<Self> {
        let (answers, running) = (Arc::clone(&self.answers), Arc::clone(&self.running));
        let next = Self::with(settings, answers, running);
        next.private.copy(&self.private);
        Arc::new(next)
    }

    fn with(
        settings: &GameSettings,
        answers: Arc<Answers>,
        running: Arc<Mutex<Option<(u64, Timestamp)>>>,
    ) -> Self {
        let account = SteamAccount::of(settings);
        let local = settings
            .local_steam
            .then(|| LocalSteam::new(settings.steam_folder.clone(), settings.steam_id.clone()));
        let trouble = account.as_ref().err().filter(|_| local.is_none()).cloned();
        let cached = Cache {
            status: Cached::default(),
            became_public: false,
            trouble,
        };
        Self {
            settings: settings.clone(),
            local,
            account,
            private: Private::default(),
            answers,
            running,
            cached: Mutex::new(cached),
            played_here: tokio::sync::Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The current status. It never fails: when nothing recent is known, the
    /// owner is online. It may take some seconds when Steam is slow.
    pub async fn status(self: &Arc<Self>) -> GameStatus {
        if self.is_hidden() {
            return GameStatus::plain(GameStatus::ONLINE);
        }
        if let Some(round) = self.look() {
            let has_recent = self.last_found().is_some();
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
    pub fn look(self: &Arc<Self>) -> Option<JoinHandle<()>> {
        let has_source = self.local.is_some() || self.account.is_ok();
        if self.is_hidden() || !has_source || !self.is_due() {
            return None;
        }
        // A separate task: when a reader disconnects, others still get the
        // outcome, and the next reader does not restart it.
        let game = Arc::clone(self);
        Some(tokio::spawn(async move { game.refresh().await }))
    }

    /// The current status, without a request.
    #[must_use]
    pub fn known(&self) -> Known {
        let recent = self.last_found().filter(|_| !self.is_hidden());
        let source = recent.as_ref().map(|found| found.source);
        match recent {
            Some(found) if !self.hides(&found) => Known {
                status: found.status,
                running: found.running,
                source,
                private: false,
            },
            hidden => Known {
                status: GameStatus::plain(GameStatus::ONLINE),
                running: None,
                source,
                private: hidden.is_some(),
            },
        }
    }

    /// Hides what is played whenever this is true: the owner is online, and nothing else is shown or
    /// requested.
    pub fn hide_while(&self, hidden: impl Fn() -> bool + Send + Sync + 'static) {
        self.private.hide_while(hidden);
    }

    /// Which games are private, whenever that is asked. They are not looked up.
    pub fn keep_private(&self, is_private: impl Fn(&GameNames) -> bool + Send + Sync + 'static) {
        self.private.follow(is_private);
    }

    /// Reports a hidden window in the foreground. The game it belongs to is
    /// private until it ends, whatever is in the foreground later.
    pub fn saw_hidden(&self, window: ForegroundApp) {
        self.private.saw_hidden(window, self.clock());
    }

    fn is_hidden(&self) -> bool {
        self.private.is_hidden()
    }

    /// The cover of the game with this number while that game runs and is shown.
    pub async fn cover(&self, number: u32) -> Option<Cover> {
        let running = self.known().running?;
        if running.cover != Some(number) {
            return None;
        }
        let page = store::page(&self.settings, number, &self.answers).await;
        store::cover(&self.settings, &page.value?.cover, &self.answers).await
    }

    /// Where the Steam client is installed; `None` where none was found, or it
    /// is disabled.
    pub async fn client_folder(&self) -> Option<PathBuf> {
        self.local.as_ref()?.place().await
    }

    /// Why nothing better is known; `None` without a failure, and before the first request. It contains no key and no URL.
    #[must_use]
    pub fn trouble(&self) -> Option<Message> {
        self.cached().trouble.clone()
    }

    fn clock(&self) -> &Clock {
        &self.answers.clock
    }

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
        cached.status.is_due(self.clock())
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

    fn last_found(&self) -> Option<FoundStatus> {
        self.cached()
            .status
            .last_within(MAX_STALE, self.clock())
            .cloned()
    }

    /// One refresh, unless another has just ended.
    async fn refresh(&self) {
        let _turn = self.turn.lock().await;
        if !self.is_due() {
            return;
        }
        let outcome = match self.activity().await {
            Ok(activity) => Ok(self.status_of(activity).await),
            Err(failure) => Err(failure),
        };
        let mut cached = self.cached();
        let trouble = match outcome {
            Ok((found, failure)) => {
                cached.status.answered(found, self.clock(), STATUS);
                failure.map(|failure| failure.why)
            }
            Err(failure) => {
                let why = failure.why.clone();
                cached.status.failed(failure, self.clock(), STATUS);
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

    /// What the owner does, by the Steam client on this machine where that runs a game, else by the
    /// Web API.
    async fn activity(&self) -> Result<Activity, Failure> {
        let here = match &self.local {
            Some(local) => local.game().await,
            None => Ok(None),
        };
        if let Ok(Some(local)) = here {
            return Ok(Activity {
                presence: Presence::Playing(local.game),
                minutes: local.minutes,
                source: GameSource::Client,
                programs: local.programs,
            });
        }
        let (presence, source) = match (&self.account, here) {
            (Ok(account), _) => {
                let mut presence = account.presence(&self.answers).await?;
                // Steam may leave the name out.
                if let Presence::Playing(game) = &mut presence
                    && game.name.is_empty()
                    && let Some(local) = &self.local
                {
                    game.name = local.name(game.id).await;
                }
                (presence, GameSource::WebApi)
            }
            (Err(no_account), Err(no_client)) => {
                let (one, other) = (no_client, no_account.clone());
                return Err(crate::detail!("{one}, and {other}").into());
            }
            (Err(_), Ok(_)) => (Presence::Online, GameSource::Client),
        };
        Ok(Activity {
            presence,
            minutes: None,
            source,
            programs: Vec::new(),
        })
    }

    /// The status, and the failure if a look-up failed. A private game is not looked up: neither the
    /// store nor Steam is asked about it.
    async fn status_of(&self, activity: Activity) -> (FoundStatus, Option<Failure>) {
        let mut found = FoundStatus {
            status: GameStatus::plain(match activity.presence {
                Presence::Playing(_) => GameStatus::IN_GAME,
                Presence::Offline if self.settings.report_offline => GameStatus::OFFLINE,
                Presence::Offline | Presence::Online => GameStatus::ONLINE,
            }),
            running: None,
            source: activity.source,
            programs: activity.programs,
        };
        let Presence::Playing(game) = &activity.presence else {
            self.private.no_game_runs(self.clock());
            *self.running.lock() = None;
            return (found, None);
        };
        let names = GameNames::new(&game.name, &game.id.to_string(), &found.programs);
        let is_private = self.private.keeps(&names);
        let played = found.status.game.insert(PlayedGame {
            game: game.name.clone(),
            game_id: game.id.to_string(),
            description: String::new(),
            price: String::new(),
            playtime: String::new(),
            achievement_percentage: display_text::NO_ACHIEVEMENTS.to_owned(),
        });
        if is_private {
            return (found, None);
        }
        let (running, failure) = self.look_up(game, activity.minutes, played).await;
        found.running = Some(running);
        (found, failure)
    }

    /// Adds what the store and the account know of a game; unknown fields stay empty. `minutes`
    /// takes precedence over the account's play time. Returns the game for the owner, and the
    /// failure if a look-up failed.
    async fn look_up(
        &self,
        game: &SteamGame,
        minutes: Option<u64>,
        played: &mut PlayedGame,
    ) -> (RunningGame, Option<Failure>) {
        let mut running = RunningGame {
            cover: None,
            since: self.runs_since(game.id).as_millis(),
            minutes,
            achievements: None,
        };
        let mut failure = None;
        if let Some(number) = game.store_number() {
            let of_account = async {
                let Ok(account) = &self.account else {
                    return (Found::default(), Found::default());
                };
                tokio::join!(
                    account.playtimes(&self.answers),
                    account.achievements(number, &self.answers),
                )
            };
            let (page, (times, reached)) = tokio::join!(
                store::page(&self.settings, number, &self.answers),
                of_account,
            );
            if let Some(page) = page.value {
                played.description = page.description;
                played.price = page.price;
                running.cover = (!page.cover.is_empty()).then_some(number);
                if played.game.is_empty() {
                    played.game = page.name;
                }
            }
            let of_owned = times.value.and_then(|times| times.get(&number).copied());
            running.minutes = minutes.or(of_owned);
            running.achievements = reached.value.flatten();
            failure = page.failure.or(times.failure).or(reached.failure);
        }
        if let Some(minutes) = running.minutes {
            played.playtime = display_text::playtime(minutes);
        }
        if let Some(achievements) = running.achievements {
            played.achievement_percentage =
                display_text::achievements(achievements.reached, achievements.of);
        }
        (running, failure)
    }

    /// When the game that runs was first seen to.
    fn runs_since(&self, game: u64) -> Timestamp {
        let mut running = self.running.lock();
        match *running {
            Some((known, since)) if known == game => since,
            _ => running.insert((game, self.clock().now())).1,
        }
    }
}
