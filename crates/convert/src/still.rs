//! A decoded still.

use fast_image_resize::MulDiv;
use image::metadata::Orientation;
use image::{DynamicImage, ImageBuffer, Luma, LumaA, Primitive, Rgb, Rgba};

use super::ConvertError;
use super::colour::Profile;

/// A decoded still with the metadata of its file, before its colours are converted and it is turned
/// upright.
#[derive(Debug, Clone)]
pub(super) struct Still {
    pub(super) image: DynamicImage,
    pub(super) profile: Profile,
    pub(super) orientation: Orientation,
    pub(super) coding: Coding,
}

/// What the encoding of a source implies for the size of lossless WebP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Lossy: such pixels are noisy, and lossless is never smaller.
    Lossy,
    /// Lossless, and compressed to this many bytes.
    Lossless(usize),
    /// Lossless, and uncompressed or compressed by an unknown amount: the size of the source is no
    /// indication.
    Unknown,
}

impl Still {
    /// Of a format that says nothing but the pixels.
    pub(super) fn of(image: impl Into<DynamicImage>) -> Self {
        Self {
            image: image.into(),
            profile: None,
            orientation: Orientation::NoTransforms,
            coding: Coding::Unknown,
        }
    }
}

/// How to turn a picture, by an EXIF block, which begins with a TIFF header; not at all where it has no
/// valid one.
pub(super) fn orientation(exif: &[u8]) -> Orientation {
    // Some writers repeat the marker of JPEG before the block.
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Orientation::from_exif_chunk(exif).unwrap_or(Orientation::NoTransforms)
}

/// Divides colours that are multiplied by their alpha already, where there is one.
pub(super) fn divide_by_alpha(image: &mut DynamicImage) -> Result<(), ConvertError> {
    if image.color().has_alpha() {
        let divided = MulDiv::default().divide_alpha_inplace(image);
        divided.map_err(ConvertError::invalid)?;
    }
    Ok(())
}

type Buffer<P, T> = ImageBuffer<P, Vec<T>>;

/// Samples, row by row and pixel by pixel, as an image: of grey or of red, green and blue, and with or
/// without alpha, by the number of channels.
pub(super) fn image_of<T: Primitive>(
    (width, height): (u32, u32),
    channels: usize,
    samples: Vec<T>,
) -> Result<DynamicImage, ConvertError>
where
    Luma<T>: image::Pixel<Subpixel = T>,
    LumaA<T>: image::Pixel<Subpixel = T>,
    Rgb<T>: image::Pixel<Subpixel = T>,
    Rgba<T>: image::Pixel<Subpixel = T>,
    DynamicImage: From<Buffer<Luma<T>, T>>
        + From<Buffer<LumaA<T>, T>>
        + From<Buffer<Rgb<T>, T>>
        + From<Buffer<Rgba<T>, T>>,
{
    let image = match channels {
        1 => Buffer::<Luma<T>, T>::from_raw(width, height, samples).map(Into::into),
        2 => Buffer::<LumaA<T>, T>::from_raw(width, height, samples).map(Into::into),
        3 => Buffer::<Rgb<T>, T>::from_raw(width, height, samples).map(Into::into),
        _ => Buffer::<Rgba<T>, T>::from_raw(width, height, samples).map(Into::into),
    };
    image.ok_or_else(|| ConvertError::invalid("pixels are missing"))
}
