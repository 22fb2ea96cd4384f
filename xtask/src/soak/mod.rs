//! `cargo xtask soak`: the service is killed a hundred times at random moments, and nothing that it
//! answered may be lost; then ten thousand images are dropped into a watched folder, and all must
//! arrive. Options run other tests instead: many broken images, attacks, Pillow's test images.

mod corpus;

use std::process::Command;

use crate::build::{Kind, porchlight};
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
    /// How many images are dropped
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    dropped: u32,
    /// Test this many broken files of each image format instead
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["kills", "dropped"])]
    pictures: Option<u32>,
    /// Attack the release build within bounds for this time instead (120 seconds by
    /// default), and measure the effect on a reader
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        default_missing_value = "120",
        conflicts_with_all = ["kills", "dropped", "pictures"]
    )]
    hostile: Option<u32>,
    /// Switch between two programs in the real app for this time instead, seven times a second,
    /// and ask the service meanwhile
    #[arg(
        long,
        value_name = "SECONDS",
        conflicts_with_all = ["kills", "dropped", "pictures", "hostile"]
    )]
    switching: Option<u32>,
    /// Upload Pillow's test images to the release build instead, and compare what it
    /// stores with what Pillow decodes
    #[arg(long, conflicts_with_all = ["kills", "dropped", "pictures", "hostile", "switching"])]
    corpus: bool,
}

/// Runs these tests for a long time; they print their counts.
pub(crate) fn soak(arguments: &Arguments) -> Result<()> {
    if arguments.corpus {
        prepare(Purpose::Headless, arguments.yes)?;
        return corpus::run_corpus(arguments.yes);
    }
    if let Some(seconds) = arguments.hostile {
        prepare(Purpose::Headless, arguments.yes)?;
        return run(of_release("hostile")?.env("PORCHLIGHT_HOSTILE_SECONDS", seconds.to_string()));
    }
    prepare(Purpose::Tests, arguments.yes)?;
    if let Some(pictures) = arguments.pictures {
        return run(cargo()
            .args(["test", "--locked", "--package", "porchlight"])
            .args(["--test", "service", "--", "--nocapture", "broken_pictures"])
            .env("PORCHLIGHT_MUTATIONS", pictures.to_string()));
    }
    if let Some(seconds) = arguments.switching {
        return run(cargo()
            .args([
                "test",
                "--locked",
                "--workspace",
                "--features",
                "porchlight/desktop",
            ])
            .args(["--test", "window", "--", "--nocapture", "switching::"])
            .env("PORCHLIGHT_SWITCHING", seconds.to_string()));
    }
    if arguments.kills > 0 {
        run(test("upkeep")
            .arg("crash::answered_requests_survive_a_kill_at_any_moment")
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

/// This test against the release build, which is built first. The whole
/// workspace is named as `cargo xtask test` does, so that nothing is compiled
/// twice.
fn of_release(name: &str) -> Result<Command> {
    let program = porchlight(Kind::Headless, true)?;
    let mut cargo = cargo();
    cargo
        .args(["test", "--workspace", "--locked", "--test", name])
        .args(["--", "--nocapture", "--include-ignored"])
        .env("PORCHLIGHT_PROGRAM", program);
    Ok(cargo)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Arguments;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        soak: Arguments,
    }

    #[test]
    fn attacks_last_two_minutes_unless_a_number_is_given() {
        let hostile = |words: &[&str]| {
            let words = std::iter::once(&"soak").chain(words);
            Line::try_parse_from(words).map(|line| line.soak.hostile)
        };
        assert_eq!(hostile(&[]).expect("valid"), None);
        assert_eq!(hostile(&["--hostile"]).expect("valid"), Some(120));
        assert_eq!(hostile(&["--hostile", "600"]).expect("valid"), Some(600));
        assert!(hostile(&["--hostile", "--corpus"]).is_err());
    }
}
