//! Restricts files that this process creates to their owner, and a data folder that other users
//! could read until now.

#[cfg(unix)]
mod owner;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::path::PathBuf;

#[cfg(unix)]
pub use unix::{
    close_data_folder, close_new_files, close_new_folder, former_mask, set_mask, with_former_mask,
};
#[cfg(not(unix))]
pub use windows::{
    close_data_folder, close_new_files, close_new_folder, former_mask, set_mask, with_former_mask,
};

/// Gives what this process makes in a data folder to the folder's owner when it is dropped, where it
/// runs as root.
pub struct ForItsOwner(
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "there a process runs as its own user")
    )]
    PathBuf,
);

impl ForItsOwner {
    #[must_use]
    pub fn of(folder: PathBuf) -> Self {
        Self(folder)
    }
}

impl Drop for ForItsOwner {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Err(error) = owner::give(&self.0) {
            tracing::warn!(%error, "{} has files that its owner cannot change", self.0.display());
        }
    }
}
