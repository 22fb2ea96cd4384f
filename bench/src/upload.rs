//! Pictures to WebP beside sharp: Porchlight by real uploads, with all that belongs to them (HTTP,
//! digests, the file synced, the row committed); sharp from files to files. Two at a time, both.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use porchlight_test_harness::TestService;
use porchlight_test_harness::files::below;
use serde_json::{Value, json};
use ssimulacra2::{ColorPrimaries, LinearRgb, TransferCharacteristic};

use crate::service::{self, milliseconds};
use crate::table::{Figures, Line};
use crate::{Result, sharp};

const ROUNDS: usize = 5;
/// Porchlight's default, also given to sharp.
const QUALITY: u8 = 80;
const AIM: f64 = 1.25;
/// How long one photograph alone may take, over what sharp takes.
const AIM_ALONE: f64 = 0.6;
/// Larger pictures would take gigabytes to compare.
const MOST_PIXELS: f64 = 10e6;
/// Of more pictures each second, third or further one is compared.
const MOST_COMPARED: usize = 100;
/// How far the mean of SSIMULACRA 2 may fall short: a tenth of what one step of quality changes.
const SLACK: f64 = 0.1;

/// Files of one kind, and how many pixels they have.
struct Pictures {
    name: &'static str,
    files: Vec<(PathBuf, f64)>,
}

impl Pictures {
    fn new(name: &'static str, files: Vec<PathBuf>) -> Result<Self> {
        let sized = files.into_iter().map(|file| {
            let (width, height) = image::image_dimensions(&file)?;
            Ok((file, f64::from(width) * f64::from(height)))
        });
        let files = sized.collect::<Result<_>>()?;
        Ok(Self { name, files })
    }
}

/// Real photographs of 1 to 16 megapixels out of two of Debian's packages, as people publish them:
/// baseline and progressive, colour in full, at half and at a quarter of the resolution.
/// `mate-backgrounds`: twelve of nature, GPL-2+. `lomiri-wallpapers-16.04`: fifteen, most of them
/// landscapes, by eight photographers, CC BY 4.0, CC BY-SA 4.0 and CC0.
pub(crate) fn photographs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = below(&folder.join("mate-backgrounds/usr/share/backgrounds/mate/nature"));
    files.extend(below(
        &folder.join("lomiri-wallpapers-16.04/usr/share/backgrounds"),
    ));
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jpg"));
    match files.len() {
        27 => Ok(files),
        other => Err(format!("there are {other} photographs, not 27").into()),
    }
}

/// A number for the pixels of a picture.
fn pixels_of(file: &Path) -> Option<u64> {
    let picture = image::open(file).ok()?.into_rgba8();
    let mut hasher = DefaultHasher::new();
    (picture.dimensions(), picture.as_raw()).hash(&mut hasher);
    Some(hasher.finish())
}

/// Measures both.
pub(crate) async fn measure(folder: &Path, kept: &Path) -> Result<Vec<Line>> {
    println!(
        "==> upload: pictures to WebP, beside sharp: {}",
        sharp("versions", &json!({}))?
    );
    let real = Pictures::new("real JPEGs", photographs(kept)?)?;
    // Pages and windows of a program, as its manual has them.
    let mut pages = Pictures::new("PNGs of windows", {
        let mut files = below(&kept.join("gimp-help-en/usr/share/gimp"));
        let mut seen = HashSet::new();
        // Some are there twice, or as other files with the same pixels.
        files.retain(|file| {
            let is_png = file.extension().is_some_and(|ending| ending == "png");
            is_png && pixels_of(file).is_some_and(|pixels| seen.insert(pixels))
        });
        files
    })?;
    pages.files.retain(|(_, pixels)| *pixels >= 65_536.0);
    let mut lines = Vec::new();
    for (place, pictures) in ["real", "pages"].iter().zip([&real, &pages]) {
        let folder = folder.join(place);
        fs::create_dir_all(&folder)?;
        lines.extend(compare(&folder, pictures).await?);
    }
    lines.push(alone(folder, &real).await?);
    Ok(lines)
}

/// Uploads pictures beside the conversion of the same by sharp.
async fn compare(folder: &Path, pictures: &Pictures) -> Result<Vec<Line>> {
    let service = service::start(&folder.join("data"), &[]).await?;
    let megapixels = pictures
        .files
        .iter()
        .map(|(_, pixels)| pixels / 1e6)
        .sum::<f64>();
    let files: Vec<&PathBuf> = pictures.files.iter().map(|(file, _)| file).collect();
    delete(&service, &upload(&service, &files[..2]).await?).await?;

    let (mut ours, mut theirs, mut bytes) = (Vec::new(), Vec::new(), [0.0; 2]);
    let mut uploaded = Vec::new();
    for _ in 0..ROUNDS {
        delete(&service, &uploaded).await?;
        let began = Instant::now();
        uploaded = upload(&service, &files).await?;
        ours.push(megapixels / began.elapsed().as_secs_f64());
        let (seconds, size) = by_sharp(folder, &files)?;
        theirs.push(megapixels / seconds);
        bytes = [
            uploaded.iter().filter_map(|one| one["size"].as_f64()).sum(),
            size,
        ];
    }
    let speed = Figures::ratios(&ours, &theirs);
    let rate = |rates| format!("{:.1} MP/s", Figures::new(rates).median());
    let megabytes = |bytes: f64| format!("{:.2} MB", bytes / 1e6);
    let share = bytes[0] / bytes[1];
    let what = format!("{} {}", files.len(), pictures.name);
    let mut lines = vec![
        Line {
            what: format!("upload to WebP, {what}, {megapixels:.0} megapixels"),
            ours: rate(ours),
            other: Some(format!("sharp {}", rate(theirs))),
            ratio: Some(speed.spelt(2)),
            aim: Some((format!("≥ {AIM}"), speed.median() >= AIM)),
        },
        Line {
            what: "bytes of these WebP files".to_owned(),
            ours: megabytes(bytes[0]),
            other: Some(format!("sharp {}", megabytes(bytes[1]))),
            ratio: Some(format!("{share:.4}")),
            aim: Some(("≤ 1".to_owned(), share <= 1.0)),
        },
    ];
    lines.push(nearness(&service, folder, pictures, &uploaded).await?);
    Ok(lines)
}

