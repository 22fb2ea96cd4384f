//! `cargo xtask setup`: the installing part alone.

use crate::shell::Result;
use crate::system::{Purpose, prepare};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install without asking
    #[arg(long, short)]
    yes: bool,
    /// Also what `cargo xtask test` needs
    #[arg(long)]
    tests: bool,
}

/// Checks and installs what building the app takes, or testing it.
pub(crate) fn setup(arguments: &Arguments) -> Result<()> {
    let purpose = if arguments.tests {
        Purpose::Tests
    } else {
        Purpose::Desktop
    };
    prepare(purpose, arguments.yes)
}
