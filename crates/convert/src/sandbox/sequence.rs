//! The frames of a decoder of its own, as animations want them.

use super::super::ConvertError;
use super::super::animation;
use super::super::canvas::{Blend, Dispose, Frame};
use super::super::colour::Colour;
use super::super::limits::Limits;
use super::super::orientation::Orientation;
use super::Frames;
use super::wire::Head;

/// An animation whose frames each show the whole picture.
pub(super) struct Sequence<'a> {
    head: Head,
    frames: Frames<'a>,
    colour: Colour,
}

impl<'a> Sequence<'a> {
    pub(super) fn new(head: Head, frames: Frames<'a>) -> Self {
        let colour = Colour::new(head.profile.as_deref());
        Self {
            head,
            frames,
            colour,
        }
    }
}

impl animation::Frames for Sequence<'_> {
    fn size(&self) -> (u32, u32) {
        (self.head.width, self.head.height)
    }

    fn count(&self) -> u32 {
        self.head.frames
    }

    fn plays(&self) -> u16 {
        self.head.plays
    }

    fn orientation(&self) -> Orientation {
        self.head.orientation
    }

    fn next(&mut self, _limits: &Limits) -> Result<Option<Frame>, ConvertError> {
        let Some(shown) = (self.frames)()? else {
            return Ok(None);
        };
        let raster = self.head.raster(shown.samples)?;
        Ok(Some(Frame {
            x: 0,
            y: 0,
            picture: self.colour.srgb(raster)?.into_rgba(),
            blend: Blend::Replace,
            dispose: Dispose::Keep,
            milliseconds: shown.milliseconds,
        }))
    }
}
