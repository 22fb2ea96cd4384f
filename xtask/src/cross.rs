//! The steps `windows` and `windows-slow`: builds for Windows on Linux, and Windows programs under Wine.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::build;
use crate::setup::{Need, prepare};
use crate::shell::{cargo, checkout, program, test_threads};

pub(crate) mod macos;

pub(crate) const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// The whole product, and the tests from outside that Windows has what they need for. The others
/// drive desktops, tunnels and object stores of Linux.
/// Without the unit tests of convert, which do not end under Wine: `service` converts the same formats.
const PRODUCT: &str = "--workspace --exclude porchlight-bench --exclude porchlight-convert --exclude xtask \
     --features porchlight/desktop --locked";
const OUTSIDE: [&str; 14] = [
    "bulk",
    "editors",
    "game",
    "hostile",
    "import",
    "ip",
    "maintenance",
    "process",
    "service",
    "settings",
    "system",
    "tokens_cli",
    "update",
    "watch",
];

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

/// A program of tests that takes longer than this many seconds hangs.
const LIMIT: &str = "900";

/// The reason why a step was not taken.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Skipped(pub(crate) String);

/// Builds the product for Windows without warnings, and runs its tests under Wine.
pub(crate) fn windows(sh: &Shell, _: &[String], yes: bool) -> Result<()> {
    let skips = SLOW.iter().flat_map(|name| ["--skip", name]);
    under_wine(sh, yes, "--lib --bins", &OUTSIDE, skips)
}

/// Runs the tests that [`windows`] leaves out.
pub(crate) fn windows_slow(sh: &Shell, _: &[String], yes: bool) -> Result<()> {
    under_wine(sh, yes, "--lib", &["maintenance", "service", "watch"], SLOW)
}

/// Builds these unit tests and tests from outside, and runs them with these words.
fn under_wine(
    sh: &Shell,
    yes: bool,
    unit: &str,
    outside: &[&str],
    words: impl IntoIterator<Item = &'static str>,
) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(
            Skipped("Wine is used on Linux with an x86-64 processor only".to_owned()).into(),
        );
    }
    standard_library(sh, WINDOWS)?;
    prepare(sh, &[Need::Windows], yes)?;
    build::page(sh)?;
    let mut tests = format!("test --target {WINDOWS} {PRODUCT} {unit}");
    for name in outside {
        tests += &format!(" --test {name}");
    }
    // Debugging information takes time to build and half the disk.
    let tests = || cargo(sh, &tests).env("CARGO_PROFILE_DEV_DEBUG", "0");
    let built = tests()
        .args(["--no-run", "--message-format=json"])
        .ignore_status()
        .read()?;
    let messages: Vec<Value> = built
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    for message in &messages {
        eprint!(
            "{}",
            message["message"]["rendered"].as_str().unwrap_or_default()
        );
    }
    let is_built = |message: &Value| message["success"] == true;
    ensure!(
        messages.iter().any(is_built),
        "it does not build for Windows, as shown above"
    );
    let is_warning = |message: &Value| message["message"]["level"] == "warning";
    ensure!(
        !messages.iter().any(is_warning),
        "the compiler warns, as shown above"
    );
    let wine = Wine::start_in(sh, target_folder().join("wine"))?;
    let tests = wine
        .with(tests().args(["--no-fail-fast", "--"]).args(words))
        .env("RUST_TEST_THREADS", test_threads(3))
        // Cargo puts the library of WebView2 beside the program, and tests into a folder there.
        .env("WINEPATH", target_folder().join(WINDOWS).join("debug"))
        .run();
    Ok(tests?)
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

/// An X server without a screen, which ends when this is dropped.
struct Display(String, Child);

impl Display {
    fn start() -> Result<Self> {
        // It chooses a free number and prints it when it is ready.
        let mut xvfb = Command::new("Xvfb");
        xvfb.args("-displayfd 1 -screen 0 1280x800x24 -nolisten tcp".split(' '));
        let (server, number) = first_line(xvfb)?;
        Ok(Self(format!(":{number}"), server))
    }
}

/// Starts a program, and waits at most a minute for its first line.
fn first_line(mut command: Command) -> Result<(Child, String)> {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let mut lines = BufReader::new(child.stdout.take().context("a pipe")?).lines();
    let (send, line) = mpsc::channel();
    thread::spawn(move || lines.next().map(|line| send.send(line)));
    match line.recv_timeout(Duration::from_secs(60)) {
        Ok(line) => Ok((child, line?)),
        Err(_) => {
            child.kill()?;
            bail!("{command:?} printed nothing")
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.1.kill();
        let _ = self.1.wait();
    }
}

/// Wine with a display, and a folder of its own for drive C and the registry, which a later run uses
/// again.
pub(crate) struct Wine {
    sh: Shell,
    prefix: PathBuf,
    display: Display,
}

impl Wine {
    /// Makes the folder, unless it is there.
    pub(crate) fn start_in(sh: &Shell, prefix: PathBuf) -> Result<Self> {
        let wine = Self {
            sh: sh.clone(),
            prefix,
            // Without one Wine makes no windows: neither now, nor later on a desktop that began so.
            display: Display::start()?,
        };
        fs::create_dir_all(&wine.prefix)?;
        // What an interrupted run left has a display that is gone.
        wine.end()?;
        // Otherwise it starts anew, with its services, for each program of tests.
        wine.with(cmd!(sh, "wineserver --persistent")).run()?;
        let system = wine.prefix.join("drive_c/windows/system32");
        if !system.exists() {
            wine.with(cmd!(sh, "wineboot --init"))
                .ignore_stderr()
                .run()?;
            ensure!(system.exists(), "Wine made no {}", system.display());
        }
        let sources = checkout().join("xtask/wine");
        let build = |name: &str, flag: &str| {
            let built = system.join(name);
            let source = sources.join(name).with_extension("c");
            let compile = cmd!(sh, "x86_64-w64-mingw32-gcc {flag} -o {built} {source}");
            compile.arg("-ladvapi32").run()
        };
        // A later Wine has its own.
        if !system.join("bcryptprimitives.dll").exists() {
            build("bcryptprimitives.dll", "-shared")?;
        }
        build("window.exe", "-s")?;
        // It ends with this Wine.
        first_line(wine.with(cmd!(sh, "wine window.exe")).into())?;
        Ok(wine)
    }

    /// The command with this Wine as what runs Windows programs.
    pub(crate) fn with<'a>(&self, command: xshell::Cmd<'a>) -> xshell::Cmd<'a> {
        // At random addresses, about one start of a program in 5,000 fails (error 1359).
        let runner = format!("timeout --kill-after=9 {LIMIT} setarch --addr-no-randomize wine");
        command
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", runner)
            .env("WINEPREFIX", &self.prefix)
            // Neither messages of Wine itself, nor questions whether to fetch .NET and a browser.
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env("DISPLAY", &self.display.0)
    }

    /// Ends all programs of this Wine.
    fn end(&self) -> Result<()> {
        let end = cmd!(self.sh, "wineserver --kill").ignore_status();
        Ok(self.with(end).run()?)
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
