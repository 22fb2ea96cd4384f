//! The Steam client on this machine: which game runs, its name and its play
//! time. It needs no key and no network.

mod files;
mod running;

use std::path::PathBuf;

use self::files::SteamFiles;
use self::running::Running;
use super::steam::SteamGame;
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
    pub(super) game: SteamGame,
    /// Minutes played, as far as the client has saved them.
    pub(super) minutes: Option<u64>,
    /// The names of its programs, where they are known.
    pub(super) programs: Vec<String>,
}

impl LocalSteam {
    pub(super) fn new(folder: Option<PathBuf>, steam_id: Option<String>) -> Self {
        Self { folder, steam_id }
    }

    /// The game that runs now; `None` when none does.
    ///
    /// # Errors
    /// When there is no client to ask.
    pub(super) async fn game(&self) -> Result<Option<LocalGame>, Message> {
        let steam = self.clone();
        // Processes and files: it takes milliseconds, on a slow disk more.
        let look = tokio::task::spawn_blocking(move || steam.look());
        look.await.unwrap_or(Err(crate::detail!(
            "the programs of this machine could not be looked at"
        )))
    }

    /// The name that the client has for a game; empty where it has none.
    pub(super) async fn name(&self, id: u64) -> String {
        let name = self.of_files(move |files, _| files.name(id));
        name.await.flatten().unwrap_or_default()
    }

    /// What was played on this machine by the owner's account, the latest
    /// first: at most `limit`. A game that is not installed any more has no
    /// name here.
    pub(super) async fn played(&self, limit: usize) -> Vec<PlayedGame> {
        let played = self.of_files(move |files, steam_id| {
            let game = |game: files::Played| PlayedGame {
                app_id: game.id,
                name: files.name(game.id.into()).unwrap_or_default(),
                minutes_lately: game.minutes_lately,
                minutes: game.minutes,
                last_played: game.last.checked_mul(1_000),
            };
            let games = files.played(steam_id).into_iter();
            games.take(limit).map(game).collect()
        });
        played.await.unwrap_or_default()
    }

    /// Where the client is installed, if it is.
    pub(super) async fn place(&self) -> Option<PathBuf> {
        self.of_files(|files, _| files.folder().to_owned()).await
    }

    /// What its files have for the SteamID in the settings; `None` where it is not installed.
    async fn of_files<T: Send + 'static>(
        &self,
        read: impl FnOnce(&SteamFiles, Option<&str>) -> T + Send + 'static,
    ) -> Option<T> {
        let steam = self.clone();
        let read = tokio::task::spawn_blocking(move || {
            let files = SteamFiles::find(steam.folder.as_deref())?;
            Some(read(&files, steam.steam_id.as_deref()))
        });
        read.await.ok().flatten()
    }

    fn look(&self) -> Result<Option<LocalGame>, Message> {
        let files = SteamFiles::find(self.folder.as_deref());
        let Some(Running { id, programs }) = running::game(self.folder.as_deref())? else {
            return files
                .map(|_| None)
                .ok_or(crate::detail!("no Steam client was found on this machine"));
        };
        // A client installed elsewhere still starts games.
        let files = files.as_ref();
        let name = files.and_then(|files| files.name(id)).unwrap_or_default();
        Ok(Some(LocalGame {
            game: SteamGame { id, name },
            minutes: files.and_then(|files| files.minutes(id, self.steam_id.as_deref())),
            programs,
        }))
    }
}
