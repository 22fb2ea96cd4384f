//! The game status with the settings as they are now.

use std::sync::{Arc, PoisonError, RwLock};

use super::Game;

/// The current game status; clones are the same one.
#[derive(Clone)]
pub(crate) struct CurrentGame(Arc<RwLock<Arc<Game>>>);

impl CurrentGame {
    pub(crate) fn new(game: Game) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(game))))
    }

    pub(crate) fn get(&self) -> Arc<Game> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces it by what becomes of it.
    pub(crate) fn change(&self, change: impl FnOnce(&Game) -> Game) {
        let mut game = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *game = Arc::new(change(&game));
    }
}
