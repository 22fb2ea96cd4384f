//! The home page: presence, and the status of every service.

use serde::{Deserialize, Serialize};

use crate::edge::window::EdgeGlance;
use crate::error::message::Message;
use crate::game::window::GameGlance;
use crate::images::window::AddressKind;
use crate::images::window::{LinkForm, Picture};
use crate::presence::devices_window::DevicesGlance;
use crate::presence::window::PresenceNow;
use crate::settings::window::FileProblem;
use crate::stats::window::ReaderCount;
use crate::status::window::alerts::Alert;
use crate::tunnel::window::TunnelState;
use crate::uploads::window::WatchStatus;

/// Whether the owner shares their presence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The owner has not decided yet: nothing is reported.
    Unasked,
    /// The owner has declined.
    Off,
    /// Heartbeats are posted.
    On,
    /// The owner has consented and paused it.
    Paused,
}

/// Presence as readers see it: the answer of `/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Light {
    /// Whether the last heartbeat is recent enough.
    pub alive: bool,
    /// Whether the owner is using this app now.
    pub online: bool,
    /// The program; empty when none was named.
    pub application: String,
    /// A line about it.
    pub introduce: String,
    /// `r,g,b,a`; empty when there is none.
    pub rgba: String,
    /// Unix seconds; `null` before the first heartbeat.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_heartbeat: Option<i64>,
    /// Since when readers see what they see now.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub since: Option<i64>,
    /// Why the last heartbeat could not be posted, if so.
    pub trouble: Option<Message>,
}

/// Where the service answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// The address for a blog: the public one, or the local one.
    pub url: String,
    /// How long `url` leads here, and for whom.
    pub kind: AddressKind,
    /// Whether it is `server.public_url`, and led here when that was last tried.
    pub reached: bool,
    /// The local port; `null` while the service is not listening.
    pub port: Option<u16>,
    /// Why it is not listening, if so.
    pub trouble: Option<Message>,
}

/// How the owner's links are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LinkGlance {
    /// The form that they have; [`LinkForm::Own`] where it has no name.
    pub form: LinkForm,
    /// Its text, with `{url}` for the address.
    pub template: String,
}

/// Caches that can keep a deleted image for a while, beside those of browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Caches {
    /// That of a Worker at the edge.
    pub edge: bool,
    /// A CDN in front of the object store.
    pub store: bool,
}

/// The status of the upload server for editors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EditorsGlance {
    /// It is switched off.
    Off,
    /// Editors can upload at this port.
    Listening {
        /// The port on loopback.
        port: u16,
    },
    /// It cannot listen.
    Trouble {
        /// Why.
        why: Message,
    },
}

/// Everything on the first page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Home {
    /// The alerts, the most severe first.
    pub alerts: Vec<Alert>,
    /// Presence as readers see it.
    pub light: Light,
    /// Whether presence is shared.
    pub sharing: Sharing,
    /// Whether a pause, or its end, is still being told to the Worker.
    pub settling: bool,
    /// The status of presence reporting.
    pub presence: PresenceNow,
    /// The owner's devices.
    pub devices: DevicesGlance,
    /// Where the blog finds it.
    pub address: Address,
    /// How links are made.
    pub links: LinkGlance,
    /// What can keep a deleted image.
    pub caches: Caches,
    /// The tunnel.
    pub tunnel: TunnelState,
    /// The address of the Worker.
    pub edge: EdgeGlance,
    /// The watched folders.
    pub watching: WatchStatus,
    /// The upload server for editors.
    pub editors: EditorsGlance,
    /// The game status.
    pub game: GameGlance,
    /// Images in all.
    #[cfg_attr(test, ts(type = "number"))]
    pub picture_count: u64,
    /// The newest twelve.
    pub newest: Vec<Picture>,
    /// Readers since midnight.
    pub readers_today: ReaderCount,
    /// Calls in each of the last 24 hours, the running hour last.
    #[cfg_attr(test, ts(type = "Array<number>"))]
    pub calls_by_hour: Vec<u64>,
    /// Of these calls, those that were answered with an image.
    #[cfg_attr(test, ts(type = "number"))]
    pub pictures_served: u64,
    /// Whether the icon is in a tray; where it is not, the window explains how
    /// to reopen it.
    pub tray: bool,
    /// Whether the welcome was shown already.
    pub welcomed: bool,
    /// Errors in the settings file, if it was edited and is invalid.
    pub file_problems: Vec<FileProblem>,
    /// The program's version.
    pub version: String,
}
