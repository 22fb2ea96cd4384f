//! The workflows of the repository are well formed (actionlint) and give nobody more than they
//! need (zizmor). Neither runs them.

use std::fs;
use std::path::PathBuf;

use crate::shell::{Failure, Result, checkout, command, run};
use crate::system::environment;
use crate::ui;

/// From the Python Package Index, which has it as a ready program.
const ZIZMOR: &[&str] = &["zizmor==1.32.0"];

/// Fails when either has something to say.
pub(super) fn check() -> Result<()> {
    let lint = checkout().join("xtask/workflows");
    ui::install_in(&lint)?;
    run(command("node")
        .arg("check.js")
        .args(workflows()?)
        .current_dir(&lint))?;
    let zizmor = environment("zizmor", ZIZMOR, false)?.join("zizmor");
    // Offline, it checks everything but whether an action has a known vulnerability.
    run(command(zizmor)
        .args(["--offline", "--no-progress", "--quiet"])
        .args(workflows()?))
}

fn workflows() -> Result<Vec<PathBuf>> {
    let folder = checkout().join(".github/workflows");
    let entries = fs::read_dir(&folder)
        .map_err(|error| Failure::new(format!("{}: {error}.", folder.display())))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}
