//! How often the smaller of lossy and lossless is stored. Which one is smaller is known from both
//! files by cwebp.

use std::path::{Path, PathBuf};

use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::table::Line;
use crate::upload::QUALITY;
use crate::uploads::{fetch, upload};
use crate::{Place, Result, cwebp, packages};

/// Smaller pictures are encoded both ways.
const FEWEST_PIXELS: u64 = 1 << 16;
/// A choice that costs at most so many times the smaller file is no miss: cwebp is of another version.
const AS_SMALL: f64 = 1.02;

/// Measures it with the PNGs of the set and those of a manual that consists of screenshots.
pub(super) async fn measure(place: &Place<'_>, scratch: &Path, files: &[PathBuf]) -> Result<Line> {
    let manual = packages::unpacked(place.kept, "gimp-help-en")?;
    let mut pngs: Vec<PathBuf> = files.to_vec();
    pngs_in(&manual, &mut pngs)?;
    pngs.retain(|file| file.extension().is_some_and(|ending| ending == "png"));
    let mut large = Vec::new();
    for file in pngs {
        let (width, height) = image::image_dimensions(&file)?;
        if u64::from(width) * u64::from(height) >= FEWEST_PIXELS {
            large.push(file);
        }
    }

    let service = Porchlight::start(place.porchlight, &scratch.join("service"), &HIGH_LIMIT)?;
    let client = client()?;
    let out = scratch.join("cwebp.webp");
    let (mut right, mut count) = (0, 0);
    let (mut bytes, mut least) = (0, 0);
    for file in &large {
        let one = std::slice::from_ref(file);
        // Manuals show the same picture more than once.
        let Ok(uploaded) = upload(&service, &client, one).await else {
            continue;
        };
        let ours = fetch(&service, &client, &uploaded, &scratch.join("ours")).await?;
        cwebp::webp(file, QUALITY, &out)?;
        let lossy = std::fs::metadata(&out)?.len();
        let lossless = cwebp::lossless_size(file, &out)?;
        let (chosen, other) = match is_lossless(&ours[0])? {
            true => (lossless, lossy),
            false => (lossy, lossless),
        };
        count += 1;
        bytes += chosen;
        least += chosen.min(other);
        if chosen as f64 <= other as f64 * AS_SMALL {
            right += 1;
        } else {
            println!("    {}: {chosen} B, not {other} B", file.display());
        }
    }
    Ok(Line {
        what: format!("PNGs of which the smaller of lossy and lossless is stored, of {count}"),
        ours: format!(
            "{right} ({:.1} %)",
            f64::from(right) * 100.0 / f64::from(count.max(1))
        ),
        other: Some("always the smaller".to_owned()),
        ratio: Some(format!(
            "{:.4} of the bytes",
            bytes as f64 / least.max(1) as f64
        )),
        ..Line::default()
    })
}

/// Whether a still WebP is stored lossless.
///
/// # Errors
/// When it cannot be read.
pub(super) fn is_lossless(webp: &Path) -> Result<bool> {
    let start = std::fs::read(webp)?;
    Ok(start.windows(4).take(64).any(|four| four == b"VP8L"))
}

fn pngs_in(folder: &Path, pngs: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            pngs_in(&entry.path(), pngs)?;
        } else if kind.is_file() {
            pngs.push(entry.path());
        }
    }
    Ok(())
}
