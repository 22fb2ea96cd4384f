//! GIF, still and animated, as browsers play it.

use std::io::{Cursor, Read as _};

use gif::{ColorOutput, DecodeOptions, DisposalMethod, MemoryLimit, Repeat};

use super::animation::Frames;
use super::canvas::{Blend, Dispose, Frame};
use super::limits::Limits;
use super::orientation::Orientation;
use super::picture::{Layout, Picture};
use super::{ConvertError, Decoded};

impl From<gif::DecodingError> for ConvertError {
    fn from(error: gif::DecodingError) -> Self {
        match error {
            gif::DecodingError::UnexpectedEof => {
                Self::invalid("the file ends before its frame does")
            }
            other => Self::invalid(other),
        }
    }
}

pub(super) fn decode<'a>(source: &'a [u8], limits: &Limits) -> Result<Decoded<'a>, ConvertError> {
    let animation = Animation::open(source)?;
    limits.check(animation.size(), animation.frames)?;
    Ok(Decoded::Animation(Box::new(animation)))
}

/// A file with an end mark behind it, which browsers do not miss.
type Source<'a> = std::io::Chain<Cursor<&'a [u8]>, &'static [u8]>;

fn ended(source: &[u8]) -> Source<'_> {
    Cursor::new(source).chain(&[0x3B])
}

/// Reads to the end without decoding the pixels.
fn frame_count(source: &[u8]) -> Result<u32, ConvertError> {
    let mut options = DecodeOptions::new();
    options.skip_frame_decoding(true);
    options.set_memory_limit(MemoryLimit::Unlimited);
    let mut decoder = options.read_info(ended(source))?;
    let mut frames = 0;
    while decoder.read_next_frame()?.is_some() {
        frames += 1;
    }
    if frames == 0 {
        return Err(ConvertError::invalid("there is no picture in it"));
    }
    Ok(frames)
}

/// A frame may be larger than its canvas up to this many pixels: some writers get the canvas wrong.
/// Beyond it, the canvas is a lie that hides what decoding costs.
const SLOPPY_FRAME: u64 = 1_000_000;

/// The frames of a GIF.
struct Animation<'a> {
    decoder: gif::Decoder<Source<'a>>,
    frames: u32,
    left: u32,
}

impl<'a> Animation<'a> {
    fn open(source: &'a [u8]) -> Result<Self, ConvertError> {
        let frames = frame_count(source)?;
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        // Every frame is measured against the limits before it is decoded.
        options.set_memory_limit(MemoryLimit::Unlimited);
        let decoder = options.read_info(ended(source))?;
        Ok(Self {
            decoder,
            frames,
            left: frames,
        })
    }
}

impl Frames for Animation<'_> {
    fn size(&self) -> (u32, u32) {
        (
            u32::from(self.decoder.width()),
            u32::from(self.decoder.height()),
        )
    }

    fn count(&self) -> u32 {
        self.frames
    }

    /// GIF counts how often it starts again, WebP how often it plays; without the count it plays
    /// once.
    fn plays(&self) -> u16 {
        match self.decoder.repeat() {
            Repeat::Infinite => 0,
            Repeat::Finite(again) => again.saturating_add(1),
        }
    }

    fn orientation(&self) -> Orientation {
        Orientation::NoTransforms
    }

    fn next(&mut self, limits: &Limits) -> Result<Option<Frame>, ConvertError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let canvas = self.size();
        let Some(frame) = self.decoder.next_frame_info()? else {
            return Err(ConvertError::invalid("a frame is missing"));
        };
        let (width, height) = (u32::from(frame.width), u32::from(frame.height));
        let (x, y) = (u32::from(frame.left), u32::from(frame.top));
        let dispose = match frame.dispose {
            DisposalMethod::Any | DisposalMethod::Keep => Dispose::Keep,
            // Browsers clear to nothing, whatever background colour the file names.
            DisposalMethod::Background => Dispose::Clear,
            DisposalMethod::Previous => Dispose::Restore,
        };
        let milliseconds = milliseconds(frame.delay);
        limits.check_frame(width, height)?;
        let area = |(width, height): (u32, u32)| u64::from(width) * u64::from(height);
        if area((width, height)) > area(canvas).max(SLOPPY_FRAME) {
            return Err(ConvertError::invalid("a frame is larger than its canvas"));
        }
        let mut pixels = vec![0; self.decoder.buffer_size()];
        self.decoder.read_into_buffer(&mut pixels)?;
        let picture = Picture {
            width,
            height,
            layout: Layout::Rgba,
            pixels,
        };
        Ok(Some(Frame {
            x,
            y,
            picture,
            blend: Blend::Over,
            dispose,
            milliseconds,
        }))
    }
}

/// From hundredths of a second. Browsers show a frame that asks for 10 ms or less for 100, because
/// the writers of old GIFs meant "as fast as you can" by it, and so does what is stored.
fn milliseconds(hundredths: u16) -> u32 {
    match hundredths {
        0 | 1 => 100,
        hundredths => u32::from(hundredths) * 10,
    }
}
