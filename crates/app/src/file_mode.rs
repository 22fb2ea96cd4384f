//! Restricts files that this process creates to their owner, and a data folder that other users
//! could read until now.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use other::{close_data_folder, close_new_files, former_mask, set_mask, with_former_mask};
#[cfg(unix)]
pub use unix::{close_data_folder, close_new_files, former_mask, set_mask, with_former_mask};
