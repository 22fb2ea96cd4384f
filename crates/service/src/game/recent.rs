//! What the owner played lately, for them alone.

use std::collections::HashMap;
use std::time::Duration;

use super::Game;
use super::cached::Lifetime;
use crate::game::window::PlayedGame;

/// Games that are listed.
const MOST: usize = 12;
/// The number of games of this machine that are considered: some of them have
/// no name here.
const MOST_LOCAL: usize = 60;
/// What the Web API calls lately, in milliseconds: two weeks.
const LATELY: i64 = 14 * 24 * 60 * 60 * 1_000;
/// The client writes its files when a game ends.
const HERE: Lifetime = Lifetime {
    answer: Duration::from_secs(60),
    failure: Duration::ZERO,
};

impl Game {
    /// What the owner played, the latest first, at most twelve: from the files of the Steam client
    /// on this machine, read at most once in a minute, and from the Web API where a key is set,
    /// which is called at most once in five minutes.
    pub async fn recent(&self) -> Vec<PlayedGame> {
        let (here, lately) = tokio::join!(self.played_here(), self.played_lately());
        together(here, lately, self.clock().now().as_millis())
    }

    async fn played_here(&self) -> Vec<PlayedGame> {
        let Some(local) = &self.local else {
            return Vec::new();
        };
        let clock = self.clock();
        let mut kept = self.played_here.lock().await;
        if kept.is_due(clock) {
            kept.answered(local.played(MOST_LOCAL).await, clock, HERE);
        }
        kept.last().cloned().unwrap_or_default()
    }

    async fn played_lately(&self) -> Vec<PlayedGame> {
        let Ok(account) = &self.account else {
            return Vec::new();
        };
        let found = account.lately(&self.answers).await;
        if let Some(failure) = found.failure {
            tracing::debug!("no recently played games: {}", failure.why);
        }
        found.value.unwrap_or_default()
    }
}

/// Both lists as one. What was played elsewhere has no known time, but it was
/// within two weeks.
fn together(here: Vec<PlayedGame>, lately: Vec<PlayedGame>, now: i64) -> Vec<PlayedGame> {
    let mut elsewhere: HashMap<u32, PlayedGame> =
        lately.into_iter().map(|game| (game.app_id, game)).collect();
    let mut games: Vec<PlayedGame> = here
        .into_iter()
        .map(|mut game| {
            if let Some(known) = elsewhere.remove(&game.app_id) {
                if game.name.is_empty() {
                    game.name = known.name;
                }
                // Both only ever grow; the larger one is the newer.
                game.minutes = game.minutes.max(known.minutes);
                game.minutes_lately = known.minutes_lately.or(game.minutes_lately);
            }
            game
        })
        .collect();
    games.extend(elsewhere.into_values());
    games.retain(|game| !game.name.is_empty());
    games.sort_by_key(|game| {
        let last = game.last_played.unwrap_or(now - LATELY);
        (std::cmp::Reverse(last), game.app_id)
    });
    games.truncate(MOST);
    games
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_763_000_000_000;
    const DAY: i64 = 24 * 60 * 60 * 1_000;

    fn game(app_id: u32, name: &str, days_ago: Option<i64>, minutes: u32) -> PlayedGame {
        PlayedGame {
            app_id,
            name: name.to_owned(),
            minutes_lately: None,
            minutes: Some(minutes),
            last_played: days_ago.map(|days| NOW - days * DAY),
        }
    }

    #[test]
    fn games_of_both_lists_are_one_list_with_the_latest_first() {
        let here = vec![
            game(1, "Yesterday", Some(1), 10),
            game(2, "", Some(2), 20),
            game(3, "", Some(3), 30),
            game(4, "Last year", Some(365), 40),
        ];
        let lately = vec![
            game(5, "Elsewhere", None, 50),
            game(2, "Named by the Web API", None, 25),
        ];
        let games: Vec<_> = together(here, lately, NOW)
            .into_iter()
            .map(|game| (game.name, game.minutes))
            .collect();
        let named = |name: &str, minutes| (name.to_owned(), Some(minutes));
        assert_eq!(
            games,
            [
                named("Yesterday", 10),
                named("Named by the Web API", 25),
                named("Elsewhere", 50),
                named("Last year", 40),
            ]
        );
    }

    #[test]
    fn the_list_ends_after_twelve() {
        let here = (1..40).map(|id| game(id, "A game", Some(id.into()), id));
        assert_eq!(together(here.collect(), Vec::new(), NOW).len(), MOST);
    }
}
