//! Windows icons: several pictures in one file, each a bitmap or a PNG. The largest is taken. The
//! `image` crate takes no PNG in it but those of 8-bit colour with alpha; writers of icons do not
//! keep to that, so a PNG goes the way of all PNGs.

use std::io::Cursor;

use image::codecs::ico::IcoDecoder;

use super::still::Still;
use super::{ConvertError, ConvertOptions, bmp, png};

/// Bytes before the list, and of each of its entries.
const LIST: usize = 6;
const ENTRY: usize = 16;

pub(super) fn decode(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    let largest = largest(source);
    let (entry, picture) =
        largest.ok_or_else(|| ConvertError::invalid("the file ends before its picture"))?;
    if picture.starts_with(b"\x89PNG") {
        return png::still(picture, limits);
    }
    // As an icon of its own.
    let start = ((LIST + ENTRY) as u32).to_le_bytes();
    let icon = [&[0, 0, 1, 0, 1, 0], &entry[..12], &start, picture].concat();
    bmp::still(IcoDecoder::new(Cursor::new(icon))?, limits)
}

/// The entry with the most pixels, and of those the one with the most colours, and its picture.
fn largest(source: &[u8]) -> Option<(&[u8; ENTRY], &[u8])> {
    let count = u16::from_le_bytes(*source.get(4..LIST)?.first_chunk()?);
    let entries = source.get(LIST..)?.as_chunks().0.get(..count.into())?;
    let entry: &[u8; ENTRY] = entries.iter().max_by_key(|entry| {
        // A side of 0 is one of 256.
        let side = |at: usize| u32::from(entry[at].wrapping_sub(1)) + 1;
        (side(0) * side(1), u16::from_le_bytes([entry[6], entry[7]]))
    })?;
    let [.., a, b, c, d, e, f, g, h] = *entry;
    let number = |bytes: [u8; 4]| u32::from_le_bytes(bytes) as usize;
    let picture = source.get(number([e, f, g, h])..)?;
    Some((entry, picture.get(..number([a, b, c, d]))?))
}
