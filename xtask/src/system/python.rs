//! Programs from the Python Package Index, each set in a virtual environment in the user's cache
//! folder, so that nothing of the system's Python changes.

use std::fs;
use std::path::PathBuf;

use super::{cache, debian};
use crate::shell::{Failure, Result, answer, command, run};

/// What the packages are made with: a C compiler and a linker that know the glibc of other
/// systems, and the cargo subcommand that uses them.
const ZIG: &[&str] = &["cargo-zigbuild==0.24.0", "ziglang==0.17.1"];

/// The folder of the programs with which the service is built for older systems.
pub(super) fn zig(yes: bool) -> Result<PathBuf> {
    environment("zig", ZIG, yes)
}

/// Installs these packages, unless they are there already, and returns the folder of their
/// programs. Only ready wheels: nothing is built and no script of a package runs.
pub(crate) fn environment(name: &str, packages: &[&str], yes: bool) -> Result<PathBuf> {
    bring_python(yes)?;
    let place = cache()?.join("python").join(name);
    let stamp = place.join("installed");
    let programs = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    run(command("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&place))?;
    run(command(programs.join("python"))
        .args([
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
        ])
        .args(["--only-binary", ":all:"])
        .args(packages))?;
    fs::write(&stamp, wanted)
        .map_err(|error| Failure::new(format!("{}: {error}.", stamp.display())))?;
    Ok(programs)
}

/// Checks and installs what makes Python environments.
fn bring_python(yes: bool) -> Result<()> {
    let has_venv = "import venv, ensurepip";
    if answer(command("python3").args(["-c", has_venv])).is_none() && debian::is_here() {
        debian::bring_packages(&["python3", "python3-venv"], yes)?;
    }
    match answer(command("python3").args(["-c", has_venv])) {
        Some(_) => Ok(()),
        None => Err(Failure::new(
            "Python 3 with its module `venv` is needed, and was not found.",
        )),
    }
}
