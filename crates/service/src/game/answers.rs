//! Cached answers, valid while the settings request the same data of the same
//! account, and Steam's `Retry-After`.

use std::collections::HashMap;
use std::sync::Arc;

use secrecy::ExposeSecret as _;
use tokio::sync::Mutex;

use super::GameSettings;
use super::cached::Cached;
use super::cover::Cover;
use super::sources::Presence;
use super::steam::{SteamAccount, SteamError};
use super::store::StorePage;
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::game::window::{Achievements, PlayedGame};

/// Answers of every source; cheap to clone, and shared by the clones.
#[derive(Clone, Default)]
pub(super) struct SteamAnswers {
    pub(super) pages: Arc<Mutex<HashMap<u32, Cached<StorePage>>>>,
    pub(super) of_account: Arc<Mutex<OfAccount>>,
    /// What was played lately by the Web API; only for the owner.
    pub(super) lately: Arc<Mutex<Cached<Vec<PlayedGame>>>>,
    /// What was played on this machine, for the owner alone.
    pub(super) here: Arc<Mutex<Cached<Vec<PlayedGame>>>>,
    /// Covers by game, for the owner alone.
    pub(super) covers: Arc<Mutex<HashMap<u32, Cached<Cover>>>>,
    /// The game that runs, and when it was first seen to.
    running: Arc<parking_lot::Mutex<Option<(u64, Timestamp)>>>,
    /// The rate limit of the Web API, and when it was reported.
    pause: Arc<parking_lot::Mutex<Option<(SteamError, Timestamp)>>>,
}

/// Answers about the owner's account.
#[derive(Default)]
pub(super) struct OfAccount {
    pub(super) playtimes: Cached<HashMap<u32, u64>>,
    pub(super) achievements: HashMap<u32, Cached<Option<Achievements>>>,
}

impl SteamAnswers {
    /// The cached answers that are valid for these settings, too.
    pub(super) fn still_valid(&self, before: &GameSettings, now: &GameSettings) -> Self {
        let key = |settings: &GameSettings| {
            let key = settings.steam_api_key.as_ref();
            key.map(|key| key.expose_secret().to_owned())
        };
        let same_id = before.steam_id == now.steam_id;
        let account =
            same_id && key(before) == key(now) && before.steam_api_url == now.steam_api_url;
        let store = before.steam_store_url == now.steam_store_url
            && (&before.region, &before.language) == (&now.region, &now.language);
        let client = same_id
            && (before.local_steam, &before.steam_folder) == (now.local_steam, &now.steam_folder);
        let mut valid = Self {
            running: Arc::clone(&self.running),
            ..Self::default()
        };
        if store {
            valid.pages = Arc::clone(&self.pages);
            valid.covers = Arc::clone(&self.covers);
        }
        if account {
            valid.of_account = Arc::clone(&self.of_account);
            valid.lately = Arc::clone(&self.lately);
            valid.pause = Arc::clone(&self.pause);
        }
        if client {
            valid.here = Arc::clone(&self.here);
        }
        valid
    }

    /// Records that this game runs; returns when it was first seen to.
    pub(super) fn runs(&self, game: u64, clock: &Clock) -> Timestamp {
        let mut running = self.running.lock();
        match *running {
            Some((known, since)) if known == game => since,
            _ => running.insert((game, clock.now())).1,
        }
    }

    /// Records that no game runs.
    pub(super) fn nothing_runs(&self) {
        *self.running.lock() = None;
    }

    /// What the owner is playing; the Web API is not called before its
    /// `Retry-After` is over.
    pub(super) async fn presence(
        &self,
        account: &SteamAccount,
        clock: &Clock,
    ) -> Result<Presence, SteamError> {
        if let Some(error) = self.pause(clock) {
            return Err(error);
        }
        let answer = account.presence().await;
        if let Err(error @ SteamError::TooManyCalls { .. }) = &answer {
            let mut pause = self.pause.lock();
            *pause = Some((error.clone(), clock.now()));
        }
        answer
    }

    /// The rate-limit failure, with the rest of its pause.
    fn pause(&self, clock: &Clock) -> Option<SteamError> {
        let pause = self.pause.lock();
        let (error, at) = pause.as_ref()?;
        let SteamError::TooManyCalls { status, pause } = *error else {
            return None;
        };
        let left = pause?.checked_sub(clock.since(*at)?)?;
        (!left.is_zero()).then_some(SteamError::TooManyCalls {
            status,
            pause: Some(left),
        })
    }
}
