//! Files being uploaded.

use serde::{Deserialize, Serialize};

use super::AddressKind;
use crate::{ImageHash, Message};

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
