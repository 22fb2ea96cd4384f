//! The owner's devices, as the window shows, changes and adds them.

use secrecy::{ExposeSecret as _, SecretString};

use crate::app::host::Host;
use crate::db::DatabaseError;
use crate::devices::DeviceId;
use crate::error::message::Message;
use crate::presence::devices_window::{
    AddedDevice, DeviceCard, DeviceClient, DeviceField, DevicesGlance, NewDevice,
};
use crate::presence::window::ShownStatus;
use crate::presence::{self, OwnersDevice};
use crate::text::device_name;

/// All devices, without a query.
pub fn glance(host: &Host) -> DevicesGlance {
    let devices = host.service().presence().devices_of_owner();
    let settings = host.settings().devices;
    DevicesGlance {
        all: devices.into_iter().map(card).collect(),
        listed: settings.show,
        shares_battery: settings.share_battery,
        clients: settings.clients,
    }
}

fn card(device: OwnersDevice) -> DeviceCard {
    let OwnersDevice {
        item,
        access,
        is_shown,
    } = device;
    let reported = item.last_heartbeat > 0;
    let millis = |seconds: i64| reported.then(|| seconds * 1000);
    DeviceCard {
        own: item.id == DeviceId::own(),
        id: item.id.to_string(),
        name: item.name,
        kind: item.kind,
        access,
        shown: ShownStatus {
            application: item.application,
            introduce: item.introduce,
            rgba: item.rgba.to_string(),
            online: item.online,
        },
        last_report: millis(item.last_heartbeat),
        valid_until: item.valid_until.and_then(millis),
        battery: item.battery,
        charging: item.charging,
        in_check: is_shown,
    }
}

/// What the owner decides about a device.
pub enum Decision {
    /// Readers see it.
    Allow,
    /// They do not.
    Hide,
    /// It has this name.
    Rename(String),
    /// It is removed with its history, and its token is revoked.
    Forget,
}

/// Decides about a device. Readers follow before this returns.
///
/// # Errors
/// When there is none, the name is none, or the database fails.
pub async fn decide(host: &Host, id: &str, decision: Decision) -> Result<(), Message> {
    let id: DeviceId = id
        .parse()
        .map_err(|_| crate::detail!("there is no such device any more"))?;
    let devices = host.service().devices();
    let is_there = match decision {
        Decision::Allow => devices.allow(id).await?,
        Decision::Hide => devices.hide(id).await?,
        Decision::Rename(name) => devices.rename(id, name_of(&name)?).await?,
        Decision::Forget => devices.forget(id).await?,
    };
    host.service().presence().follow().await?;
    is_there
        .then_some(())
        .ok_or(crate::detail!("there is no such device any more"))
}

/// Puts the devices in this order.
///
/// # Errors
/// When the database fails.
pub async fn order(host: &Host, ids: &[String]) -> Result<(), DatabaseError> {
    let ids = ids.iter().filter_map(|id| id.parse().ok()).collect();
    host.service().devices().order(ids).await?;
    host.service().presence().follow().await
}

fn name_of(name: &str) -> Result<String, Message> {
    device_name(name).ok_or(crate::detail!(
        "a device needs a name of 1 to 64 characters"
    ))
}

/// Adds a device with its token, and lets clients of other programs report where it has one.
/// Also gives what to type into its client, secrets included, in the order of the answer's fields.
///
/// # Errors
/// When the name is none, or the settings or the database cannot be written.
pub async fn add(host: &Host, new: NewDevice) -> Result<(AddedDevice, Vec<SecretString>), Message> {
    let name = name_of(&new.name)?;
    let is_of_others = !matches!(new.client, DeviceClient::Porchlight | DeviceClient::Own);
    if is_of_others && !host.settings().devices.clients {
        let on = [("devices.clients", Some(true.into()))];
        host.store().update(&on).await?;
    }
    let device = presence::NewDevice {
        name,
        kind: new.kind,
        allowed: new.allowed,
    };
    let (id, token) = host.service().devices().add(device).await?;
    host.service().presence().follow().await?;
    let typed = fields(new.client, &host.blog_url(), &id, token.expose_secret());
    let shown = typed.iter().map(|(label, value)| DeviceField {
        label: (*label).to_owned(),
        value: (!value.contains(token.expose_secret())).then(|| value.clone()),
    });
    let added = AddedDevice {
        id: id.to_string(),
        fields: shown.collect(),
    };
    let secrets = typed.into_iter().map(|(_, value)| value.into());
    Ok((added, secrets.collect()))
}

/// What to type where, by the names that the client has for it.
fn fields(
    client: DeviceClient,
    base: &str,
    id: &DeviceId,
    token: &str,
) -> Vec<(&'static str, String)> {
    let base_url = base.to_owned();
    match client {
        DeviceClient::LiveDashboard => {
            vec![("服务器地址", base_url), ("Token 密钥", token.to_owned())]
        }
        DeviceClient::Sleepy => vec![
            ("server", base_url),
            ("secret", token.to_owned()),
            ("id", id.to_string()),
            (
                "URL",
                format!("{base}/api/device/set?using=true&secret={token}"),
            ),
        ],
        DeviceClient::MxSpace => vec![
            ("Endpoint", format!("{base}/api/process-reporter")),
            ("Request Method", "POST".to_owned()),
            ("API Key", token.to_owned()),
        ],
        DeviceClient::Porchlight => vec![
            ("presence.target_url", base_url),
            ("presence.token", token.to_owned()),
        ],
        DeviceClient::Own => vec![
            ("device.header", format!("Authorization: Bearer {token}")),
            (
                "curl",
                format!(
                    "curl -H @device.header -d application=Vim -d applicationOnline=true \
                     {base}/heartbeat"
                ),
            ),
        ],
    }
}

