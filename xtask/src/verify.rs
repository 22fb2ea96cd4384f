//! `cargo xtask verify`: what takes too long, or too many programs, for `cargo xtask test`. All
//! steps are taken, also after one that fails; at the end each has a line.

use std::time::{Duration, Instant};

use crate::package::packages;
use crate::shell::{Failure, Result, checkout, npm, run, spell};
use crate::system::{Purpose, bring_browsers, cargo, prepare};
use crate::ui;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// Take this step alone; can be given more than once
    #[arg(long, value_name = "STEP", value_parser = names())]
    only: Vec<String>,
}

struct Step {
    name: &'static str,
    take: fn(yes: bool) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step {
        name: "litestream",
        take: litestream,
    },
    Step {
        name: "browsers",
        take: browsers,
    },
    Step {
        name: "packages",
        take: packages,
    },
];

fn names() -> Vec<&'static str> {
    STEPS.iter().map(|step| step.name).collect()
}

/// Installs what is missing and takes the steps.
pub(crate) fn verify(arguments: &Arguments) -> Result<()> {
    prepare(Purpose::Tests, arguments.yes)?;
    let is_wanted =
        |step: &&Step| arguments.only.is_empty() || arguments.only.iter().any(|n| n == step.name);
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS.iter().filter(is_wanted) {
        println!("\n==> {}", step.name);
        let start = Instant::now();
        let outcome = (step.take)(arguments.yes);
        lines.push(line(step.name, outcome.is_ok(), start.elapsed()));
        if let Err(failure) = outcome {
            println!("    {failure}");
            failed.push(step.name);
        }
    }
    println!("\n{}", lines.join("\n"));
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "Failed: {}. To run one again: cargo xtask verify --only {}",
        failed.join(", "),
        failed[0]
    )))
}

fn line(name: &str, passed: bool, time: Duration) -> String {
    let result = if passed { "passed" } else { "failed" };
    format!("    {name:<12} {result:<8} {:>12}", spell(time))
}

/// A copy of the database after a hundred uploads, one that is behind, and a backup beside it.
fn litestream(_yes: bool) -> Result<()> {
    run(cargo()
        .args(["test", "--workspace", "--locked", "--test", "upkeep"])
        .args(["--", "--ignored", "litestream::"]))
}

/// The custom element in the engines that readers have.
fn browsers(yes: bool) -> Result<()> {
    bring_browsers(yes)?;
    let folder = checkout().join("edge");
    ui::install_in(&folder)?;
    run(npm()
        .args(["run", "test", "--", "browsers"])
        .env("PORCHLIGHT_BROWSERS", "chromium,firefox,webkit")
        .current_dir(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_a_line_with_its_result_and_its_duration() {
        assert_eq!(
            line("litestream", true, Duration::from_secs(61)),
            "    litestream   passed     1 min 01 s"
        );
        assert!(line("browsers", false, Duration::from_secs(1)).contains("failed"));
    }

    #[test]
    fn no_two_steps_have_one_name() {
        let mut all = names();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), STEPS.len());
    }
}
