//! Whether lossless WebP of a picture is smaller than lossy WebP, by a look at some of its rows.
//!
//! Lossless wins with flat areas of few colours, such as text, and is the faster of the two there; of
//! everything else it takes up to ten times as long. `docs/performance.md` has the measurements.

use std::collections::HashSet;

use image::DynamicImage;

/// One row of so many is looked at.
const SHARE: usize = 6;
/// Below so many pixels encoding twice is cheaper than being wrong.
const SMALL: usize = 1 << 16;

/// Of photographs at most 0.6 of the pixels are like the one before them, and lossless takes five times
/// the bytes and more. Of 127 pictures of windows it wins in 45 of the 47 that have up to 500 colours and
/// 0.8 of whose pixels are so, and in none with more than 800 colours.
const FLAT: f64 = 0.75;
const FEW_COLOURS: usize = 800;
/// Small pictures have fewer pixels alike.
const FEW_COLOURS_OF_SMALL: usize = 1_500;
/// Dithering has few colours and nothing flat.
const DITHERED_COLOURS: usize = 16;

/// Which of the two is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prediction {
    Lossy,
    /// Lossless, if it is [as small as expected](is_small).
    Lossless,
    /// Only encoding both shows it.
    Unclear,
}

/// Predicts it. `source` is the size of a lossless source in bytes; 0 when that is no indication.
pub(super) fn predict(image: &DynamicImage, source: usize) -> Prediction {
    let bytes = usize::from(image.color().bytes_per_pixel());
    let row = image.width() as usize * bytes;
    let (mut colours, mut changes, mut looked_at) = (HashSet::new(), 0_usize, 0_usize);
    for row in image.as_bytes().chunks_exact(row).step_by(SHARE) {
        let mut before: &[u8] = &[];
        for pixel in row.chunks_exact(bytes) {
            if pixel != before {
                changes += 1;
                if colours.len() <= FEW_COLOURS_OF_SMALL {
                    colours.insert(pixel);
                }
            }
            before = pixel;
        }
        looked_at += image.width() as usize;
    }
    let flat = 1.0 - changes as f64 / looked_at.max(1) as f64;
    let pixels = pixels(image);
    let is_small = pixels < SMALL;
    // Lossless WebP has at best a third of the bytes of a PNG.
    if source > pixels / 2 && !is_small {
        Prediction::Lossy
    } else if colours.len() <= DITHERED_COLOURS || colours.len() <= FEW_COLOURS && flat >= FLAT {
        Prediction::Lossless
    } else if is_small && colours.len() <= FEW_COLOURS_OF_SMALL
        || (1..=pixels / 8).contains(&source)
    {
        Prediction::Unclear
    } else {
        Prediction::Lossy
    }
}

/// Whether a lossless file of so many bytes is as small as those of pictures that it is predicted for. A
/// larger one may be larger than lossy: what lies between the rows is of another kind.
pub(super) fn is_small(image: &DynamicImage, lossless: usize) -> bool {
    lossless * 40 <= pixels(image) * 3
}

fn pixels(image: &DynamicImage) -> usize {
    image.width() as usize * image.height() as usize
}
