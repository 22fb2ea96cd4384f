//! The owner's tokens. None of them reaches the page.

use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::settings::window::TokenGlance;
use porchlight_service::tokens::scope::Scope;
use secrecy::ExposeSecret as _;
use tauri::{AppHandle, State};

use crate::desktop::page_events;
use crate::desktop::put_on_clipboard;

/// All tokens, oldest first.
#[tauri::command]
pub(in crate::desktop) async fn tokens(host: State<'_, Host>) -> Result<Vec<TokenGlance>, Message> {
    host.tokens().list().await
}

/// Creates a token and copies it to the clipboard, once. It never reaches the page.
#[tauri::command]
pub(in crate::desktop) async fn new_token(
    name: String,
    scope: Scope,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    let token = host.tokens().create(&name, scope).await?;
    if let Err(error) = put_on_clipboard(&app, token.expose_secret()) {
        // It will never be used.
        let revoked = host.service().tokens().revoke(name.trim()).await;
        tracing::warn!(?revoked, "a new token was taken back");
        return Err(error);
    }
    page_events::settings_changed(&app);
    Ok(())
}

/// Revokes a token, at once.
#[tauri::command]
pub(in crate::desktop) async fn revoke_token(
    id: String,
    host: State<'_, Host>,
    app: AppHandle,
) -> Result<(), Message> {
    host.tokens().revoke(&id).await?;
    page_events::settings_changed(&app);
    Ok(())
}
