//! `cargo xtask`: builds, runs and tests Porchlight from a fresh checkout, and
//! brings what the machine lacks for that.
#![allow(
    clippy::print_stdout,
    reason = "the results of these commands are printed for the person who ran them"
)]

mod bench;
mod build;
mod fuzz;
mod package;
mod run;
mod setup;
mod shell;
mod soak;
mod system;
mod test;
mod types;
mod ui;
mod verify;
mod version;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Builds, runs and tests Porchlight.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check Rust and Node.js, and install what the system lacks
    Setup(setup::Arguments),
    /// Build the app and open it; without a display, the same service headless
    Run(run::Arguments),
    /// Build the release desktop app; the last line printed is its path
    Build(build::Arguments),
    /// Make the packages that people install, in target/packages
    Package(package::Arguments),
    /// Run everything that is tested
    Test(test::Arguments),
    /// Measure the release build beside nginx and sharp
    Bench(bench::Arguments),
    /// Bytes of any kind against what reads bytes, for a while
    Fuzz(fuzz::Arguments),
    /// Kill the service a hundred times at random moments, and check that nothing is
    /// lost
    Soak(soak::Arguments),
    /// Run what takes too long, or too many programs, for `test`
    Verify(verify::Arguments),
    /// Regenerate the TypeScript types of the window from the Rust ones
    Types,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Setup(arguments) => setup::setup(&arguments),
        Command::Run(arguments) => match run::run(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Command::Build(arguments) => build::build(&arguments),
        Command::Package(arguments) => package::package(&arguments),
        Command::Test(arguments) => test::test(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Command::Soak(arguments) => soak::soak(&arguments),
        Command::Types => types::types(),
        Command::Verify(arguments) => verify::verify(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_arguments_of_every_subcommand_are_consistent() {
        Arguments::command().debug_assert();
    }
}
