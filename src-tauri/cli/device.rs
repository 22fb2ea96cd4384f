//! `porchlight device`: the devices that report presence, also while another process serves the data
//! folder.

use anyhow::bail;
use clap::Subcommand;
use porchlight_service::devices::{DeviceId, DeviceKind};
use porchlight_service::error::message::Message;
use porchlight_service::files::data_dir;
use porchlight_service::presence::{DeviceRow, Devices, NewDevice};
use porchlight_service::text::device_name;
use secrecy::ExposeSecret as _;

use super::Invocation;
use super::printing::{print, print_json};

/// What to do with devices.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Show all devices: id, kind, state, name, token, when it last reported
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Add a device and print its token, this once; its id is made from the name
    Add {
        /// What to call it; readers see that
        name: String,
        /// desktop, laptop, phone, tablet or other
        #[arg(long, default_value_t)]
        kind: DeviceKind,
        /// Let readers see it from its first report on; otherwise it waits from then on
        #[arg(long)]
        allow: bool,
    },
    /// Let readers see a device
    Allow { id: DeviceId },
    /// Hide a device from readers; it does not wait any more
    Hide { id: DeviceId },
    /// Give a device another name, which readers see
    Rename { id: DeviceId, name: String },
    /// Remove a device with its history, and revoke its token
    Forget { id: DeviceId },
}

pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let folder = match action {
        Action::Add { .. } => data_dir::make(&invocation.folder()?)?,
        _ => invocation.existing_folder()?,
    };
    let devices = Devices::open_beside(&folder).await?;
    let (id, is_there) = match action {
        Action::List { json } => {
            let rows = devices.list().await?;
            match json {
                true => print_json(&rows)?,
                false => write_table(&rows)?,
            }
            return Ok(true);
        }
        Action::Add { name, kind, allow } => {
            let new = NewDevice {
                name: name_of(&name)?,
                kind,
                allowed: allow,
            };
            let (_, token) = devices.add(new).await?;
            print(token.expose_secret())?;
            return Ok(true);
        }
        Action::Allow { id } => (id.clone(), devices.allow(id).await?),
        Action::Hide { id } => (id.clone(), devices.hide(id).await?),
        Action::Rename { id, name } => {
            let name = name_of(&name)?;
            (id.clone(), devices.rename(id, name).await?)
        }
        Action::Forget { id } => (id.clone(), devices.forget(id).await?),
    };
    if !is_there {
        bail!("no device has the id {id}: `porchlight device list` shows them all");
    }
    Ok(true)
}

fn name_of(name: &str) -> Result<String, Message> {
    device_name(name).ok_or(porchlight_service::detail!(
        "a device needs a name of 1 to 64 characters"
    ))
}

fn write_table(rows: &[DeviceRow]) -> anyhow::Result<()> {
    let width = |text: fn(&DeviceRow) -> &str, heading: &str| {
        let widest = rows.iter().map(|row| text(row).chars().count()).max();
        widest.unwrap_or(0).max(heading.len())
    };
    let token: fn(&DeviceRow) -> &str = |row| row.token.as_deref().unwrap_or_default();
    let id_width = width(|row| row.id.as_str(), "ID");
    let name_width = width(|row| &row.name, "NAME");
    let token_width = width(token, "TOKEN");
    print(&format!(
        "{:id_width$}  {:7}  {:7}  {:name_width$}  {:token_width$}  LAST REPORT",
        "ID", "KIND", "STATE", "NAME", "TOKEN"
    ))?;
    for row in rows {
        let last = row.last_report.map(|time| time.to_string());
        print(&format!(
            "{:id_width$}  {:7}  {:7}  {:name_width$}  {:token_width$}  {}",
            row.id.as_str(),
            row.kind,
            match row {
                DeviceRow { allowed: true, .. } => "allowed",
                DeviceRow { hidden: true, .. } => "hidden",
                DeviceRow {
                    last_report: None, ..
                } => "new",
                _ => "waiting",
            },
            row.name,
            token(row),
            last.as_deref().unwrap_or("never"),
        ))?;
    }
    Ok(())
}
