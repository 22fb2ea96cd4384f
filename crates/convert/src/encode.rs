//! From pixels to the bytes of a still: lossy, or lossless where that is smaller.

use image::DynamicImage;

use super::colour::Colour;
use super::lossless::{self, Prediction};
use super::resize::Scaler;
use super::still::{Coding, Still};
use super::{ConvertError, Converted, Preview, Target, libwebp};

/// The most pixels for which lossless is tried: beyond a screenshot of the largest screens it
/// costs minutes and gigabytes.
const MAX_LOSSLESS_PIXELS: u64 = 1 << 24;

/// Brings a decoded still to sRGB, turns it upright and encodes it.
pub(super) fn still(still: Still, target: Target) -> Result<Converted, ConvertError> {
    let size = (still.image.width(), still.image.height());
    let image = Colour::new(still.profile).srgb(still.image)?;
    let mut image = Scaler::default().scale(image, |size| target.fit(size))?;
    let coding = match still.coding {
        // The size is that of the larger original.
        Coding::Lossless(_) if size != (image.width(), image.height()) => Coding::Unknown,
        coding => coding,
    };
    image.apply_orientation(still.orientation);
    let (width, height) = (image.width(), image.height());
    let preview = Preview::of(&image)?;
    Ok(Converted {
        webp: encoded(image, target.quality, coding)?,
        width,
        height,
        frames: 1,
        format: target.format,
        preview,
    })
}

/// Encodes pixels lossy, or lossless where that is smaller.
pub(super) fn encoded(
    image: DynamicImage,
    quality: u8,
    coding: Coding,
) -> Result<Vec<u8>, ConvertError> {
    let small = u64::from(image.width()) * u64::from(image.height()) <= MAX_LOSSLESS_PIXELS;
    let source = match coding {
        Coding::Lossless(source) if small => source,
        Coding::Unknown if small => 0,
        _ => return libwebp::lossy(image, quality),
    };
    let prediction = lossless::predict(&image, source);
    if prediction == Prediction::Lossy {
        return libwebp::lossy(image, quality);
    }
    let lossless = libwebp::lossless(&image)?;
    if prediction == Prediction::Lossless && lossless::is_small(&image, lossless.len()) {
        return Ok(lossless);
    }
    let lossy = libwebp::lossy(image, quality)?;
    Ok(std::cmp::min_by_key(lossless, lossy, Vec::len))
}
