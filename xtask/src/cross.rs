//! Builds for other systems on this one, and Windows programs under Wine.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::shell::{checkout, program};

pub(crate) const WINDOWS: &str = "x86_64-pc-windows-gnu";

fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

/// Adds the standard library of a target to the toolchain where it is missing.
pub(crate) fn standard_library(sh: &Shell, target: &str) -> Result<()> {
    let sysroot = cmd!(sh, "rustc --print sysroot").quiet().read()?;
    let libraries = PathBuf::from(sysroot)
        .join("lib/rustlib")
        .join(target)
        .join("lib");
    let is_there = || sh.read_dir(&libraries).is_ok_and(|files| !files.is_empty());
    if is_there()
        || program(sh, "rustup").is_some() && cmd!(sh, "rustup target add {target}").run().is_ok()
    {
        return Ok(());
    }
    bail!("Rust's standard library for {target} is not here: `rustup target add {target}`")
}

/// Wine with a folder of its own for drive C and the registry, which a later run uses again.
pub(crate) struct Wine {
    prefix: PathBuf,
}

impl Wine {
    /// Makes the folder, unless it is there.
    pub(crate) fn start_in(sh: &Shell, prefix: PathBuf) -> Result<Self> {
        let wine = Self { prefix };
        let system = wine.prefix.join("drive_c/windows/system32");
        if !system.exists() {
            fs::create_dir_all(&wine.prefix)?;
            wine.with(cmd!(sh, "wineboot --init"))
                .ignore_stderr()
                .run()?;
            ensure!(system.exists(), "Wine made no {}", system.display());
        }
        let random = system.join("bcryptprimitives.dll");
        if !random.exists() {
            // Rust programs need this function; Wine has it from its version 9 on.
            let source = wine.prefix.join("bcryptprimitives.c");
            sh.write_file(&source, RANDOM)?;
            cmd!(
                sh,
                "x86_64-w64-mingw32-gcc -shared -o {random} {source} -ladvapi32"
            )
            .run()?;
        }
        Ok(wine)
    }

    /// The command with this Wine as what runs Windows programs.
    pub(crate) fn with<'a>(&self, command: xshell::Cmd<'a>) -> xshell::Cmd<'a> {
        command
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine")
            .env("WINEPREFIX", &self.prefix)
            // Neither messages of Wine itself, nor questions whether to fetch .NET and a browser.
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env_remove("DISPLAY")
    }

    /// Ends all programs of this Wine.
    pub(crate) fn end(&self, sh: &Shell) -> Result<()> {
        Ok(self
            .with(cmd!(sh, "wineserver --kill"))
            .ignore_status()
            .run()?)
    }
}

const RANDOM: &str = "\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T number)
{ return SystemFunction036(bytes, (ULONG)number); }
";
