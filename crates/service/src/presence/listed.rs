//! The devices as readers see them at `/devices`, and as their owner sees them.

use std::fs;
use std::sync::LazyLock;

use super::device::{Device, DeviceDecision};
use super::{Presence, Shows};
use crate::devices::{DeviceAccess, DeviceId, DeviceItem, DeviceKind};

/// A device as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnersDevice {
    /// What readers see of it, or would see if they might. Before the first report `last_heartbeat`
    /// is 0. The battery is there whether or not it is shared.
    pub item: DeviceItem,
    /// Whether they may.
    pub access: DeviceAccess,
    /// Whether it is the one that `/check` shows.
    pub is_shown: bool,
}

impl Presence {
    /// The devices that readers see, this computer first, each with the end of its report. One that
    /// has not reported is not listed.
    #[must_use]
    pub fn devices(&self) -> Vec<DeviceItem> {
        let decisions = self.decisions().devices;
        if !decisions.show {
            return Vec::new();
        }
        let mut devices = self.devices_of_owner();
        devices.retain(|device| {
            device.access == DeviceAccess::Allowed && device.item.last_heartbeat > 0
        });
        let items = devices.into_iter().map(|OwnersDevice { mut item, .. }| {
            if !decisions.share_battery {
                (item.battery, item.charging) = (None, None);
            }
            item
        });
        items.collect()
    }

    /// All devices, this computer first, the others in their owner's order.
    #[must_use]
    pub fn devices_of_owner(&self) -> Vec<OwnersDevice> {
        let known = self.read_known();
        let now = self.0.clock.now();
        let shows_devices = self.decisions().shows != Shows::OnlyOwn;
        let seen = self.seen(&known, now);
        let own = Device {
            report: known.own.clone(),
            ..Device::new(DeviceDecision {
                id: DeviceId::own(),
                // Never its host name.
                name: KIND.to_string(),
                kind: *KIND,
                access: DeviceAccess::Allowed,
                token: None,
            })
        };
        let own_id = &own.decided.id;
        let listed = std::iter::once(&own).chain(&known.devices).map(|device| {
            let decided = &device.decided;
            let is_own = decided.id == *own_id;
            let report = device.report.as_ref();
            let fields = report.map(|report| report.fields.clone());
            let fields = fields.unwrap_or_default();
            let mut item = DeviceItem {
                id: decided.id.clone(),
                name: decided.name.clone(),
                kind: decided.kind,
                online: fields.application_online,
                application: fields.application,
                introduce: fields.introduce,
                rgba: fields.rgba,
                last_heartbeat: report.map_or(0, |report| report.at.as_seconds()),
                battery: device.battery,
                charging: device.charging,
                valid_until: Some(report.map_or(0, |report| report.end().as_seconds())),
            };
            let is_shown = shows_devices && report.is_some_and(|report| report.is_valid(now));
            if !is_shown || !self.with_fields() {
                item.hide();
                // A heartbeat without fields means that the owner is there.
                item.online = is_shown && (is_own || fields.application_online);
            }
            let shown = seen.map(|seen| seen.device.map_or(own_id, |device| &device.decided.id));
            OwnersDevice {
                item,
                access: decided.access,
                is_shown: shown == Some(&decided.id),
            }
        });
        listed.collect()
    }

    /// How many devices wait for their owner.
    #[must_use]
    pub fn waiting_devices(&self) -> usize {
        let known = self.read_known();
        known.devices.iter().filter(|device| device.waits()).count()
    }
}

/// What its firmware says on Linux (SMBIOS 3.7, table 17); a desktop where that is unknown.
static KIND: LazyLock<DeviceKind> = LazyLock::new(|| {
    let chassis = fs::read_to_string("/sys/class/dmi/id/chassis_type");
    match chassis.unwrap_or_default().trim() {
        "8" | "9" | "10" | "14" | "31" | "32" => DeviceKind::Laptop,
        "11" | "30" => DeviceKind::Tablet,
        _ => DeviceKind::Desktop,
    }
});

/// The kind of this computer.
#[must_use]
pub fn own_kind() -> DeviceKind {
    *KIND
}
