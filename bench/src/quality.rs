//! How near a WebP is to the picture it was made from.

use std::path::Path;

use image::GrayImage;

use crate::Result;

/// The peak signal-to-noise ratio of the light alone, in decibels: of each
/// file's WebP against the file, the mean over all.
///
/// # Errors
/// When one cannot be read, or a WebP has other sides than its source.
pub(crate) fn mean_decibels<'a>(pairs: impl Iterator<Item = (&'a Path, &'a Path)>) -> Result<f64> {
    let decibels: Vec<f64> = pairs
        .map(|(source, webp)| compare(source, webp))
        .collect::<Result<_>>()?;
    Ok(decibels.iter().sum::<f64>() / decibels.len().max(1) as f64)
}

fn compare(source: &Path, webp: &Path) -> Result<f64> {
    let (from, to) = (
        image::open(source)?.into_luma8(),
        image::open(webp)?.into_luma8(),
    );
    if from.dimensions() != to.dimensions() {
        return Err(format!("{} came out with other sides", source.display()).into());
    }
    Ok(decibels(&from, &to))
}

fn decibels(from: &GrayImage, to: &GrayImage) -> f64 {
    let square = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b)).powi(2);
    let error: f64 = from.iter().zip(to.iter()).map(square).sum();
    let mean = error / from.len().max(1) as f64;
    10.0 * (255.0 * 255.0 / mean).log10()
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, Luma};

    use super::decibels;

    #[test]
    fn a_difference_of_one_step_everywhere_is_48_decibels() {
        let from = GrayImage::from_pixel(8, 8, Luma([100]));
        let to = GrayImage::from_pixel(8, 8, Luma([101]));
        assert!((decibels(&from, &to) - 48.13).abs() < 0.01);
        assert_eq!(decibels(&from, &from), f64::INFINITY);
    }
}
