//! Whether anything slows down as the collection grows: the same calls at a
//! thousand images, ten thousand, a hundred thousand and a million.

use std::io::Cursor;
use std::path::Path;
use std::time::Instant;

use image::{ImageFormat, RgbImage};
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use reqwest::StatusCode;
use sha2::{Digest as _, Sha256};

use crate::Result;
use crate::rows::{self, Stored};
use crate::service::{self, milliseconds, time, upload};
use crate::table::{Figures, Line};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const STARTS: usize = 7;
const READS: usize = 400;
const PICTURES: usize = 60;
/// Noise of this side is an image that takes no time to convert.
const SIDE: u32 = 18;
/// How many times as long a call may take with a thousand times the images …
const AIM: f64 = 1.5;
/// … and what is this short, in milliseconds, is scheduling rather than looking up.
const NOTHING: f64 = 0.2;

/// The files are not there, and a redirect does not ask for them. Nothing is at the store's
/// address, and it is not requested.
const SETTINGS: [&str; 7] = [
    "images.delivery=redirect",
    "storage.kind=s3",
    "storage.endpoint=http://127.0.0.1:9",
    "storage.bucket=pictures",
    "storage.access_key=a",
    "storage.secret_key=b",
    "storage.storage_url=https://pictures.invalid",
];

/// What looks nothing up: what that takes is HTTP's own and the machine's.
const GREETING: &str = "`GET /`";
const OF_A_CLASS: &str = "/random_image?orientation=landscape";

/// Calls with their times in milliseconds.
type Times = Vec<(String, Vec<f64>)>;

/// Measures them all.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> growth: from {} images to {}", SIZES[0], SIZES[3]);
    let mut sizes = Vec::new();
    for count in SIZES {
        let folder = folder.join(format!("growth-{count}"));
        let times: Times = at_size(&folder, count).await?;
        sizes.push(
            times
                .into_iter()
                .map(|(what, times)| (what, Figures::new(times)))
                .collect::<Vec<_>>(),
        );
        std::fs::remove_dir_all(&folder)?;
        println!("    {count} images measured");
    }
    let million = &sizes[SIZES.len() - 1];
    let greeting = &million
        .iter()
        .find(|(what, _)| what == GREETING)
        .ok_or("a greeting")?
        .1;
    let calls = million
        .iter()
        .enumerate()
        .filter(|(_, (what, _))| what != GREETING);
    let mut lines = Vec::new();
    for (at, (what, times)) in calls {
        let medians: Vec<f64> = sizes.iter().map(|size| size[at].1.median()).collect();
        lines.push(line(what, &medians));
        if what.starts_with("/images") || what.starts_with("/random") {
            let what = format!("{what}, 1,000,000 images");
            lines.push(times.within_two_milliseconds(what, greeting));
        }
    }
    Ok(lines)
}

/// What is measured at one size.
async fn at_size(folder: &Path, count: usize) -> Result<Times> {
    let mut rng = StdRng::seed_from_u64(4);
    let images: Vec<Stored> = (0..count).map(|_| (rng.random(), 90_000)).collect();
    rows::write(folder, &images, 1).await?;
    drop(images);
    let mut service = service::start(folder, &SETTINGS).await?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        service.stop().await;
        let began = Instant::now();
        service.restart().await;
        starts.push(milliseconds(began));
    }
    let mut reads: [Vec<f64>; 6] = Default::default();
    for _ in 0..READS {
        let mut list = |limit| {
            let page = rng.random_range(1..=count.div_ceil(limit));
            format!("/images/list?page={page}&limit={limit}")
        };
        let calls = [
            (list(10), StatusCode::OK),
            (list(100), StatusCode::OK),
            ("/images/count".to_owned(), StatusCode::OK),
            ("/random_image".to_owned(), StatusCode::FOUND),
            (OF_A_CLASS.to_owned(), StatusCode::FOUND),
            ("/".to_owned(), StatusCode::OK),
        ];
        for (times, (path, status)) in reads.iter_mut().zip(calls) {
            times.push(time(&service, &path, status).await?);
        }
    }
    service.stop().await;

    // New images go to the disk.
    let service = service::start(folder, &SETTINGS[2..]).await?;
    let mut writes: [Vec<f64>; 4] = Default::default();
    for _ in 0..PICTURES {
        let picture = noise(&mut rng, SIDE, SIDE, ImageFormat::Png)?;
        let source = hex::encode(Sha256::digest(&picture));
        let began = Instant::now();
        let uploaded = upload(&service, picture.clone()).await?;
        writes[0].push(milliseconds(began));
        let began = Instant::now();
        let refused = service.upload(picture).await.status();
        writes[1].push(milliseconds(began));
        if refused != StatusCode::CONFLICT {
            return Err(format!("the same image was answered with {refused}").into());
        }
        // The file was read for the refusal.
        let by_source = format!("/images/by-source/{source}");
        for _ in 0..READS / PICTURES {
            writes[2].push(time(&service, &by_source, StatusCode::OK).await?);
        }
        let hash = uploaded["hash"].as_str().unwrap_or_default();
        let began = Instant::now();
        service.delete(hash).await.error_for_status()?;
        writes[3].push(milliseconds(began));
    }
    let names = [
        "process start to `listening on`",
        "/images/list, any page of 10",
        "/images/list, any page of 100",
        "/images/count",
        "/random_image (302)",
        OF_A_CLASS,
        GREETING,
        "a small upload, synced",
        "the same again (409)",
        "/images/by-source/{sha256}",
        "its deletion, synced",
    ];
    let times = std::iter::once(starts).chain(reads).chain(writes);
    Ok(names.map(str::to_owned).into_iter().zip(times).collect())
}

/// An image that no other is like.
pub(crate) fn noise(
    rng: &mut StdRng,
    width: u32,
    height: u32,
    format: ImageFormat,
) -> Result<Vec<u8>> {
    let mut pixels = RgbImage::new(width, height);
    rng.fill_bytes(&mut pixels);
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, format)?;
    Ok(file.into_inner())
}

fn line(what: &str, medians: &[f64]) -> Line {
    let (first, last) = (medians[0], medians[medians.len() - 1]);
    let spelt: Vec<_> = medians.iter().map(|ms| format!("{ms:.2}")).collect();
    Line {
        what: format!("{what}, 1,000 to 1,000,000 images"),
        ours: format!("{} ms", spelt.join(" → ")),
        other: Some("itself at 1,000".to_owned()),
        ratio: Some(format!("{:.2}", last / first)),
        aim: Some((
            format!("≤ {AIM} or < {NOTHING} ms more"),
            last <= first * AIM || last - first < NOTHING,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_call_that_grows_with_the_images_misses_the_aim() {
        assert!(line("", &[0.1, 1.0, 10.0, 100.0]).is_missed());
        assert!(line("", &[2.0, 2.0, 2.0, 3.1]).is_missed());
        assert!(!line("", &[2.0, 2.5, 1.5, 2.9]).is_missed());
        assert!(!line("", &[0.1, 0.1, 0.1, 0.25]).is_missed());
    }
}
