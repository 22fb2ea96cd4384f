//! Notifies what shows the service that something has changed, and what needs the owner.

use porchlight_api::state::{State, StateReader};
use porchlight_api::window::{Alert, UploadState};
use porchlight_app::host::Host;

/// Sends an event whenever something has changed.
#[derive(Default)]
pub(super) struct Changes(State<()>);

impl Changes {
    /// Something that the tray or the window shows is no longer as it was.
    pub(super) fn notify(&self) {
        self.0.set(());
    }

    /// Receives every change from now on.
    pub(super) fn subscribe(&self) -> StateReader<()> {
        self.0.reader()
    }
}

/// What needs the owner now.
pub(super) fn alerts(host: &Host) -> Vec<Alert> {
    let uploads = host.uploads().rows();
    let failed = uploads
        .iter()
        .filter(|upload| matches!(upload.progress, UploadState::Failed { .. }));
    host.alerts(failed.count() as u64)
}
