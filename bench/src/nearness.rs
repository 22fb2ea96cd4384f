//! How near a WebP is to the image it was made from, measured in three ways.

use std::fs;
use std::io::BufReader;
use std::path::Path;

use image::codecs::gif::GifDecoder;
use image::codecs::webp::WebPDecoder;
use image::{
    AnimationDecoder as _, DynamicImage, GenericImageView as _, GrayImage, ImageFormat,
    ImageReader, Rgb, RgbImage,
};
use ssimulacra2::{ColorPrimaries, LinearRgb, TransferCharacteristic};

use crate::Result;

/// More is nearer, in each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Nearness {
    /// The peak signal-to-noise ratio of luma, in decibels.
    pub(crate) decibels: f64,
    /// The structural similarity of luma; 1 is identical.
    pub(crate) ssim: f64,
    /// SSIMULACRA 2, a perceptual metric; 100 is identical, 70 is high quality, 90 is visually
    /// lossless.
    pub(crate) seen: f64,
}

/// Pictures with more pixels than this are compared in their middle: all of them would take
/// gigabytes.
const MOST_PIXELS: u64 = 10_000_000;
const MIDDLE: (u32, u32) = (3200, 2400);
/// Of an animation, so many frames are compared, evenly distributed.
const FRAMES: usize = 5;

/// A frame, and until when it is shown, in milliseconds.
struct Frame {
    until: u64,
    pixels: DynamicImage,
}

/// A picture's frames; a still has one.
pub(crate) struct Source {
    frames: Vec<Frame>,
}

impl Source {
    /// Reads an image.
    ///
    /// # Errors
    /// When it does not decode.
    pub(crate) fn open(file: &Path) -> Result<Self> {
        Ok(Self {
            frames: frames(file)?,
        })
    }

    /// How near `webp` is to it, in all three ways: the mean of the frames that are compared, each
    /// beside what `webp` shows at the same time. Transparent pictures are compared over white and
    /// over black, and the lower of the two counts.
    ///
    /// # Errors
    /// When it cannot be read, or its size differs.
    pub(crate) fn nearness(&self, webp: &Path) -> Result<Nearness> {
        let others = frames(webp)?;
        let compared = self.frames.len().min(FRAMES);
        let mut all = Vec::new();
        for place in 0..compared {
            let place = place * self.frames.len() / compared;
            let start = place
                .checked_sub(1)
                .map_or(0, |before| self.frames[before].until);
            let at_start = others.iter().find(|frame| frame.until > start);
            let other = at_start
                .or(others.last())
                .ok_or_else(|| format!("{} has no frame", webp.display()))?;
            all.push(
                compare(&self.frames[place].pixels, &other.pixels)
                    .map_err(|error| format!("{}: {error}", webp.display()))?,
            );
        }
        Ok(mean(&all))
    }
}

/// The frames of a file: those of an animation as they are shown, whole.
fn frames(file: &Path) -> Result<Vec<Frame>> {
    let open = || Ok::<_, std::io::Error>(BufReader::new(fs::File::open(file)?));
    let format = ImageReader::new(open()?).with_guessed_format()?.format();
    let shown = match format {
        Some(ImageFormat::Gif) => GifDecoder::new(open()?)?.into_frames(),
        Some(ImageFormat::WebP) => {
            let decoder = WebPDecoder::new(open()?)?;
            if !decoder.has_animation() {
                return still(file);
            }
            decoder.into_frames()
        }
        _ => return still(file),
    };
    let mut until = 0;
    let mut frames = Vec::new();
    for frame in shown {
        let frame = frame?;
        let (numerator, denominator) = frame.delay().numer_denom_ms();
        until += u64::from(numerator / denominator);
        let pixels = frame.into_buffer().into();
        frames.push(Frame { until, pixels });
    }
    Ok(frames)
}

/// Whatever the ending of its name says.
fn still(file: &Path) -> Result<Vec<Frame>> {
    let mut reader = ImageReader::open(file)?.with_guessed_format()?;
    reader.no_limits();
    let mut pixels = reader.decode()?;
    let (width, height) = pixels.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        let (wide, high) = (MIDDLE.0.min(width), MIDDLE.1.min(height));
        pixels = pixels.crop_imm((width - wide) / 2, (height - high) / 2, wide, high);
    }
    Ok(vec![Frame { until: 1, pixels }])
}

fn compare(from: &DynamicImage, to: &DynamicImage) -> Result<Nearness> {
    if from.dimensions() != to.dimensions() {
        return Err("it has another size than its source".into());
    }
    let over = |background: u8| -> Result<Nearness> {
        let (from, to) = (flat(from, background), flat(to, background));
        let (light, other) = (grey(&from), grey(&to));
        let seen = ssimulacra2::compute_frame_ssimulacra2(linear(&from)?, linear(&to)?)?;
        Ok(Nearness {
            decibels: decibels(&light, &other),
            ssim: ssim(&light, &other),
            seen,
        })
    };
    let white = over(255)?;
    if !from.color().has_alpha() {
        return Ok(white);
    }
    let black = over(0)?;
    Ok(Nearness {
        decibels: white.decibels.min(black.decibels),
        ssim: white.ssim.min(black.ssim),
        seen: white.seen.min(black.seen),
    })
}

