//! The check for a newer release.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;

/// What a check for a newer release came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UpdateCheck {
    /// The version that runs.
    pub running: String,
    /// What was found.
    pub result: UpdateResult,
    /// How this copy is updated.
    pub way: UpdateWay,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum UpdateResult {
    /// No newer release is announced.
    UpToDate,
    /// A newer release is announced.
    Newer {
        /// Its version.
        version: String,
        /// What is new in it; empty where the announcement has none.
        notes: String,
        /// The page that it can be downloaded from, where the announcement names one.
        page: Option<String>,
    },
    /// It is not known whether there is a newer release.
    Failed {
        /// Why.
        why: UpdateFailure,
    },
}

/// Why a check found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum UpdateFailure {
    /// `update.url` is not set.
    #[error(
        "`update.url` is not set, so this Porchlight does not check for updates. Set `update.url` \
         and `update.public_key` in settings.toml to what the publisher of your copy names"
    )]
    NoAddress,
    /// `update.public_key` is not set.
    #[error(
        "`update.public_key` is not set, so the signature of a release cannot be checked. Set it in \
         settings.toml to the key that the publisher of your copy names"
    )]
    NoKey,
    /// No answer came.
    #[error("`update.url` cannot be reached: {why}")]
    Unreachable {
        /// Why.
        why: Message,
    },
    /// The answer was no file.
    #[error("{file} answers with status {status}")]
    Status {
        /// The address.
        file: String,
        /// The HTTP status.
        status: u16,
    },
    /// An answer was longer than an announcement or a signature is.
    #[error("the answer is too long for the announcement of a release")]
    TooLong,
    /// The file with the signature holds none.
    #[error("the announcement has no signature of minisign beside it")]
    NotSigned,
    /// The signature is by another key than `update.public_key`.
    #[error("the announcement is signed by another key than `update.public_key`")]
    OtherKey,
    /// The signature is not one of these bytes.
    #[error("the announcement does not match its signature: somebody may have changed it")]
    Altered,
    /// It is signed, and still not understood.
    #[error("the announcement is signed, but it is not the `latest.json` of a release")]
    Malformed,
}

/// How this copy is updated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum UpdateWay {
    /// By a download.
    Download,
    /// By the package manager of the system.
    Package {
        /// Its name.
        manager: String,
        /// The command for it.
        command: String,
    },
    /// It is in a folder of the system, and no package manager known here put it there.
    System,
}
