//! Porchlight: one binary. No command opens the tray app; `serve` and the
//! other commands need no window.

#![cfg_attr(
    all(feature = "desktop", not(debug_assertions)),
    windows_subsystem = "windows"
)]

use std::process::ExitCode;

mod cli;
#[cfg(feature = "desktop")]
mod desktop;

fn main() -> ExitCode {
    // Before a second thread starts: the umask applies to the whole process.
    porchlight_app::file_mode::close_new_files();
    cli::run(std::env::args_os())
}
