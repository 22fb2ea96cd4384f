//! How near WebP is to real photographs, and in how many bytes: Porchlight beside cwebp and sharp,
//! all at the same quality and otherwise as they come.
//!
//! Each is compared with the pixels that libjpeg-turbo decodes, the decoder of the other two: what
//! Porchlight's own decoder does otherwise counts against Porchlight.

use std::path::{Path, PathBuf};

use crate::nearness::{Nearness, Source, mean};
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::sharp::Sharp;
use crate::table::Line;
use crate::upload::QUALITY;
use crate::uploads::{fetch, upload};
use crate::{Place, Result, cwebp, photographs};

/// Larger ones would take gigabytes to compare.
const MOST_PIXELS: u64 = 10_000_000;
/// What a mean may fall short by before it counts as worse: a tenth of what one step of quality
/// changes.
const SLACK: Nearness = Nearness {
    decibels: 0.015,
    ssim: 0.0001,
    seen: 0.1,
};

/// Who made the WebP files, in the order of the columns.
const NAMES: [&str; 3] = ["Porchlight", "cwebp", "sharp"];

/// What one photograph came to.
struct Row {
    name: String,
    bytes: [u64; 3],
    nearness: [Nearness; 3],
}

/// Measures all three, and prints a row a photograph.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> quality: real photographs, beside cwebp and sharp, quality {QUALITY}");
    let scratch = place.scratch.join("quality");
    std::fs::create_dir_all(&scratch)?;
    let mut photographs = Vec::new();
    for file in photographs::bring(place.kept)? {
        let (width, height) = image::image_dimensions(&file)?;
        if u64::from(width) * u64::from(height) <= MOST_PIXELS {
            photographs.push(file);
        }
    }

    let service = Porchlight::start(place.porchlight, &scratch.join("service"), &HIGH_LIMIT)?;
    let client = client()?;
    let uploaded = upload(&service, &client, &photographs).await?;
    let ours = fetch(&service, &client, &uploaded, &scratch).await?;
    let mut sharp = Sharp::start(place.sharp)?;
    sharp.webp(&photographs, &scratch, QUALITY, 1)?;

    println!("\n{}", row("photograph", &NAMES.map(str::to_owned)));
    println!("| --- | --- | --- | --- |");
    let mut rows = Vec::new();
    for (place, (photograph, ours)) in photographs.iter().zip(ours).enumerate() {
        let theirs = scratch.join("cwebp.webp");
        cwebp::webp(photograph, QUALITY, &theirs)?;
        let pixels = scratch.join("pixels.png");
        sharp.png(photograph, &pixels)?;
        let webp = [ours, theirs, scratch.join(format!("{place}.webp"))];
        let measured = compare(photograph, &pixels, &webp)?;
        println!("{}", row(&measured.name, &measured.cells()));
        rows.push(measured);
    }
    Ok(lines(&rows))
}

fn compare(photograph: &Path, pixels: &Path, webp: &[PathBuf; 3]) -> Result<Row> {
    let source = Source::open(pixels)?;
    let mut row = Row {
        name: photograph
            .file_stem()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        bytes: [0; 3],
        nearness: [Nearness::default(); 3],
    };
    for (place, webp) in webp.iter().enumerate() {
        row.bytes[place] = std::fs::metadata(webp)?.len();
        row.nearness[place] = source.nearness(webp)?;
    }
    Ok(row)
}

impl Row {
    fn cells(&self) -> [String; 3] {
        std::array::from_fn(|place| {
            let Nearness {
                decibels,
                ssim,
                seen,
            } = self.nearness[place];
            let bytes = self.bytes[place];
            format!("{bytes} B, {decibels:.2} dB, {ssim:.4}, {seen:.1}")
        })
    }
}

fn row(name: &str, cells: &[String; 3]) -> String {
    format!("| {name} | {} |", cells.join(" | "))
}

/// The lines of the table of everything: ours beside each of the other two.
fn lines(rows: &[Row]) -> Vec<Line> {
    let bytes = |who: usize| rows.iter().map(|row| row.bytes[who]).sum::<u64>();
    let near = |who: usize| mean(&rows.iter().map(|row| row.nearness[who]).collect::<Vec<_>>());
    let photographs = rows.len();
    (1..NAMES.len())
        .flat_map(|other| {
            let name = NAMES[other];
            let (ours, theirs) = (near(0), near(other));
            let share = bytes(0) as f64 / bytes(other) as f64;
            let nearer = |what: &str, digits: usize, [ours, theirs, slack]: [f64; 3]| Line {
                what: format!("{what}, {photographs} real photographs, beside {name}"),
                ours: format!("{ours:.digits$}"),
                other: Some(format!("{name} {theirs:.digits$}")),
                ratio: None,
                aim: Some(("not worse".to_owned(), ours >= theirs - slack)),
            };
            [
                Line {
                    what: format!("bytes, {photographs} real photographs, beside {name}"),
                    ours: bytes(0).to_string(),
                    other: Some(format!("{name} {}", bytes(other))),
                    ratio: Some(format!("{share:.4}")),
                    aim: Some(("≤ 1".to_owned(), share <= 1.0)),
                },
                nearer(
                    "PSNR of luma",
                    2,
                    [ours.decibels, theirs.decibels, SLACK.decibels],
                ),
                nearer("SSIM", 4, [ours.ssim, theirs.ssim, SLACK.ssim]),
                nearer("SSIMULACRA 2", 2, [ours.seen, theirs.seen, SLACK.seen]),
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Nearness, Row, lines};

    #[test]
    fn more_bytes_and_less_nearness_are_missed_aims_and_a_hair_is_not() {
        let near = |decibels, seen| Nearness {
            decibels,
            ssim: 0.9,
            seen,
        };
        let row = Row {
            name: "lake".to_owned(),
            bytes: [100, 99, 100],
            nearness: [near(40.0, 70.0), near(39.0, 71.0), near(40.01, 70.05)],
        };
        let missed: Vec<_> = lines(&[row])
            .into_iter()
            .filter(|line| line.is_missed())
            .map(|line| line.what)
            .collect();
        assert_eq!(
            missed,
            [
                "bytes, 1 real photographs, beside cwebp",
                "SSIMULACRA 2, 1 real photographs, beside cwebp"
            ]
        );
    }
}
