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

/// The picture that is taken.
enum Largest<'a> {
    Png(&'a [u8]),
    /// As an icon of its own.
    Bitmap(Vec<u8>),
}

pub(super) fn decode(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    match largest(source)? {
        Largest::Png(file) => png::still(file, limits),
        Largest::Bitmap(icon) => bmp::still(IcoDecoder::new(Cursor::new(icon))?, limits),
    }
}

/// The one with the most pixels, and of those the one with the most colours.
fn largest(source: &[u8]) -> Result<Largest<'_>, ConvertError> {
    let cut = || ConvertError::invalid("the file ends in its list");
    let count = source.get(4..LIST).ok_or_else(cut)?;
    let count = usize::from(u16::from_le_bytes([count[0], count[1]]));
    let list = source.get(LIST..).ok_or_else(cut)?;
    let list = list.get(..count * ENTRY).ok_or_else(cut)?;
    let entries = list.as_chunks::<ENTRY>().0.iter();
    let entry = entries
        .max_by_key(|entry| {
            // A side of 0 is one of 256.
            let side = |at: usize| u32::from(entry[at].wrapping_sub(1)) + 1;
            (side(0) * side(1), u16::from_le_bytes([entry[6], entry[7]]))
        })
        .ok_or_else(cut)?;
    let number = |at: usize| {
        u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]) as usize
    };
    let picture = source
        .get(number(12)..)
        .and_then(|rest| rest.get(..number(8)))
        .ok_or_else(|| ConvertError::invalid("the file ends before its picture"))?;
    if picture.starts_with(b"\x89PNG") {
        return Ok(Largest::Png(picture));
    }
    let mut icon = vec![0, 0, 1, 0, 1, 0];
    icon.extend_from_slice(&entry[..12]);
    icon.extend_from_slice(&((LIST + ENTRY) as u32).to_le_bytes());
    icon.extend_from_slice(picture);
    Ok(Largest::Bitmap(icon))
}
