//! The place of the owner's game.

use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::game::window::GamePage;
use tauri::State;

/// Everything about the game.
#[tauri::command]
pub(crate) async fn game(host: State<'_, Host>) -> Result<GamePage, Message> {
    Ok(host.game_page().await)
}
