//! The list of libraries in the programs, in the form of CycloneDX.

use std::fs;
use std::path::PathBuf;

use crate::package::product::Release;
use crate::package::tree::{self, failed};
use crate::shell::{Result, run};
use crate::system::cargo;

/// The name of the list, less its ending.
const NAME: &str = "porchlight.cdx";

/// Writes it. cargo-cyclonedx puts a list beside each `Cargo.toml`, so it works on a copy of the
/// commit.
pub(super) fn make(release: &Release) -> Result<PathBuf> {
    let work = release.folder.join("work").join("sbom");
    tree::make_new(&work)?;
    let sources = work.with_extension("tar");
    run(release
        .tool("git")
        .args(["archive", "--format=tar", "-o"])
        .arg(&sources)
        .arg("HEAD"))?;
    run(release
        .tool("tar")
        .arg("-xf")
        .arg(&sources)
        .arg("-C")
        .arg(&work))?;
    run(cargo()
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .current_dir(&work)
        .args([
            "cyclonedx",
            "--format",
            "json",
            "--features",
            "desktop",
            "--no-build-deps",
        ])
        .args([
            "--target",
            &format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
        ])
        .args(["--override-filename", NAME]))?;
    let list = release.folder.join(format!("{NAME}.json"));
    let written = work.join(format!("{NAME}.json"));
    let text = fs::read_to_string(&written).map_err(|error| failed(&written, &error))?;
    // Where it was written is of no use to a reader.
    tree::write(
        &list,
        &text.replace(&work.display().to_string(), "/porchlight"),
    )?;
    fs::remove_file(&sources).map_err(|error| failed(&sources, &error))?;
    fs::remove_dir_all(&work).map_err(|error| failed(&work, &error))?;
    Ok(list)
}
