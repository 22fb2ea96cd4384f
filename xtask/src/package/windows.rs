//! What people install on Windows, made on Linux: the setup of the app by NSIS, and the service in a
//! zip. Under Wine the setup is installed, used, upgraded and removed.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use super::Release;
use super::verify::packed;
use crate::build;
use crate::cross::{WINDOWS, standard_library, with_wine};
use crate::setup::{self, HEADLESS, prepare};
use crate::shell::{checkout, make_new};

/// Builds the app and the service, each with what it needs beside it in a folder.
pub(super) fn products(sh: &Shell, yes: bool) -> Result<[PathBuf; 2]> {
    standard_library(sh, WINDOWS)?;
    prepare(sh, &[HEADLESS, setup::WINDOWS], yes)?;
    let [app, service] =
        ["app", "headless"].map(|name| checkout().join("target/windows").join(name));
    // Both builds have their program in the same place.
    let program = build::windows(sh, true)?;
    lay_out(sh, &program, &app)?;
    // Cargo puts it beside the program.
    let loader = "WebView2Loader.dll";
    sh.copy_file(program.with_file_name(loader), app.join(loader))?;
    let twin = for_consoles(sh.read_binary_file(app.join("porchlight.exe"))?);
    let twin = twin.context("the program is not one for Windows")?;
    sh.write_file(app.join("porchlight.com"), twin)?;
    lay_out(sh, &build::windows(sh, false)?, &service)?;
    sh.copy_file("docs/install.md", &service)?;
    Ok([app, service])
}

/// Puts the program and the licences into a new folder.
fn lay_out(sh: &Shell, program: &Path, folder: &Path) -> Result<()> {
    let imports = cmd!(sh, "x86_64-w64-mingw32-objdump -p {program}").read()?;
    let missing = of_the_compiler(&imports);
    ensure!(
        missing.is_empty(),
        "no Windows has what the program asks for: {missing:?}"
    );
    make_new(sh, folder)?;
    let stripped = folder.join("porchlight.exe");
    let strip = cmd!(sh, "x86_64-w64-mingw32-strip --strip-all");
    strip.arg("-o").arg(stripped).arg(program).run()?;
    sh.copy_file("LICENSE-MIT", folder)?;
    Ok(sh.copy_file("LICENSE-APACHE", folder)?)
}

/// The libraries among a program's imports that its compiler has and Windows has not.
fn of_the_compiler(imports: &str) -> Vec<&str> {
    let names = imports
        .lines()
        .filter_map(|line| line.trim().strip_prefix("DLL Name: "));
    names.filter(|name| name.starts_with("lib")).collect()
}

/// The same program as one of the console: a shell waits for it and shows what it prints. The name
/// `porchlight`, typed, is that of the twin, since `.com` comes before `.exe`.
fn for_consoles(mut program: Vec<u8>) -> Option<Vec<u8>> {
    // The place of the header's address, and the subsystem's place in it, by the PE format.
    const HEADER: usize = 0x3c;
    const SUBSYSTEM: usize = 0x5c;
    const CONSOLE: u16 = 3;
    let address = program.get(HEADER..HEADER + 4)?.try_into().ok()?;
    let header = usize::try_from(u32::from_le_bytes(address)).ok()?;
    if program.get(header..header + 4)? != b"PE\0\0" {
        return None;
    }
    let subsystem = program.get_mut(header + SUBSYSTEM..header + SUBSYSTEM + 2)?;
    subsystem.copy_from_slice(&CONSOLE.to_le_bytes());
    Some(program)
}

impl Release<'_> {
    /// Makes the files for Windows again, beside those of other systems.
    pub(super) fn make_windows(&self, products: &[PathBuf; 2]) -> Result<()> {
        self.clear(true)?;
        self.pack("packaging/pack-windows.sh", |pack| {
            pack.args([self.version, &self.maintainer])
                .args(products)
                .args([&self.folder.join("work"), &self.folder])
        })?;
        self.sums()
    }
}

/// Makes the files for Windows twice, and has the setup checked under Wine, on a drive of its own.
pub(crate) fn verify_setup(sh: &Shell, yes: bool) -> Result<()> {
    let products = products(sh, yes)?;
    let [now, before] = packed(sh, "target/verify-windows", |release| {
        release.make_windows(&products)
    })?;
    let zip = now.made("-windows.zip")?.remove(0);
    let [now, before] = [now.made("-setup.exe")?, before.made("-setup.exe")?];
    println!("==> The setup under Wine");
    let drive = checkout().join("target/verify-windows/wine");
    sh.remove_path(&drive)?;
    let check = with_wine(sh, &drive).args(["python3", "packaging/verify/setup.py"]);
    let check = check.arg(&now[0]).arg("--before").arg(&before[0]);
    Ok(check.arg("--zip").arg(zip).run()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_differs_in_the_subsystem_alone() {
        let mut program = vec![0; 0x200];
        program[0x3c] = 0x80;
        program[0x80..0x84].copy_from_slice(b"PE\0\0");
        // The window's.
        program[0x80 + 0x5c] = 2;
        let twin = for_consoles(program.clone()).expect("a program");
        let differ = |(place, bytes): (usize, (&u8, &u8))| (bytes.0 != bytes.1).then_some(place);
        let places = program.iter().zip(&twin).enumerate().filter_map(differ);
        assert_eq!(places.collect::<Vec<_>>(), [0x80 + 0x5c]);
        assert_eq!(twin[0x80 + 0x5c], 3);
        program[0x80] = b'N';
        assert!(for_consoles(program).is_none() && for_consoles(Vec::new()).is_none());
    }

    #[test]
    fn libraries_of_the_compiler_are_found_among_those_of_windows() {
        let imports = "\tDLL Name: KERNEL32.dll\n\tDLL Name: libstdc++-6.dll\n\
                       \tDLL Name: WebView2Loader.dll\n\tvma:  Hint/Ord libname\n";
        assert_eq!(of_the_compiler(imports), ["libstdc++-6.dll"]);
    }
}
