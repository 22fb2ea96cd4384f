//! Restricts files that this process creates to their owner, and a data folder that other users
//! could read until now.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(all(feature = "desktop", not(unix)))]
pub(crate) use other::with_former_mask;
#[cfg(not(unix))]
pub(crate) use other::{close_data_folder, close_new_files, former_mask, set_mask};
#[cfg(all(feature = "desktop", unix))]
pub(crate) use unix::with_former_mask;
#[cfg(unix)]
pub(crate) use unix::{close_data_folder, close_new_files, former_mask, set_mask};
