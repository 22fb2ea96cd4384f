//! What only the owner sees of their games: what they played lately, and the
//! outcome of a test of each source.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Game;
use super::cached::{Failure, Lifetime};
use super::local::LocalError;
use super::sources::{Presence, RunningGame};
use super::steam::SteamError;
use crate::error::message::Message;
use crate::game::window::{GameTrial, GameTrials, PlayedGame};

/// Games that are listed.
const MOST: usize = 12;
/// The number of games of this machine that are considered: some of them have
/// no name here.
const MOST_LOCAL: usize = 60;
/// What the Web API calls lately, in milliseconds: two weeks.
const LATELY: i64 = 14 * 24 * 60 * 60 * 1_000;
/// Play time changes while the owner plays.
const LIFETIME: Lifetime = Lifetime {
    answer: Duration::from_secs(5 * 60),
    failure: Duration::from_secs(60),
};
/// The client writes its files when a game ends.
const HERE: Lifetime = Lifetime {
    answer: Duration::from_secs(60),
    failure: Duration::ZERO,
};
/// The time limit for a source.
const TRIAL: Duration = Duration::from_secs(10);

impl Game {
    /// What the owner played, the latest first, at most twelve: from the files of the Steam client
    /// on this machine, read at most once in a minute, and from the Web API where a key is set,
    /// which is called at most once in five minutes.
    pub async fn recent(&self) -> Vec<PlayedGame> {
        let shared = &self.shared;
        let here = async {
            match &shared.sources.local {
                Some(local) => {
                    let mut kept = shared.answers.here.lock().await;
                    let read = async { Ok::<_, Failure>(local.played(MOST_LOCAL).await) };
                    // It reads dozens of files, and does not fail.
                    let _ = kept.refresh(&shared.clock, HERE, read).await;
                    kept.last().cloned().unwrap_or_default()
                }
                None => Vec::new(),
            }
        };
        let lately = async {
            let Some(account) = &shared.sources.account else {
                return Vec::new();
            };
            let mut kept = shared.answers.lately.lock().await;
            let refreshed = kept
                .refresh(&shared.clock, LIFETIME, account.lately())
                .await;
            if let Err(failure) = refreshed {
                tracing::debug!("no recently played games: {}", failure.why);
            }
            kept.last().cloned().unwrap_or_default()
        };
        let (here, lately) = tokio::join!(here, lately);
        let now = shared.clock.now().as_millis();
        together(here, lately, now)
    }

    /// Tests both sources now, which takes ten seconds at most, and invalidates the cached status.
    /// The Web API is not called before its `Retry-After` is over. No message contains the key.
    pub async fn test(&self) -> GameTrials {
        let shared = &self.shared;
        let _one_at_a_time = shared.trial.lock().await;
        let sources = &shared.sources;
        let client = async {
            let Some(local) = &sources.local else {
                return GameTrial::Off;
            };
            match tokio::time::timeout(TRIAL, local.game()).await {
                Ok(Ok(game)) => answered(game.map(|local| local.game)),
                Ok(Err(error)) => failed(local_advice(&error)),
                Err(_) => failed(Message::SteamFilesSlow),
            }
        };
        let web_api = async {
            let Some(account) = &sources.account else {
                return if sources.key_alone {
                    failed(sources.no_account.clone())
                } else {
                    GameTrial::Off
                };
            };
            let refreshed = shared.answers.presence(account, &shared.clock);
            match tokio::time::timeout(TRIAL, refreshed).await {
                Ok(Ok(Presence::Playing(game))) => answered(Some(game)),
                Ok(Ok(Presence::Online | Presence::Offline)) => answered(None),
                Ok(Err(error)) => failed(advice(&error)),
                Err(_) => failed(Message::SteamSlow),
            }
        };
        let (client, web_api) = tokio::join!(client, web_api);
        // The cached status is refreshed, whether it was a failure or not.
        shared.cached().status.invalidate();
        drop(self.look());
        GameTrials { client, web_api }
    }

    /// Where the Steam client is installed; `None` where none was found, or it
    /// is disabled.
    pub async fn client_folder(&self) -> Option<PathBuf> {
        self.shared.sources.local.as_ref()?.place().await
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

fn answered(game: Option<RunningGame>) -> GameTrial {
    GameTrial::Answered {
        game: game.map(|game| match game.name.as_str() {
            "" => game.id.to_string(),
            _ => game.name,
        }),
    }
}

fn failed(why: Message) -> GameTrial {
    GameTrial::Failed { why }
}

fn local_advice(error: &LocalError) -> Message {
    let why = error.into();
    match error {
        LocalError::NotInstalled => Message::AdviseSteamFolder { why },
        #[cfg(not(any(target_os = "linux", windows)))]
        LocalError::Unsupported => Message::AdviseSteamKey { why },
        LocalError::Processes => Message::AdviseRestart { why },
    }
}

fn advice(error: &SteamError) -> Message {
    let why = error.into();
    match error {
        // These messages contain it already.
        SteamError::KeyRefused(_) | SteamError::NoSuchAccount => error.into(),
        SteamError::PrivateProfile => Message::AdviseSteamPublic { why },
        SteamError::TooManyCalls { .. } => Message::AdviseLater { why },
        SteamError::Silent(_) => Message::AdviseOnline { why },
        SteamError::Status(_) | SteamError::Garbled => Message::AdviseSteamApi { why },
    }
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
