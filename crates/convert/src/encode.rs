//! From pixels to the bytes of a still: lossy, or lossless where that is smaller.

use super::colour::Colour;
use super::lossless::{self, Prediction};
use super::orientation::upright;
use super::picture::{Coding, Picture};
use super::resize::{Scaler, within};
use super::still::Still;
use super::{ConvertError, Output, Preview, Target, libwebp};

/// The most pixels for which lossless is tried: beyond a screenshot of the largest screens it
/// costs minutes and gigabytes.
const MAX_LOSSLESS_PIXELS: u64 = 1 << 24;

/// Brings a decoded still to sRGB, turns it upright and encodes it.
pub(super) fn still(still: Still, target: Target) -> Result<Output, ConvertError> {
    let Still {
        raster,
        space,
        orientation,
        coding,
    } = still;
    let picture = Colour::new(&space).srgb(raster)?;
    let (width, height) = within(target.max_side, picture.width, picture.height);
    let picture = Scaler::default().scale(picture, width, height)?;
    let picture = upright(picture, orientation)?;
    let (width, height) = (picture.width, picture.height);
    let preview = Preview::of(&picture)?;
    Ok(Output {
        webp: self::picture(picture, target.quality, coding)?,
        width,
        height,
        frames: 1,
        preview,
    })
}

/// Encodes pixels lossy, or lossless where that is smaller.
pub(super) fn picture(
    picture: Picture,
    quality: u8,
    coding: Coding,
) -> Result<Vec<u8>, ConvertError> {
    let small = u64::from(picture.width) * u64::from(picture.height) <= MAX_LOSSLESS_PIXELS;
    let source = match coding {
        Coding::Lossless(source) if small => source,
        Coding::Unknown if small => 0,
        _ => return libwebp::lossy(picture, quality),
    };
    let prediction = lossless::predict(&picture, source);
    if prediction == Prediction::Lossy {
        return libwebp::lossy(picture, quality);
    }
    let lossless = libwebp::lossless(&picture)?;
    if prediction == Prediction::Lossless && lossless::is_small(&picture, lossless.len()) {
        return Ok(lossless);
    }
    let lossy = libwebp::lossy(picture, quality)?;
    Ok(std::cmp::min_by_key(lossless, lossy, Vec::len))
}
