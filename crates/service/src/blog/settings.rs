//! Settings of blogs.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `[blog]`
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct BlogSettings {
    /// Folders of posts, as absolute paths: where pictures are used.
    pub folders: Vec<PathBuf>,
}
