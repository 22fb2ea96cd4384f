//! Whether lossless WebP of a picture is smaller than lossy WebP, predicted from a part of its rows.
//!
//! Lossless takes one to ten times as long as lossy, and most pictures need only one of the two: it wins
//! with flat areas of few colours, such as text. `docs/performance.md` has the measurements.

use std::collections::HashSet;

use super::picture::Picture;
use super::{ConvertError, libwebp};

/// One row of so many is in the sample.
const SHARE: u32 = 6;
/// The sample consists of bands of so many rows, at least [`MIN_BANDS`] of them, evenly distributed.
const BAND: u32 = 32;
const MIN_BANDS: u32 = 4;
/// Below so many pixels encoding twice is cheaper than being wrong.
const SMALL: u64 = 1 << 16;
/// Lossless WebP is at best a little more than a third of the size of a PNG of the same pixels. A
/// source that is more than this many times as large as lossy WebP cannot become smaller lossless.
const MAX_TIMES: usize = 3;
/// The same for the size of lossy WebP that the sample suggests, which can be half of the real one.
const MAX_TIMES_OF_SAMPLE: usize = 2 * MAX_TIMES;
/// The size of lossless in the sample over that of lossy: below this, lossless is smaller; above
/// [`LOSSY_FROM`], it is larger.
const LOSSLESS_TO: f64 = 1.0;
const LOSSY_FROM: f64 = 1.5;

/// Of photographs at most 0.6 of the pixels are like the one before them, and lossless takes five times
/// the bytes and more; of windows it wins with 0.9 and some hundred colours. Dithering has few of them.
const FLAT: f64 = 0.8;
const FEW_COLOURS: usize = 1_500;
const DITHERED_COLOURS: usize = 16;

/// Which of the two is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prediction {
    Lossy,
    /// Lossless. Lossy would take about as many bytes as this.
    Lossless(u64),
    /// Only encoding both shows it.
    Unclear,
}

/// Predicts it for a still. `source` is the size of a lossless source in bytes; 0 when that is no
/// indication.
pub(super) fn predict(
    picture: &Picture,
    quality: u8,
    source: usize,
) -> Result<Prediction, ConvertError> {
    let is_small = u64::from(picture.width) * u64::from(picture.height) < SMALL;
    if !may_win(picture, source, is_small) {
        return Ok(Prediction::Lossy);
    }
    if is_small {
        return Ok(Prediction::Unclear);
    }
    let sample = sample(picture);
    let lossy = libwebp::quick_lossy(&sample, quality)?.len();
    let of_all = lossy as u64 * u64::from(picture.height) / u64::from(sample.height);
    if source as u64 > of_all * MAX_TIMES_OF_SAMPLE as u64 {
        return Ok(Prediction::Lossy);
    }
    Ok(match ratio(&sample, lossy)? {
        ratio if ratio < LOSSLESS_TO => Prediction::Lossless(of_all),
        ratio if ratio > LOSSY_FROM => Prediction::Lossy,
        _ => Prediction::Unclear,
    })
}

/// Whether lossless is worth a try, by a look at each sixth row. Small pictures need not be flat, nor do
/// those whose source takes no more than a bit a pixel.
fn may_win(picture: &Picture, source: usize, is_small: bool) -> bool {
    let bytes = picture.layout.bytes();
    let row = picture.width as usize * bytes;
    let (mut colours, mut changes, mut pixels) = (HashSet::new(), 0_usize, 0_usize);
    for row in picture.pixels.chunks_exact(row).step_by(SHARE as usize) {
        let mut before: &[u8] = &[];
        for pixel in row.chunks_exact(bytes) {
            if pixel != before && colours.len() <= FEW_COLOURS {
                colours.insert(pixel);
            }
            changes += usize::from(pixel != before);
            before = pixel;
        }
        pixels += picture.width as usize;
    }
    let flat = 1.0 - changes as f64 / pixels.max(1) as f64;
    let all = picture.width as usize * picture.height as usize;
    colours.len() <= DITHERED_COLOURS
        || source > 0 && source <= all / 8
        || colours.len() <= FEW_COLOURS && (is_small || flat >= FLAT)
}

/// Whether a frame of an animation is probably smaller lossless.
pub(super) fn is_probable(frame: &Picture, quality: u8) -> Result<bool, ConvertError> {
    let sample = sample(frame);
    let lossy = libwebp::quick_lossy(&sample, quality)?.len();
    Ok(ratio(&sample, lossy)? < 1.0)
}

/// Whether lossless is worth trying for a source of this size, now that the size of lossy is known.
pub(super) fn can_be_smaller(source: usize, lossy: usize) -> bool {
    source <= lossy * MAX_TIMES
}

fn ratio(sample: &Picture, lossy: usize) -> Result<f64, ConvertError> {
    Ok(libwebp::quick_lossless(sample)?.len() as f64 / lossy as f64)
}

/// The bands, one below the other; the whole picture where it has few rows.
fn sample(picture: &Picture) -> Picture {
    let bands = picture.height.div_ceil(SHARE * BAND).max(MIN_BANDS);
    let height = bands * BAND;
    if picture.height <= height {
        return picture.clone();
    }
    let row = picture.width as usize * picture.layout.bytes();
    let mut pixels = Vec::with_capacity(row * height as usize);
    for band in 0..bands {
        let room = u64::from(picture.height - BAND);
        let top = room * u64::from(2 * band + 1) / u64::from(2 * bands);
        let start = top as usize * row;
        pixels.extend_from_slice(&picture.pixels[start..start + BAND as usize * row]);
    }
    Picture {
        width: picture.width,
        height,
        layout: picture.layout,
        pixels,
    }
}
