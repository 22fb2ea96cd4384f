//! The sources of the game status: the Steam client on this machine, and the
//! Web API. What any of them says of the owner.

use std::sync::Arc;

use super::answers::SteamAnswers;
use super::cached::Failure;
use super::local::LocalSteam;
use super::steam::SteamAccount;
use crate::clock::Clock;
use crate::error::message::Message;
use crate::game::window::GameSource;

/// What the owner is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Presence {
    Offline,
    Online,
    Playing(RunningGame),
}

/// A game that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunningGame {
    /// Steam's number of it. One that the owner added by hand has a number
    /// beyond 31 bits, or beyond 32 in the Web API, which the store does not
    /// know.
    pub(super) id: u64,
    /// Its name; may be empty.
    pub(super) name: String,
}

impl RunningGame {
    /// The number under which the store knows it.
    pub(super) fn store_number(&self) -> Option<u32> {
        i32::try_from(self.id).ok().map(i32::unsigned_abs)
    }
}

/// What the owner is playing, and by which source.
pub(super) struct GameActivity {
    pub(super) presence: Presence,
    /// Minutes of the game that this machine knows of.
    pub(super) minutes: Option<u64>,
    pub(super) source: GameSource,
    /// The names of the game's programs on this machine.
    pub(super) programs: Vec<String>,
}

pub(super) struct Sources {
    pub(super) local: Option<LocalSteam>,
    pub(super) account: Option<Arc<SteamAccount>>,
    /// Which settings the Web API lacks.
    pub(super) no_account: Message,
    /// Whether there is a key without an account.
    pub(super) key_alone: bool,
}

impl Sources {
    /// Whether there is no source.
    pub(super) fn is_empty(&self) -> bool {
        self.local.is_none() && self.account.is_none()
    }

    /// What the owner does.
    pub(super) async fn doing(
        &self,
        answers: &SteamAnswers,
        clock: &Clock,
    ) -> Result<GameActivity, Failure> {
        let here = match &self.local {
            Some(local) => Some(local.game().await),
            None => None,
        };
        if let Some(Ok(Some(local))) = here {
            return Ok(GameActivity {
                presence: Presence::Playing(local.game),
                minutes: local.minutes,
                source: GameSource::Client,
                programs: local.programs,
            });
        }
        let known = |presence, source| GameActivity {
            presence,
            minutes: None,
            source,
            programs: Vec::new(),
        };
        match (&self.account, here) {
            (Some(account), _) => {
                let mut presence = answers.presence(account, clock).await?;
                // Steam may leave the name out.
                if let Presence::Playing(game) = &mut presence
                    && game.name.is_empty()
                    && let Some(local) = &self.local
                {
                    game.name = local.name(game.id).await;
                }
                Ok(known(presence, GameSource::WebApi))
            }
            (None, Some(Err(error))) => Err(Failure {
                why: Message::NeitherSource {
                    one: (&error).into(),
                    other: self.no_account.clone().into(),
                },
                pause: None,
            }),
            (None, _) => Ok(known(Presence::Online, GameSource::Client)),
        }
    }
}
