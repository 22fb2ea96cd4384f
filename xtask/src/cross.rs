//! The steps `windows` and `windows-slow`: builds for Windows on Linux, and Windows programs under Wine.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::Value;
use xshell::{Cmd, Shell, cmd};

use crate::build;
use crate::setup::{self, prepare};
use crate::shell::{cargo, checkout, program, test_threads, without_this_package};

pub(crate) mod macos;

pub(crate) const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// The whole product, and the tests from outside that Windows has what they need for. The others
/// drive desktops, tunnels and object stores of Linux.
const PRODUCT: &str = "--workspace --exclude porchlight-bench --exclude xtask \
     --features porchlight/desktop --locked";
const OUTSIDE: &str = "--test blog --test bulk --test editors --test game --test hostile --test import \
     --test ip --test maintenance --test process --test service --test settings --test system \
     --test tokens_cli --test update --test watch";

/// Hundreds of processes or connections, which Wine makes slowly; thousands of files; and protocols of
/// clients, whose code is the same on all systems.
const SLOW: [&str; 9] = [
    "bad_images",
    "broken_pictures",
    "clients::",
    "devices::",
    "files_are_found_whose_events_were_lost",
    "killed::",
    "lanyard::",
    "many_files::",
    "two_hundred_uploads",
];

/// The reason why a step was not taken.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Skipped(pub(crate) String);

/// Builds the product for Windows without warnings, and runs its tests under Wine.
pub(crate) fn windows(sh: &Shell, _: &[String], yes: bool) -> Result<()> {
    let skips: Vec<&str> = SLOW.iter().flat_map(|name| ["--skip", name]).collect();
    under_wine(sh, yes, &format!("--lib --bins {OUTSIDE}"), &skips)
}

/// Runs the tests that [`windows`] leaves out.
pub(crate) fn windows_slow(sh: &Shell, _: &[String], yes: bool) -> Result<()> {
    let tests = "--lib --test maintenance --test service --test watch";
    under_wine(sh, yes, tests, &SLOW)
}

/// Builds these unit tests and tests from outside, and runs them with these words.
fn under_wine(sh: &Shell, yes: bool, tests: &str, words: &[&str]) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let why = "Wine is used on Linux with an x86-64 processor only";
        return Err(Skipped(why.to_owned()).into());
    }
    standard_library(sh, WINDOWS)?;
    prepare(sh, &[setup::WINDOWS], yes)?;
    build::page(sh)?;
    // Debugging information takes time to build and half the disk.
    let _small = sh.push_env("CARGO_PROFILE_DEV_DEBUG", "0");
    let tests = format!("test --target {WINDOWS} {PRODUCT} {tests}");
    let built = cargo(sh, &tests).args(["--no-run", "--message-format=json"]);
    let built = built.ignore_status().read()?;
    let messages = built
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let messages: Vec<Value> = messages.collect();
    for message in &messages {
        let shown = &message["message"]["rendered"];
        eprint!("{}", shown.as_str().unwrap_or_default());
    }
    ensure!(
        messages.iter().any(|message| message["success"] == true),
        "it does not build for Windows, as shown above"
    );
    let mut levels = messages.iter().map(|message| &message["message"]["level"]);
    ensure!(
        !levels.any(|level| level == "warning"),
        "the compiler warns, as shown above"
    );
    let run = with_wine(sh, &target_folder().join("wine"))
        .arg("cargo")
        .args(tests.split_whitespace())
        .args(["--no-fail-fast", "--"])
        .args(words)
        .env("RUST_TEST_THREADS", test_threads(3))
        // Cargo puts the library of WebView2 beside the program, and tests into a folder there.
        .env("WINEPATH", target_folder().join(WINDOWS).join("debug"));
    Ok(without_this_package(run).run()?)
}

/// What runs the command that is added to it with a display and with Wine, with this folder for drive C
/// and the registry. Cargo runs Windows programs by it.
pub(crate) fn with_wine<'a>(sh: &'a Shell, prefix: &Path) -> Cmd<'a> {
    let run = checkout().join("xtask/wine/run.sh");
    cmd!(sh, "xvfb-run --auto-servernum")
        .arg("--server-args=-screen 0 1280x800x24 -nolisten tcp -ac")
        .arg(run)
        .env("WINEPREFIX", prefix)
}

/// The folder of what cargo builds.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

/// Adds the standard library of a target to the toolchain where it is missing.
///
/// # Errors
/// [`Skipped`] where that fails.
pub(crate) fn standard_library(sh: &Shell, target: &str) -> Result<()> {
    let sysroot = cmd!(sh, "rustc --print sysroot").quiet().read()?;
    let libraries = PathBuf::from(sysroot).join(format!("lib/rustlib/{target}/lib"));
    let is_there = || sh.read_dir(&libraries).is_ok_and(|files| !files.is_empty());
    if is_there()
        || program(sh, "rustup").is_some() && cmd!(sh, "rustup target add {target}").run().is_ok()
    {
        return Ok(());
    }
    let why =
        format!("Rust's standard library for {target} is not here: `rustup target add {target}`");
    Err(Skipped(why).into())
}
