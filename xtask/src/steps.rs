//! `cargo xtask test` and `cargo xtask verify`: steps, each of which can be run alone.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::builder::PossibleValue;
use xshell::Shell;

use crate::build::{self, scripts};
use crate::cross::{self, Skipped};
use crate::setup::{self, DESKTOP, TESTS, prepare};
use crate::shell::{cargo, test_threads};
use crate::{debian, files, package};

/// A step: its name, what it checks, and what does it, which is given the shell, what goes to
/// `cargo test`, and whether to install without asking.
type Step = (&'static str, &'static str, Take);
type Take = fn(&Shell, &[String], bool) -> Result<()>;

/// The steps of `test`, in the order in which they run: what is quick to fail comes first, and the
/// window's page before the app that carries it.
pub(crate) const TEST: &[Step] = &[
    ("format", "Rust formatting", |sh, _, _| {
        cargo(sh, "fmt --all --check").run()?;
        // The fuzz targets are a separate workspace.
        Ok(cargo(sh, "fmt --check --manifest-path fuzz/Cargo.toml").run()?)
    }),
    (
        "files",
        "Scripts parse, links between the documents lead somewhere, and the workflows pass their \
         checks",
        |sh, _, yes| files::check(sh, yes),
    ),
    (
        "ui",
        "The window's page: lint, types, tests, build",
        |sh, _, _| {
            scripts(sh, "ui", &["lint", "check", "test"])?;
            build::page(sh)
        },
    ),
    (
        "edge",
        "The Worker and the custom element: lint, types, tests in workerd and in WebKit",
        |sh, _, _| scripts(sh, "edge", &["lint", "check", "test"]),
    ),
    (
        "clippy",
        "Clippy with warnings denied, with and without the desktop",
        |sh, _, _| {
            // The tests are the same for both.
            for words in [
                "--lib --bins",
                "--all-targets --features porchlight/desktop",
            ] {
                let words = format!("clippy --workspace --locked {words} -- --deny warnings");
                cargo(sh, &words).run()?;
            }
            Ok(())
        },
    ),
    (
        "macos",
        "Clippy for macOS, with warnings denied; nothing is linked or run",
        cross::macos::check,
    ),
    (
        "deny",
        "Licences, sources and, where a database is there, advisories of the libraries",
        |sh, _, _| deny(sh),
    ),
    (
        "rust",
        "Unit tests, and the service and the program from outside",
        |sh, words, _| {
            // Some of them run the Worker in workerd, two a blog made by Hexo or Eleventy.
            build::packages(sh, &["edge", "tests/quickstart", "tests/blog/sites"])?;
            let test = cargo(sh, "test --workspace --locked").args(words);
            Ok(test.env("RUST_TEST_THREADS", test_threads(2)).run()?)
        },
    ),
    ("window", "The tray app in a real window", |sh, words, _| {
        if !cfg!(target_os = "linux") {
            return Err(Skipped("the window is driven on Linux only".to_owned()).into());
        }
        build::page(sh)?;
        // The whole workspace is named as in the steps before: each choice of packages is a choice
        // of their libraries' features. The tray app's modules have unit tests in the binary.
        let test = "test --workspace --locked --features porchlight/desktop --bin porchlight \
                    --test window";
        Ok(cargo(sh, test).args(words).run()?)
    }),
    (
        "windows",
        "Built for Windows without warnings, and tested under Wine",
        cross::windows,
    ),
];

/// The steps of `verify`.
pub(crate) const VERIFY: &[Step] = &[
    (
        "windows-slow",
        "The tests under Wine that start hundreds of processes",
        cross::windows_slow,
    ),
    (
        "litestream",
        "A copy of the database after a hundred uploads, one that is behind, a backup beside it",
        |sh, _, _| ignored(sh, "--test maintenance -- litestream::"),
    ),
    (
        "worker",
        "A Worker with a thousand readers, killed for five minutes, and with 100,000 pictures",
        |sh, _, _| {
            build::packages(sh, &["edge"])?;
            ignored(sh, "--test object_store -- --test-threads=1")
        },
    ),
    (
        "openapi",
        "Whatever schemathesis makes of docs/openapi.json, for minutes",
        |sh, _, _| ignored(sh, "--test service -- openapi::"),
    ),
    (
        "browsers",
        "The custom element in the engines that readers have",
        |sh, _, yes| {
            prepare(sh, &[setup::BROWSERS], yes)?;
            let _all = sh.push_env("PORCHLIGHT_BROWSERS", "chromium,firefox,webkit");
            scripts(sh, "edge", &["test -- browsers"])
        },
    ),
    (
        "gnome",
        "The foreground app, input and lock in a GNOME Shell without a screen, by the extension",
        |sh, _, yes| {
            prepare(sh, &[setup::GNOME], yes)?;
            gnome(sh, &[])
        },
    ),
    (
        "gnome-48",
        "The same in GNOME 48, in a clean Debian 13 (as root)",
        |sh, _, yes| gnome(sh, &debian::tests_in(sh, "trixie", setup::GNOME.apt, yes)?),
    ),
    (
        "blogs",
        "Blogs of six generators, moved here, built before and after and compared; examples of themes",
        |sh, _, yes| {
            prepare(sh, &[setup::GENERATORS], yes)?;
            build::packages(sh, &["tests/quickstart", "tests/blog/generators"])?;
            // A browser and a generator at a time.
            ignored(sh, "--test blog -- --test-threads=1")
        },
    ),
    (
        "packages",
        "The packages in clean systems, by the tools of their formats (as root)",
        |sh, _, yes| package::verify(sh, yes),
    ),
    (
        "windows-setup",
        "The setup for Windows under Wine: installed, used, upgraded while it runs, removed",
        |sh, _, yes| package::verify_setup(sh, yes),
    ),
];

