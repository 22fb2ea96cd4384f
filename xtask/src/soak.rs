//! `cargo xtask soak`: the service is killed a hundred times at random moments,
//! and nothing that it answered may be lost; or it is sent many broken pictures.

use crate::shell::{Result, run};
use crate::system::{Purpose, cargo, prepare};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// How often it is killed
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    kills: u32,
    /// Instead of that: so many broken files of each kind of picture
    #[arg(long, value_name = "NUMBER", conflicts_with = "kills")]
    pictures: Option<u32>,
}

/// Runs the crash test for long; its counts are what it prints.
pub(crate) fn soak(arguments: &Arguments) -> Result<()> {
    prepare(Purpose::Tests, arguments.yes)?;
    if let Some(pictures) = arguments.pictures {
        return run(cargo()
            .args(["test", "--locked", "--package", "porchlight"])
            .args(["--test", "service", "--", "--nocapture", "broken_pictures"])
            .env("PORCHLIGHT_MUTATIONS", pictures.to_string()));
    }
    run(cargo()
        .args(["test", "--locked", "--package", "porchlight"])
        .args(["--test", "upkeep", "--", "--nocapture", "--exact"])
        .arg("crash::what_was_answered_outlives_a_kill_at_any_moment")
        .env("PORCHLIGHT_CRASHES", arguments.kills.to_string()))
}
