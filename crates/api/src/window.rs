//! What the window shows, and what it is told while it is open.
//!
//! These never travel over the network: the page gets them from its own
//! process. They live here so that the page's TypeScript types are made from
//! the same source as everything else that is spoken.

use serde::{Deserialize, Serialize};

use crate::{ApiStat, ImageHash};

/// Whether the owner shares what they are at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The owner has not been asked yet: nothing is reported.
    Unasked,
    /// The owner said no.
    Off,
    /// Heartbeats are posted.
    On,
    /// The owner said yes and has paused it for now.
    Paused,
}

/// The light as readers see it: the answer of `/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Light {
    /// Whether the last heartbeat is recent enough.
    pub alive: bool,
    /// Whether the owner is at the program named here.
    pub online: bool,
    /// The program; empty when none was named.
    pub application: String,
    /// A line about it.
    pub introduce: String,
    /// `r,g,b,a`; empty when there is none.
    pub rgba: String,
    /// Unix seconds; `null` before the first heartbeat.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_heartbeat: Option<i64>,
    /// Why the last heartbeat could not be posted, if so.
    pub trouble: Option<String>,
}

/// Where the service answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// What a blog is pointed at: the public address, or the local one.
    pub url: String,
    /// Whether `url` is reachable from the world, as far as the settings say.
    pub public: bool,
    /// The local port; `null` while the service is not listening.
    pub port: Option<u16>,
    /// Why it is not listening, in words, if so.
    pub trouble: Option<String>,
}

/// A stored picture, as the window shows it. Its pixels are at
/// `picture://localhost/<hash>?w=320`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// Its hash.
    #[cfg_attr(test, ts(type = "string"))]
    pub hash: ImageHash,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Stored bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub size: u64,
    /// Unix milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: i64,
    /// Its public address.
    pub url: String,
}

/// Everything on the first page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Home {
    /// The light.
    pub light: Light,
    /// Whether it is fed.
    pub sharing: Sharing,
    /// Where the blog finds it.
    pub address: Address,
    /// Pictures in all.
    #[cfg_attr(test, ts(type = "number"))]
    pub picture_count: u64,
    /// The newest twelve.
    pub newest: Vec<Picture>,
    /// Calls per path, most called first.
    pub calls: Vec<ApiStat>,
    /// Calls in each of the last 24 hours, the running hour last.
    #[cfg_attr(test, ts(type = "Array<number>"))]
    pub calls_by_hour: Vec<u64>,
    /// The program's version.
    pub version: String,
}

/// Why a file did not become a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum UploadTrouble {
    /// The file could not be read.
    Unreadable,
    /// It is a folder that holds no file, or no file at all.
    NotAFile,
    /// More bytes or pixels than are taken.
    TooLarge,
    /// Of no format that is read here.
    NotAPicture,
    /// A picture that does not decode.
    Broken,
    /// The disk or the object store is full.
    StorageFull,
    /// The object store did not take it, or the disk failed.
    Storage,
}

/// How far an upload has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum UploadState {
    /// In the queue.
    Waiting,
    /// Being read or converted.
    Working,
    /// Stored.
    Done {
        /// Its hash.
        #[cfg_attr(test, ts(type = "string"))]
        hash: ImageHash,
        /// Its public address.
        url: String,
        /// Stored bytes.
        #[cfg_attr(test, ts(type = "number"))]
        stored: u64,
    },
    /// It was here already, under this address.
    Duplicate {
        /// Its hash.
        #[cfg_attr(test, ts(type = "string"))]
        hash: ImageHash,
        /// Its public address.
        url: String,
    },
    /// It did not become a picture.
    Failed {
        /// Why.
        trouble: UploadTrouble,
    },
}

/// One file on its way in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Upload {
    /// Its number in this run of the app.
    pub id: u32,
    /// The file's name, without its folder.
    pub name: String,
    /// The source's bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub size: u64,
    /// How far it has come.
    #[serde(flatten)]
    pub progress: UploadState,
}
