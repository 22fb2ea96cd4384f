//! Scaling down, with Lanczos3 in the encoded colours, as browsers and libvips do.

use fast_image_resize as fir;

use super::picture::{Layout, Picture};
use super::{ConvertError, MAX_SIDE};

/// A filter holds about 48 bytes of weights for each pixel along a side. A
/// side beyond this many pixels belongs to a thread of pixels, not to a picture:
/// it is thinned out instead, which holds nothing.
const LONGEST_FILTERED: u32 = 1_000_000;

/// The size whose longest side is at most this many pixels, in the same proportions.
pub(super) fn within(max_side: u32, width: u32, height: u32) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= max_side {
        return (width, height);
    }
    (
        scaled(width, max_side, longest),
        scaled(height, max_side, longest),
    )
}

/// The height that keeps the proportions at another width.
pub(super) fn height_at(new_width: u32, width: u32, height: u32) -> u32 {
    scaled(height, new_width, width)
}

/// `side * numerator / denominator`, rounded, and at least one pixel.
fn scaled(side: u32, numerator: u32, denominator: u32) -> u32 {
    let (numerator, denominator) = (u64::from(numerator), u64::from(denominator));
    let pixels = (u64::from(side) * numerator + denominator / 2) / denominator;
    u32::try_from(pixels).unwrap_or(MAX_SIDE).clamp(1, MAX_SIDE)
}

/// Scales pictures, one after another, with the buffers kept between them.
#[derive(Default)]
pub(super) struct Scaler {
    resizer: fir::Resizer,
}

impl Scaler {
    /// The picture at that size; itself, where it has it already.
    pub(super) fn scale(
        &mut self,
        picture: Picture,
        width: u32,
        height: u32,
    ) -> Result<Picture, ConvertError> {
        if (picture.width, picture.height) == (width, height) {
            return Ok(picture);
        }
        self.scaled(&picture, width, height)
    }

    /// A copy of the picture at that size.
    pub(super) fn scaled(
        &mut self,
        picture: &Picture,
        width: u32,
        height: u32,
    ) -> Result<Picture, ConvertError> {
        let internal = |error: &dyn std::fmt::Display| ConvertError::Internal(error.to_string());
        let kind = match picture.layout {
            Layout::Rgb => fir::PixelType::U8x3,
            Layout::Rgba => fir::PixelType::U8x4,
        };
        let layout = picture.layout;
        let from = fir::images::ImageRef::new(picture.width, picture.height, &picture.pixels, kind)
            .map_err(|error| internal(&error))?;
        let mut to = fir::images::Image::new(width, height, kind);
        // The colours of transparent pixels must not bleed into their neighbours: the resizer
        // multiplies by alpha first where there is one.
        let longest = picture.width.max(picture.height);
        let filter = if longest > LONGEST_FILTERED {
            fir::ResizeAlg::Nearest
        } else {
            fir::ResizeAlg::Convolution(fir::FilterType::Lanczos3)
        };
        let options = fir::ResizeOptions::new().resize_alg(filter).use_alpha(true);
        self.resizer
            .resize(&from, &mut to, &options)
            .map_err(|error| internal(&error))?;
        Ok(Picture {
            width,
            height,
            layout,
            pixels: to.into_vec(),
        })
    }
}
