//! Files being uploaded.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::message::Message;
use crate::images::window::AddressKind;
use crate::text::image_hash::ImageHash;

/// Why a file did not become an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum UploadTrouble {
    /// The file could not be read.
    Unreadable,
    /// It is a folder that holds no file, or no file at all.
    NotAFile,
    /// More bytes or pixels than the limits allow.
    TooLarge,
    /// Of no format that is read here.
    NotAPicture,
    /// More files than are accepted at once; the row contains how many were
    /// left out.
    TooMany,
    /// An image that does not decode.
    Broken,
    /// The object store did not take it, or the disk failed.
    Storage,
}

/// How far an upload has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum UploadState {
    /// In the queue.
    Waiting {
        /// Why it was not uploaded yet; it is retried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        why: Option<Message>,
    },
    /// Being read, sent or converted.
    Working {
        /// How far it has come, from 0 to 1,000.
        permille: u16,
    },
    /// Stored.
    Done {
        /// Its hash.
        #[cfg_attr(test, ts(type = "string"))]
        hash: ImageHash,
        /// Its public address.
        url: String,
        /// Stored bytes; `null` where they are not known.
        #[cfg_attr(test, ts(type = "number | null"))]
        stored: Option<u64>,
    },
    /// It was here already, under this address.
    Duplicate {
        /// Its hash.
        #[cfg_attr(test, ts(type = "string"))]
        hash: ImageHash,
        /// Its public address.
        url: String,
    },
    /// It did not become an image.
    Failed {
        /// Why.
        trouble: UploadTrouble,
    },
}

/// One file being uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Upload {
    /// Its number in the upload queue. Later ones have higher numbers.
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

/// Links of uploads that were put on the clipboard once all were over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CopiedLinks {
    /// How many.
    pub count: u32,
    /// How long they lead to the images.
    pub kind: AddressKind,
}

/// A file of a watched folder that can never work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SetAsideFile {
    /// Its number.
    #[cfg_attr(test, ts(type = "number"))]
    pub id: i64,
    /// The file's name, without its folder.
    pub name: String,
    /// Its folder.
    pub folder: String,
    /// Why.
    pub reason: Message,
}

/// The state of a watched folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FolderState {
    /// It was not looked through yet.
    New,
    /// The system reports changes in it.
    Watched,
    /// It is looked through every few seconds.
    Polled,
    /// It is missing or not readable; it is checked every two seconds.
    Missing,
}

/// One watched folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FolderStatus {
    /// The folder, as the owner wrote it.
    pub folder: String,
    /// Its state.
    pub state: FolderState,
    /// Why it is polled or missing.
    pub why: Option<Message>,
}

/// The status of the watched folders.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WatchStatus {
    /// The folders; none when nothing is watched.
    pub folders: Vec<FolderStatus>,
    /// Uploads are paused; files are still noticed.
    pub paused: bool,
    /// Files that wait to be uploaded.
    #[cfg_attr(test, ts(type = "number"))]
    pub waiting: u64,
    /// Files that were set aside, because they can never be uploaded.
    #[cfg_attr(test, ts(type = "number"))]
    pub set_aside: u64,
    /// Names of files being uploaded.
    pub under_way: Vec<String>,
    /// Why nothing is uploaded; it is retried automatically.
    pub trouble: Option<Message>,
}

impl WatchStatus {
    /// Of folders that are not watched yet.
    #[must_use]
    pub fn unwatched(folders: &[PathBuf]) -> Self {
        let folders = folders.iter().map(|folder| FolderStatus {
            folder: folder.display().to_string(),
            state: FolderState::New,
            why: None,
        });
        Self {
            folders: folders.collect(),
            ..Self::default()
        }
    }
}
