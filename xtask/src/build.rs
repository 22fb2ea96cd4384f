//! `cargo xtask build`: the release desktop app.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::shell::{Failure, Result, output};
use crate::system::{Purpose, cargo, prepare};
use crate::ui;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
}

/// Which of the two programs is built.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The tray app with its window.
    Desktop,
    /// The service alone: nothing of webkit or GTK.
    Headless,
}

/// Builds the release desktop app and prints its path as the last line.
pub(crate) fn build(arguments: &Arguments) -> Result<()> {
    prepare(Purpose::Desktop, arguments.yes)?;
    let path = porchlight(Kind::Desktop, true)?;
    println!("{}", path.display());
    Ok(())
}

/// Builds `porchlight` and returns its path, which depends on
/// `CARGO_TARGET_DIR` and cargo's own settings.
pub(crate) fn porchlight(kind: Kind, release: bool) -> Result<PathBuf> {
    println!("==> Building Porchlight");
    let mut build = cargo();
    build.args(["build", "--bin", "porchlight"]);
    if release {
        build.args(["--release", "--package", "porchlight"]);
    } else {
        // A choice of packages is a choice of their libraries' features: the tests then find
        // what this has compiled.
        build.arg("--workspace");
    }
    if let Kind::Desktop = kind {
        ui::install()?;
        ui::build()?;
        build.args(["--features", "porchlight/desktop"]);
    }
    run_build(&mut build)
}

/// Builds the release service for Linux with this glibc or a newer one, by the compiler and the
/// linker in the folder `zig`: what links here otherwise asks for this system's own glibc.
pub(crate) fn portable(zig: &Path, (major, minor): (u32, u32)) -> Result<PathBuf> {
    println!("==> Building Porchlight without a window, for glibc {major}.{minor}");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(zig.to_owned()).chain(std::env::split_paths(&path)));
    let path = path.map_err(|error| Failure::new(format!("{}: {error}.", zig.display())))?;
    let target = format!(
        "{}-unknown-linux-gnu.{major}.{minor}",
        std::env::consts::ARCH
    );
    let mut build = cargo();
    build
        .env("PATH", path)
        .args(["zigbuild", "--release", "--target", &target])
        .args(["--package", "porchlight", "--bin", "porchlight"]);
    run_build(&mut build)
}

/// Runs a build of the program and returns its path.
fn run_build(build: &mut Command) -> Result<PathBuf> {
    build
        .args(["--locked", "--message-format=json-render-diagnostics"])
        .stdin(Stdio::null());
    let messages = output(build)?;
    executable(&messages)
        .ok_or_else(|| Failure::new("cargo built Porchlight but did not report its path."))
}

/// The path of the program `porchlight` among cargo's messages, one JSON
/// object a line.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            message["reason"] == "compiler-artifact"
                && message["target"]["name"] == "porchlight"
                && message["target"]["kind"][0] == "bin"
        })
        .filter_map(|message| {
            message["executable"]
                .as_str()
                .map(|path| Path::new(path).to_owned())
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_distinguished_from_libraries_and_build_scripts() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"build-script-build","kind":["custom-build"]},"executable":"/t/build-script-build"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"porchlight_core","kind":["lib"]},"executable":null}"#,
            "\nnot json\n",
            r#"{"reason":"compiler-artifact","target":{"name":"porchlight","kind":["bin"]},"executable":"/t/release/porchlight"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(
            executable(messages),
            Some(PathBuf::from("/t/release/porchlight"))
        );
    }

    #[test]
    fn messages_without_the_program_give_no_path() {
        assert_eq!(executable("{\"reason\":\"build-finished\"}\n"), None);
    }
}
