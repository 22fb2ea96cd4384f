//! The owner's game status: what is being played, and what is told of it.
//!
//! Readers are answered from memory. When that is too old, one of them sets
//! off one round of questions, and all who ask meanwhile share its outcome, so
//! that no number of readers makes more calls to Steam.
//!
//! The Steam client on this machine is asked first, since it needs no key. The
//! Web API is asked when no game runs here, for there may be one elsewhere,
//! and it fills what the client does not know.

mod answers;
mod details;
mod kept;
mod local;
mod owner;
mod presence;
mod private;
mod sources;
mod steam;
mod store;
mod words;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use porchlight_api::GameStatus;
use porchlight_api::window::{Front, GameSource};

use tokio::task::JoinHandle;

use self::answers::Answers;
use self::details::Details;
use self::kept::{Failure, Kept, Lifetime};
use self::local::LocalSteam;
use self::presence::Presence;
use self::private::Private;
use self::sources::Sources;
use self::steam::SteamAccount;
use self::store::Store;
use crate::clock::Clock;
use crate::settings::GameSettings;

/// How long a status is good for, and how long Steam is left alone after it
/// failed.
const STATUS: Lifetime = Lifetime {
    answer: Duration::from_secs(30),
    failure: Duration::from_secs(15),
};

/// For how long the last status is told while Steam fails. A game seldom ends
/// sooner; after it, the owner counts as online.
const STILL_TOLD: Duration = Duration::from_secs(5 * 60);

/// How long a reader waits for a new status where a recent one could be told.
const PATIENCE: Duration = Duration::from_secs(2);

pub use self::private::GameNames;

/// The owner's game status.
pub struct Game {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Clock,
    report_offline: bool,
    hidden: AtomicBool,
    private: Private,
    told: Mutex<Told>,
    sources: Sources,
    /// Locked for a whole round of questions: whoever waits for it finds the
    /// answer of the one before.
    details: tokio::sync::Mutex<Details>,
    settings: GameSettings,
    answers: Answers,
    /// Locked while the sources are tried.
    trial: tokio::sync::Mutex<()>,
}

struct Told {
    status: Kept<Found>,
    trouble: Option<String>,
}

/// A status, and who knew of it.
#[derive(Debug, Clone)]
struct Found {
    status: GameStatus,
    source: GameSource,
    /// What its programs on this machine are called.
    programs: Vec<String>,
}

/// What is told without asking anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What readers are told.
    pub status: GameStatus,
    /// Who knew of it; `None` where nothing recent is known.
    pub source: Option<GameSource>,
    /// Whether there is a game that is kept private.
    pub private: bool,
}

impl Game {
    /// The status of the account in the settings; nothing is asked before
    /// somebody wants to know. `http` should follow no redirects, since they
    /// could carry the key elsewhere.
    #[must_use]
    pub fn new(settings: &GameSettings, http: reqwest::Client, clock: Clock) -> Self {
        Self::with(settings, http, clock, Answers::default())
    }

    /// The status by other settings. What is private stays so, and what was
    /// answered is kept where they ask the same of the same.
    #[must_use]
    pub fn followed_by(&self, settings: &GameSettings, http: reqwest::Client) -> Self {
        let shared = &self.shared;
        let answers = shared.answers.still_valid(&shared.settings, settings);
        let next = Self::with(settings, http, shared.clock.clone(), answers);
        next.hide(self.is_hidden());
        next.shared.private.copy(&shared.private);
        next
    }

