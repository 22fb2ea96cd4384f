//! "Always reachable": the object store, the Worker, its address, and the lines for a blog.

use serde::{Deserialize, Serialize};

use crate::edge::window::EdgeSetup;
use crate::error::message::Message;
use crate::images::window::AddressKind;

/// Everything on the settings page "Always reachable" that is not a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// Whose object store the settings name.
    pub store: StoreMaker,
    /// The lines that help with the store and the Worker. None holds a secret.
    pub lines: ReachLines,
    /// The variables of the Worker but for the secret, each with its value.
    pub variables: Vec<(String, String)>,
    /// Whether there is a key that the Worker and the service share.
    pub has_key: bool,
    /// The snapshot; `null` while nothing is published.
    pub snapshot: Option<SnapshotGlance>,
    /// The address of the Worker.
    pub edge: EdgeGlance,
    /// The Worker at Cloudflare.
    pub setup: EdgeSetup,
}

/// Who made an object store: what to do in it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoreMaker {
    /// Cloudflare's R2.
    R2,
    /// A store on an own server or network, such as Garage.
    Own,
    /// Another one.
    Other,
}

/// Lines that can be copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ReachLines {
    /// Deploys the Worker.
    pub deploy: String,
    /// Rules for other sites, as the page of R2 takes them.
    pub cors: String,
    /// The command that sets such rules at other stores.
    pub cors_command: String,
    /// The command that lets everybody read a bucket of Garage.
    pub website: String,
}

/// What of the Worker can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReachText {
    /// See [`ReachLines`].
    Deploy,
    /// See [`ReachLines`].
    Cors,
    /// See [`ReachLines`].
    CorsCommand,
    /// See [`ReachLines`].
    Website,
    /// The script of the Worker.
    Worker,
    /// The key that it shares with the service. It goes to the clipboard alone.
    Secret,
}

/// The snapshot in the object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SnapshotGlance {
    /// When what readers see of the owner was last written.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub written: Option<i64>,
    /// Whether the store holds the snapshot of another Porchlight.
    pub another: bool,
    /// Whether the tunnel speaks plain HTTP, so that the Worker does not use it.
    pub plain_tunnel: bool,
    /// Images on this machine's disk, which the Worker cannot send.
    #[cfg_attr(test, ts(type = "number"))]
    pub on_disk: u64,
    /// Why the store does not take the snapshot, if so.
    pub trouble: Option<SnapshotTrouble>,
}

/// Why the store does not take the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SnapshotTrouble {
    /// Why.
    pub why: Message,
    /// Since when.
    #[cfg_attr(test, ts(type = "number"))]
    pub since: i64,
}

/// What was found at the address of the Worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EdgeGlance {
    /// The settings name no address.
    Off,
    /// It is being probed.
    Checking,
    /// It leads to this very process.
    Service {
        /// How long the answer took, in milliseconds.
        round_trip: u32,
        /// When it was probed.
        #[cfg_attr(test, ts(type = "number"))]
        checked: i64,
    },
    /// The Worker answers from the snapshot, since it does not reach this process.
    Snapshot {
        /// When it was probed.
        #[cfg_attr(test, ts(type = "number"))]
        checked: i64,
    },
    /// The Worker keeps the images and the snapshot itself, and answers from them.
    Store {
        /// When it was probed.
        #[cfg_attr(test, ts(type = "number"))]
        checked: i64,
    },
    /// The free plan allows no more requests today.
    Limit {
        /// When it was probed.
        #[cfg_attr(test, ts(type = "number"))]
        checked: i64,
    },
    /// It does not answer as a Worker of this Porchlight.
    Fails {
        /// Why.
        why: Message,
        /// When it was probed.
        #[cfg_attr(test, ts(type = "number"))]
        checked: i64,
    },
}

/// The files of the Worker that were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EdgeFiles {
    /// Where they are.
    pub folder: String,
}

/// The form of the lines for a blog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BlogForm {
    /// HTML.
    Html,
    /// A component of Astro, which must leave the script as it is.
    Astro,
    /// A script of Hexo that puts the HTML on each page, since a theme from npm has no folder to edit.
    Hexo,
    /// The `head` of a VitePress or VuePress configuration, and the element.
    Vue,
}

/// The lines for a blog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BlogLines {
    /// The lines.
    pub text: String,
    /// The address in them.
    pub url: String,
    /// How long it leads here, and for whom.
    pub kind: AddressKind,
    /// Whether the lines hold the script itself.
    pub whole: bool,
    /// When somebody else than this machine last asked for the status, in this run.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_asked: Option<i64>,
}
