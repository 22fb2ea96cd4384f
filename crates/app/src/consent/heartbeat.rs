//! The heartbeats: what is sent, and where to.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use porchlight_companion::presence::{Presence, PresenceOrders};
use porchlight_companion::target::Target;

use crate::settings::Settings;
use crate::target::{HEARTBEAT_LIMIT, OwnService};

/// The tray app's presence reporter.
pub struct Heartbeat {
    presence: Presence,
    own: OwnService,
    target: Mutex<Arc<dyn Target>>,
}

impl Heartbeat {
    /// Starts the reporter.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn start(
        folder: &Path,
        settings: &Settings,
        own: OwnService,
    ) -> Result<Self, reqwest::Error> {
        let target = own.or_elsewhere(settings, HEARTBEAT_LIMIT)?;
        let shares = settings.presence.enabled == Some(true);
        Ok(Self {
            presence: Presence::start(folder, orders(settings, shares, Arc::clone(&target))),
            own,
            target: Mutex::new(target),
        })
    }

    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Sends the next heartbeats to the target of these settings.
    ///
    /// # Errors
    /// When no HTTPS client can be set up; they go where they went before then.
    pub fn set_target(&self, settings: &Settings) -> Result<(), reqwest::Error> {
        *self.target.lock() = self.own.or_elsewhere(settings, HEARTBEAT_LIMIT)?;
        Ok(())
    }

    pub fn follow(&self, settings: &Settings, shares: bool) {
        let target = self.target.lock().clone();
        self.presence.follow(orders(settings, shares, target));
    }
}

fn orders(settings: &Settings, shares: bool, target: Arc<dyn Target>) -> PresenceOrders {
    PresenceOrders {
        enabled: shares,
        settings: settings.presence.clone(),
        target,
    }
}
