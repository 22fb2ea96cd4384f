//! cwebp, libwebp's own program, which quality is compared with.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::packages::run;

/// Makes a lossy WebP of a file, at a quality, and otherwise with the defaults of cwebp; of an
/// animated GIF with those of gif2webp.
///
/// # Errors
/// When the program is not installed, or fails.
pub(crate) fn webp(file: &Path, quality: u8, out: &Path) -> Result<()> {
    let quality = quality.to_string();
    if file.extension().is_some_and(|ending| ending == "gif") {
        return convert("gif2webp", &["-lossy", "-q", &quality], file, out);
    }
    convert("cwebp", &["-q", &quality], file, out)
}

/// The size in bytes of a still as lossless WebP, at the effort that Porchlight asks for.
///
/// # Errors
/// When cwebp is not installed, or fails.
pub(crate) fn lossless_size(file: &Path, out: &Path) -> Result<u64> {
    convert("cwebp", &["-lossless", "-q", "70", "-m", "4"], file, out)?;
    Ok(std::fs::metadata(out)?.len())
}

fn convert(program: &str, options: &[&str], file: &Path, out: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command
        .arg("-quiet")
        .args(options)
        .arg(file)
        .arg("-o")
        .arg(out);
    run(&mut command).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// `cwebp 1.2.4`.
pub(crate) fn version() -> Result<String> {
    let output = Command::new("cwebp").arg("-version").output()?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(format!(
        "cwebp {}",
        output.lines().next().unwrap_or_default()
    ))
}
