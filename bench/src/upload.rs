//! Photographs to WebP beside sharp: Porchlight by real uploads, with all that
//! belongs to them (HTTP, digests, the file synced, the row committed); sharp
//! from files to files. Two at a time, both.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::figures::Figures;
use crate::photographs;
use crate::pictures::Pictures;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::sharp::Sharp;
use crate::table::Line;
use crate::uploads::{AT_ONCE, delete, upload};
use crate::{Place, Result};

const ROUNDS: usize = 5;
/// Where a round takes long, fewer will do.
const ENOUGH_ROUNDS: usize = 3;
const ENOUGH_TIME: Duration = Duration::from_secs(120);
/// Porchlight's default, also given to sharp.
pub(crate) const QUALITY: u8 = 80;
const AIM: f64 = 1.25;

/// What one way came to, a number a round.
#[derive(Default)]
struct Way {
    megapixels_per_second: Vec<f64>,
    bytes: u64,
}

impl Way {
    fn add(&mut self, pictures: &Pictures, seconds: f64, bytes: u64) {
        self.megapixels_per_second
            .push(pictures.megapixels / seconds);
        self.bytes = bytes;
    }

    fn median(&self) -> f64 {
        Figures::new(self.megapixels_per_second.clone()).median()
    }
}

/// Measures both, with images that were made up and with real ones.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> upload: photographs to WebP, beside sharp");
    let mut sharp = Sharp::start(place.sharp)?;
    let made_up = Pictures::bring(place.kept, &mut sharp)?;
    let real = Pictures::of("real JPEGs", photographs::bring(place.kept)?)?;
    let mut lines = Vec::new();
    for (folder, pictures) in [("real", &real), ("made-up", &made_up)] {
        let scratch = place.scratch.join(folder);
        lines.extend(compare(place.porchlight, &scratch, pictures, &mut sharp).await?);
    }
    Ok(lines)
}

/// Uploads pictures beside the conversion of the same by sharp.
pub(crate) async fn compare(
    porchlight: &Path,
    scratch: &Path,
    pictures: &Pictures,
    sharp: &mut Sharp,
) -> Result<Vec<Line>> {
    println!("    {}", pictures.name);
    let webp_folder = scratch.join("sharp");
    std::fs::create_dir_all(&webp_folder)?;
    let service = Porchlight::start(porchlight, &scratch.join("upload"), &HIGH_LIMIT)?;
    let client = client()?;

    // One thread an image, which is sharp's own choice on most Linux systems,
    // and as many as there are cores: the better of the two counts.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut threads = vec![1, cores];
    threads.dedup();

    let some = &pictures.files[..AT_ONCE.min(pictures.files.len())];
    delete(&service, &client, &upload(&service, &client, some).await?).await?;
    sharp.webp(some, &webp_folder, QUALITY, 1)?;

    let (mut ours, mut theirs) = (Way::default(), Vec::new());
    theirs.resize_with(threads.len(), Way::default);
    let began = Instant::now();
    let mut uploaded = Vec::new();
    for round in 0..ROUNDS {
        if round >= ENOUGH_ROUNDS && began.elapsed() > ENOUGH_TIME {
            break;
        }
        delete(&service, &client, &uploaded).await?;
        let start = Instant::now();
        uploaded = upload(&service, &client, &pictures.files).await?;
        let bytes = uploaded.iter().map(|uploaded| uploaded.size).sum();
        ours.add(pictures, start.elapsed().as_secs_f64(), bytes);
        for (way, threads) in theirs.iter_mut().zip(&threads) {
            let converted = sharp.webp(&pictures.files, &webp_folder, QUALITY, *threads)?;
            way.add(pictures, converted.seconds, converted.bytes);
        }
    }
    let best = theirs
        .into_iter()
        .max_by(|a, b| a.median().total_cmp(&b.median()))
        .ok_or("sharp was not measured")?;

    Ok(lines(pictures, &ours, &best))
}

fn lines(pictures: &Pictures, ours: &Way, sharp: &Way) -> Vec<Line> {
    let speed = Figures::ratios(&ours.megapixels_per_second, &sharp.megapixels_per_second);
    let size = ours.bytes as f64 / sharp.bytes as f64;
    println!("    speed {speed}, bytes {size:.4}");
    let megabytes = |bytes: u64| format!("{:.2} MB", bytes as f64 / 1e6);
    vec![
        Line {
            what: format!(
                "upload to WebP, {} {}, {:.0} megapixels, {}",
                pictures.files.len(),
                pictures.name,
                pictures.megapixels,
                megabytes(pictures.bytes)
            ),
            ours: format!("{:.1} MP/s", ours.median()),
            other: Some(format!("sharp {:.1} MP/s", sharp.median())),
            ratio: Some(speed.to_string()),
            aim: Some((format!("≥ {AIM}"), speed.median() >= AIM)),
        },
        Line {
            what: "bytes of these WebP files".to_owned(),
            ours: megabytes(ours.bytes),
            other: Some(format!("sharp {}", megabytes(sharp.bytes))),
            ratio: Some(format!("{size:.4}")),
            aim: Some(("≤ 1".to_owned(), ours.bytes <= sharp.bytes)),
        },
    ]
}
