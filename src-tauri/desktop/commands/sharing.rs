//! Sharing the owner's presence: consent, pauses, and a fixed status.

use porchlight_service::app::host::Host;
use porchlight_service::error::message::Message;
use porchlight_service::presence::computer::Pause;
use porchlight_service::presence::window::{PauseFor, Status};
use tauri::State;

use crate::desktop::events::Changes;

/// Answers whether the owner's presence is shared, at the first run and later.
#[tauri::command]
pub(crate) async fn share(
    share: bool,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.consent().answer(share).await?;
    changes.notify();
    Ok(())
}

/// Pauses sharing.
#[tauri::command]
pub(crate) async fn pause(
    wanted: PauseFor,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    let pause = match wanted {
        PauseFor::HalfAnHour => Pause::HalfAnHour,
        PauseFor::UntilTomorrow => Pause::UntilTomorrow,
        PauseFor::UntilResumed => Pause::UntilResumed,
    };
    let written = host.consent().pause(pause).await;
    // It is in force, also where it is not written.
    changes.notify();
    written
}

/// Ends a pause.
#[tauri::command]
pub(crate) async fn resume(
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    let written = host.consent().resume().await;
    changes.notify();
    written
}

/// Sets a custom status; `None` clears it, and the foreground app is reported again.
#[tauri::command]
pub(crate) async fn fix_status(
    status: Option<Status>,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    let written = host.consent().fix_status(status).await;
    changes.notify();
    written
}
