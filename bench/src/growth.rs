//! Whether anything slows down as the collection grows: the same calls at a
//! thousand images, ten thousand, a hundred thousand and a million.

use std::path::Path;
use std::time::{Duration, Instant};

use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use reqwest::Client;
use sha2::{Digest as _, Sha256};

use crate::figures::Figures;
use crate::list::{REDIRECT, STORE};
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::rows::{self, Rows, Stored};
use crate::table::Line;
use crate::{Place, Result};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const STARTS: usize = 7;
const READS: usize = 300;
const PICTURES: usize = 60;
/// Noise of this side is an image that takes no time to convert.
const SIDE: u32 = 18;
/// How many times as long a call may take with a thousand times the images …
const AIM: f64 = 1.5;
/// … and what is this short is scheduling rather than looking up.
const NOTHING: Duration = Duration::from_micros(200);

/// One call, and its median in milliseconds at each of the sizes.
struct Curve {
    what: &'static str,
    medians: Vec<f64>,
}

/// Measures them all.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> growth: from {} images to {}", SIZES[0], SIZES[3]);
    let mut curves: Vec<Curve> = Vec::new();
    for count in SIZES {
        let folder = place.scratch.join(format!("growth-{count}"));
        for (what, times) in at_size(place.porchlight, &folder, count).await? {
            let median = Figures::new(times).median();
            match curves.iter_mut().find(|curve| curve.what == what) {
                Some(curve) => curve.medians.push(median),
                None => curves.push(Curve {
                    what,
                    medians: vec![median],
                }),
            }
        }
        std::fs::remove_dir_all(&folder)?;
        println!("    {count} images measured");
    }
    println!("{}", draw(&curves));
    Ok(curves.iter().map(line).collect())
}

/// What is measured at one size, each with its times in milliseconds.
async fn at_size(
    porchlight: &Path,
    folder: &Path,
    count: usize,
) -> Result<Vec<(&'static str, Vec<f64>)>> {
    drop(Porchlight::start(porchlight, folder, &[])?);
    let mut rng = StdRng::seed_from_u64(4);
    let images: Vec<Stored> = (0..count)
        .map(|_| Stored {
            sha256: rng.random(),
            size: 90_000,
        })
        .collect();
    Rows::write(folder, &images, rows::Place::ObjectStore)?;
    drop(images);
    let client = client()?;

    // The files are not there, and a redirect does not ask for them.
    let settings: Vec<&str> = HIGH_LIMIT
        .into_iter()
        .chain(REDIRECT)
        .chain(STORE)
        .collect();
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let service = Porchlight::start(porchlight, folder, &settings)?;
        starts.push(milliseconds(began));
        drop(service);
    }
    let service = Porchlight::start(porchlight, folder, &settings)?;
    let last = count.div_ceil(10);
    let mut lists = Vec::new();
    let mut counts = Vec::new();
    let mut randoms = Vec::new();
    for _ in 0..READS {
        let page = rng.random_range(1..=last);
        let list = format!("/images/list?page={page}&limit=10");
        lists.push(get(&service, &client, &list, 200).await?);
        counts.push(get(&service, &client, "/images/count", 200).await?);
        randoms.push(get(&service, &client, "/random_image", 302).await?);
    }
    drop(service);

    // New images go to the disk.
    let settings: Vec<&str> = HIGH_LIMIT.into_iter().chain(STORE).collect();
    let service = Porchlight::start(porchlight, folder, &settings)?;
    let (mut uploads, mut duplicates, mut deletes) = (Vec::new(), Vec::new(), Vec::new());
    let mut sources = Vec::new();
    for _ in 0..PICTURES {
        let picture = noise(&mut rng)?;
        let source = hex::encode(Sha256::digest(&picture));
        let began = Instant::now();
        let uploaded = service.upload_bytes(&client, picture.clone()).await?;
        uploads.push(milliseconds(began));
        let began = Instant::now();
        let refused = service.upload_bytes(&client, picture).await;
        duplicates.push(milliseconds(began));
        match refused {
            Err(error) if error.to_string().contains("409") => {}
            Err(error) => return Err(error),
            Ok(_) => return Err("the same image was accepted twice".into()),
        }
        // The file was read for the refusal.
        let by_source = format!("/images/by-source/{source}");
        for _ in 0..READS / PICTURES {
            sources.push(get(&service, &client, &by_source, 200).await?);
        }
        let began = Instant::now();
        service.delete(&client, &uploaded.hash).await?;
        deletes.push(milliseconds(began));
    }
    Ok(vec![
        ("process start to `listening on`", starts),
        ("/images/list, any page of 10", lists),
        ("/images/count", counts),
        ("/random_image (302)", randoms),
        ("/images/by-source/{sha256}", sources),
        ("a small upload, synced", uploads),
        ("the same again (409)", duplicates),
        ("its deletion, synced", deletes),
    ])
}

