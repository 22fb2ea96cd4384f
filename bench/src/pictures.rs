//! The images that are uploaded. Those that are made up are made once and kept for the next run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::photograph::photograph;
use crate::sharp::Sharp;

/// Changes whenever the images would come out otherwise.
const FOLDER: &str = "pictures-1";
/// As cameras save them; colour at half the resolution is theirs, too.
const QUALITY: u8 = 90;
/// Eight images of two cameras: 12 and 24 megapixels.
const SIDES: [(usize, usize); 8] = [
    (6000, 4000),
    (4000, 3000),
    (4000, 3000),
    (4000, 3000),
    (6000, 4000),
    (4000, 3000),
    (4000, 3000),
    (4000, 3000),
];

/// The images, as JPEG files.
pub(crate) struct Pictures {
    /// What they are, for the table.
    pub(crate) name: &'static str,
    pub(crate) files: Vec<PathBuf>,
    /// Of all together.
    pub(crate) megapixels: f64,
    /// Of all together.
    pub(crate) bytes: u64,
}

impl Pictures {
    /// Those of an earlier run, or new ones.
    ///
    /// # Errors
    /// When there is no room for them, or sharp fails.
    pub(crate) fn bring(kept: &Path, sharp: &mut Sharp) -> Result<Self> {
        let folder = kept.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let mut pictures = Self {
            name: "made-up JPEGs",
            files: Vec::new(),
            megapixels: 0.0,
            bytes: 0,
        };
        for (place, &(width, height)) in SIDES.iter().enumerate() {
            let file = folder.join(format!("{place}-{width}x{height}.jpg"));
            if !file.exists() {
                println!("    making {}", file.display());
                make(&folder, &file, (width, height), place as u64, sharp)?;
            }
            pictures.bytes += fs::metadata(&file)?.len();
            pictures.megapixels += (width * height) as f64 / 1e6;
            pictures.files.push(file);
        }
        Ok(pictures)
    }

    /// Files that are there.
    ///
    /// # Errors
    /// When one is no image.
    pub(crate) fn of(name: &'static str, files: Vec<PathBuf>) -> Result<Self> {
        let (mut megapixels, mut bytes) = (0.0, 0);
        for file in &files {
            bytes += fs::metadata(file)?.len();
            let (width, height) = image::image_dimensions(file)?;
            megapixels += f64::from(width) * f64::from(height) / 1e6;
        }
        Ok(Self {
            name,
            files,
            megapixels,
            bytes,
        })
    }
}

/// Under another name until it is whole.
fn make(
    folder: &Path,
    file: &Path,
    (width, height): (usize, usize),
    seed: u64,
    sharp: &mut Sharp,
) -> Result<()> {
    let (raw, half) = (folder.join("half-made.rgb"), folder.join("half-made.jpg"));
    fs::write(&raw, photograph(width, height, seed))?;
    sharp.jpeg(&raw, (width, height), QUALITY, &half)?;
    fs::remove_file(&raw)?;
    Ok(fs::rename(&half, file)?)
}
