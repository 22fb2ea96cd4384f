//! Narrower copies of a stored WebP, for small screens.

use super::libwebp::check_processor;
use super::riff::Webp;
use super::{ConvertError, ConvertOptions, SourceFormat, Target, webp};

/// A copy of a stored WebP, `width` pixels wide, in the same proportions; animations stay
/// animations. None where the original serves better: it is not wider, or not larger in bytes.
///
/// # Errors
///
/// [`ConvertError::Invalid`] when what was stored does not decode, and those of the encoder.
pub fn narrow(webp: &[u8], width: u32, quality: u8) -> Result<Option<Vec<u8>>, ConvertError> {
    check_processor()?;
    let source = Webp::parse(webp)?;
    if width == 0 || width >= source.size.0 {
        return Ok(None);
    }
    let target = Target {
        quality: quality.clamp(1, 100),
        size: super::Size::Width(width),
        format: SourceFormat::WebP,
    };
    let narrower = webp::encoded_again(&source, target, &ConvertOptions::UNLIMITED)?.webp;
    Ok((narrower.len() < webp.len()).then_some(narrower))
}