async fn get(service: &Porchlight, client: &Client, path: &str, status: u16) -> Result<f64> {
    let request = client
        .get(format!("{}{path}", service.url))
        .bearer_auth(&service.token);
    let began = Instant::now();
    let reply = request.send().await?;
    let answered = reply.status();
    reply.bytes().await?;
    if answered != status {
        return Err(format!("{path} was answered with {answered}").into());
    }
    Ok(milliseconds(began))
}

pub(crate) fn noise(rng: &mut StdRng) -> Result<Vec<u8>> {
    let mut pixels = vec![0; (SIDE * SIDE * 3) as usize];
    rng.fill_bytes(&mut pixels);
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(&pixels, SIDE, SIDE, ExtendedColorType::Rgb8)?;
    Ok(png)
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

fn line(curve: &Curve) -> Line {
    let (first, last) = (curve.medians[0], curve.medians[curve.medians.len() - 1]);
    let medians: Vec<_> = curve.medians.iter().map(|ms| format!("{ms:.2}")).collect();
    let least = NOTHING.as_secs_f64() * 1000.0;
    Line {
        what: format!("{}, 1,000 to 1,000,000 images", curve.what),
        ours: format!("{} ms", medians.join(" → ")),
        other: Some("itself at 1,000".to_owned()),
        ratio: Some(format!("{:.2}", last / first)),
        aim: Some((
            format!("≤ {AIM} or < {least} ms more"),
            last <= first * AIM || last - first < least,
        )),
    }
}

/// A bar for each size; those of one call have one scale.
fn draw(curves: &[Curve]) -> String {
    const WIDTH: f64 = 40.0;
    let mut drawn = String::new();
    for curve in curves {
        drawn.push_str(&format!("\n    {}\n", curve.what));
        let most = curve
            .medians
            .iter()
            .copied()
            .fold(f64::MIN_POSITIVE, f64::max);
        for (count, median) in SIZES.iter().zip(&curve.medians) {
            let bar = "█".repeat((median / most * WIDTH).round().max(1.0) as usize);
            drawn.push_str(&format!("    {count:>9} {bar} {median:.2} ms\n"));
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::{Curve, draw, line};

    fn curve(medians: [f64; 4]) -> Curve {
        Curve {
            what: "a call",
            medians: medians.to_vec(),
        }
    }

    #[test]
    fn a_call_that_grows_with_the_images_misses_the_aim() {
        assert!(line(&curve([0.1, 1.0, 10.0, 100.0])).is_missed());
        assert!(line(&curve([2.0, 2.0, 2.0, 3.1])).is_missed());
    }

    #[test]
    fn a_call_that_stays_as_it_is_reaches_it() {
        assert!(!line(&curve([2.0, 2.5, 1.5, 2.9])).is_missed());
        assert!(!line(&curve([0.1, 0.1, 0.1, 0.25])).is_missed());
    }

    #[test]
    fn the_longest_bar_belongs_to_the_slowest() {
        let drawn = draw(&[curve([1.0, 2.0, 3.0, 4.0])]);
        let lengths: Vec<_> = drawn
            .lines()
            .map(|line| line.matches('█').count())
            .collect();
        assert_eq!(lengths, [0, 0, 10, 20, 30, 40]);
    }
}
