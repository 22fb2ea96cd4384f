//! Which games are kept private: those that the owner's rules name, and those
//! whose window was hidden while they ran.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::presence::window::ForegroundApp;

/// Hidden windows that are remembered; a game seldom has more than one.
const MOST_WINDOWS: usize = 64;

/// For how long a hidden window is remembered where no game is found: the Web
/// API may not know yet of one that has started.
const MAY_NOT_BE_KNOWN: Duration = Duration::from_secs(5 * 60);

/// The names of a running game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameNames {
    /// Its name in the store; may be empty.
    pub name: String,
    /// The names of its programs and windows: `steam_app_620`, Steam's name for
    /// the windows of game 620, and the programs that the Steam client on this
    /// machine has started for it.
    pub programs: Vec<String>,
}

impl GameNames {
    pub(super) fn new(name: &str, id: &str, programs: &[String]) -> Self {
        let of_steam = format!("steam_app_{id}");
        Self {
            name: name.to_owned(),
            programs: std::iter::once(of_steam)
                .chain(programs.iter().cloned())
                .collect(),
        }
    }

    /// Whether this may be a window of the game.
    fn has(&self, window: &ForegroundApp) -> bool {
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        let (own, of_window): (Vec<_>, Vec<_>) = (lower(&self.programs), lower(&window.names));
        let name = self.name.to_lowercase();
        let named = |text: &str| !name.is_empty() && text.contains(&name);
        of_window
            .iter()
            .any(|program| own.contains(program) || named(program))
            || named(&window.title.to_lowercase())
    }
}

type IsHidden = Arc<dyn Fn() -> bool + Send + Sync>;
type IsPrivate = Arc<dyn Fn(&GameNames) -> bool + Send + Sync>;

/// What is kept private.
#[derive(Default)]
pub(super) struct Private(Mutex<Inner>);

#[derive(Clone, Default)]
struct Inner {
    hidden: Option<IsHidden>,
    rules: Option<IsPrivate>,
    /// Which windows were hidden since a game last ended, and when they were
    /// seen last, the latest last.
    windows: Vec<(ForegroundApp, Timestamp)>,
}

impl Private {
    pub(super) fn hide_while(&self, hidden: impl Fn() -> bool + Send + Sync + 'static) {
        self.inner().hidden = Some(Arc::new(hidden));
    }

    pub(super) fn is_hidden(&self) -> bool {
        let hidden = self.inner().hidden.clone();
        hidden.is_some_and(|hidden| hidden())
    }

    pub(super) fn follow(&self, rules: impl Fn(&GameNames) -> bool + Send + Sync + 'static) {
        self.inner().rules = Some(Arc::new(rules));
    }

    /// Remembers a window that was hidden: what runs may be its game.
    pub(super) fn saw_hidden(&self, window: ForegroundApp, clock: &Clock) {
        let windows = &mut self.inner().windows;
        windows.retain(|(known, _)| *known != window);
        if windows.len() >= MOST_WINDOWS {
            windows.remove(0);
        }
        windows.push((window, clock.now()));
    }

    /// No game runs: what was hidden before belongs to none.
    pub(super) fn no_game_runs(&self, clock: &Clock) {
        let recent = |at: Timestamp| clock.since(at).is_none_or(|age| age < MAY_NOT_BE_KNOWN);
        self.inner().windows.retain(|(_, at)| recent(*at));
    }

    pub(super) fn copy(&self, other: &Self) {
        let other = other.inner().clone();
        *self.inner() = other;
    }

    pub(super) fn keeps(&self, game: &GameNames) -> bool {
        let Inner { rules, windows, .. } = self.inner().clone();
        windows.iter().any(|(window, _)| game.has(window)) || rules.is_some_and(|rules| rules(game))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock()
    }
}
