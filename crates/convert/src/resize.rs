//! Scaling down, with Lanczos3 in the encoded colours, as browsers and libvips do.

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::DynamicImage;

use super::{ConvertError, MAX_SIDE};

/// A filter holds about 48 bytes of weights for each pixel along a side. A
/// side beyond this many pixels belongs to a thread of pixels, not to a picture:
/// it is thinned out instead, which holds nothing.
const LONGEST_FILTERED: u32 = 1_000_000;

/// The size whose longest side is at most this many pixels, in the same proportions.
pub(super) fn within(max_side: u32, (width, height): (u32, u32)) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= max_side {
        return (width, height);
    }
    (
        scaled(width, max_side, longest),
        scaled(height, max_side, longest),
    )
}

/// `side * numerator / denominator`, rounded, and at least one pixel.
pub(super) fn scaled(side: u32, numerator: u32, denominator: u32) -> u32 {
    let (numerator, denominator) = (u64::from(numerator), u64::from(denominator));
    let pixels = (u64::from(side) * numerator + denominator / 2) / denominator;
    u32::try_from(pixels).unwrap_or(MAX_SIDE).clamp(1, MAX_SIDE)
}

/// Scales images of 8 bits, one after another, with the buffers kept between them.
#[derive(Default)]
pub(super) struct Scaler(Resizer);

impl Scaler {
    /// The image at the size that `fit` makes of its own; itself, where it has it already.
    pub(super) fn scale(
        &mut self,
        image: DynamicImage,
        fit: impl Fn((u32, u32)) -> (u32, u32),
    ) -> Result<DynamicImage, ConvertError> {
        let size = (image.width(), image.height());
        match fit(size) {
            same if same == size => Ok(image),
            other => self.scaled(&image, other),
        }
    }

    /// A copy of the image at that size.
    pub(super) fn scaled(
        &mut self,
        image: &DynamicImage,
        (width, height): (u32, u32),
    ) -> Result<DynamicImage, ConvertError> {
        let filter = if image.width().max(image.height()) > LONGEST_FILTERED {
            ResizeAlg::Nearest
        } else {
            ResizeAlg::Convolution(FilterType::Lanczos3)
        };
        let mut to = DynamicImage::new(width, height, image.color());
        // The colours of transparent pixels must not bleed into their neighbours: the resizer
        // multiplies by alpha first where there is one.
        let options = ResizeOptions::new().resize_alg(filter).use_alpha(true);
        let done = self.0.resize(image, &mut to, &options);
        done.map_err(|error| ConvertError::Internal(error.to_string()))?;
        Ok(to)
    }
}
