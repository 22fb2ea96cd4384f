//! From pixels to the bytes of a still: lossy, or lossless where that is smaller.

use std::collections::HashSet;

use super::colour::Colour;
use super::memory::MAX_LOSSLESS_PIXELS;
use super::picture::{Coding, Layout, Picture, Still};
use super::resize::{Scaler, within_webp};
use super::{ConvertError, Output, libwebp};

/// Rows that the test for flat art looks at.
const SAMPLED_ROWS: usize = 96;

/// Brings a decoded still to sRGB, turns it upright and encodes it.
pub(super) fn still(still: Still, quality: u8) -> Result<Output, ConvertError> {
    let Still {
        raster,
        profile,
        orientation,
        coding,
    } = still;
    let picture = Colour::new(profile.as_deref()).srgb(raster)?;
    let (width, height) = within_webp(picture.width, picture.height);
    let picture = Scaler::default().scale(picture, width, height)?;
    let picture = orientation.apply(picture);
    let (width, height) = (picture.width, picture.height);
    Ok(Output {
        webp: self::picture(picture, quality, coding)?,
        width,
        height,
        frames: 1,
    })
}

/// Lossless WebP is at best a little under half the size of a PNG of the same pixels. Where the
/// source is more than this many times as large as lossy WebP, lossless cannot be smaller.
const LOSSLESS_TIMES: usize = 3;

/// Encodes pixels lossy, or lossless where that is not larger. Lossless takes five to ten times as
/// long, so it is tried only when, by the size of the source, it can be smaller or, when that size
/// is no indication, when the pixels look drawn.
pub(super) fn picture(
    picture: Picture,
    quality: u8,
    coding: Coding,
) -> Result<Vec<u8>, ConvertError> {
    let small = u64::from(picture.width) * u64::from(picture.height) <= MAX_LOSSLESS_PIXELS;
    let source = match coding {
        Coding::Lossless(source) if small => source,
        Coding::Unknown if small && is_flat(&picture) => 0,
        _ => return libwebp::lossy(picture, quality),
    };
    let lossy = libwebp::lossy(&picture, quality)?;
    if source > lossy.len() * LOSSLESS_TIMES {
        return Ok(lossy);
    }
    let lossless = lossless(&picture)?;
    Ok(if lossless.len() <= lossy.len() {
        lossless
    } else {
        lossy
    })
}

fn lossless(picture: &Picture) -> Result<Vec<u8>, ConvertError> {
    let internal = |()| ConvertError::Internal("libwebp has no such configuration".into());
    let mut config = webp::WebPConfig::new().map_err(internal)?;
    config.lossless = 1;
    // Of the encoder's effort, not of the pixels; 70 at method 4 is libwebp's middle preset.
    config.quality = 70.0;
    let expanded;
    let (pixels, layout) = match picture.layout {
        Layout::Rgb => (&picture.pixels, webp::PixelLayout::Rgb),
        Layout::Rgba => (&picture.pixels, webp::PixelLayout::Rgba),
        Layout::Grey | Layout::GreyAlpha => {
            expanded = picture.clone().into_rgba();
            (&expanded.pixels, webp::PixelLayout::Rgba)
        }
    };
    webp::Encoder::new(pixels, layout, picture.width, picture.height)
        .encode_advanced(&config)
        .map(|webp| webp.to_vec())
        .map_err(libwebp::encoding_error)
}

/// A cheap look at some rows: few colours, or long runs of the same one. Photographs have neither.
pub(super) fn is_flat(picture: &Picture) -> bool {
    match picture.layout.bytes() {
        1 => looks_flat::<1>(picture),
        2 => looks_flat::<2>(picture),
        3 => looks_flat::<3>(picture),
        _ => looks_flat::<4>(picture),
    }
}

fn looks_flat<const BYTES: usize>(picture: &Picture) -> bool {
    const FEW: usize = 32;
    const PALETTE: usize = 256;
    let rows = picture
        .pixels
        .as_chunks::<BYTES>()
        .0
        .chunks_exact(picture.width as usize);
    let step = (picture.height as usize).div_ceil(SAMPLED_ROWS);
    let mut colours = HashSet::new();
    let (mut pairs, mut equal) = (0_u64, 0_u64);
    for row in rows.step_by(step) {
        let mut before = None;
        for pixel in row {
            // What is wholly transparent has no colour, whatever is stored for it.
            let pixel = if BYTES.is_multiple_of(2) && pixel[BYTES - 1] == 0 {
                &[0; BYTES]
            } else {
                pixel
            };
            if let Some(before) = before {
                pairs += 1;
                equal += u64::from(before == pixel);
            }
            if before != Some(pixel) && colours.len() <= PALETTE {
                colours.insert(*pixel);
            }
            before = Some(pixel);
        }
    }
    let percent = (equal * 100).checked_div(pairs).unwrap_or(100);
    colours.len() <= FEW || percent >= 50 || (colours.len() <= PALETTE && percent >= 25)
}
