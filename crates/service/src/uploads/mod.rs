//! Uploads: dropped files, watched folders, editors, and the queue of them all.

pub mod added_files;
pub mod clipboard;
pub mod opened;
pub mod picgo;
pub mod queue;
pub mod target;
pub mod upload;
pub mod watch;
pub mod window;
