//! The step `files`: scripts parse, links between the documents lead somewhere, and the workflows are
//! well formed (actionlint) and grant no more than they need (zizmor). Nothing runs the workflows.

use std::path::PathBuf;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::build::packages;
use crate::documents;
use crate::setup::{WORKFLOWS, pip_programs, prepare};
use crate::shell::{checkout, files_below, has_ending, program};

/// Takes the step.
pub(crate) fn check(sh: &Shell, yes: bool) -> Result<()> {
    scripts(sh)?;
    documents::check(sh)?;
    workflows(sh, yes)
}

fn scripts(sh: &Shell) -> Result<()> {
    if program(sh, "bash").is_none() {
        println!("    Scripts were left out: there is no bash here.");
        return Ok(());
    }
    let mut scripts = vec![checkout().join(".ci/run")];
    for folder in ["scripts", "packaging", "xtask"] {
        let mut files = files_below(&checkout().join(folder))?;
        // Those of packages have the names of their moments as endings.
        files.retain(|file| has_ending(file, &["sh", "postinst", "prerm", "postrm"]));
        scripts.extend(files);
    }
    for script in scripts {
        cmd!(sh, "bash -n {script}").quiet().run()?;
    }
    Ok(())
}

fn workflows(sh: &Shell, yes: bool) -> Result<()> {
    prepare(sh, &[WORKFLOWS], yes)?;
    let zizmor = pip_programs("zizmor")?.join("zizmor");
    let lint = checkout().join("xtask/workflows");
    packages(sh, &["xtask/workflows"])?;
    let workflows: &[PathBuf] = &sh.read_dir(".github/workflows")?;
    let script = lint.join("check.js");
    cmd!(sh, "node {script} {workflows...}").run()?;
    // Offline, it checks everything but whether an action has a known vulnerability.
    cmd!(sh, "{zizmor} --offline --no-progress -q {workflows...}").run()?;
    Ok(())
}
