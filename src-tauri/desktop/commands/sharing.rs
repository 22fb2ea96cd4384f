//! Sharing the owner's presence: consent, pauses, and a fixed status.

use porchlight_api::Message;
use porchlight_api::window::{PauseFor, Status};
use porchlight_app::host::Host;
use porchlight_companion::presence::Pause;
use tauri::State;

use crate::desktop::changes::Changes;

/// The owner's answer to whether their presence is shared.
#[tauri::command]
pub(crate) async fn share(
    share: bool,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.store().answer_sharing(share).await?;
    changes.tell();
    Ok(())
}

/// Says nothing for a while.
#[tauri::command]
pub(crate) fn pause(wanted: PauseFor, host: State<'_, Host>, changes: State<'_, Changes>) {
    host.consent().pause(match wanted {
        PauseFor::HalfAnHour => Pause::HalfAnHour,
        PauseFor::UntilTomorrow => Pause::UntilTomorrow,
        PauseFor::UntilResumed => Pause::UntilResumed,
    });
    changes.tell();
}

/// Ends a pause.
#[tauri::command]
pub(crate) fn resume(host: State<'_, Host>, changes: State<'_, Changes>) {
    host.consent().resume();
    changes.tell();
}

/// Reports the owner's own words; without them, the foreground app again.
#[tauri::command]
pub(crate) fn fix_status(
    status: Option<Status>,
    host: State<'_, Host>,
    changes: State<'_, Changes>,
) -> Result<(), Message> {
    host.consent().fix_status(status)?;
    changes.tell();
    Ok(())
}
