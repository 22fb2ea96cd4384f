//! A game's details beyond its name, from the store and the owner's account,
//! requested concurrently and cached for as long as each is valid.

use std::sync::Arc;
use std::time::Duration;

use super::answers::{OfAccount, SteamAnswers};
use super::cached::{Failure, Lifetime, kept};
use super::display_text;
use super::sources::RunningGame;
use super::steam::SteamAccount;
use super::store::Store;
use crate::clock::Clock;
use crate::http::replies::PlayedGame;

/// The store changes little in a day, and limits calls.
const STORE: Lifetime = Lifetime {
    answer: Duration::from_secs(24 * 60 * 60),
    failure: Duration::from_secs(60),
};

/// Play time and achievements change while the owner plays.
const ACCOUNT: Lifetime = Lifetime {
    answer: Duration::from_secs(5 * 60),
    failure: Duration::from_secs(60),
};

/// Games that are remembered; an owner does not play more of them in a day.
const MOST_GAMES: usize = 256;

/// Looks up the details of games.
pub(super) struct Details {
    store: Store,
    /// The account whose play time and achievements are shown, where they may
    /// be requested.
    account: Option<Arc<SteamAccount>>,
    answers: SteamAnswers,
}

impl Details {
    pub(super) fn new(
        store: Store,
        account: Option<Arc<SteamAccount>>,
        answers: SteamAnswers,
    ) -> Self {
        Self {
            store,
            account,
            answers,
        }
    }

    /// This game without what is looked up.
    pub(super) fn named(game: &RunningGame) -> PlayedGame {
        PlayedGame {
            game: game.name.clone(),
            game_id: game.id.to_string(),
            description: String::new(),
            price: String::new(),
            playtime: String::new(),
            achievement_percentage: display_text::NO_ACHIEVEMENTS.to_owned(),
        }
    }

    /// All details of this game, and the failure if a lookup failed. Unknown
    /// fields are empty. `minutes` takes precedence over the account's play
    /// time.
    pub(super) async fn of(
        &mut self,
        game: &RunningGame,
        minutes: Option<u64>,
        clock: &Clock,
    ) -> (
        PlayedGame,
        crate::game::window::RunningGame,
        Option<Failure>,
    ) {
        let mut played = PlayedGame {
            playtime: minutes.map_or_else(String::new, display_text::playtime),
            ..Self::named(game)
        };
        let mut running = crate::game::window::RunningGame {
            cover: None,
            since: self.answers.runs(game.id, clock).as_millis(),
            minutes,
            achievements: None,
        };
        let Some(number) = game.store_number() else {
            return (played, running, None);
        };
        let mut pages = self.answers.pages.lock().await;
        let mut of_account = self.answers.of_account.lock().await;
        let OfAccount {
            playtimes,
            achievements,
        } = &mut *of_account;
        let page = kept(&mut pages, number, MOST_GAMES);
        let achievements = kept(achievements, number, MOST_GAMES);
        let asked_account = async {
            let Some(account) = &self.account else {
                return Ok(());
            };
            let (times, reached) = tokio::join!(
                playtimes.refresh(clock, ACCOUNT, account.playtimes()),
                achievements.refresh(clock, ACCOUNT, account.achievements(number)),
            );
            times.and(reached)
        };
        let (of_store, asked) = tokio::join!(
            page.refresh(clock, STORE, self.store.page(number)),
            asked_account,
        );
        if let Some(page) = page.last() {
            played.description.clone_from(&page.description);
            played.price.clone_from(&page.price);
            running.cover = (!page.cover.is_empty()).then_some(number);
            if played.game.is_empty() {
                played.game.clone_from(&page.name);
            }
        }
        let of_owned = playtimes.last().and_then(|times| times.get(&number));
        if let Some(minutes) = minutes.or(of_owned.copied()) {
            played.playtime = display_text::playtime(minutes);
            running.minutes = Some(minutes);
        }
        if let Some(Some(achievements)) = achievements.last() {
            played.achievement_percentage =
                display_text::achievements(achievements.reached, achievements.of);
            running.achievements = Some(*achievements);
        }
        (played, running, of_store.and(asked).err())
    }
}
