//! Pictures to WebP beside sharp: Porchlight by real uploads, with all that belongs to them (HTTP,
//! digests, the file synced, the row committed); sharp from files to files. Two at a time, both.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use porchlight_test_harness::TestService;
use porchlight_test_harness::files::below;
use serde_json::{Value, json};

use crate::service::{self, milliseconds};
use crate::sharp;
use crate::table::Aim::{AtLeast, AtMost};
use crate::table::Line;

const ROUNDS: usize = 5;
/// Porchlight's default, also given to sharp.
const QUALITY: u8 = 80;
const AIM: f64 = 1.25;
/// How long one photograph alone may take, over what sharp takes.
const AIM_ALONE: f64 = 0.6;

/// Real photographs of 1 to 16 megapixels out of two of Debian's packages, as people publish them:
/// baseline and progressive, colour in full, at half and at a quarter of the resolution.
/// `mate-backgrounds`: twelve of nature, GPL-2+. `lomiri-wallpapers-16.04`: fifteen, most of them
/// landscapes, by eight photographers, CC BY 4.0, CC BY-SA 4.0 and CC0.
pub(crate) fn photographs(folder: &Path) -> Result<Vec<PathBuf>> {
    let folders = [
        "mate-backgrounds/usr/share/backgrounds/mate/nature",
        "lomiri-wallpapers-16.04/usr/share/backgrounds",
    ];
    let files = folders.iter().flat_map(|name| below(&folder.join(name)));
    let files: Vec<_> = files.filter(|file| has_ending(file, "jpg")).collect();
    match files.len() {
        27 => Ok(files),
        other => bail!("there are {other} photographs, not 27"),
    }
}

/// Pages and windows of a program, as its manual has them (`gimp-help-en`). Some are there twice, or
/// as other files with the same pixels.
fn windows(folder: &Path) -> Vec<PathBuf> {
    let mut files = below(&folder.join("gimp-help-en/usr/share/gimp"));
    let mut seen = HashSet::new();
    files.retain(|file| {
        let pixels = image::open(file).map(image::DynamicImage::into_rgba8);
        has_ending(file, "png")
            && pixels.is_ok_and(|pixels| {
                let mut hasher = DefaultHasher::new();
                (pixels.dimensions(), pixels.as_raw()).hash(&mut hasher);
                pixels.width() * pixels.height() >= 65_536 && seen.insert(hasher.finish())
            })
    });
    files
}

fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|own| own == ending)
}

/// Measures both.
pub(crate) async fn measure(folder: &Path, kept: &Path) -> Result<Vec<Line>> {
    let versions = sharp("versions", &json!({}))?;
    println!("==> upload: pictures to WebP, beside sharp: {versions}");
    let photographs = photographs(kept)?;
    let mut lines = compare(&folder.join("real"), "real JPEGs", &photographs).await?;
    lines.extend(compare(&folder.join("pages"), "PNGs of windows", &windows(kept)).await?);
    lines.push(alone(&folder.join("alone"), &photographs[0]).await?);
    Ok(lines)
}

/// Uploads pictures beside the conversion of the same by sharp.
async fn compare(folder: &Path, name: &str, files: &[PathBuf]) -> Result<Vec<Line>> {
    fs::create_dir_all(folder)?;
    let service = service::start(&folder.join("data")).await?;
    let mut megapixels = 0.0;
    for file in files {
        let (width, height) = image::image_dimensions(file)?;
        megapixels += f64::from(width) * f64::from(height) / 1e6;
    }
    let mut uploaded = upload(&service, &files[..2]).await?;
    let (mut rates, mut bytes) = ([Vec::new(), Vec::new()], [0.0; 2]);
    for _ in 0..ROUNDS {
        delete(&service, &uploaded).await?;
        let began = Instant::now();
        uploaded = upload(&service, files).await?;
        rates[0].push(megapixels / began.elapsed().as_secs_f64());
        let (seconds, size) = by_sharp(folder, files)?;
        rates[1].push(megapixels / seconds);
        let sizes = uploaded.iter().filter_map(|one| one["size"].as_f64());
        bytes = [sizes.sum::<f64>() / 1e6, size / 1e6];
    }
    let count = files.len();
    let what = format!("upload to WebP, {count} {name}, {megapixels:.0} megapixels");
    let sizes = bytes.map(|bytes| vec![bytes]);
    Ok(vec![
        Line::turns(what, "sharp", " MP/s", rates, AtLeast(AIM)),
        Line::turns(
            "bytes of these WebP files",
            "sharp",
            " MB",
            sizes,
            AtMost(1.0),
        ),
    ])
}

/// One photograph of a phone, while nothing else is converted.
async fn alone(folder: &Path, photograph: &Path) -> Result<Line> {
    let service = service::start(folder).await?;
    let out = folder.with_extension("jpg");
    sharp(
        "jpeg",
        &json!({ "file": photograph, "width": 4032, "height": 3024, "quality": 92, "out": out }),
    )?;
    let mut times = [Vec::new(), Vec::new()];
    // The first round is not counted.
    for round in 0..=ROUNDS {
        let bytes = fs::read(&out)?;
        let began = Instant::now();
        let uploaded = service::upload(&service, bytes).await?;
        let took = milliseconds(began);
        delete(&service, &[uploaded]).await?;
        let (seconds, _) = by_sharp(folder, std::slice::from_ref(&out))?;
        if round > 0 {
            times[0].push(took);
            times[1].push(seconds * 1000.0);
        }
    }
    let what = "one JPEG of 12 megapixels alone";
    Ok(Line::turns(what, "sharp", " ms", times, AtMost(AIM_ALONE)))
}

/// Uploads files, two at a time; the answers in the order of the files.
async fn upload(service: &TestService, files: &[PathBuf]) -> Result<Vec<Value>> {
    let uploads = stream::iter(files).map(|file| async move {
        let bytes = tokio::fs::read(file).await?;
        service::upload(service, bytes).await
    });
    uploads.buffered(2).try_collect().await
}

/// So that the same files may come again.
async fn delete(service: &TestService, uploaded: &[Value]) -> Result<()> {
    for image in uploaded {
        let hash = image["hash"].as_str().unwrap_or_default();
        service.delete(hash).await.error_for_status()?;
    }
    Ok(())
}

/// The seconds and the bytes of sharp's conversion, two files at a time. One thread an image, which
/// is sharp's own choice on most Linux systems, and as many as there are cores: the faster counts.
fn by_sharp(folder: &Path, files: &[PathBuf]) -> Result<(f64, f64)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut best = (f64::INFINITY, 0.0);
    for threads in [1, cores] {
        let words =
            json!({ "files": files, "folder": folder, "quality": QUALITY, "threads": threads });
        let converted = sharp("webp", &words)?;
        let number = |key: &str| converted[key].as_f64().context("sharp printed no number");
        if number("seconds")? < best.0 {
            best = (number("seconds")?, number("bytes")?);
        }
    }
    Ok(best)
}
