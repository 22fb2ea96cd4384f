//! What the sensors on buses and displays share.

use std::time::Duration;

use crate::error::message::Parameter;

/// How often a lost bus or display is searched for again.
pub(super) const LOOK_FOR_IT_AGAIN: Duration = Duration::from_secs(5);

pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn why(error: &zbus::Error) -> Parameter {
    match error {
        zbus::Error::InputOutput(error) => error.as_ref().into(),
        other => other.to_string().into(),
    }
}
