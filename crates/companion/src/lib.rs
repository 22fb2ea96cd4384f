//! The owner's machine: what it tells the service of its owner, and the
//! pictures that it sends there.
//!
//! This room knows the service only as a web address and a token, so the one
//! in the same process and one on a rented machine are the same to it.

pub mod clipboard;
mod environment;
pub mod link;
mod opened;
pub mod outbox;
pub mod picgo;
pub mod presence;
pub mod settings;
mod stamp;
pub mod tunnel;
pub mod upload;
pub mod watch;
