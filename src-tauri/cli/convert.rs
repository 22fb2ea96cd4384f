//! `porchlight convert`: a helper process, which the program runs itself as. Pictures come in, WebP goes
//! out; it may die in between.

use std::process::ExitCode;

use porchlight_convert::helper::{Limits, serve};

/// How much it may take.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Bytes of memory in addition to the program
    #[arg(long)]
    memory: u64,
    /// The process that started it
    #[arg(long)]
    started_by: u32,
    /// Read the system's fonts
    #[arg(long)]
    fonts: bool,
}

/// Converts what comes from standard input, until that ends.
pub(super) fn run(options: &Options) -> ExitCode {
    let limits = Limits {
        memory: options.memory,
        started_by: options.started_by,
        fonts: options.fonts,
    };
    match serve(&limits, std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        // The process that started it has gone.
        Err(_) => ExitCode::FAILURE,
    }
}
