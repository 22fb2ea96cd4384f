//! The kinds of pictures that bloggers upload, beside sharp: screenshots, drawings, gradients,
//! palettes, photographs as PNG, transparency, animations, and JPEGs as phones save them.

mod alone;
mod choice;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nearness::{Nearness, Source};
use crate::pictures::Pictures;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::sharp::Sharp;
use crate::table::Line;
use crate::upload::{self, QUALITY};
use crate::uploads::{fetch, upload};
use crate::{Place, Result, cwebp, packages};

/// Whose pages and pictures the set is made of.
const PACKAGES: [&str; 4] = [
    "gimp-help-en",
    "lomiri-wallpapers-16.04",
    "mate-backgrounds",
    "plasma-workspace-wallpapers",
];
/// Changes whenever the pictures would come out otherwise.
const FOLDER: &str = "mixed-1";
/// What sharp's near-lossless mode is asked for.
const NEAR_LOSSLESS: u8 = 60;
/// A picture may be so many times as large as the smallest of sharp's that looks as good.
const MOST_TIMES: f64 = 1.03;
/// By SSIMULACRA 2: a picture of sharp's counts when it is at most so much worse than ours.
const AS_GOOD: f64 = 1.0;

/// Measures throughput, bytes and quality, the choice of lossless, and one picture alone.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> mixed: screenshots, drawings, photographs and animations, beside sharp");
    let files = files(place)?;
    let pictures = Pictures::of("mixed pictures", files.clone())?;
    let scratch = place.scratch.join("mixed");
    let mut sharp = Sharp::start(place.sharp)?;
    let mut lines = upload::compare(
        place.porchlight,
        &scratch.join("speed"),
        &pictures,
        &mut sharp,
    )
    .await?;
    lines.extend(quality(place, &scratch, &files, &mut sharp).await?);
    lines.push(choice::measure(place, &scratch.join("choice"), &files).await?);
    lines.push(alone::measure(place, &scratch.join("alone"), &files, &mut sharp).await?);
    Ok(lines)
}

/// Makes the set, unless an earlier run did.
fn files(place: &Place<'_>) -> Result<Vec<PathBuf>> {
    for package in PACKAGES {
        packages::unpacked(place.kept, package)?;
    }
    let folder = place.kept.join(FOLDER);
    packages::run(
        Command::new("node")
            .arg(place.sharp.join("pictures.mjs"))
            .arg(packages::folder(place.kept))
            .arg(&folder),
    )?;
    let mut files = std::fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// What one picture came to.
struct Row {
    name: String,
    lossless: bool,
    /// Ours, cwebp's, sharp's lossy and near-lossless.
    made: [Made; 4],
}

struct Made {
    bytes: u64,
    nearness: Nearness,
}

/// Bytes and nearness of each picture, ours beside those of cwebp and sharp.
async fn quality(
    place: &Place<'_>,
    scratch: &Path,
    files: &[PathBuf],
    sharp: &mut Sharp,
) -> Result<Vec<Line>> {
    let [lossy, near, other] = ["lossy", "near", "other"].map(|name| scratch.join(name));
    for folder in [&lossy, &near, &other] {
        std::fs::create_dir_all(folder)?;
    }
    let service = Porchlight::start(place.porchlight, &scratch.join("service"), &HIGH_LIMIT)?;
    let client = client()?;
    let uploaded = upload(&service, &client, files).await?;
    let ours = fetch(&service, &client, &uploaded, &scratch.join("ours")).await?;
    sharp.webp(files, &lossy, QUALITY, 1)?;
    sharp.near_lossless(files, &near, NEAR_LOSSLESS)?;

    println!(
        "\n| picture | Porchlight | cwebp | sharp | sharp near-lossless | Porchlight / sharp |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut within = 0;
    for (index, (file, ours)) in files.iter().zip(ours).enumerate() {
        let is_animation = file.extension().is_some_and(|ending| ending == "gif");
        let pixels = match is_animation {
            true => file.clone(),
            false => other.join("pixels.png"),
        };
        if !is_animation {
            sharp.png(file, &pixels)?;
        }
        let by_cwebp = other.join("cwebp.webp");
        cwebp::webp(&pixels, QUALITY, &by_cwebp)?;
        let source = Source::open(&pixels)?;
        let webp = format!("{index}.webp");
        let made = |file: &Path| -> Result<Made> {
            Ok(Made {
                bytes: std::fs::metadata(file)?.len(),
                nearness: source.nearness(file)?,
            })
        };
        let row = Row {
            name: file
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            lossless: choice::is_lossless(&ours)?,
            made: [
                made(&ours)?,
                made(&by_cwebp)?,
                made(&lossy.join(&webp))?,
                made(&near.join(&webp))?,
            ],
        };
        within += usize::from(row.times() <= MOST_TIMES);
        row.print();
    }
    Ok(vec![Line {
        what: format!(
            "mixed pictures of at most {MOST_TIMES} times the bytes of the smaller of sharp's \
             lossy and near-lossless that look as good"
        ),
        ours: format!("{within} of {}", files.len()),
        aim: Some(("all".to_owned(), within == files.len())),
        ..Line::default()
    }])
}

impl Row {
    /// Our bytes over those of the smallest of sharp's that looks as good as ours.
    fn times(&self) -> f64 {
        let [ours, _, sharp @ ..] = &self.made;
        let as_good = |made: &&Made| made.nearness.seen >= ours.nearness.seen - AS_GOOD;
        let smallest = sharp.iter().filter(as_good).map(|made| made.bytes).min();
        smallest.map_or(0.0, |smallest| ours.bytes as f64 / smallest as f64)
    }

    fn print(&self) {
        let cells = self.made.each_ref().map(|made| {
            let Nearness { ssim, seen, .. } = made.nearness;
            format!("{} B, {ssim:.4}, {seen:.1}", made.bytes)
        });
        let how = if self.lossless { "lossless" } else { "lossy" };
        let times = match self.times() {
            0.0 => "–".to_owned(),
            times => format!("{times:.3}"),
        };
        println!("| {} | {how}, {} | {times} |", self.name, cells.join(" | "));
    }
}
