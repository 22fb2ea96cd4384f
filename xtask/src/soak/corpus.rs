//! Pillow's test images, many of which have broken decoders, and Pillow itself to compare with. pip
//! downloads both from the Python Package Index into the user's cache folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::of_release;
use crate::shell::{Failure, Result, answer, command, run};
use crate::system::{bring_python, cache};

/// The version of Pillow whose tests are used, and which decodes them.
const PILLOW: &str = "13.0.0";

/// Downloads both and runs the comparison.
pub(super) fn run_corpus(yes: bool) -> Result<()> {
    bring_python(yes)?;
    let folder = cache()?.join("corpus");
    let python = python(&folder)?;
    let pictures = pictures(&folder, &python)?;
    run(of_release("corpus")?
        .env("PORCHLIGHT_CORPUS", pictures)
        .env("PORCHLIGHT_PILLOW", python))
}

/// A Python with Pillow, in a separate virtual environment.
fn python(folder: &Path) -> Result<PathBuf> {
    let place = folder.join(format!("python-with-pillow-{PILLOW}"));
    let bin = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = bin.join(format!("python{}", std::env::consts::EXE_SUFFIX));
    let version = "import PIL; print(PIL.__version__)";
    let there = answer(command(&python).args(["-c", version]));
    if there.is_some_and(|version| version.trim() == PILLOW) {
        return Ok(python);
    }
    run(command("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&place))?;
    run(pip(&python)
        .args(["install", "--only-binary", ":all:"])
        .arg(format!("pillow=={PILLOW}")))?;
    Ok(python)
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
    run(pip(python)
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

fn pip(python: &Path) -> std::process::Command {
    let mut pip = command(python);
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}
