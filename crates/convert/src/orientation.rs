//! Turning pixels upright, by the EXIF orientation.

use image::DynamicImage;
pub(super) use image::metadata::Orientation;

use super::ConvertError;
use super::picture::{Layout, Picture};

/// From an EXIF block, which begins with a TIFF header; upright where it has no valid one.
pub(super) fn of_exif(exif: &[u8]) -> Orientation {
    // Some writers repeat the marker of JPEG before the block.
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Orientation::from_exif_chunk(exif).unwrap_or(Orientation::NoTransforms)
}

/// The picture, upright.
pub(super) fn upright(picture: Picture, orientation: Orientation) -> Result<Picture, ConvertError> {
    if orientation == Orientation::NoTransforms {
        return Ok(picture);
    }
    let Picture {
        width,
        height,
        layout,
        pixels,
    } = picture;
    let image = match layout {
        Layout::Rgb => image::RgbImage::from_raw(width, height, pixels).map(DynamicImage::from),
        Layout::Rgba => image::RgbaImage::from_raw(width, height, pixels).map(DynamicImage::from),
    };
    let mut image = image.ok_or_else(|| ConvertError::Internal("pixels are missing".into()))?;
    image.apply_orientation(orientation);
    Ok(Picture {
        width: image.width(),
        height: image.height(),
        layout,
        pixels: image.into_bytes(),
    })
}
