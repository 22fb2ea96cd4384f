//! `porchlight serve` on a desktop with real programs: the shipped binary
//! under Xvfb with a window manager and a session bus, reporting to itself and
//! to another real service.
//!
//! Needs what `cargo xtask setup --tests` installs. Everything that is started
//! here is ended here, and listens on loopback alone.

#![cfg(target_os = "linux")]

mod clock;
mod companion;
mod fixture;
mod gnome_shell;
mod idleness;
mod music;
mod picgo;
mod programs;
mod start;
mod targets;
mod wayland;

use harness::eventually;
use harness::{bus, desktop, gnome, stand_in, sway, tray};
use porchlight_test_harness as harness;
