//! Settings of watched folders.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What happens to an image in a watched folder once it is uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AfterUpload {
    #[default]
    Keep,
    /// It is moved to a subfolder.
    Archive,
    Trash,
}

/// `[watch]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WatchSettings {
    /// The watched folders, as absolute paths.
    pub folders: Vec<PathBuf>,
    /// Whether the folders inside them are watched too.
    pub recursive: bool,
    pub after: AfterUpload,
    /// Whether to upload images that exist when a folder is watched for the
    /// first time.
    pub existing: bool,
    /// Whether new images get an album with the name of the subfolder that their file is in.
    pub albums: bool,
    /// Whether the folders are walked every few seconds, also where the system
    /// reports changes; network folders always are.
    pub poll: bool,
    /// Whether the link of an uploaded image goes to the clipboard.
    pub copy_link: bool,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            recursive: true,
            after: AfterUpload::Keep,
            existing: true,
            albums: false,
            poll: false,
            copy_link: false,
        }
    }
}
