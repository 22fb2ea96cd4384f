//! `porchlight companion`: what the tray app does on the owner's machine, with no window and for a
//! service elsewhere.

use std::path::PathBuf;
use std::process::ExitCode;

use porchlight_app::host::StartOptions;
use porchlight_app::host::remote::RemoteHost;

use crate::cli::run_until_signal;

/// Runs until a signal stops it.
pub(super) fn run(data_dir: Option<PathBuf>, set: Vec<String>) -> ExitCode {
    let options = StartOptions {
        data_dir,
        set,
        ..StartOptions::default()
    };
    run_until_signal(async {
        let host = RemoteHost::companion(options).await;
        host.map_err(|error| (error.to_string(), error.exit_code()))
    })
}
