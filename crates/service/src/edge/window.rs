//! The set-up of the Worker at Cloudflare from the window.

use serde::{Deserialize, Serialize};

use crate::error::message::Message;

/// The Worker at Cloudflare, as it was deployed from this data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EdgeSetup {
    /// What is being done with it.
    pub work: EdgeWork,
    /// Whether the keyring has a token.
    pub token_kept: bool,
    /// The Worker; `null` where none was deployed from here.
    pub deployed: Option<DeployedWorker>,
}

/// A Worker that was deployed from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DeployedWorker {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The version of this Porchlight, where that is newer.
    pub newer: Option<String>,
    /// Whether the owner put that version off.
    pub later: bool,
}

/// What the owner wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EdgeTask {
    /// The Worker is deployed, and the settings name it.
    SetUp,
    /// The Worker is replaced by this version's.
    Update,
    /// Worker and service get a new key.
    NewKey,
    /// The Worker is deleted.
    Remove,
}

/// A task with what it needs. It holds a token, so it is never printed.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EdgeRequest {
    /// The task.
    pub task: EdgeTask,
    /// Cloudflare's API token; empty: that of the keyring.
    pub token: String,
    /// Whether the keyring keeps the token.
    pub keep_token: bool,
    /// The account's id; empty: the one that the token is for.
    pub account: String,
    /// A host name at a domain of the owner; empty: an address at workers.dev.
    pub domain: String,
    /// The account's name at workers.dev, where it has none yet; may be empty.
    pub subdomain: String,
    /// Whether pictures go to R2.
    pub r2: bool,
}

/// The steps of a task, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EdgeStep {
    /// The token is verified.
    Verify,
    /// The account is looked up.
    Account,
    /// Its name at workers.dev is looked up.
    Subdomain,
    /// The bucket in R2 is made.
    Bucket,
    /// The Worker is uploaded.
    Upload,
    /// Its address is switched on.
    Address,
    /// The address is probed until it leads to the Worker.
    Wait,
    /// The settings are changed.
    Settings,
}

/// What is being done, or came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EdgeWork {
    /// Nothing.
    Idle,
    /// A task is under way.
    Running {
        /// The task.
        task: EdgeTask,
        /// Where it is.
        step: EdgeStep,
        /// The address that is probed.
        url: Option<String>,
        /// Why the last probe failed; it is repeated.
        why: Option<Message>,
    },
    /// A task failed.
    Failed {
        /// The task.
        task: EdgeTask,
        /// Where.
        step: EdgeStep,
        /// Why, and what to do.
        why: Message,
        /// Ids and names of the accounts to choose from.
        accounts: Vec<(String, String)>,
    },
    /// A task is done.
    Done {
        /// The task.
        task: EdgeTask,
        /// The Worker's address.
        url: String,
        /// What else the owner should know.
        note: Option<Message>,
    },
}

/// How the Worker is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EdgeGlance {
    /// What came of the last call.
    pub state: EdgeState,
    /// Whether the tunnel speaks plain HTTP, so that the Worker does not get its address.
    pub plain_tunnel: bool,
    /// Images on this machine's disk, which the Worker cannot send while it is off.
    #[cfg_attr(test, ts(type = "number"))]
    pub on_disk: u64,
    /// Whether this machine's clock is more than five minutes off the Worker's.
    pub clock_is_off: bool,
}

/// What came of the last call to the Worker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EdgeState {
    /// The settings name no Worker, or no key for it.
    #[default]
    Off,
    /// It has not answered yet.
    Checking,
    /// It knows everything.
    Works {
        /// Since when, in Unix milliseconds.
        #[cfg_attr(test, ts(type = "number"))]
        at: i64,
    },
    /// It belongs to another Porchlight.
    Another,
    /// The free plan allows no more today.
    Limit {
        /// Until when, in Unix milliseconds.
        #[cfg_attr(test, ts(type = "number"))]
        until: i64,
    },
    /// It does not answer, or refuses.
    Fails {
        /// Why.
        why: Message,
        /// Since when, in Unix milliseconds.
        #[cfg_attr(test, ts(type = "number"))]
        since: i64,
    },
}
