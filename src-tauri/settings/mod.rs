//! The one settings file, composed of the sections that the rooms own.
//!
//! A value can come from four layers, each over the one before: the file, the
//! environment, `--set`, a command's own flags. [`layers`] reads them,
//! [`known`] knows which keys there are, [`rules`] holds what keys ask of each
//! other, and [`file`] writes.

use porchlight_companion::settings::{
    LinksSettings, PicGoSettings, PresenceSettings, TunnelSettings, WatchSettings,
};
use porchlight_core::images::convert::Apart;
use porchlight_core::settings::{
    Delivery, GameSettings, HeartbeatSettings, ImagesSettings, IpSettings, StorageSettings,
    SystemSettings,
};
use porchlight_server::settings::{LimitsSettings, ServerSettings};
use serde::{Deserialize, Serialize};

use app::AppSettings;

pub(crate) mod app;
pub(crate) mod difference;
pub(crate) mod file;
pub(crate) mod known;
pub(crate) mod layers;
pub(crate) mod of_backup;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "the tray app's window shows it")
)]
pub(crate) mod page;
pub(crate) mod problem;
mod rules;
pub(crate) mod shortcut;

#[cfg(test)]
mod tests;

/// Both behaviours of the service have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum Behaviour {
    /// Images directly, heartbeats without fields.
    A,
    /// Images by redirect, heartbeats with fields.
    B,
}

impl Behaviour {
    /// What it says for `images.delivery`.
    fn delivery(self) -> Delivery {
        match self {
            Self::A => Delivery::Direct,
            Self::B => Delivery::Redirect,
        }
    }

    /// What it says for `heartbeat.fields`.
    fn fields(self) -> bool {
        self == Self::B
    }
}

/// Everything in `settings.toml`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Sets `images.delivery` and `heartbeat.fields` at once.
    pub(crate) behaviour: Option<Behaviour>,
    /// The listener.
    pub(crate) server: ServerSettings,
    /// How often one client may ask.
    pub(crate) limits: LimitsSettings,
    /// What heartbeats mean.
    pub(crate) heartbeat: HeartbeatSettings,
    /// What is taken and how it is served.
    pub(crate) images: ImagesSettings,
    /// Where WebP files live.
    pub(crate) storage: StorageSettings,
    /// Steam.
    pub(crate) game: GameSettings,
    /// IP information.
    pub(crate) ip: IpSettings,
    /// What `/sysinfo` may tell.
    pub(crate) system: SystemSettings,
    /// The heartbeat reporter.
    pub(crate) presence: PresenceSettings,
    /// Watched folders.
    pub(crate) watch: WatchSettings,
    /// How the world comes in.
    pub(crate) tunnel: TunnelSettings,
    /// The upload server that writing programs know.
    pub(crate) picgo: PicGoSettings,
    /// What goes to the clipboard.
    pub(crate) links: LinksSettings,
    /// The tray app itself.
    pub(crate) app: AppSettings,
}

/// This program decodes for itself what may bring a decoder down.
fn decoders() -> Apart {
    // On Linux by a name that holds when the file has been replaced by a newer one meanwhile.
    let program = if cfg!(target_os = "linux") {
        Some("/proc/self/exe".into())
    } else {
        std::env::current_exe().ok()
    };
    program.map_or(Apart::Nowhere, |program| Apart::Program(program.into()))
}

impl Settings {
    /// What the service is opened with.
    pub(crate) fn for_service(&self) -> porchlight_core::settings::Settings {
        porchlight_core::settings::Settings {
            heartbeat: self.heartbeat.clone(),
            images: ImagesSettings {
                apart: decoders(),
                ..self.images.clone()
            },
            storage: self.storage.clone(),
            game: self.game.clone(),
            ip: self.ip.clone(),
            system: self.system.clone(),
            history_days: u32::try_from(self.presence.history_days).unwrap_or(u32::MAX),
        }
    }

    /// Carries out `behaviour`; what contradicts it was refused before.
    fn with_behaviour(mut self) -> Self {
        if let Some(behaviour) = self.behaviour {
            self.images.delivery = behaviour.delivery();
            self.heartbeat.fields = behaviour.fields();
        }
        self
    }
}
