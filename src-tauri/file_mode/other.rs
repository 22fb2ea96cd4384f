//! On Windows other users have no access to a user's folders by default.

use std::path::Path;

/// Nothing.
pub(crate) fn close_new_files() {}

/// Runs `work`.
#[cfg(feature = "desktop")]
pub(crate) fn with_former_mask<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Nothing.
pub(crate) fn close_data_folder(_: &Path) {}
