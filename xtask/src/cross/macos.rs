//! The step `macos`: the product is compiled for macOS as far as that goes without Apple's linker.

use anyhow::Result;
use xshell::{Shell, cmd};

use super::{PRODUCT, Skipped, standard_library, target_folder};
use crate::build;
use crate::setup::{Need, pip_programs, prepare};
use crate::shell::{cargo, checkout};

const MACOS: &str = "aarch64-apple-darwin";

/// The start of a script around zig, which has the headers of macOS and compiles the libraries that
/// are written in C. It knows its target, and not the options by which Apple's compiler knows it.
const WITHOUT_APPLES_OPTIONS: &str = r#"#!/bin/sh
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $word in
    --target=* | -mmacosx-version-min=*) ;;
    -arch | -isysroot)
        shift
        left=$((left - 1))
        ;;
    *) set -- "$@" "$word" ;;
    esac
done
"#;

/// Runs clippy on all that is not for Linux alone: without and with the unit tests, with warnings denied.
pub(crate) fn check(sh: &Shell, _: &[String], yes: bool) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Err(Skipped("macOS is compiled for on Linux only".to_owned()).into());
    }
    standard_library(sh, MACOS)?;
    prepare(sh, &[Need::Macos], yes)?;
    build::page(sh)?;
    let tools = checkout().join(target_folder()).join("macos");
    let python = pip_programs("zig")?.join("python");
    let tool = |name: &str, zig: &str| -> Result<_> {
        let script = tools.join(name);
        let call = format!("exec '{}' -m ziglang {zig} \"$@\"\n", python.display());
        sh.write_file(&script, format!("{WITHOUT_APPLES_OPTIONS}{call}"))?;
        cmd!(sh, "chmod +x {script}").quiet().run()?;
        Ok(script)
    };
    let zig = |name: &str| tool(name, &format!("{name} -target aarch64-macos"));
    let (cc, cxx, ar) = (zig("cc")?, zig("c++")?, tool("ar", "ar")?);
    let words = format!("clippy --target {MACOS} {PRODUCT} --lib --bins");
    for mode in ["", " --profile test"] {
        cargo(sh, &format!("{words}{mode} -- --deny warnings"))
            .env("CC_aarch64_apple_darwin", &cc)
            .env("CXX_aarch64_apple_darwin", &cxx)
            .env("AR_aarch64_apple_darwin", &ar)
            .env("ZIG_GLOBAL_CACHE_DIR", tools.join("cache"))
            // Otherwise build scripts ask Xcode where it is.
            .env("SDKROOT", "/")
            .run()?;
    }
    Ok(())
}
