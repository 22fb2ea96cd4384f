//! The devices as readers see them at `/devices`, and as their owner sees and adds them.

use std::fs;
use std::sync::LazyLock;

use porchlight_api::{DeviceAccess, DeviceId, DeviceItem, DeviceKind};
use rusqlite::Transaction;

use super::device::{self, Device};
use super::reporting::ReportError;
use super::{Presence, Shows};
use crate::detach::run_to_completion;

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

/// A device that its owner adds before it reports.
pub struct NewDevice {
    /// Its id.
    pub id: DeviceId,
    /// The number of the token that it will report with.
    pub token: i64,
    /// What the owner calls it; at most 64 characters.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Whether readers see it from its first report on; otherwise it is hidden.
    pub allowed: bool,
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
            id: DeviceId::own(),
            token: 0,
            // Never its host name.
            name: KIND.to_string(),
            kind: *KIND,
            is_allowed: true,
            is_hidden: false,
            is_revoked: false,
            battery: None,
            charging: None,
            report: known.own.clone(),
            rules: 0,
            is_stored: false,
        };
        let listed = std::iter::once(&own).chain(&known.devices).map(|device| {
            let is_own = device.id == own.id;
            let report = device.report.as_ref();
            let fields = report.map(|report| report.fields.clone());
            let fields = fields.unwrap_or_default();
            let mut item = DeviceItem {
                id: device.id.clone(),
                name: device.name.clone(),
                kind: device.kind,
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
            if !is_shown || !self.0.with_fields {
                item.hide();
                // A heartbeat without fields means that the owner is there.
                item.online = is_shown && (is_own || fields.application_online);
            }
            let shown = seen.map(|seen| seen.device.map_or(&own.id, |device| &device.id));
            OwnersDevice {
                item,
                access: match device {
                    Device {
                        is_allowed: true, ..
                    } => DeviceAccess::Allowed,
                    Device {
                        is_hidden: true, ..
                    } => DeviceAccess::Hidden,
                    _ => DeviceAccess::Waiting,
                },
                is_shown: shown == Some(&device.id),
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

    /// Adds a device, which its owner has decided about before it reports.
    ///
    /// # Errors
    /// When there is one of this id, or the database fails.
    pub async fn add_device(&self, new: NewDevice) -> Result<(), ReportError> {
        let presence = self.clone();
        run_to_completion(async move { presence.take_new(new).await }).await
    }

    async fn take_new(&self, new: NewDevice) -> Result<(), ReportError> {
        let _turn = self.0.one_at_a_time.lock().await;
        let device = Device {
            id: new.id,
            token: new.token,
            name: new.name,
            kind: new.kind,
            is_allowed: new.allowed,
            is_hidden: !new.allowed,
            is_revoked: false,
            battery: None,
            charging: None,
            report: None,
            rules: 0,
            is_stored: false,
        };
        loop {
            let mut known = self.known();
            self.follow_decisions(&mut known).await?;
            let is_taken = known.devices.iter().any(|other| other.id == device.id);
            if is_taken || device.id == DeviceId::own() {
                return Err(ReportError::AnothersDevice);
            }
            known.devices.push(device.clone());
            let (now, added) = (self.0.clock.now(), device.clone());
            let store = move |write: &Transaction<'_>| device::store(write, &added);
            if self.commit(known, now, store).await? {
                return Ok(());
            }
        }
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
