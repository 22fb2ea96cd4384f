//! BMP and QOI, decoded by the `image` crate. Of BMP it leaves out what the newest headers say of alpha
//! and of colours.

use std::borrow::Cow;
use std::io::Cursor;

use image::codecs::{bmp::BmpDecoder, qoi::QoiDecoder};
use image::{DynamicImage, ImageDecoder};

use super::colour::{Profile, by_gamma, by_icc};
use super::still::Still;
use super::{ConvertError, ConvertOptions};

/// Where the header begins that follows the file's, and where its fields are.
const HEADER: usize = 14;
const COMPRESSION: usize = HEADER + 16;
const ALPHA_MASK: usize = HEADER + 52;
const COLOURS: usize = HEADER + 56;

/// The sizes of the headers of version 4 and 5.
const V4: u32 = 108;
const V5: u32 = 124;

pub(super) fn decode_qoi(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    if let Some(&[.., a, b, c, d, e, f, g, h]) = source.first_chunk::<12>() {
        // Its decoder has a limit of its own, which would hide that the picture is too large.
        let side = |bytes: [u8; 4]| u32::from_be_bytes(bytes);
        limits.check_frame((side([a, b, c, d]), side([e, f, g, h])))?;
    }
    still(QoiDecoder::new(Cursor::new(source))?, limits)
}

pub(super) fn decode(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    let mut still = still(BmpDecoder::new(Cursor::new(with_masks(source)))?, limits)?;
    // Photoshop and the clipboard of Windows name an alpha, and leave it empty.
    if let Some(image) = still.image.as_mut_rgba8()
        && image.pixels().all(|pixel| pixel.0[3] == 0)
    {
        image.pixels_mut().for_each(|pixel| pixel.0[3] = 255);
    }
    still.profile = profile(source);
    Ok(still)
}

fn number(source: &[u8], at: usize) -> u32 {
    let bytes = source.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// An uncompressed picture of 32 bits whose header names an alpha mask, as one that says that its masks
/// count: the decoder reads them only there.
fn with_masks(source: &[u8]) -> Cow<'_, [u8]> {
    let bits = number(source, HEADER + 12) >> 16;
    let has_mask = number(source, HEADER) >= V4 && number(source, ALPHA_MASK) != 0;
    if !has_mask || bits != 32 || number(source, COMPRESSION) != 0 {
        return Cow::Borrowed(source);
    }
    let mut masked = source.to_vec();
    masked[COMPRESSION] = 3;
    let masks = &mut masked[HEADER + 40..ALPHA_MASK];
    if masks.iter().all(|byte| *byte == 0) {
        for (mask, channel) in masks.as_chunks_mut::<4>().0.iter_mut().zip([2, 1, 0]) {
            mask[channel] = 0xFF;
        }
    }
    Cow::Owned(masked)
}

/// The colours that a header of version 4 or 5 describes.
fn profile(source: &[u8]) -> Profile {
    let version = number(source, HEADER);
    match number(source, COLOURS).to_be_bytes() {
        // Where its colours are, as X, Y and Z in numbers of 2.30 bits, and gammas of 16.16 bits.
        [0, 0, 0, 0] if version >= V4 => {
            let fixed =
                |at: usize| f64::from(number(source, COLOURS + 4 + at * 4)) / f64::from(1 << 30);
            let ends: [[f64; 3]; 3] = std::array::from_fn(|colour| {
                let xyz = [0, 1, 2].map(|axis| fixed(colour * 3 + axis));
                [xyz[0], xyz[1], xyz.iter().sum()]
            });
            let gamma = number(source, COLOURS + 40);
            let [x, y, sum] = [0, 1, 2].map(|axis| ends.iter().map(|end| end[axis]).sum::<f64>());
            if gamma == 0 || sum == 0.0 || ends.iter().any(|end| end[2] == 0.0) {
                return None;
            }
            let [red, green, blue] = ends.map(|[x, y, sum]| (x / sum, y / sum));
            let chromaticities = [(x / sum, y / sum), red, green, blue];
            by_gamma(f64::from(gamma) / 65_536.0, Some(chromaticities))
        }
        bytes if &bytes == b"MBED" && version >= V5 => {
            let (start, length) = (number(source, HEADER + 112), number(source, HEADER + 116));
            let profile = source.get(HEADER + start as usize..);
            by_icc(profile?.get(..length as usize)?)
        }
        _ => None,
    }
}

/// Decodes to the end.
pub(super) fn still(
    mut decoder: impl ImageDecoder,
    limits: &ConvertOptions,
) -> Result<Still, ConvertError> {
    limits.check_frame(decoder.dimensions())?;
    // The size is within the limits; this is against buffers that have nothing to do with it.
    let mut allowed = image::Limits::no_limits();
    let most = decoder.total_bytes().saturating_mul(2);
    allowed.max_alloc = Some(most.saturating_add(64 << 20));
    decoder.set_limits(allowed)?;
    Ok(Still::of(DynamicImage::from_decoder(decoder)?))
}
