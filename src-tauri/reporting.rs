//! What the tray app's heartbeats are posted with, and where they go.

use std::time::Duration;

use parking_lot::Mutex;
use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::presence::{Orders, Presence};
use secrecy::SecretString;

use crate::settings::Settings;
use crate::sharing::Choice;
use crate::start_error::StartError;

/// One heartbeat may take so long.
pub(crate) const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

/// The tray app's heartbeats.
pub(crate) struct Reporting {
    pub(crate) presence: Presence,
    pub(crate) own_token: SecretString,
    pub(crate) target: Mutex<Client>,
}

/// What is told of the owner.
pub(crate) fn orders(settings: &Settings, choice: Choice, target: Client) -> Orders {
    Orders {
        enabled: choice.shares(settings.presence.enabled),
        settings: settings.presence.clone(),
        target,
    }
}

/// Where heartbeats go.
///
/// # Errors
/// When no HTTPS client can be set up.
pub(crate) fn target(
    settings: &Settings,
    local_url: &str,
    own_token: &SecretString,
) -> Result<Client, StartError> {
    let presence = &settings.presence;
    let elsewhere = presence.target_url.as_ref();
    let base = elsewhere.map_or(local_url, WebAddress::as_str);
    let token = presence.token.as_ref().unwrap_or(own_token);
    Client::new(base, token.clone(), HEARTBEAT_LIMIT)
        .map_err(|error| StartError::Http(error.to_string()))
}
