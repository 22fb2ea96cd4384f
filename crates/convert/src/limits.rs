//! How many pixels a source may have. Asked of the header before anything is allocated, and again
//! frame by frame, because a header can lie about what follows it.

use super::{ConvertError, ConvertOptions};

/// What a frame of an animation counts at least, in pixels: also the smallest one costs a header, a
/// look and an entry in what is written.
const LEAST_FRAME: u64 = 4096;

impl ConvertOptions {
    /// For what is stored already, and passed the limits of its day.
    pub(super) const UNLIMITED: Self = Self {
        quality: 100,
        max_side: 0,
        max_pixels: u64::MAX,
        max_animation_pixels: u64::MAX,
    };

    /// For an animation of so many frames; one of a single frame is a still.
    pub(super) fn check(&self, size: (u32, u32), frames: u32) -> Result<(), ConvertError> {
        let pixels = self.check_frame(size)?;
        if frames > 1 {
            self.check_animation(pixels.max(LEAST_FRAME).saturating_mul(u64::from(frames)))?;
        }
        Ok(())
    }

    /// The pixels of one frame, when they are neither none nor too many.
    pub(super) fn check_frame(&self, (width, height): (u32, u32)) -> Result<u64, ConvertError> {
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
