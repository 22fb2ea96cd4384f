//! Narrower copies of a stored WebP, for small screens.

use super::libwebp::check_processor;
use super::limits::Limits;
use super::picture::Coding;
use super::resize::{Scaler, height_at};
use super::riff::{Content, Webp};
use super::{ConvertError, MAX_SIDE, Target, animation, colour::Colour, encode, webp};

/// A copy of a stored WebP, `width` pixels wide, in the same proportions; animations stay
/// animations. None where the original serves better: it is not wider, or not larger in bytes.
///
/// # Errors
///
/// [`ConvertError::Invalid`] when what was stored does not decode, and those of the encoder.
pub fn narrow(webp: &[u8], width: u32, quality: u8) -> Result<Option<Vec<u8>>, ConvertError> {
    check_processor()?;
    let source = Webp::parse(webp)?;
    if width == 0 || width >= source.width {
        return Ok(None);
    }
    let target = Target {
        quality: quality.clamp(1, 100),
        max_side: MAX_SIDE,
    };
    let height = height_at(width, source.width, source.height);
    let narrower = match &source.content {
        Content::Still(bitstream) => {
            let still = webp::still(&source, *bitstream)?;
            let picture = Colour::new(&still.space).srgb(still.raster)?;
            let picture = Scaler::default().scale(picture, width, height)?;
            let coding = match still.coding {
                Coding::Lossy => Coding::Lossy,
                // The size is that of the wider original.
                _ => Coding::Unknown,
            };
            encode::picture(picture, target.quality, coding)?
        }
        Content::Animation { .. } => {
            let frames = Box::new(webp::Animation::of(source)?);
            animation::encode_at(frames, target, Limits::none(), |_, _| (width, height))?.webp
        }
    };
    Ok((narrower.len() < webp.len()).then_some(narrower))
}
