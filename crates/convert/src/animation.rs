//! Animations, frame by frame: a long one costs time, and never more memory than a few of its
//! frames and what is encoded already.

use image::DynamicImage;
use image::metadata::Orientation;

use super::canvas::{Canvas, Frame};
use super::error::caught;
use super::libwebp::AnimationEncoder;
use super::lossless::{self, Prediction};
use super::resize::Scaler;
use super::still::Still;
use super::{ConvertError, ConvertOptions, Converted, Preview, Target, encode, progress};

/// Whether frames are smaller lossless is predicted for one of so many, and holds until the next.
const PREDICT_EVERY: u32 = 8;

/// The maximum number of pixels of lossless frames together: lossless can take three bytes a pixel,
/// should the prediction be wrong.
const MAX_LOSSLESS: u64 = 1 << 26;

/// An animation that is being decoded.
pub(super) struct Animation<'a> {
    /// Width and height of the canvas, in pixels.
    pub(super) size: (u32, u32),
    /// How many frames the file holds.
    pub(super) count: u32,
    /// How often it plays; 0 is for ever.
    pub(super) plays: u16,
    /// How the whole is turned.
    pub(super) orientation: Orientation,
    /// Each is decoded when it is asked for, in sRGB.
    pub(super) frames: Box<dyn Iterator<Item = Result<Frame, ConvertError>> + 'a>,
}

impl Animation<'_> {
    /// Decodes the next frame; none after the last.
    pub(super) fn next(&mut self) -> Result<Option<Frame>, ConvertError> {
        caught(|| self.frames.next().transpose())
    }

    /// What is shown first, turned as it is stored.
    pub(super) fn first(&mut self) -> Result<DynamicImage, ConvertError> {
        let frame = self.next()?;
        let frame = frame.ok_or_else(|| ConvertError::invalid("there is no frame"))?;
        Ok(Canvas::new(self.size).draw(&frame).clone().into())
    }
}

/// Converts an animation. One of a single frame becomes a still.
pub(super) fn convert(
    mut animation: Animation<'_>,
    target: Target,
    limits: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    let canvas_pixels = limits.check_frame(animation.size)?;
    let orientation = animation.orientation;
    if animation.count == 1 {
        let still = Still {
            orientation,
            ..Still::of(animation.first()?)
        };
        return encode::still(still, target);
    }
    let (mut canvas, mut scaler) = (Canvas::new(animation.size), Scaler::default());
    let mut encoder: Option<(AnimationEncoder, Preview)> = None;
    let (mut lossless, mut lossless_pixels) = (false, 0);
    let (mut pixels, mut count, mut now) = (0_u64, 0, 0_u32);
    let mut size = animation.size;
    while let Some(frame) = animation.next()? {
        let drawn = u64::from(frame.image.width()) * u64::from(frame.image.height());
        pixels = pixels.saturating_add(canvas_pixels.max(drawn));
        limits.check_animation(pixels)?;
        let mut shown = DynamicImage::from(canvas.draw(&frame).clone());
        shown.apply_orientation(orientation);
        let shown = scaler.scale(shown, |size| target.fit(size))?;
        let (encoder, _) = match &mut encoder {
            Some(started) => started,
            None => {
                size = (shown.width(), shown.height());
                let started = AnimationEncoder::new(size, animation.plays, target.quality)?;
                encoder.insert((started, Preview::of(&shown)?))
            }
        };
        if lossless_pixels > MAX_LOSSLESS {
            lossless = false;
        } else if count % PREDICT_EVERY == 0 {
            lossless = lossless::predict(&shown, 0) == Prediction::Lossless;
        }
        if lossless {
            lossless_pixels += canvas_pixels;
        }
        encoder.add(&shown, now, lossless)?;
        progress::made();
        count += 1;
        now = now
            .checked_add(frame.milliseconds)
            .filter(|&end| i32::try_from(end).is_ok())
            .ok_or_else(|| ConvertError::invalid("the animation lasts for weeks"))?;
    }
    let (encoder, preview) = encoder.ok_or_else(|| ConvertError::invalid("there is no frame"))?;
    Ok(Converted {
        webp: encoder.finish(now)?,
        width: size.0,
        height: size.1,
        frames: count,
        format: target.format,
        preview,
    })
}
