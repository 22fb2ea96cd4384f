//! The step `macos`: the product is compiled for macOS as far as that goes without Apple's linker.

use anyhow::Result;
use xshell::{Shell, cmd};

use super::{PRODUCT, Skipped, standard_library, target_folder};
use crate::build;
use crate::setup::{self, pip_programs, prepare};
use crate::shell::{cargo, checkout};

const MACOS: &str = "aarch64-apple-darwin";

/// Runs clippy on all that is not for Linux alone: without and with the unit tests, with warnings denied.
pub(crate) fn check(sh: &Shell, _: &[String], yes: bool) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Err(Skipped("macOS is compiled for on Linux only".to_owned()).into());
    }
    standard_library(sh, MACOS)?;
    prepare(sh, &[setup::MACOS], yes)?;
    build::page(sh)?;
    let tools = sh.create_dir(checkout().join(target_folder()).join("macos"))?;
    let zig = checkout().join("xtask/macos/zig.sh");
    for name in ["cc", "c++", "ar"] {
        cmd!(sh, "ln -sf {zig} {tools}/{name}").run()?;
    }
    for mode in ["", "--profile test"] {
        let words = format!("clippy --target {MACOS} {PRODUCT} --lib --bins {mode}");
        cargo(sh, &format!("{words} -- --deny warnings"))
            .env("ZIG", pip_programs("zig")?.join("python"))
            .env("CC_aarch64_apple_darwin", tools.join("cc"))
            .env("CXX_aarch64_apple_darwin", tools.join("c++"))
            .env("AR_aarch64_apple_darwin", tools.join("ar"))
            .env("ZIG_GLOBAL_CACHE_DIR", tools.join("cache"))
            // Otherwise build scripts ask Xcode where it is.
            .env("SDKROOT", "/")
            .run()?;
    }
    Ok(())
}
