//! The heartbeats of this computer, and where they go: to the service of this process, and to another
//! one where the settings name one.

use std::path::Path;
use std::time::Duration;

use parking_lot::Mutex;

use crate::http::client::Client;
use crate::presence::Presence as ServicePresence;
use crate::presence::computer::{HeartbeatTarget, Presence, PresenceOrders};
use crate::settings::Settings;

/// The maximum duration of one heartbeat request to another service.
pub const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

/// The presence reporter.
pub struct Heartbeat {
    presence: Presence,
    own: ServicePresence,
    other: Mutex<Option<Client>>,
}

impl Heartbeat {
    /// Starts the reporter.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn start(
        folder: &Path,
        settings: &Settings,
        own: &ServicePresence,
    ) -> Result<Self, reqwest::Error> {
        let other = other(settings)?;
        let shares = settings.presence.enabled == Some(true);
        let orders = orders(settings, shares, own, other.clone());
        Ok(Self {
            presence: Presence::start(folder, orders),
            own: own.clone(),
            other: Mutex::new(other),
        })
    }

    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Sends the next heartbeats to the other service of these settings, too.
    ///
    /// # Errors
    /// When no HTTPS client can be set up; they go where they went before then.
    pub fn set_target(&self, settings: &Settings) -> Result<(), reqwest::Error> {
        *self.other.lock() = other(settings)?;
        Ok(())
    }

    pub fn follow(&self, settings: &Settings, shares: bool) {
        let other = self.other.lock().clone();
        self.presence
            .follow(orders(settings, shares, &self.own, other));
    }
}

/// The other service of the settings; `None` where they name none.
///
/// # Errors
/// When no HTTPS client can be set up.
pub(crate) fn other(settings: &Settings) -> Result<Option<Client>, reqwest::Error> {
    let presence = &settings.presence;
    let (Some(target), Some(token)) = (&presence.target_url, &presence.token) else {
        return Ok(None);
    };
    let client = Client::new(target.as_str(), token.clone().into(), HEARTBEAT_LIMIT)?;
    Ok(Some(client))
}

fn orders(
    settings: &Settings,
    shares: bool,
    own: &ServicePresence,
    other: Option<Client>,
) -> PresenceOrders {
    PresenceOrders {
        enabled: shares,
        settings: settings.presence.clone(),
        own: HeartbeatTarget::Own(own.clone()),
        other: other.map(HeartbeatTarget::Other),
    }
}
