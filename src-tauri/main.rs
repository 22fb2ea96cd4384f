//! Porchlight: one binary. No command opens the tray app; `serve` and the
//! other commands need no window.

#![cfg_attr(
    all(feature = "desktop", not(debug_assertions)),
    windows_subsystem = "windows"
)]

use std::process::ExitCode;

#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "the tray app prepares it")
)]
mod before_start;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "these are the tray app's controls")
)]
mod care;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "these are the tray app's controls")
)]
mod changing;
mod cli;
mod data_folder;
#[cfg(feature = "desktop")]
mod desktop;
mod destination;
mod edited;
mod editors;
mod file_mode;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "it is what the tray app shows")
)]
mod game_page;
mod host;
mod inlets;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "these are the tray app's controls")
)]
mod keys;
mod listener;
mod logging;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "it is what the tray app shows")
)]
mod needs;
mod open_files;
mod openings;
mod own_tokens;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "these are the tray app's controls")
)]
mod recent_log;
mod reporting;
mod restoring;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "these are the tray app's controls")
)]
mod rules;
mod running;
mod secret_store;
mod settings;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "these are the tray app's controls")
)]
mod sharing;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "the tray app gives it to its owner")
)]
mod snippet;
#[cfg_attr(
    not(feature = "desktop"),
    allow(dead_code, reason = "it is what the tray app shows")
)]
mod standing;
mod start_error;
#[cfg(test)]
mod testing;
mod this_program;
mod watching;
mod way_in;

fn main() -> ExitCode {
    // Before a second thread starts: the umask applies to the whole process.
    file_mode::close_new_files();
    cli::run(std::env::args_os())
}
