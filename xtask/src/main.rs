//! `cargo xtask`: builds, runs and tests Porchlight from a fresh checkout, and
//! installs what the machine lacks for that.
#![allow(
    clippy::print_stdout,
    reason = "the results of these commands are printed for the person who ran them"
)]

mod build;
mod cross;
mod debian;
mod documents;
mod files;
mod fuzz;
mod long;
mod package;
mod run;
mod setup;
mod shell;
mod steps;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use setup::{DESKTOP, TESTS, prepare};

/// Builds, runs and tests Porchlight.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short, global = true)]
    yes: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check Node.js, and install what the system lacks
    Setup {
        /// Also what `cargo xtask test` needs
        #[arg(long)]
        tests: bool,
    },
    /// Build the app and open it; without a display, the same service headless
    Run {
        /// Build with optimisation
        #[arg(long)]
        release: bool,
        /// What goes to porchlight itself, such as `-- --data-dir DIR`
        #[arg(last = true)]
        porchlight: Vec<String>,
    },
    /// Build the release desktop app; the last line printed is its path
    Build,
    /// Make the packages that people install, in target/packages
    Package {
        /// Sign the checksums with this secret key of minisign
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
        /// Those for Windows instead, which are made on Linux, too
        #[arg(long)]
        windows: bool,
    },
    /// Make the documents a site, in target/docs
    Docs,
    /// Run everything that is tested
    Test {
        /// Run this step alone; can be given more than once
        #[arg(long, value_name = "STEP", value_parser = steps::names(steps::TEST))]
        only: Vec<String>,
        /// With `--only rust` or `--only window`: what goes to `cargo test`, such
        /// as `-- --test images` or `-- rgba`
        #[arg(last = true, requires = "only")]
        cargo_test: Vec<String>,
    },
    /// Run what takes too long, or too many programs, for `test`
    Verify {
        /// Run this step alone; can be given more than once
        #[arg(long, value_name = "STEP", value_parser = steps::names(steps::VERIFY))]
        only: Vec<String>,
    },
    /// Measure the release build beside nginx and sharp
    Bench(long::Bench),
    /// Bytes of any kind against what reads bytes, for a while
    Fuzz(fuzz::Fuzz),
    /// Run the tests that take long
    Soak(long::Soak),
    /// Regenerate the TypeScript types of the window from the Rust ones
    Types,
}

fn main() -> ExitCode {
    start().unwrap_or_else(|failure| {
        eprintln!("\nerror: {failure:#}");
        ExitCode::FAILURE
    })
}

fn start() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let yes = arguments.yes;
    let sh = &shell::shell()?;
    match &arguments.command {
        Command::Setup { tests } => {
            setup::node(sh)?;
            let needs: &[_] = if *tests {
                &[DESKTOP, TESTS]
            } else {
                &[DESKTOP]
            };
            prepare(sh, needs, yes)?;
        }
        Command::Run {
            release,
            porchlight,
        } => return run::run(sh, *release, porchlight, yes),
        Command::Build => {
            prepare(sh, &[DESKTOP], yes)?;
            println!("{}", build::desktop(sh, true)?.display());
        }
        Command::Package { key, windows } => {
            package::package(sh, key.as_deref(), *windows, yes)?;
        }
        Command::Docs => documents::site(sh, yes)?,
        Command::Test { only, cargo_test } => {
            steps::run(sh, steps::TEST, only, cargo_test, false, yes)?;
        }
        Command::Verify { only } => steps::run(sh, steps::VERIFY, only, &[], true, yes)?,
        Command::Bench(bench) => bench.run(sh, yes)?,
        Command::Fuzz(fuzz) => fuzz.run(sh, yes)?,
        Command::Soak(soak) => soak.run(sh, yes)?,
        Command::Types => long::types(sh)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Arguments;

    #[test]
    fn the_arguments_of_every_subcommand_are_consistent() {
        Arguments::command().debug_assert();
    }
}
