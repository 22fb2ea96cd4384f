//! How long it takes from the start of the process until it serves, with ten
//! thousand images in the folder, and how it then serves a random one.

use std::path::Path;
use std::time::Instant;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use reqwest::StatusCode;
use sha2::{Digest as _, Sha256};

use crate::growth::noise;
use crate::service::{self, milliseconds, time};
use crate::table::{Figures, Line};
use crate::{Result, rows};

const IMAGES: usize = 10_000;
const STARTS: usize = 15;
const READS: usize = 400;
const AIM: f64 = 200.0;
/// Noise of this side is a WebP of about a kilobyte.
const SIDE: u32 = 18;

/// Measures both.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> start: with {IMAGES} images");
    let folder = folder.join("start");
    let mut rng = StdRng::seed_from_u64(2);
    let pictures = (0..IMAGES).map(|_| noise(&mut rng, SIDE, SIDE, image::ImageFormat::WebP));
    let images = rows::with_files(&folder, pictures).await?;
    let mut service = service::start(&folder, &[]).await?;
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
            return Err(format!("/i/{hash} is another picture").into());
        }
    }
    let line = |what, times| {
        let times = Figures::new(times);
        let what = format!("process start to {what}, 10,000 images");
        Line::below(
            what,
            format!("{} ms", times.spelt(0)),
            times.median(),
            AIM,
            "ms",
        )
    };
    let (mut randoms, mut greetings) = (Vec::new(), Vec::new());
    for _ in 0..READS {
        randoms.push(time(&service, "/random_image", StatusCode::OK).await?);
        greetings.push(time(&service, "/", StatusCode::OK).await?);
    }
    let what = "/random_image with its file, 10,000 images".to_owned();
    Ok(vec![
        line("`listening on`", listening),
        line("the first GET /i/{hash}", serving),
        Figures::new(randoms).within_two_milliseconds(what, &Figures::new(greetings)),
    ])
}
