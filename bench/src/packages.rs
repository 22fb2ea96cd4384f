//! Debian packages that hold pictures: downloaded once, unpacked without being installed, and kept
//! for the next run. None of them is in the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;

/// Where packages are unpacked, each in a folder of its name.
pub(crate) fn folder(kept: &Path) -> PathBuf {
    kept.join("photographs")
}

/// The folder of an unpacked package.
///
/// # Errors
/// When this is not Debian, or the package cannot be downloaded.
pub(crate) fn unpacked(kept: &Path, name: &str) -> Result<PathBuf> {
    let folder = folder(kept).join(name);
    if !folder.exists() {
        println!("    downloading {name}");
        unpack(name, &folder)?;
    }
    Ok(folder)
}

/// Under another name until it is complete.
fn unpack(name: &str, folder: &Path) -> Result<()> {
    let half = folder.with_extension("half");
    if half.exists() {
        fs::remove_dir_all(&half)?;
    }
    fs::create_dir_all(&half)?;
    run(Command::new("apt-get")
        .args(["download", name])
        .current_dir(&half))?;
    let archive = fs::read_dir(&half)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "deb"))
        .ok_or_else(|| format!("apt-get downloaded no {name}"))?;
    run(Command::new("dpkg-deb")
        .arg("--extract")
        .arg(&archive)
        .arg(&half))?;
    fs::remove_file(archive)?;
    Ok(fs::rename(half, folder)?)
}

/// Runs a command that must succeed.
///
/// # Errors
/// When it does not start or fails, with what it printed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name} did not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{name} failed: {printed}").into())
}
