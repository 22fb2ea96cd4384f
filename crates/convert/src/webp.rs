//! WebP as a source. What is WebP already is not encoded a second time unless it must be turned,
//! recoloured or made smaller; but it is decoded once, so that nothing broken is stored.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::animation::{self, Frames};
use super::canvas::{Blend, Canvas, Dispose, Frame};
use super::colour::Colour;
use super::error::caught;
use super::limits::Limits;
use super::orientation::{Orientation, of_exif};
use super::picture::{Channels, Coding, Raster, Samples};
use super::resize::within;
use super::riff::{AnimationFrame, Bitstream, Content, Webp};
use super::space::Space;
use super::still::Still;
use super::{ConvertError, Decoded, Output, Preview, Target, encode, progress};

impl From<DecodingError> for ConvertError {
    fn from(error: DecodingError) -> Self {
        Self::invalid(error)
    }
}

pub(super) fn open<'a>(source: &'a [u8], limits: &Limits) -> Result<Decoded<'a>, ConvertError> {
    let webp = Webp::parse(source)?;
    limits.check((webp.width, webp.height), webp.frames())?;
    Ok(Decoded::WebP(webp))
}

pub(super) fn convert(
    webp: Webp<'_>,
    target: Target,
    limits: Limits,
) -> Result<Output, ConvertError> {
    if must_change(&webp, target) {
        return match &webp.content {
            Content::Still(bitstream) => {
                let still = still(&webp, *bitstream)?;
                encode::still(still, target)
            }
            Content::Animation { .. } => {
                animation::convert(Box::new(Animation::of(webp)?), target, limits)
            }
        };
    }
    if let Content::Animation { frames, .. } = &webp.content {
        for frame in frames {
            limits.check_frame(frame.bitstream.width, frame.bitstream.height)?;
            caught(|| decode(frame.bitstream))?;
            progress::made();
        }
    }
    Ok(Output {
        webp: webp.without_metadata(),
        width: webp.width,
        height: webp.height,
        frames: webp.frames(),
        preview: preview(webp)?,
    })
}

/// The preview of a WebP that is upright.
pub(super) fn preview(webp: Webp<'_>) -> Result<Preview, ConvertError> {
    let picture = match &webp.content {
        Content::Still(bitstream) => {
            let still = still(&webp, *bitstream)?;
            Colour::new(&still.space).srgb(still.raster)?
        }
        Content::Animation { .. } => {
            let mut canvas = Canvas::new(webp.width, webp.height);
            let mut frames = Animation::of(webp)?;
            let frame = caught(|| frames.next(&Limits::none()))?;
            canvas.draw(&frame.ok_or_else(|| ConvertError::invalid("there is no frame"))?);
            canvas.into_picture()
        }
    };
    Preview::of(&picture)
}

fn must_change(webp: &Webp<'_>, target: Target) -> bool {
    orientation(webp) != Orientation::NoTransforms
        || within(target.max_side, webp.width, webp.height) != (webp.width, webp.height)
        || Colour::new(&space(webp)).changes(Channels::Rgb)
}

fn space(webp: &Webp<'_>) -> Space {
    webp.icc.map_or(Space::Srgb, |icc| Space::Icc(icc.to_vec()))
}

fn orientation(webp: &Webp<'_>) -> Orientation {
    webp.exif.map_or(Orientation::NoTransforms, of_exif)
}

/// Decodes the pixels of a still.
pub(super) fn still(webp: &Webp<'_>, bitstream: Bitstream<'_>) -> Result<Still, ConvertError> {
    Ok(Still {
        raster: caught(|| decode(bitstream))?,
        space: space(webp),
        orientation: orientation(webp),
        coding: bitstream
            .lossless_bytes()
            .map_or(Coding::Lossy, Coding::Lossless),
    })
}

/// The decoder is given one bitstream at a time, in a file of its own: what is around it has been
/// read already, and strictly.
fn decode(bitstream: Bitstream<'_>) -> Result<Raster, ConvertError> {
    let file = bitstream.to_file();
    let mut decoder = WebPDecoder::new(Cursor::new(file.as_slice()))?;
    let (width, height) = decoder.dimensions();
    let length = decoder.output_buffer_size().ok_or(ConvertError::TooLarge)?;
    let mut samples = vec![0; length];
    decoder.read_image(&mut samples)?;
    Ok(Raster {
        width,
        height,
        channels: if decoder.has_alpha() {
            Channels::Rgba
        } else {
            Channels::Rgb
        },
        samples: Samples::Eight(samples),
    })
}

/// The frames of an animated WebP.
pub(super) struct Animation<'a> {
    size: (u32, u32),
    plays: u16,
    count: u32,
    orientation: Orientation,
    colour: Colour,
    frames: std::vec::IntoIter<AnimationFrame<'a>>,
}

impl<'a> Animation<'a> {
    pub(super) fn of(webp: Webp<'a>) -> Result<Self, ConvertError> {
        let (orientation, colour) = (orientation(&webp), Colour::new(&space(&webp)));
        let Content::Animation {
            parameters, frames, ..
        } = webp.content
        else {
            return Err(ConvertError::Internal("a still is no animation".into()));
        };
        Ok(Self {
            size: (webp.width, webp.height),
            plays: u16::from_le_bytes([parameters[4], parameters[5]]),
            count: frames.len() as u32,
            orientation,
            colour,
            frames: frames.into_iter(),
        })
    }
}

impl Frames for Animation<'_> {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn plays(&self) -> u16 {
        self.plays
    }

    fn orientation(&self) -> Orientation {
        self.orientation
    }

    fn next(&mut self, limits: &Limits) -> Result<Option<Frame>, ConvertError> {
        let Some(frame) = self.frames.next() else {
            return Ok(None);
        };
        limits.check_frame(frame.bitstream.width, frame.bitstream.height)?;
        let raster = decode(frame.bitstream)?;
        Ok(Some(Frame {
            x: frame.x(),
            y: frame.y(),
            picture: self.colour.srgb(raster)?.into_rgba(),
            blend: if frame.blends() {
                Blend::Over
            } else {
                Blend::Replace
            },
            dispose: if frame.clears() {
                Dispose::Clear
            } else {
                Dispose::Keep
            },
            milliseconds: frame.milliseconds(),
        }))
    }
}
