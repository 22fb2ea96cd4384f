//! The place of the owner's game.

use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::game::window::{GamePage, GameTrials};
use tauri::State;

/// Everything about the game.
#[tauri::command]
pub(crate) async fn game(host: State<'_, Host>) -> Result<GamePage, Message> {
    Ok(host.game_page().await)
}

/// Tests both sources now.
#[tauri::command]
pub(crate) async fn test_game(host: State<'_, Host>) -> Result<GameTrials, Message> {
    Ok(host.service().game().test().await)
}
