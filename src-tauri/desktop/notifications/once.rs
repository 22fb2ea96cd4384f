//! What is said once in the life of a data folder: that closing the window
//! ends nothing, and where it is to be found again.

use std::path::{Path, PathBuf};

/// The file whose being there says that it was said.
pub(super) struct Once(PathBuf);

impl Once {
    /// Of closing the window: once where there is a tray, and once where there
    /// is none, since the ways back are two.
    pub(super) fn of_closing(folder: &Path, in_tray: bool) -> Self {
        Self(folder.join(if in_tray {
            "told-of-closing"
        } else {
            "told-of-closing-without-tray"
        }))
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
