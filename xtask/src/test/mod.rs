//! `cargo xtask test`: everything that is tested, one step after the other,
//! ending at the first that fails.

mod advisories;
mod bounds;
mod documents;
mod scripts;
mod workflows;

use std::time::{Duration, Instant};

use clap::ValueEnum;

use crate::shell::{Failure, Result, checkout, npm, run, spell};
use crate::system::{Purpose, cargo, prepare};
use crate::ui;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// Run this step alone
    #[arg(long, value_name = "STEP")]
    only: Option<Step>,
    /// With `--only rust` or `--only window`: what goes to `cargo test`, such
    /// as `-- --test images` or `-- rgba`
    #[arg(last = true, requires = "only")]
    cargo_test: Vec<String>,
}

/// The steps, in the order in which they run: what is quick to fail comes
/// first, and the window's page before the app that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Rust formatting
    Format,
    /// Scripts parse, links between the documents lead somewhere, each bound
    /// that they promise has its test, and the workflows pass their checks
    Files,
    /// The window's page: lint, types, tests, build
    Ui,
    /// The Worker and the custom element: lint, types, tests in workerd and in WebKit
    Edge,
    /// Clippy with warnings denied, with and without the desktop
    Clippy,
    /// Licences, sources and, where a database is there, advisories of the
    /// libraries
    Deny,
    /// Unit tests, and the service and the program from outside
    Rust,
    /// The tray app in a real window
    Window,
}

impl Step {
    fn name(self) -> String {
        self.to_possible_value()
            .expect("no step is hidden")
            .get_name()
            .to_owned()
    }

    fn take(self, cargo_test: &[String]) -> Result<()> {
        match self {
            // The fuzz targets are a separate workspace.
            Self::Format => run(cargo().args(["fmt", "--all", "--check"])).and_then(|()| {
                run(cargo().args(["fmt", "--check", "--manifest-path", "fuzz/Cargo.toml"]))
            }),
            Self::Files => scripts::check()
                .and_then(|()| documents::check())
                .and_then(|()| bounds::check())
                .and_then(|()| workflows::check()),
            Self::Ui => page(),
            Self::Edge => edge(),
            // The tests are the same for both.
            Self::Clippy => clippy(&["--lib", "--bins"])
                .and_then(|()| clippy(&["--all-targets", "--features", "porchlight/desktop"])),
            Self::Deny => deny(),
            // One of them runs the Worker in workerd.
            Self::Rust => ui::install_in(&checkout().join("edge")).and_then(|()| {
                run(cargo()
                    .args(["test", "--workspace", "--locked"])
                    .args(cargo_test))
            }),
            Self::Window => window(cargo_test),
        }
    }
}

/// Installs what the tests need, runs the steps and prints how long each took.
pub(crate) fn test(arguments: &Arguments) -> Result<()> {
    let began = Instant::now();
    prepare(Purpose::Tests, arguments.yes)?;
    let mut times = vec![("setup".to_owned(), began.elapsed())];

    let steps = match &arguments.only {
        Some(step) => std::slice::from_ref(step),
        None => Step::value_variants(),
    };
    for step in steps {
        println!("\n==> {}", step.name());
        let start = Instant::now();
        let outcome = step.take(&arguments.cargo_test);
        times.push((step.name(), start.elapsed()));
        if let Err(failure) = outcome {
            println!("\n{}", summary(&times));
            return Err(Failure::new(format!(
                "The step {0} failed: {failure}\nTo run it again: cargo xtask test --only {0}",
                step.name()
            )));
        }
    }
    println!(
        "\n{}\n{} passed, in {}.",
        summary(&times),
        arguments.only.map_or("All of it".to_owned(), Step::name),
        spell(began.elapsed())
    );
    Ok(())
}

fn page() -> Result<()> {
    ui::install()?;
    for words in [["run", "lint"], ["run", "check"], ["run", "test"]] {
        ui::script(&words)?;
    }
    ui::build()
}

/// workerd comes as a ready binary in a package of its own, which works without the install
/// scripts.
fn edge() -> Result<()> {
    let folder = checkout().join("edge");
    ui::install_in(&folder)?;
    for words in [["run", "lint"], ["run", "check"], ["run", "test"]] {
        run(npm().args(words).current_dir(&folder))?;
    }
    Ok(())
}

fn clippy(what: &[&str]) -> Result<()> {
    run(cargo()
        .args(["clippy", "--workspace", "--locked"])
        .args(what)
        .args(["--", "--deny", "warnings"]))
}

/// The libraries of every platform are checked, so all are fetched first. The
/// check itself needs nothing from the network.
fn deny() -> Result<()> {
    run(cargo().args(["fetch", "--locked"]))?;
    run(cargo()
        .args(["deny", "--offline", "check"])
        .args(advisories::checks()))
}

/// The test starts its own display, session bus and window manager.
fn window(cargo_test: &[String]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        println!("    Left out: the window is driven on Linux only.");
        return Ok(());
    }
    // The app carries the page, so the page must be built before it. The whole
    // workspace is named as in the steps before: each choice of packages is a
    // choice of their libraries' features, and another one recompiles them.
    ui::install()?;
    ui::build()?;
    run(cargo()
        .args(["test", "--workspace", "--locked"])
        .args(["--features", "porchlight/desktop"])
        // The tray app's modules have unit tests in the binary.
        .args(["--bin", "porchlight", "--test", "window"])
        .args(cargo_test))
}

/// One line a step, the times below each other.
fn summary(times: &[(String, Duration)]) -> String {
    times
        .iter()
        .map(|(name, time)| format!("    {name:<8} {:>12}", spell(*time)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_built_before_anything_that_carries_it() {
        let steps = Step::value_variants();
        let place = |step| steps.iter().position(|&other| other == step);
        assert!(place(Step::Ui) < place(Step::Clippy));
        assert!(place(Step::Ui) < place(Step::Window));
    }

    #[test]
    fn the_summary_has_a_line_for_each_step() {
        let times = [
            ("format".to_owned(), Duration::from_secs(1)),
            ("rust".to_owned(), Duration::from_secs(125)),
        ];
        assert_eq!(
            summary(&times),
            "    format          1.0 s\n    rust       2 min 05 s"
        );
    }
}
