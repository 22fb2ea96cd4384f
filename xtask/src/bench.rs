//! `cargo xtask bench`: the release build beside programs that are known to be
//! good at the same thing. What is measured is in `bench/`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::build::{Kind, porchlight};
use crate::shell::{Failure, Result, checkout, program, run};
use crate::system::{cargo, prepare_bench};
use crate::ui;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// Measure this alone; can be given more than once
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
    /// Fail when an aim is missed
    #[arg(long)]
    enforce: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Requests a second, beside nginx
    Serve,
    /// Images to WebP, beside sharp
    Upload,
    /// Screenshots, drawings, animations and phone JPEGs, beside sharp
    Mixed,
    /// How near WebP is to real photographs, beside cwebp and sharp
    Quality,
    /// From the start of the process to the first image
    Start,
    /// The list and the random image of a million
    List,
    /// The same calls at a thousand images and at a million
    Growth,
    /// Many large photographs at once
    Memory,
    /// What is written for an upload and for heartbeats while a snapshot is published
    Publishing,
    /// Requests a second through the Worker, beside the service
    Worker,
    /// What the tray app and its window cost
    Window,
}

/// Brings what is needed, builds the release binary and measures it.
pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    if !cfg!(unix) {
        return Err(Failure::new("The bench runs where nginx and wrk run."));
    }
    if !has_nginx() {
        println!(
            "    Note: Debian's nginx package also starts nginx as a service, on port 80. \
             The bench does not use that one; `systemctl disable --now nginx` stops it."
        );
    }
    let measures = |part| arguments.only.is_empty() || arguments.only.contains(&part);
    let with_window = cfg!(target_os = "linux") && measures(Part::Window);
    prepare_bench(with_window, arguments.yes)?;
    if !has_nginx() || program("wrk").is_none() {
        return Err(Failure::new("The bench needs nginx and wrk on PATH."));
    }
    let sharp = checkout().join("bench").join("sharp");
    ui::install_in(&sharp)?;
    let edge = checkout().join("edge");
    ui::install_in(&edge)?;
    let binary = porchlight(Kind::Headless, true)?;
    let desktop = match with_window {
        true => Some(desktop_beside(&binary)?),
        false => None,
    };
    // Beside `release` in the target folder, wherever that is.
    let folder = binary
        .ancestors()
        .nth(2)
        .unwrap_or(checkout())
        .join("bench");

    let mut measure = cargo();
    measure
        .args([
            "run",
            "--release",
            "--locked",
            "--package",
            "porchlight-bench",
            "--",
        ])
        .arg("--porchlight")
        .arg(&binary)
        .arg("--sharp")
        .arg(&sharp)
        .arg("--edge")
        .arg(&edge)
        .arg("--folder")
        .arg(folder);
    if let Some(desktop) = &desktop {
        measure.arg("--desktop").arg(desktop);
    }
    for part in &arguments.only {
        let part = part.to_possible_value().expect("no part is hidden");
        measure.args(["--only", part.get_name()]);
    }
    if arguments.enforce {
        measure.arg("--enforce");
    }
    run(&mut measure)
}

/// Builds the tray app, too. Cargo writes both to the same path, so the
/// headless one is renamed during the build, and restored afterwards.
fn desktop_beside(headless: &Path) -> Result<PathBuf> {
    let kept = headless.with_file_name("porchlight-headless");
    let desktop = headless.with_file_name("porchlight-desktop");
    let rename = |from: &Path, to: &Path| {
        std::fs::rename(from, to)
            .map_err(|error| Failure::new(format!("{} cannot be kept: {error}.", from.display())))
    };
    rename(headless, &kept)?;
    let built = porchlight(Kind::Desktop, true).and_then(|built| rename(&built, &desktop));
    rename(&kept, headless)?;
    built.map(|()| desktop)
}

/// Debian keeps it where only root's `PATH` goes.
fn has_nginx() -> bool {
    program("nginx").is_some() || Path::new("/usr/sbin/nginx").exists()
}
