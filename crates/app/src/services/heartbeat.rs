//! What the tray app's heartbeats are posted with, and where they go.

use std::time::Duration;

use parking_lot::Mutex;
use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::presence::{Orders, Presence};
use secrecy::SecretString;

use crate::consent::Choice;
use crate::host::start_error::StartError;
use crate::settings::Settings;

/// One heartbeat may take so long.
pub const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

/// The tray app's heartbeats.
pub struct Reporting {
    pub presence: Presence,
    pub own_token: SecretString,
    pub target: Mutex<Client>,
}

/// What is told of the owner.
pub fn orders(settings: &Settings, choice: Choice, target: Client) -> Orders {
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
pub fn target(
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