#[cfg(test)]
mod tests {
    use crate::devices::{DeviceAccess, DeviceKind};
    use crate::http::replies::HeartbeatFields;

    use super::*;
    use crate::app::consent::heartbeat::other;
    use crate::testing::{host, host_with};

    fn new(name: &str, client: DeviceClient, allowed: bool) -> NewDevice {
        NewDevice {
            name: name.to_owned(),
            kind: DeviceKind::Phone,
            client,
            allowed,
        }
    }

    #[tokio::test]
    async fn an_added_device_has_a_token_and_an_id_of_its_own_and_no_secret_is_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let clients = [
            ("My Phone", DeviceClient::LiveDashboard, "my-phone"),
            ("my phone", DeviceClient::Sleepy, "my-phone-2"),
            ("手机", DeviceClient::MxSpace, "phone"),
            ("平板", DeviceClient::Own, "phone-2"),
            ("This computer", DeviceClient::Porchlight, "this-computer-2"),
        ];
        for (name, client, id) in clients {
            let (added, typed) = add(&host, new(name, client, true)).await.expect("added");
            assert_eq!(added.id, id);
            assert_eq!(added.fields.len(), typed.len());
            let secret: Vec<_> = added
                .fields
                .iter()
                .filter(|one| one.value.is_none())
                .collect();
            assert!(!secret.is_empty(), "{client:?}");
            for (field, typed) in added.fields.iter().zip(&typed) {
                let value = field.value.as_deref();
                assert!(value.is_none_or(|value| value == typed.expose_secret()));
            }
        }
        let rows = host.service().tokens().list().await.expect("tokens");
        let ids: Vec<_> = rows.iter().filter_map(|row| row.device.as_ref()).collect();
        let ids: Vec<_> = ids.into_iter().map(DeviceId::as_str).collect();
        assert_eq!(ids, clients.map(|(_, _, id)| id), "each has its token");
        let cards = glance(&host);
        assert!(cards.clients, "which such clients need");
        let names: Vec<_> = cards.all.iter().map(|card| card.name.as_str()).collect();
        assert_eq!(names[1..], clients.map(|(name, ..)| name));
        assert!(cards.all[1..].iter().all(|card| card.last_report.is_none()));
        host.stop().await;
    }

    #[tokio::test]
    async fn the_owner_decides_and_orders_and_readers_follow_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &["presence.enabled=true"]).await;
        for name in ["a", "b"] {
            let added = add(&host, new(name, DeviceClient::Own, false)).await;
            added.expect("added");
        }
        assert!(!glance(&host).clients, "nothing needs them");
        let of = |id: &str| {
            let all = glance(&host).all;
            all.into_iter().find(|card| card.id == id)
        };
        let access = |id| of(id).expect("a card").access;
        assert_eq!(access("a"), DeviceAccess::Waiting);
        assert_eq!(host.service().presence().waiting_devices(), 0, "no report");
        decide(&host, "a", Decision::Allow).await.expect("allowed");
        assert_eq!(access("a"), DeviceAccess::Allowed);
        decide(&host, "a", Decision::Hide).await.expect("hidden");
        assert_eq!(access("a"), DeviceAccess::Hidden);
        let rename = Decision::Rename(" Tablet\n".to_owned());
        decide(&host, "a", rename).await.expect("renamed");
        assert_eq!(of("a").expect("a card").name.trim(), "Tablet");
        let none = decide(&host, "a", Decision::Rename(" ".to_owned())).await;
        assert_eq!(
            none,
            Err(crate::detail!(
                "a device needs a name of 1 to 64 characters"
            ))
        );
        let ids = ["b", "a"].map(str::to_owned);
        order(&host, &ids).await.expect("ordered");
        let order: Vec<_> = glance(&host).all.into_iter().map(|card| card.id).collect();
        assert_eq!(order, ["this-computer", "b", "a"]);
        decide(&host, "a", Decision::Forget)
            .await
            .expect("forgotten");
        assert_eq!(of("a"), None);
        assert_eq!(host.tokens().list().await.expect("tokens").len(), 1);
        for id in ["a", "no id"] {
            let gone = decide(&host, id, Decision::Allow).await;
            assert_eq!(
                gone,
                Err(crate::detail!("there is no such device any more")),
                "{id}"
            );
        }
        host.stop().await;
    }

    #[tokio::test]
    async fn a_second_porchlight_reports_as_the_device_of_its_token() {
        let home = tempfile::tempdir().expect("a folder");
        let first = host(&home.path().join("first"), &["presence.enabled=true"]).await;
        let added = add(&first, new("Laptop", DeviceClient::Porchlight, true)).await;
        let (added, typed) = added.expect("added");
        let settings = added.fields.iter().zip(&typed);
        let settings: Vec<String> = settings
            .map(|(field, value)| format!("{}={:?}", field.label, value.expose_secret()))
            .collect();
        let second = host_with(&home.path().join("second"), settings).await;
        let client = other(&second.settings()).expect("a client");
        let fields = HeartbeatFields {
            application: "Sketchbook".to_owned(),
            application_online: true,
            ..HeartbeatFields::default()
        };
        let client = client.expect("another service");
        client.heartbeat(&fields).await.expect("taken");
        let all = glance(&first).all;
        assert_eq!(all[1].id, added.id);
        assert_eq!(all[1].shown.application, "Sketchbook");
        assert_ne!(all[0].shown.application, "Sketchbook");
        second.stop().await;
        first.stop().await;
    }
}
