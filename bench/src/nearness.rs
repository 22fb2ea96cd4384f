//! How near a WebP is to the image it was made from, measured in three ways.

use std::path::Path;

use image::{DynamicImage, GrayImage, RgbImage};
use ssimulacra2::{ColorPrimaries, LinearRgb, Rgb, TransferCharacteristic};

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

/// An image's pixels, and what is worked out of them once.
pub(crate) struct Source {
    pixels: DynamicImage,
    linear: LinearRgb,
}

impl Source {
    /// Reads an image.
    ///
    /// # Errors
    /// When it does not decode.
    pub(crate) fn open(file: &Path) -> Result<Self> {
        let pixels = image::open(file)?;
        let linear = linear(&pixels.to_rgb8())?;
        Ok(Self { pixels, linear })
    }

    /// How near `webp` is to it, in all three ways.
    ///
    /// # Errors
    /// When it cannot be read, or has other sides.
    pub(crate) fn nearness(&self, webp: &Path) -> Result<Nearness> {
        let pixels = image::open(webp)?;
        let decibels = decibels(&self.pixels, &pixels)
            .ok_or_else(|| format!("{} has other sides than its source", webp.display()))?;
        let (from, to) = (self.pixels.to_luma8(), pixels.to_luma8());
        let ssim = ssim(&from, &to);
        let linear = linear(&pixels.to_rgb8())?;
        let seen = ssimulacra2::compute_frame_ssimulacra2(self.linear.clone(), linear)?;
        Ok(Nearness {
            decibels,
            ssim,
            seen,
        })
    }
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

/// The peak signal-to-noise ratio of luma, in decibels: of each file's WebP against the file, the
/// mean over all.
///
/// # Errors
/// When one cannot be read, or a WebP has other sides than its source.
pub(crate) fn mean_decibels<'a>(pairs: impl Iterator<Item = (&'a Path, &'a Path)>) -> Result<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for (source, webp) in pairs {
        sum += decibels(&image::open(source)?, &image::open(webp)?)
            .ok_or_else(|| format!("{} came out with other sides", source.display()))?;
        count += 1;
    }
    Ok(sum / f64::from(count.max(1)))
}

/// None when their sides differ.
fn decibels(from: &DynamicImage, to: &DynamicImage) -> Option<f64> {
    let (from, to) = (from.to_luma8(), to.to_luma8());
    if from.dimensions() != to.dimensions() {
        return None;
    }
    let square = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b)).powi(2);
    let error: f64 = from.iter().zip(to.iter()).map(square).sum();
    let mean = error / from.len().max(1) as f64;
    Some(10.0 * (255.0 * 255.0 / mean).log10())
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
    let encoded = Rgb::new(colours, width, height, transfer, primaries)?;
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
        let (from, to) = (grey(|_, _| 100), grey(|_, _| 101));
        let difference = decibels(&from, &to).unwrap();
        assert!((difference - 48.13).abs() < 0.01);
        assert_eq!(decibels(&from, &from), Some(f64::INFINITY));
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
