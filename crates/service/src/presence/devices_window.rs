//! The owner's devices, and how another one is added.

use serde::{Deserialize, Serialize};

use crate::devices::{DeviceAccess, DeviceKind};
use crate::presence::window::ShownStatus;

/// The owner's devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DevicesGlance {
    /// This computer first, the others in the owner's order.
    pub all: Vec<DeviceCard>,
    /// Whether readers get the list of those that they may see.
    pub listed: bool,
    /// Whether that list has batteries.
    pub shares_battery: bool,
    /// Whether clients of other programs may report.
    pub clients: bool,
}

/// One of the owner's devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DeviceCard {
    /// Its id.
    pub id: String,
    /// What the owner calls it.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Whether it is this computer.
    pub own: bool,
    /// Whether readers may see it.
    pub access: DeviceAccess,
    /// What they see of it, or would see if they might.
    pub shown: ShownStatus,
    /// When it last reported; `null` where it has not yet.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_report: Option<i64>,
    /// Until when that counts.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub valid_until: Option<i64>,
    /// In percent, where it reports that.
    pub battery: Option<u8>,
    /// Whether the battery is being charged, where it reports that.
    pub charging: Option<bool>,
    /// Whether a blog that shows one device shows this one.
    pub in_check: bool,
}

/// What a device reports with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DeviceClient {
    /// A client of live-dashboard.
    LiveDashboard,
    /// A client of sleepy.
    Sleepy,
    /// ProcessReporter, and other clients of mx-space.
    MxSpace,
    /// Another Porchlight.
    Porchlight,
    /// A program of the owner's own, by heartbeats.
    Own,
}

/// A device to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewDevice {
    /// What it is called; at most 64 characters.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// What it reports with.
    pub client: DeviceClient,
    /// Whether readers see it from its first report on.
    pub allowed: bool,
}

/// A device that was added, and has not reported yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AddedDevice {
    /// Its id.
    pub id: String,
    /// What to type into its client, in order.
    pub fields: Vec<DeviceField>,
}

/// Something to type into the client of a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DeviceField {
    /// What the client calls it.
    pub label: String,
    /// What to type; `null` where that is a secret, which only the clipboard and the QR code get.
    pub value: Option<String>,
}
