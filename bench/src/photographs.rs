//! Real photographs, out of Debian's packages: fetched once, unpacked without being installed, and
//! kept for the next run. None of them is in the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, packages};

/// A package, and the folder of its photographs.
struct Package {
    name: &'static str,
    folder: &'static str,
}

/// `mate-backgrounds`: twelve photographs of nature, GPL-2+. `lomiri-wallpapers-16.04`: fifteen,
/// most of them landscapes, by eight photographers, CC BY 4.0, CC BY-SA 4.0 and CC0. Both are as
/// people publish such images: baseline and progressive, colour in full, at half and at a quarter
/// of the resolution, 1 to 16 megapixels.
const PACKAGES: [Package; 2] = [
    Package {
        name: "mate-backgrounds",
        folder: "usr/share/backgrounds/mate/nature",
    },
    Package {
        name: "lomiri-wallpapers-16.04",
        folder: "usr/share/backgrounds",
    },
];

/// The photographs of both packages, those of the first one first.
///
/// # Errors
/// When this is not Debian, or a package cannot be fetched.
pub(crate) fn bring(kept: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for package in &PACKAGES {
        let folder = packages::unpacked(kept, package.name)?;
        let mut jpegs = jpegs(&folder.join(package.folder))?;
        if jpegs.is_empty() {
            return Err(format!("{} holds no photographs any more", package.name).into());
        }
        files.append(&mut jpegs);
    }
    Ok(files)
}

/// In the order of their names, so that runs can be compared.
fn jpegs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<_> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "jpg"))
        .collect();
    files.sort();
    Ok(files)
}