/// How near both are to their sources, by SSIMULACRA 2, which weighs light and colour as eyes do:
/// 100 is identical, 70 is high quality. The source is what the decoder of sharp makes of it.
async fn nearness(
    service: &TestService,
    folder: &Path,
    pictures: &Pictures,
    uploaded: &[Value],
) -> Result<Line> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let step = pictures.files.len().div_ceil(MOST_COMPARED);
    let pairs = pictures.files.iter().zip(uploaded).enumerate();
    for (place, ((file, pixels), uploaded)) in pairs.step_by(step) {
        if *pixels > MOST_PIXELS {
            continue;
        }
        let source = folder.join("source.png");
        sharp("png", &json!({ "file": file, "out": source }))?;
        let source = linear(&fs::read(source)?)?;
        let near = |webp: &[u8]| -> Result<f64> {
            Ok(ssimulacra2::compute_frame_ssimulacra2(
                source.clone(),
                linear(webp)?,
            )?)
        };
        let hash = uploaded["hash"].as_str().unwrap_or_default();
        ours.push(near(&service.webp(hash).await)?);
        theirs.push(near(&fs::read(folder.join(format!("{place}.webp")))?)?);
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (ours, theirs) = (mean(&ours), mean(&theirs));
    Ok(Line {
        what: "their SSIMULACRA 2, mean of those up to ten megapixels".to_owned(),
        ours: format!("{ours:.2}"),
        other: Some(format!("sharp {theirs:.2}")),
        ratio: None,
        aim: Some(("not worse".to_owned(), ours >= theirs - SLACK)),
    })
}

/// Over white where it is transparent.
fn linear(file: &[u8]) -> Result<LinearRgb> {
    let mut reader = image::ImageReader::new(std::io::Cursor::new(file)).with_guessed_format()?;
    reader.no_limits();
    let pixels = reader.decode()?.to_rgba8();
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let colours = pixels.pixels().map(|pixel| {
        let [red, green, blue, alpha] = pixel.0.map(|value| f32::from(value) / 255.0);
        [red, green, blue].map(|value| value * alpha + 1.0 - alpha)
    });
    let (transfer, primaries) = (TransferCharacteristic::SRGB, ColorPrimaries::BT709);
    let encoded = ssimulacra2::Rgb::new(colours.collect(), width, height, transfer, primaries)?;
    Ok(LinearRgb::try_from(encoded)?)
}

/// One photograph of a phone, while nothing else is converted.
async fn alone(folder: &Path, real: &Pictures) -> Result<Line> {
    let service = service::start(&folder.join("alone"), &[]).await?;
    let out = folder.join("phone.jpg");
    let file = &real.files[0].0;
    sharp(
        "jpeg",
        &json!({ "file": file, "width": 4032, "height": 3024, "quality": 92, "out": out }),
    )?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round is not counted.
    for round in 0..=ROUNDS {
        let bytes = fs::read(&out)?;
        let began = Instant::now();
        let uploaded = service::upload(&service, bytes).await?;
        let took = milliseconds(began);
        delete(&service, &[uploaded]).await?;
        let (seconds, _) = by_sharp(folder, &[&out])?;
        if round > 0 {
            ours.push(took);
            theirs.push(seconds * 1000.0);
        }
    }
    let ratio = Figures::ratios(&ours, &theirs);
    let spelt = |times| format!("{:.0} ms", Figures::new(times).median());
    Ok(Line {
        what: "one JPEG of 12 megapixels alone".to_owned(),
        ours: spelt(ours),
        other: Some(format!("sharp {}", spelt(theirs))),
        ratio: Some(ratio.spelt(2)),
        aim: Some((format!("≤ {AIM_ALONE}"), ratio.median() <= AIM_ALONE)),
    })
}

/// Uploads files, two at a time; the answers in the order of the files.
async fn upload(service: &TestService, files: &[&PathBuf]) -> Result<Vec<Value>> {
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
fn by_sharp(folder: &Path, files: &[&PathBuf]) -> Result<(f64, f64)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut best = (f64::INFINITY, 0.0);
    for threads in [1, cores] {
        let words =
            json!({ "files": files, "folder": folder, "quality": QUALITY, "threads": threads });
        let converted = sharp("webp", &words)?;
        let number = |key: &str| converted[key].as_f64().ok_or("sharp printed no number");
        if number("seconds")? < best.0 {
            best = (number("seconds")?, number("bytes")?);
        }
    }
    Ok(best)
}