    fn with(
        settings: &GameSettings,
        http: reqwest::Client,
        clock: Clock,
        answers: Answers,
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
            (None, Some(_)) => "game.steam_api_key is not set",
            (Some(_), None) => "game.steam_id is not set",
            _ => "game.steam_api_key and game.steam_id are not set",
        };
        let local = settings
            .local_steam
            .then(|| LocalSteam::new(settings.steam_folder.clone(), settings.steam_id.clone()));
        let nobody = local.is_none() && account.is_none();
        let store = Store::new(
            http,
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
        let told = Told {
            status: Kept::default(),
            trouble: nobody.then(|| no_account.to_owned()),
        };
        let report_offline = settings.report_offline;
        let shared = Shared {
            clock,
            report_offline,
            hidden: AtomicBool::new(false),
            private: Private::default(),
            told: Mutex::new(told),
            sources,
            details: tokio::sync::Mutex::new(details),
            settings: settings.clone(),
            answers,
            trial: tokio::sync::Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// What is told now. It never fails: when nothing recent is known, the
    /// owner is online. It may take some seconds when Steam is slow.
    pub async fn status(&self) -> GameStatus {
        if self.is_hidden() {
            return GameStatus::plain(GameStatus::ONLINE);
        }
        if let Some(round) = self.look() {
            let could_be_told = self.shared.recent().is_some();
            if could_be_told {
                let _ = tokio::time::timeout(PATIENCE, round).await;
            } else if let Err(error) = round.await {
                tracing::error!(%error, "asking for the game status ended early");
            }
        }
        // Asked last: it may have been hidden meanwhile.
        self.known().status
    }

    /// Has Steam asked, if it is time to and there is somebody to ask. Must be
    /// called on a tokio runtime.
    pub fn look(&self) -> Option<JoinHandle<()>> {
        let due = || self.shared.told().status.is_due(&self.shared.clock);
        if self.is_hidden() || self.shared.sources.is_empty() || !due() {
            return None;
        }
        // A task of its own: a reader who hangs up does not stop what others
        // wait for, nor does the next one begin again.
        let shared = Arc::clone(&self.shared);
        Some(tokio::spawn(async move { shared.ask().await }))
    }

    /// What is told now, without asking anybody.
    #[must_use]
    pub fn known(&self) -> Known {
        let recent = self.shared.recent().filter(|_| !self.is_hidden());
        let is_private = |found: &Found| {
            let game = found.status.game.as_ref();
            let names = game.map(|game| GameNames::new(&game.game, &game.game_id, &found.programs));
            names.is_some_and(|names| self.shared.private.keeps(&names))
        };
        let nothing = || GameStatus::plain(GameStatus::ONLINE);
        match recent {
            Some(found) if is_private(&found) => Known {
                status: nothing(),
                source: Some(found.source),
                private: true,
            },
            Some(found) => Known {
                status: found.status,
                source: Some(found.source),
                private: false,
            },
            None => Known {
                status: nothing(),
                source: None,
                private: false,
            },
        }
    }

    /// Hides what is played until it is shown again: the owner is online, and
    /// nothing more is told or asked.
    pub fn hide(&self, hidden: bool) {
        self.shared.hidden.store(hidden, Ordering::Release);
    }

    /// Which games are not told from now on.
    pub fn keep_private(&self, is_private: impl Fn(&GameNames) -> bool + Send + Sync + 'static) {
        self.shared.private.follow(is_private);
    }

    /// Says that this window was in front and is told to nobody. The game it
    /// belongs to is kept private until it ends, whatever comes in front.
    pub fn saw_hidden(&self, window: Front) {
        self.shared.private.saw_hidden(window, &self.shared.clock);
    }

    fn is_hidden(&self) -> bool {
        self.shared.hidden.load(Ordering::Acquire)
    }

    /// Why nothing better is known, in words for the owner; `None` when all is
    /// well, and before the first question. It holds no key and no address.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.shared.told().trouble.clone()
    }
}

impl Shared {
    fn told(&self) -> MutexGuard<'_, Told> {
        // Every change of it is whole, so a panic elsewhere has not broken it.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> Option<Found> {
        self.told()
            .status
            .last_within(STILL_TOLD, &self.clock)
            .cloned()
    }

    /// One round of questions, unless another has just ended.
    async fn ask(&self) {
        let mut details = self.details.lock().await;
        if !self.told().status.is_due(&self.clock) {
            return;
        }
        let outcome = match self.sources.doing(&self.answers, &self.clock).await {
            Ok(doing) => {
                if !matches!(doing.presence, Presence::Playing(_)) {
                    self.private.no_game_runs(&self.clock);
                }
                let (presence, minutes) = (doing.presence, doing.minutes);
                let (status, failure) = self.status_of(presence, minutes, &mut details).await;
                let found = Found {
                    status,
                    source: doing.source,
                    programs: doing.programs,
                };
                Ok((found, failure))
            }
            Err(failure) => Err(failure),
        };
        let mut told = self.told();
        let trouble = match outcome {
            Ok((found, of_details)) => {
                told.status.answered(found, &self.clock, STATUS);
                of_details.map(|failure| failure.why)
            }
            Err(failure) => {
                let why = failure.why.clone();
                told.status.failed(failure, &self.clock, STATUS);
                Some(why)
            }
        };
        if trouble != told.trouble {
            match &trouble {
                Some(why) => tracing::warn!("the game status is incomplete: {why}"),
                None => tracing::info!("the game status is complete again"),
            }
            told.trouble = trouble;
        }
    }

    async fn status_of(
        &self,
        presence: Presence,
        minutes: Option<u64>,
        details: &mut Details,
    ) -> (GameStatus, Option<Failure>) {
        match presence {
            Presence::Playing(game) => {
                let (played, failure) = details.of(&game, minutes, &self.clock).await;
                let status = GameStatus::IN_GAME.to_owned();
                (
                    GameStatus {
                        status,
                        game: Some(played),
                    },
                    failure,
                )
            }
            Presence::Offline if self.report_offline => {
                (GameStatus::plain(GameStatus::OFFLINE), None)
            }
            Presence::Offline | Presence::Online => (GameStatus::plain(GameStatus::ONLINE), None),
        }
    }
}
