//! `cargo xtask soak`: the service is killed a hundred times at random moments,
//! and nothing that it answered may be lost; then ten thousand pictures are
//! dropped into a watched folder, and all must arrive. Or it is sent many broken
//! pictures.

use std::process::Command;

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
    /// How many pictures are dropped
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    dropped: u32,
    /// Instead of that: so many broken files of each kind of picture
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["kills", "dropped"])]
    pictures: Option<u32>,
}

/// Runs these tests for long; their counts are what they print.
pub(crate) fn soak(arguments: &Arguments) -> Result<()> {
    prepare(Purpose::Tests, arguments.yes)?;
    if let Some(pictures) = arguments.pictures {
        return run(cargo()
            .args(["test", "--locked", "--package", "porchlight"])
            .args(["--test", "service", "--", "--nocapture", "broken_pictures"])
            .env("PORCHLIGHT_MUTATIONS", pictures.to_string()));
    }
    if arguments.kills > 0 {
        run(test("upkeep")
            .arg("crash::what_was_answered_outlives_a_kill_at_any_moment")
            .env("PORCHLIGHT_CRASHES", arguments.kills.to_string()))?;
    }
    if arguments.dropped > 0 {
        run(test("watch")
            // One after the other: the second measures.
            .arg("--test-threads=1")
            .arg("killed::everything_arrives_once_while_watcher_and_service_are_killed_in_turn")
            .arg("dropped::a_folder_full_of_pictures_arrives_whole_and_memory_stays_flat")
            .env("PORCHLIGHT_DROPPED", arguments.dropped.to_string()))?;
    }
    Ok(())
}

fn test(name: &str) -> Command {
    let mut cargo = cargo();
    cargo
        .args(["test", "--locked", "--package", "porchlight"])
        .args(["--test", name, "--", "--nocapture", "--exact"]);
    cargo
}
