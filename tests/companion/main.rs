//! `porchlight companion` on a desktop with real programs: the shipped binary
//! under Xvfb with a window manager and a session bus, reporting to a real
//! service.
//!
//! Needs what `cargo xtask setup --tests` installs. Everything that is started
//! here is ended here, and listens on loopback alone.

#![cfg(target_os = "linux")]

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../harness/stand_in.rs"]
mod stand_in;

#[allow(dead_code, reason = "the tests of the window use all of it")]
#[path = "../window/desktop.rs"]
mod desktop;
#[allow(dead_code, reason = "the tests of the window use all of it")]
#[path = "../window/tray.rs"]
mod tray;

mod bus;
mod companion;
mod home;
mod idleness;
mod keyring;
mod picgo;
mod programs;
mod start;
mod sway;
mod targets;
mod wayland;

use harness::eventually;
