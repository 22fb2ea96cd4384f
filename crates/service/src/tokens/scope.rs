//! What a token may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Post heartbeats.
    Heartbeat,
    /// Add images and ask whether they are there, so that a leaked token
    /// deletes nothing.
    Upload,
    /// Everything.
    Admin,
}

/// What was given is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no scope: use heartbeat, upload or admin")]
pub struct UnknownScope(String);

impl Scope {
    /// Whether a token of this scope may do what requires `needed`.
    #[must_use]
    pub fn covers(self, needed: Self) -> bool {
        self == Self::Admin || self == needed
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Heartbeat => "heartbeat",
            Self::Upload => "upload",
            Self::Admin => "admin",
        })
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "heartbeat" => Ok(Self::Heartbeat),
            "upload" => Ok(Self::Upload),
            "admin" => Ok(Self::Admin),
            other => Err(UnknownScope(other.to_owned())),
        }
    }
}
