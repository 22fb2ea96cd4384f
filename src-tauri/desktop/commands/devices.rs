//! The owner's devices. Their tokens never reach the page: it copies them, and shows them as a QR code
//! that the process draws.

use parking_lot::Mutex;
use porchlight_service::app::devices::{self, Decision};
use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::presence::devices_window::{AddedDevice, NewDevice};
use secrecy::{ExposeSecret as _, SecretString};
use tauri::{AppHandle, State};

use crate::desktop::events::Changes;
use crate::desktop::page_events;
use crate::desktop::put_on_clipboard;

/// What to type into the client of the device that was added last, while its dialog is open.
#[derive(Default)]
pub(in crate::desktop) struct TypedFields(Mutex<Vec<SecretString>>);

impl TypedFields {
    /// The field of this number, from 0.
    pub(in crate::desktop) fn get(&self, field: usize) -> Option<SecretString> {
        self.0.lock().get(field).cloned()
    }
}

/// Lets readers see a device, or hides it from them.
#[tauri::command]
pub(in crate::desktop) async fn allow_device(
    id: String,
    allowed: bool,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    let decision = match allowed {
        true => Decision::Allow,
        false => Decision::Hide,
    };
    decide(&id, decision, &host, &changes).await
}

/// Gives a device another name, which readers see.
#[tauri::command]
pub(in crate::desktop) async fn rename_device(
    id: String,
    name: String,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    decide(&id, Decision::Rename(name), &host, &changes).await
}

/// Removes a device with its history, and revokes its token.
#[tauri::command]
pub(in crate::desktop) async fn forget_device(
    id: String,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    decide(&id, Decision::Forget, &host, &changes).await
}

async fn decide(
    id: &str,
    decision: Decision,
    host: &Host,
    changes: &Changes,
) -> Result<(), Message> {
    let decided = devices::decide(host, id, decision).await;
    changes.notify();
    decided
}

/// Puts the devices in this order; this computer is always the first.
#[tauri::command]
pub(in crate::desktop) async fn order_devices(
    ids: Vec<String>,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    devices::order(&host, &ids).await?;
    changes.notify();
    Ok(())
}

/// Adds a device with its token.
#[tauri::command]
pub(in crate::desktop) async fn add_device(
    device: NewDevice,
    host: State<'_, Host>,
    typed: State<'_, TypedFields>,
    changes: State<'_, Changes>,
    app: AppHandle,
) -> Result<AddedDevice, Message> {
    let (added, fields) = devices::add(&host, device).await?;
    *typed.0.lock() = fields;
    changes.notify();
    page_events::settings_changed(&app);
    Ok(added)
}

/// Copies one of the fields of the device that was added last, from 0, to the clipboard.
#[tauri::command]
pub(in crate::desktop) fn copy_device_field(
    field: u32,
    typed: State<'_, TypedFields>,
    app: AppHandle,
) -> Result<(), Message> {
    let text = typed
        .get(field as usize)
        .ok_or(porchlight_service::detail!(
            "there is no such device any more"
        ))?;
    put_on_clipboard(&app, text.expose_secret())
}

/// Forgets what was to be typed: the dialog is closed.
#[tauri::command]
pub(in crate::desktop) fn finish_adding_device(typed: State<'_, TypedFields>) {
    typed.0.lock().clear();
}
