//! How long it takes from the start of the process until it serves, with ten
//! thousand images in the folder, and how it then serves a random one.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

use crate::figures::Figures;
use crate::latency::latencies;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::rows::{self, Rows, Stored};
use crate::table::Line;
use crate::{Place, Result};

const IMAGES: u64 = 10_000;
const STARTS: usize = 15;
const AIM: Duration = Duration::from_millis(200);
/// Noise of this side is a WebP of about a kilobyte.
const SIDE: u32 = 18;

/// Measures both.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> start: with {IMAGES} images");
    let folder = place.scratch.join("start");
    drop(Porchlight::start(place.porchlight, &folder, &[])?);
    let rows = Rows::write(&folder, &files(&folder)?, rows::Place::Disk)?;
    let client = client()?;
    let (mut listening, mut serving) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        let began = Instant::now();
        let service = Porchlight::start(place.porchlight, &folder, &HIGH_LIMIT)?;
        listening.push(began.elapsed().as_secs_f64() * 1000.0);
        let hash = rows.after(start * rows.count() / STARTS).hash();
        let reply = client
            .get(format!("{}/i/{hash}", service.url))
            .send()
            .await?;
        let bytes = reply.error_for_status()?.bytes().await?;
        serving.push(began.elapsed().as_secs_f64() * 1000.0);
        if hex::encode(&Sha256::digest(&bytes)[..16]) != hash {
            return Err(format!("/i/{hash} is another picture").into());
        }
    }
    let line = |what: &str, times: Vec<f64>| {
        let times = Figures::new(times);
        let (median, from, to) = (times.median(), times.smallest(), times.largest());
        let ours = format!("{median:.0} ms ({from:.0}–{to:.0})");
        println!("    {what}: {ours}");
        let reached = median < AIM.as_secs_f64() * 1000.0;
        Line {
            what: format!("{what}, 10,000 images"),
            ours,
            aim: Some((format!("< {} ms", AIM.as_millis()), reached)),
            ..Line::default()
        }
    };
    let mut lines = vec![
        line("process start to `listening on`", listening),
        line("process start to the first GET /i/{hash}", serving),
    ];

    let service = Porchlight::start(place.porchlight, &folder, &HIGH_LIMIT)?;
    let random = format!("{}/random_image", service.url);
    let what = "/random_image with its file, 10,000 images";
    lines.push(latencies(&service, &client, what, 200, || client.get(&random)).await?);
    Ok(lines)
}

/// Writes images of noise, each another, to where the service keeps its own.
fn files(data_folder: &Path) -> Result<Vec<Stored>> {
    let mut rng = StdRng::seed_from_u64(2);
    let mut pixels = vec![0; (SIDE * SIDE * 3) as usize];
    let mut one = || -> Result<Stored> {
        rng.fill_bytes(&mut pixels);
        let mut webp = Vec::new();
        let encoder = WebPEncoder::new_lossless(&mut webp);
        encoder.write_image(&pixels, SIDE, SIDE, ExtendedColorType::Rgb8)?;
        let sha256: [u8; 32] = Sha256::digest(&webp).into();
        let size = u32::try_from(webp.len())?;
        let hash = hex::encode(&sha256[..16]);
        let folder = data_folder.join("images").join(&hash[..2]);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{hash}.webp")), webp)?;
        Ok(Stored { sha256, size })
    };
    (0..IMAGES).map(|_| one()).collect()
}
