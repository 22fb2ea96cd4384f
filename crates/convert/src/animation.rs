//! Animations, frame by frame: a long one costs time, and never more memory than a few of its
//! frames and what is encoded already.

use super::canvas::{Canvas, Frame};
use super::error::caught;
use super::libwebp::AnimationEncoder;
use super::limits::Limits;
use super::lossless::{self, Prediction};
use super::orientation::{Orientation, upright};
use super::picture::{Coding, Picture};
use super::resize::{Scaler, within};
use super::{ConvertError, Output, Preview, Target, encode, progress};

/// Whether frames are smaller lossless is predicted for one of so many, and holds until the next.
const PREDICT_EVERY: u32 = 8;

/// The maximum number of pixels of lossless frames together: lossless can take three bytes a pixel,
/// should the prediction be wrong.
const MAX_LOSSLESS: u64 = 1 << 26;

/// An animation that is being decoded.
pub(super) trait Frames {
    /// Width and height of the canvas, in pixels.
    fn size(&self) -> (u32, u32);
    /// How many frames the file holds.
    fn count(&self) -> u32;
    /// How often it plays; 0 is for ever.
    fn plays(&self) -> u16;
    /// How the whole is turned.
    fn orientation(&self) -> Orientation;
    /// Decodes the next frame; none after the last.
    fn next(&mut self, limits: &Limits) -> Result<Option<Frame>, ConvertError>;
}

/// Converts an animation. One of a single frame becomes a still.
pub(super) fn convert(
    frames: Box<dyn Frames + '_>,
    target: Target,
    limits: Limits,
) -> Result<Output, ConvertError> {
    encode_at(frames, target, limits, |width, height| {
        within(target.max_side, width, height)
    })
}

/// Converts an animation to the size that `fit` makes of its upright size.
pub(super) fn encode_at(
    mut frames: Box<dyn Frames + '_>,
    Target { quality, .. }: Target,
    limits: Limits,
    fit: impl Fn(u32, u32) -> (u32, u32),
) -> Result<Output, ConvertError> {
    let (width, height) = frames.size();
    let canvas_pixels = limits.check_frame(width, height)?;
    let mut canvas = Canvas::new(width, height);
    let mut scaler = Scaler::default();
    let mut finish = |shown: Picture, orientation: Orientation| {
        let upright = upright(shown, orientation)?;
        let (width, height) = fit(upright.width, upright.height);
        scaler.scale(upright, width, height)
    };
    if frames.count() == 1 {
        let frame = caught(|| frames.next(&limits))?;
        let frame = frame.ok_or_else(|| ConvertError::invalid("there is no frame"))?;
        canvas.draw(&frame);
        let picture = finish(canvas.into_picture(), frames.orientation())?;
        let (width, height) = (picture.width, picture.height);
        let preview = Preview::of(&picture)?;
        return Ok(Output {
            webp: encode::picture(picture, quality, Coding::Unknown)?,
            width,
            height,
            frames: 1,
            preview,
        });
    }
    let mut encoder: Option<(AnimationEncoder, Preview)> = None;
    let (mut lossless, mut lossless_pixels) = (false, 0);
    let (mut pixels, mut count, mut now) = (0_u64, 0, 0_u32);
    let mut size = (width, height);
    while let Some(frame) = caught(|| frames.next(&limits))? {
        let drawn = u64::from(frame.picture.width) * u64::from(frame.picture.height);
        pixels = pixels.saturating_add(canvas_pixels.max(drawn));
        limits.check_animation(pixels)?;
        let shown = canvas.draw(&frame);
        let resized;
        let orientation = frames.orientation();
        let shown =
            if orientation == Orientation::NoTransforms && fit(width, height) == (width, height) {
                shown
            } else {
                resized = finish(shown.clone(), orientation)?;
                &resized
            };
        let (encoder, _) = match &mut encoder {
            Some(started) => started,
            None => {
                size = (shown.width, shown.height);
                let started = AnimationEncoder::new(size.0, size.1, frames.plays(), quality)?;
                encoder.insert((started, Preview::of(shown)?))
            }
        };
        if lossless_pixels > MAX_LOSSLESS {
            lossless = false;
        } else if count % PREDICT_EVERY == 0 {
            lossless = lossless::predict(shown, 0) == Prediction::Lossless;
        }
        if lossless {
            lossless_pixels += canvas_pixels;
        }
        encoder.add(shown, now, lossless)?;
        progress::made();
        count += 1;
        now = now
            .checked_add(frame.milliseconds)
            .filter(|&end| i32::try_from(end).is_ok())
            .ok_or_else(|| ConvertError::invalid("the animation lasts for weeks"))?;
    }
    let (encoder, preview) = encoder.ok_or_else(|| ConvertError::invalid("there is no frame"))?;
    Ok(Output {
        webp: encoder.finish(now)?,
        width: size.0,
        height: size.1,
        frames: count,
        preview,
    })
}