/// Runs tests that the step `rust` leaves out.
fn ignored(sh: &Shell, tests: &str) -> Result<()> {
    let test = cargo(sh, &format!("test --workspace --locked {tests}"));
    Ok(test.args(["--ignored", "--nocapture"]).run()?)
}

/// Runs the tests with these words for cargo. One Shell at a time: each draws in software.
fn gnome(sh: &Shell, words: &[String]) -> Result<()> {
    for tests in ["--test companion -- gnome_shell::", "--lib -- gnome::"] {
        let test = cargo(sh, "test --workspace --locked").args(words);
        let test = test.args(tests.split(' '));
        test.args(["--ignored", "--test-threads=1"]).run()?;
    }
    Ok(())
}

/// The names of these steps, for the command line.
pub(crate) fn names(steps: &[Step]) -> Vec<PossibleValue> {
    let name = |(name, what, _): &Step| PossibleValue::new(*name).help(*what);
    steps.iter().map(name).collect()
}

/// Installs what the tests need and runs these steps, or those named. At the end each has a line.
/// `goes_on` after one that fails, or ends there.
pub(crate) fn run(
    sh: &Shell,
    steps: &[Step],
    only: &[String],
    words: &[String],
    goes_on: bool,
    yes: bool,
) -> Result<()> {
    let began = Instant::now();
    prepare(sh, &[DESKTOP, TESTS], yes)?;
    let (mut lines, mut failed) = (Vec::new(), Vec::new());
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    for (name, _, take) in steps.iter().filter(|step| is_wanted(step.0)) {
        println!("\n==> {name}");
        let start = Instant::now();
        let result = match take(sh, words, yes) {
            Ok(()) => "passed",
            Err(reason) if reason.is::<Skipped>() => {
                println!("    Skipped: {reason}");
                "skipped"
            }
            Err(failure) => {
                println!("    {failure:#}");
                failed.push(*name);
                "failed"
            }
        };
        let time = format!("{:.1} s", start.elapsed().as_secs_f64());
        lines.push(format!("    {name:<13} {result:<8} {time:>12}"));
        if result == "failed" && !goes_on {
            break;
        }
    }
    println!("\n{}", lines.join("\n"));
    println!("In all: {:.1} s.", began.elapsed().as_secs_f64());
    let failed = failed.join(", ");
    ensure!(failed.is_empty(), "failed: {failed} (again: --only STEP)");
    Ok(())
}

/// The libraries of every platform are checked, so all are fetched first. The check itself needs
/// nothing from the network; advisories are in a database that cargo-deny fetches on request.
fn deny(sh: &Shell) -> Result<()> {
    cargo(sh, "fetch --locked").run()?;
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let databases = cargo_home
        .context("this user has no home")?
        .join("advisory-dbs");
    let mut checks = vec!["licenses", "bans", "sources"];
    if has_database(sh, &databases) {
        checks.push("advisories");
    } else {
        println!(
            "    Advisories are skipped: there is no database in {}. `cargo deny fetch` fetches it.",
            databases.display()
        );
    }
    Ok(cargo(sh, "deny --offline check").args(checks).run()?)
}

/// Whether a database is in there. One that was not fetched whole is empty.
fn has_database(sh: &Shell, folder: &Path) -> bool {
    let is_fetched = |folder| sh.read_dir(folder).is_ok_and(|inside| !inside.is_empty());
    let databases = sh.read_dir(folder).unwrap_or_default();
    databases.into_iter().any(is_fetched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::checkout;

    #[test]
    fn no_two_steps_have_one_name() {
        for steps in [TEST, VERIFY] {
            let names: std::collections::BTreeSet<_> = steps.iter().map(|step| step.0).collect();
            assert_eq!(names.len(), steps.len());
        }
    }

    #[test]
    fn an_empty_folder_is_not_a_database() {
        let sh = Shell::new().expect("a shell");
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path();
        assert!(!has_database(&sh, &folder.join("missing")) && !has_database(&sh, folder));
        sh.write_file(folder.join("db.lock"), "").expect("written");
        let database = sh.create_dir(folder.join("advisory-db-1")).expect("made");
        assert!(!has_database(&sh, folder), "nothing was fetched");
        sh.create_dir(database.join("crates")).expect("made");
        assert!(has_database(&sh, folder));
    }

    #[test]
    fn the_page_is_built_before_anything_that_carries_it() {
        let place = |name| TEST.iter().position(|step| step.0 == name).expect(name);
        assert!(place("ui") < place("clippy") && place("ui") < place("window"));
    }

    #[test]
    fn deny_toml_keeps_the_database_in_the_expected_place() {
        let config = std::fs::read_to_string(checkout().join("deny.toml"));
        assert!(!config.expect("the file").contains("db-path"));
    }
}
