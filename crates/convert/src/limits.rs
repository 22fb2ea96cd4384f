//! How many pixels a source may have. Asked of the header before anything is allocated, and again
//! frame by frame, because a header can lie about what follows it.

use super::{ConvertError, ConvertOptions};

/// What a frame of an animation counts at least, in pixels: also the smallest one costs a header, a
/// look and an entry in what is written.
const LEAST_FRAME: u64 = 4096;

/// The limits of one conversion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    max_pixels: u64,
    max_animation_pixels: u64,
}

impl Limits {
    pub(super) fn of(options: &ConvertOptions) -> Self {
        Self {
            max_pixels: options.max_pixels,
            max_animation_pixels: options.max_animation_pixels,
        }
    }

    /// For what is stored already, and passed the limits of its day.
    pub(super) fn none() -> Self {
        Self {
            max_pixels: u64::MAX,
            max_animation_pixels: u64::MAX,
        }
    }

    pub(super) fn max_pixels(&self) -> u64 {
        self.max_pixels
    }

    /// For an animation of so many frames; one of a single frame is a still.
    pub(super) fn check(
        &self,
        (width, height): (u32, u32),
        frames: u32,
    ) -> Result<(), ConvertError> {
        let pixels = self.check_frame(width, height)?;
        if frames > 1 {
            self.check_animation(pixels.max(LEAST_FRAME).saturating_mul(u64::from(frames)))?;
        }
        Ok(())
    }

    /// The pixels of one frame, when they are neither none nor too many.
    pub(super) fn check_frame(&self, width: u32, height: u32) -> Result<u64, ConvertError> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 {
            return Err(ConvertError::invalid("the picture has no pixels"));
        }
        if pixels > self.max_pixels {
            return Err(ConvertError::TooLarge);
        }
        Ok(pixels)
    }

    /// `pixels` is the sum over the frames.
    pub(super) fn check_animation(&self, pixels: u64) -> Result<(), ConvertError> {
        if pixels > self.max_animation_pixels {
            return Err(ConvertError::TooLarge);
        }
        Ok(())
    }
}
