//! How long it takes from the start of the process until it serves, with ten
//! thousand images in the folder.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use sha2::{Digest as _, Sha256};

use crate::rows::{self, noise};
use crate::service::{self, milliseconds};
use crate::table::{Figures, Line};

const IMAGES: usize = 10_000;
const STARTS: usize = 15;
const AIM: f64 = 200.0;
/// Noise of this side is a WebP of about a kilobyte.
const SIDE: u32 = 18;

/// Measures until it listens, and until it has answered the first image.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> start: with {IMAGES} images");
    let folder = folder.join("start");
    let mut rng = StdRng::seed_from_u64(2);
    let pictures = (0..IMAGES).map(|_| noise(&mut rng, SIDE, SIDE));
    let images = rows::with_files(&folder, pictures).await?;
    let mut service = service::start(&folder).await?;
    let (mut listening, mut serving) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        service.stop().await;
        let began = Instant::now();
        service.restart().await;
        listening.push(milliseconds(began));
        let hash = rows::hash(&images[start * images.len() / STARTS]);
        let bytes = service.webp(&hash).await;
        serving.push(milliseconds(began));
        if hex::encode(&Sha256::digest(&bytes)[..16]) != hash {
            bail!("/i/{hash} is another picture");
        }
    }
    let line = |what, times| {
        let times = Figures::new(times);
        let what = format!("process start to {what}, 10,000 images");
        let ours = format!("{} ms", times.spelt(0));
        Line::below(what, ours, times.median(), AIM, "ms")
    };
    Ok(vec![
        line("`listening on`", listening),
        line("the first GET /i/{hash}", serving),
    ])
}
