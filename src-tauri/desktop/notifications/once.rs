//! What is shown once in the life of a data folder: that closing the window
//! ends nothing, and where it is to be found again.

use std::path::{Path, PathBuf};

/// The file that exists once it was shown.
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

    pub(super) fn was_shown(&self) -> bool {
        self.0.exists()
    }

    pub(super) fn mark_shown(&self) {
        if let Err(error) = std::fs::write(&self.0, "") {
            tracing::warn!(%error, "the notification about closing will be shown again");
        }
    }
}
