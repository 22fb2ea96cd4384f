//! The Steam client on this machine: which game runs, its name and its play
//! time. It needs no key and no network.

mod files;
mod running;

use std::path::PathBuf;

use self::files::SteamFiles;
use self::running::Running;
use super::cached::Failure;
use super::sources::RunningGame;
use crate::error::message::Message;
use crate::game::window::PlayedGame;

/// The client on this machine.
#[derive(Debug, Clone)]
pub(super) struct LocalSteam {
    /// Where it is installed, from the settings; otherwise it is searched for.
    folder: Option<PathBuf>,
    /// The owner's SteamID, when the settings have it.
    steam_id: Option<String>,
}

/// A game that runs on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalGame {
    pub(super) game: RunningGame,
    /// Minutes played, as far as the client has saved them.
    pub(super) minutes: Option<u64>,
    /// The names of its programs, where they are known.
    pub(super) programs: Vec<String>,
}

/// Why the client gives no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LocalError {
    NotInstalled,
    #[cfg(not(any(target_os = "linux", windows)))]
    Unsupported,
    Processes,
}

impl From<&LocalError> for Message {
    fn from(error: &LocalError) -> Self {
        match error {
            LocalError::NotInstalled => Self::NoSteamClient,
            #[cfg(not(any(target_os = "linux", windows)))]
            LocalError::Unsupported => Self::SteamClientMute,
            LocalError::Processes => Self::ProcessesUnreadable,
        }
    }
}

impl From<LocalError> for Failure {
    fn from(error: LocalError) -> Self {
        Self {
            why: (&error).into(),
            pause: None,
        }
    }
}

impl LocalSteam {
    pub(super) fn new(folder: Option<PathBuf>, steam_id: Option<String>) -> Self {
        Self { folder, steam_id }
    }

    /// The game that runs now; `None` when none does.
    ///
    /// # Errors
    /// When there is no client to ask.
    pub(super) async fn game(&self) -> Result<Option<LocalGame>, LocalError> {
        let steam = self.clone();
        // Processes and files: it takes milliseconds, on a slow disk more.
        let look = tokio::task::spawn_blocking(move || steam.look());
        look.await.unwrap_or(Err(LocalError::Processes))
    }

    /// The name that the client has for a game; empty where it has none.
    pub(super) async fn name(&self, id: u64) -> String {
        let folder = self.folder.clone();
        let find =
            tokio::task::spawn_blocking(move || SteamFiles::find(folder.as_deref())?.name(id));
        find.await.ok().flatten().unwrap_or_default()
    }

    /// What was played on this machine by the owner's account, the latest
    /// first: at most `limit`. A game that is not installed any more has no
    /// name here.
    pub(super) async fn played(&self, limit: usize) -> Vec<PlayedGame> {
        let steam = self.clone();
        let read = tokio::task::spawn_blocking(move || {
            let Some(files) = SteamFiles::find(steam.folder.as_deref()) else {
                return Vec::new();
            };
            let games = files.played(steam.steam_id.as_deref());
            let game = |game: files::Played| PlayedGame {
                app_id: game.id,
                name: files.name(game.id.into()).unwrap_or_default(),
                minutes_lately: game.minutes_lately,
                minutes: game.minutes,
                last_played: game.last.checked_mul(1_000),
            };
            games.into_iter().take(limit).map(game).collect()
        });
        read.await.unwrap_or_default()
    }

    /// Where the client is installed, if it is.
    pub(super) async fn place(&self) -> Option<PathBuf> {
        let folder = self.folder.clone();
        let find = tokio::task::spawn_blocking(move || {
            SteamFiles::find(folder.as_deref()).map(|files| files.folder().to_owned())
        });
        find.await.ok().flatten()
    }

    fn look(&self) -> Result<Option<LocalGame>, LocalError> {
        let files = SteamFiles::find(self.folder.as_deref());
        let running = running::game(self.folder.as_deref())?;
        match (running, files) {
            (None, None) => Err(LocalError::NotInstalled),
            (None, Some(_)) => Ok(None),
            // A client installed elsewhere still starts games.
            (Some(running), None) => Ok(Some(LocalGame {
                game: RunningGame {
                    id: running.id,
                    name: String::new(),
                },
                minutes: None,
                programs: running.programs,
            })),
            (Some(Running { id, programs }), Some(files)) => Ok(Some(LocalGame {
                minutes: files.minutes(id, self.steam_id.as_deref()),
                programs,
                game: RunningGame {
                    name: files.name(id).unwrap_or_default(),
                    id,
                },
            })),
        }
    }
}
