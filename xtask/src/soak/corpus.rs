//! Pillow's test images, many of which have broken decoders, and Pillow itself to compare with. pip
//! downloads both from the Python Package Index into the user's cache folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::of_release;
use crate::shell::{Failure, Result, command, run};
use crate::system::{cache, environment};

/// The version of Pillow whose tests are used, and which decodes them.
const PILLOW: &str = "13.0.0";

/// Downloads both and runs the comparison.
pub(super) fn run_corpus(yes: bool) -> Result<()> {
    let python = environment("pillow", &[&format!("pillow=={PILLOW}")], yes)?.join("python");
    let pictures = pictures(&cache()?.join("corpus"), &python)?;
    run(of_release("corpus")?
        .env("PORCHLIGHT_CORPUS", pictures)
        .env("PORCHLIGHT_PILLOW", python))
}

/// The folder of the images, unpacked from the source package once.
fn pictures(folder: &Path, python: &Path) -> Result<PathBuf> {
    let name = format!("pillow-{PILLOW}");
    let unpacked = folder.join(&name);
    let pictures = unpacked.join("Tests").join("images");
    if pictures.is_dir() {
        return Ok(pictures);
    }
    let half = folder.join("half");
    let io = |error: std::io::Error| Failure::new(format!("{}: {error}.", half.display()));
    if half.exists() {
        fs::remove_dir_all(&half).map_err(io)?;
    }
    fs::create_dir_all(&half).map_err(io)?;
    run(command(python)
        .args(["-m", "pip", "--disable-pip-version-check"])
        .args(["download", "--no-deps", "--no-binary", "pillow", "--dest"])
        .arg(&half)
        .arg(format!("pillow=={PILLOW}")))?;
    run(command("tar")
        .arg("-xzf")
        .arg(half.join(format!("{name}.tar.gz")))
        .arg("-C")
        .arg(&half)
        .arg(format!("{name}/Tests/images")))?;
    fs::rename(half.join(&name), &unpacked).map_err(io)?;
    fs::remove_dir_all(&half).map_err(io)?;
    Ok(pictures)
}
