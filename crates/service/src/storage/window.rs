//! The test of an object store.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;

/// One step of the test of the object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoreStep {
    /// An object is written with the keys.
    Write,
    /// It is read at the public address, without keys.
    Read,
    /// It comes with the type that it was stored with.
    Type,
    /// Pages of other sites may read it.
    Cors,
    /// It is removed.
    Remove,
}

/// What came of one step; a step that was not reached is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StoreCheck {
    /// Which one.
    pub step: StoreStep,
    /// What went wrong, if anything.
    pub trouble: Option<Message>,
}
