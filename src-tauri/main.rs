//! Porchlight: one binary. No command opens the tray app; `serve` and the
//! other commands need no window.

#![cfg_attr(
    all(feature = "desktop", not(debug_assertions)),
    windows_subsystem = "windows"
)]

use std::process::ExitCode;

use porchlight_service::app::host::{StartOptions, TrayOptions};
use porchlight_service::files::executable;

mod cli;
#[cfg(feature = "desktop")]
mod desktop;

fn main() -> ExitCode {
    executable::wait_for_former();
    #[cfg(windows)]
    cli::console::attach();
    // Before a second thread starts: it applies to the whole process.
    porchlight_service::files::file_mode::close_new_files();
    porchlight_service::log::log_panics();
    cli::run(std::env::args_os(), open_tray_app)
}

#[cfg(feature = "desktop")]
fn open_tray_app(options: StartOptions, tray: TrayOptions) -> ExitCode {
    #[cfg(windows)]
    if let Some(code) = cli::console::start_without() {
        return code;
    }
    #[cfg(windows)]
    cli::console::leave();
    desktop::run(options, tray)
}

#[cfg(not(feature = "desktop"))]
fn open_tray_app(_: StartOptions, _: TrayOptions) -> ExitCode {
    eprintln!(
        "This build of Porchlight has no window: use `porchlight serve`, \
         or build it with `--features desktop`."
    );
    ExitCode::from(2)
}
