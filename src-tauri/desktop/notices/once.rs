//! What is said once in the life of a data folder: that closing the window
//! leaves the light on.

use std::path::{Path, PathBuf};

/// The file whose being there says that it was said.
pub(super) struct Once(PathBuf);

impl Once {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self(folder.join("told-of-closing"))
    }

    pub(super) fn was_said(&self) -> bool {
        self.0.exists()
    }

    pub(super) fn said(&self) {
        if let Err(error) = std::fs::write(&self.0, "") {
            tracing::warn!(%error, "what was said about closing will be said again");
        }
    }
}
