//! Look-ups over HTTP among as many images as Porchlight is built for: rows in the database, without
//! files. Each must be answered within ten milliseconds, 99 of 100 times.

use std::path::Path;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

use crate::rows::{self, ALBUM, OF_ALBUM, Stored, noise};
use crate::service::{self, time};
use crate::table::{Figures, Line};

const IMAGES: usize = 100_000;
const READS: usize = 500;
const AIM_MILLISECONDS: f64 = 10.0;

/// Measures them in turns, so that what else the machine does falls on all of them.
pub(crate) async fn measure(folder: &Path) -> Result<Vec<Line>> {
    println!("==> serve: look-ups among {IMAGES} images");
    let folder = folder.join("lookups");
    let mut rng = StdRng::seed_from_u64(4);
    let images: Vec<Stored> = (0..IMAGES).map(|_| (rng.random(), 90_000)).collect();
    rows::write(&folder, &images, false).await?;
    let service = service::start(&folder).await?;
    let (random, list) = ("/random_image?form=json", "/images/list?limit=100");
    let last = IMAGES as i64 / 100;
    let last_of_album = last / OF_ALBUM;
    // Where the file is gone, it is not found.
    let picture = noise(&mut rng, 18, 18)?;
    let source = hex::encode(Sha256::digest(&picture));
    service::upload(&service, picture).await?;
    let look_ups = [
        ("random", random.to_owned()),
        ("random of an album", format!("{random}&album={ALBUM}")),
        ("list, first page", list.to_owned()),
        ("list, last page", format!("{list}&page={last}")),
        ("count", "/images/count".to_owned()),
        ("album, first page", format!("{list}&album={ALBUM}")),
        (
            "album, last page",
            format!("{list}&album={ALBUM}&page={last_of_album}"),
        ),
        ("search by source", format!("/images/by-source/{source}")),
    ];
    let mut times = vec![Vec::new(); look_ups.len()];
    for _ in 0..READS {
        for ((_, path), times) in look_ups.iter().zip(&mut times) {
            times.push(time(&service, path).await?);
        }
    }
    let lines = look_ups.iter().zip(times).map(|((what, _), times)| {
        let times = Figures::new(times);
        let (what, p99) = (format!("{what}, {IMAGES} images"), times.p99());
        Line::below(what, times.to_string(), p99, AIM_MILLISECONDS, "ms")
    });
    Ok(lines.collect())
}
