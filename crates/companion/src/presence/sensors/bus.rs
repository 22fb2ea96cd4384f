//! How long to wait for a bus or a display.

use std::time::Duration;

use porchlight_api::Parameter;

pub(super) use crate::logind::bus_ended;

/// How often a lost bus or display is searched for again.
pub(super) const LOOK_FOR_IT_AGAIN: Duration = Duration::from_secs(5);

/// The timeout of D-Bus calls.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(1);

/// What is wrong with a bus.
pub(super) fn why(error: &zbus::Error) -> Parameter {
    match error {
        zbus::Error::InputOutput(error) => error.as_ref().into(),
        other => other.to_string().into(),
    }
}
