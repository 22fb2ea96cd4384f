//! How long to wait for a bus or a display.

use std::time::Duration;

/// A bus or a display that is gone is looked for again this often.
pub(super) const LOOK_FOR_IT_AGAIN: Duration = Duration::from_secs(5);

/// An answer on a bus is not waited for any longer.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// What a stream of a bus that has gone away means.
pub(super) fn bus_ended() -> zbus::Error {
    zbus::Error::Failure("the bus has gone away".to_owned())
}
