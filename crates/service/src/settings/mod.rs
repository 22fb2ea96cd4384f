//! The one settings file, composed of the sections that the packages own.
//!
//! A value can come from four layers, each over the one before: the file, the
//! environment, `--set`, a command's own flags. [`layers`] reads them,
//! [`meta`] is the table of all keys, [`validate`] holds what keys ask of each
//! other, [`edit`] writes, and [`store`] alone changes settings.

pub mod sections;
pub mod window;

use app::{AppSettings, UpdateSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::blog::settings::BlogSettings;
use crate::http::settings::{LimitsSettings, ServerSettings, ToolsSettings};
use crate::images::link::LinksSettings;
use crate::presence::computer::settings::PresenceSettings;
use crate::presence::{DevicesSettings, LanyardSettings};
use crate::settings::sections::{
    Delivery, EdgeSettings, GameSettings, HeartbeatSettings, ImagesSettings, IpSettings,
    StorageSettings, SystemSettings,
};
use crate::text::address::WebAddress;
use crate::tunnel::settings::TunnelSettings;
use crate::uploads::picgo::settings::PicGoSettings;
use crate::uploads::watch::settings::WatchSettings;

pub mod app;
pub mod approval;
pub mod changes;
pub mod edit;
pub mod layers;
pub mod meta;
pub mod problem;
pub mod rows;
pub mod settings_change;
mod settings_file;
pub mod shortcut;
pub mod store;
pub mod valid_changes;
mod validate;
pub mod value;
pub mod watcher;

#[cfg(test)]
mod tests;

/// Both behaviours of the service have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Behaviour {
    /// Images directly, heartbeats without fields.
    A,
    /// Images by redirect, heartbeats with fields.
    B,
}

impl Behaviour {
    fn delivery(self) -> Delivery {
        match self {
            Self::A => Delivery::Direct,
            Self::B => Delivery::Redirect,
        }
    }

    fn fields(self) -> bool {
        self == Self::B
    }
}

/// Everything in `settings.toml`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Sets `images.delivery` and `heartbeat.fields` at once.
    pub behaviour: Option<Behaviour>,
    pub server: ServerSettings,
    pub limits: LimitsSettings,
    pub heartbeat: HeartbeatSettings,
    pub images: ImagesSettings,
    pub storage: StorageSettings,
    pub edge: EdgeSettings,
    pub game: GameSettings,
    pub ip: IpSettings,
    pub system: SystemSettings,
    pub presence: PresenceSettings,
    pub devices: DevicesSettings,
    pub lanyard: LanyardSettings,
    pub watch: WatchSettings,
    pub blog: BlogSettings,
    pub tunnel: TunnelSettings,
    /// The upload server that writing programs know.
    pub picgo: PicGoSettings,
    /// What goes to the clipboard.
    pub links: LinksSettings,
    /// The upload APIs of other image hosts.
    pub tools: ToolsSettings,
    pub app: AppSettings,
    pub update: UpdateSettings,
}

impl Settings {
    /// The address that the world uses by these settings, without a tunnel.
    pub fn chosen_url(&self) -> Option<&WebAddress> {
        self.edge.url.as_ref().or(self.server.public_url.as_ref())
    }

    /// All values as JSON, less the secrets, which the sections never write.
    pub fn values(&self) -> Value {
        // Paths that are no UTF-8 cannot come out of TOML.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Fills in what follows from `behaviour`, whose contradictions were refused before.
    fn with_implied(mut self) -> Self {
        if let Some(behaviour) = self.behaviour {
            self.images.delivery = behaviour.delivery();
            self.heartbeat.fields = behaviour.fields();
        }
        self
    }
}