/// A picture over a grey background.
fn flat(picture: &DynamicImage, background: u8) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let picture = picture.to_rgba8();
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [red, green, blue, alpha] = picture.get_pixel(x, y).0.map(u32::from);
        let blend = |colour: u32| {
            ((colour * alpha + u32::from(background) * (255 - alpha) + 127) / 255) as u8
        };
        Rgb([blend(red), blend(green), blend(blue)])
    })
}

fn grey(pixels: &RgbImage) -> GrayImage {
    DynamicImage::from(pixels.clone()).to_luma8()
}

/// The mean of each.
pub(crate) fn mean(all: &[Nearness]) -> Nearness {
    let mean = |one: fn(&Nearness) -> f64| all.iter().map(one).sum::<f64>() / all.len() as f64;
    Nearness {
        decibels: mean(|nearness| nearness.decibels),
        ssim: mean(|nearness| nearness.ssim),
        seen: mean(|nearness| nearness.seen),
    }
}

/// The peak signal-to-noise ratio of two pictures of the same size; infinite when they are equal.
fn decibels(from: &GrayImage, to: &GrayImage) -> f64 {
    let square = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b)).powi(2);
    let error: f64 = from.iter().zip(to.iter()).map(square).sum();
    let mean = error / from.len().max(1) as f64;
    10.0 * (255.0 * 255.0 / mean).log10()
}

/// Structural similarity as Wang, Bovik, Sheikh and Simoncelli defined it in 2004, over squares of
/// eight pixels, each half over the one before it; 1 where the image is smaller than one.
fn ssim(from: &GrayImage, to: &GrayImage) -> f64 {
    const SIDE: u32 = 8;
    const STEP: usize = 4;
    // (0.01 × 255)² and (0.03 × 255)².
    const C1: f64 = 6.5025;
    const C2: f64 = 58.5225;
    let (mut sum, mut squares) = (0.0, 0_u32);
    for top in (0..(from.height() + 1).saturating_sub(SIDE)).step_by(STEP) {
        for left in (0..(from.width() + 1).saturating_sub(SIDE)).step_by(STEP) {
            let (mut a, mut b, mut aa, mut bb, mut ab) = (0_u32, 0, 0, 0, 0);
            for y in top..top + SIDE {
                let row = |picture: &GrayImage| -> [u8; SIDE as usize] {
                    let start = (y * picture.width() + left) as usize;
                    std::array::from_fn(|x| picture.as_raw()[start + x])
                };
                for (from, to) in row(from).into_iter().zip(row(to)) {
                    let (from, to) = (u32::from(from), u32::from(to));
                    (a, b) = (a + from, b + to);
                    (aa, bb, ab) = (aa + from * from, bb + to * to, ab + from * to);
                }
            }
            let mean = |sum: u32| f64::from(sum) / f64::from(SIDE * SIDE);
            let (a, b) = (mean(a), mean(b));
            let (spread, together) = (mean(aa) - a * a + mean(bb) - b * b, mean(ab) - a * b);
            sum +=
                (2.0 * a * b + C1) * (2.0 * together + C2) / ((a * a + b * b + C1) * (spread + C2));
            squares += 1;
        }
    }
    if squares == 0 {
        1.0
    } else {
        sum / f64::from(squares)
    }
}

fn linear(pixels: &RgbImage) -> Result<LinearRgb> {
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let colours = pixels
        .pixels()
        .map(|pixel| pixel.0.map(|value| f32::from(value) / 255.0))
        .collect();
    let (transfer, primaries) = (TransferCharacteristic::SRGB, ColorPrimaries::BT709);
    let encoded = ssimulacra2::Rgb::new(colours, width, height, transfer, primaries)?;
    Ok(LinearRgb::try_from(encoded)?)
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, GrayImage, Luma};

    use super::{Source, decibels};

    fn grey(light: impl Fn(u32, u32) -> u8) -> DynamicImage {
        GrayImage::from_fn(64, 64, |x, y| Luma([light(x, y)])).into()
    }

    #[test]
    fn a_difference_of_one_step_everywhere_is_48_decibels() {
        let light = |value| grey(move |_, _| value).to_luma8();
        let difference = decibels(&light(100), &light(101));
        assert!((difference - 48.13).abs() < 0.01);
        assert_eq!(decibels(&light(100), &light(100)), f64::INFINITY);
    }

    #[test]
    fn the_same_is_as_near_as_can_be_and_noise_is_less_near_in_every_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, pixels: DynamicImage| {
            let file = folder.path().join(name);
            pixels.save(&file).unwrap();
            file
        };
        let slope = |x: u32, y: u32| (x * 2 + y) as u8;
        let source = file("source.png", grey(slope));
        let noisy = file(
            "noisy.png",
            grey(|x, y| slope(x, y) + 9 * ((x ^ y) & 1) as u8),
        );
        let opened = Source::open(&source).unwrap();
        let (same, other) = (
            opened.nearness(&source).unwrap(),
            opened.nearness(&noisy).unwrap(),
        );
        assert!((same.ssim - 1.0).abs() < 1e-6 && (same.seen - 100.0).abs() < 1e-3);
        assert!(other.ssim < 0.999 && other.seen < 90.0, "{other:?}");
        assert!(other.decibels < 40.0, "{other:?}");
    }
}
