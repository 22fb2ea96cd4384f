//! The tray app's heartbeats: what is sent, with which token, and where to.

use std::path::Path;
use std::time::Duration;

use parking_lot::Mutex;
use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::presence::{Orders, Presence};
use secrecy::SecretString;

use crate::host::start_error::StartError;
use crate::settings::Settings;

/// The maximum duration of one heartbeat request.
pub const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

/// The tray app's presence reporter.
pub struct Heartbeat {
    presence: Presence,
    own_token: SecretString,
    target: Mutex<Client>,
}

impl Heartbeat {
    /// Starts the reporter. It sends with `own_token` unless the settings name a token.
    pub fn start(
        folder: &Path,
        settings: &Settings,
        shares: bool,
        own_token: SecretString,
        target: Client,
    ) -> Self {
        Self {
            presence: Presence::start(folder, orders(settings, shares, target.clone())),
            own_token,
            target: Mutex::new(target),
        }
    }

    /// The reporter.
    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Has the next heartbeats go where these settings say.
    ///
    /// # Errors
    /// When no HTTPS client can be set up; they go where they went before then.
    pub fn set_target(&self, settings: &Settings, local_url: &str) -> Result<(), StartError> {
        *self.target.lock() = target(settings, local_url, &self.own_token)?;
        Ok(())
    }

    /// Has the reporter follow these settings.
    pub fn follow(&self, settings: &Settings, shares: bool) {
        let target = self.target.lock().clone();
        self.presence.follow(orders(settings, shares, target));
    }
}

fn orders(settings: &Settings, shares: bool, target: Client) -> Orders {
    Orders {
        enabled: shares,
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
