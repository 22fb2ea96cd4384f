//! Which format a source is in, by its first bytes.

use serde::{Deserialize, Serialize};

use super::ConvertError;
use super::svg::is_svg;

/// A format that is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SourceFormat {
    /// JPEG: baseline and progressive; grey, colour and CMYK.
    Jpeg,
    /// PNG, still or animated (APNG).
    Png,
    /// GIF, still or animated.
    Gif,
    /// WebP: lossy, lossless and animated.
    WebP,
    /// Windows bitmap.
    Bmp,
    /// TIFF.
    Tiff,
    /// Windows icon; the largest picture in it.
    Ico,
    /// Quite OK Image.
    Qoi,
    /// AVIF, still.
    Avif,
    /// HEIC and other HEIF with HEVC in it; of a sequence the first picture.
    Heic,
    /// JPEG XL, still or animated.
    JpegXl,
    /// SVG, drawn.
    Svg,
}

/// What files of a format begin with.
const MAGIC: &[(&[u8], SourceFormat)] = &[
    (b"\xFF\xD8\xFF", SourceFormat::Jpeg),
    (b"\x89PNG\r\n\x1A\n", SourceFormat::Png),
    (b"GIF87a", SourceFormat::Gif),
    (b"GIF89a", SourceFormat::Gif),
    // Classic TIFF (42) and BigTIFF (43), in either byte order.
    (b"II*\0", SourceFormat::Tiff),
    (b"II+\0", SourceFormat::Tiff),
    (b"MM\0*", SourceFormat::Tiff),
    (b"MM\0+", SourceFormat::Tiff),
    (b"qoif", SourceFormat::Qoi),
    // Bare, or in boxes.
    (b"\xFF\x0A", SourceFormat::JpegXl),
    (b"\0\0\0\x0CJXL \r\n\x87\n", SourceFormat::JpegXl),
];

impl SourceFormat {
    /// The format that the first bytes of `source` belong to.
    ///
    /// # Errors
    ///
    /// [`ConvertError::Unsupported`] when they belong to none.
    pub fn of(source: &[u8]) -> Result<Self, ConvertError> {
        let mut magic = MAGIC.iter();
        if let Some((_, format)) = magic.find(|(magic, _)| source.starts_with(magic)) {
            return Ok(*format);
        }
        match source {
            [0, 0, 1, 0, count, high, ..] if *count > 0 || *high > 0 => Ok(Self::Ico),
            _ if source.starts_with(b"RIFF") && source.get(8..12) == Some(b"WEBP") => {
                Ok(Self::WebP)
            }
            _ if has_brand(source, &[b"avif", b"avis"]) => Ok(Self::Avif),
            _ if has_brand(source, HEVC) => Ok(Self::Heic),
            _ if is_bmp(source) => Ok(Self::Bmp),
            _ if is_svg(source) => Ok(Self::Svg),
            _ => Err(ConvertError::Unsupported),
        }
    }

    /// The name people use for the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
            Self::Tiff => "TIFF",
            Self::Ico => "ICO",
            Self::Qoi => "QOI",
            Self::Avif => "AVIF",
            Self::Heic => "HEIC",
            Self::Svg => "SVG",
            Self::JpegXl => "JPEG XL",
        }
    }
}

/// "BM" alone begins many a text, so the size of the header that follows is asked too.
fn is_bmp(source: &[u8]) -> bool {
    source.starts_with(b"BM")
        && matches!(
            source.get(14..18),
            Some([12 | 16 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0])
        )
}

/// The brands of HEIF whose pictures are HEVC, and those that leave it open.
const HEVC: &[&[u8; 4]] = &[
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1",
];

/// Files of the HEIF family name what they are in their first box: by its major brand, or among those
/// that it is compatible with.
fn has_brand(source: &[u8], wanted: &[&[u8; 4]]) -> bool {
    let Some((&[a, b, c, d, kind @ ..], rest)) = source.split_first_chunk::<8>() else {
        return false;
    };
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    let brands = rest.get(..length.saturating_sub(8)).unwrap_or(rest);
    // The second group is a version.
    let mut groups = brands.as_chunks::<4>().0.iter().enumerate();
    kind == *b"ftyp" && groups.any(|(place, brand)| place != 1 && wanted.contains(&brand))
}
