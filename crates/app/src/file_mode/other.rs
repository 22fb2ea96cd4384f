//! On Windows other users have no access to a user's folders by default.

use std::path::Path;

/// Nothing.
pub fn close_new_files() {}

/// None.
pub fn former_mask() -> String {
    "0".to_owned()
}

/// Nothing.
pub fn set_mask(_: &str) {}

/// Runs `work`.
pub fn with_former_mask<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Nothing.
pub fn close_data_folder(_: &Path) {}
