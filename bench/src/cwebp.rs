//! cwebp, libwebp's own program, which quality is compared with.

use std::path::Path;
use std::process::Command;

use crate::Result;

/// Makes a WebP of a file, at a quality, and otherwise with cwebp's defaults.
///
/// # Errors
/// When it is not there, or fails.
pub(crate) fn webp(file: &Path, quality: u8, out: &Path) -> Result<()> {
    let mut command = Command::new("cwebp");
    command.args(["-quiet", "-q", &quality.to_string()]);
    let output = command.arg(file).arg("-o").arg(out).output();
    let output = output.map_err(|error| format!("cwebp: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("cwebp failed on {}: {output}", file.display()).into())
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
