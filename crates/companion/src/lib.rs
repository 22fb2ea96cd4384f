//! The owner's machine: the presence that it reports to the service, and the
//! images that it uploads there.
//!
//! This room knows the service only as a [`target::Target`], so the one in the same process and one
//! on a rented machine are the same to it.

pub mod added_files;
mod background;
pub mod clipboard;
pub mod link;
pub mod lock_file;
#[cfg(target_os = "linux")]
mod logind;
mod opened;
pub mod picgo;
pub mod presence;
pub mod private_files;
pub mod sleep;
#[cfg(windows)]
mod suspend;
pub mod target;
#[cfg(test)]
mod tiny_server;
pub mod tunnel;
pub mod upload;
pub mod upload_queue;
pub mod watch;
