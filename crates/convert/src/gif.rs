//! GIF, still and animated, as browsers play it.

use std::io::Cursor;

use gif::{ColorOutput, DecodeOptions, DisposalMethod, MemoryLimit, Repeat};

use super::animation::Frames;
use super::canvas::{Blend, Dispose, Frame};
use super::limits::Limits;
use super::orientation::Orientation;
use super::picture::{Layout, Picture};
use super::{ConvertError, Decoded};

impl From<gif::DecodingError> for ConvertError {
    fn from(error: gif::DecodingError) -> Self {
        Self::invalid(error)
    }
}

pub(super) fn decode<'a>(source: &'a [u8], limits: &Limits) -> Result<Decoded<'a>, ConvertError> {
    let animation = Animation::open(source)?;
    limits.check(animation.size(), animation.frames)?;
    Ok(Decoded::Animation(Box::new(animation)))
}

/// Walks over the blocks without decoding them. A file may end without its trailer, as in browsers, but
/// not in a frame.
fn frame_count(source: &[u8]) -> Result<u32, ConvertError> {
    let cut = || ConvertError::invalid("the file ends before its frame does");
    let byte = |at: usize| source.get(at).copied().ok_or_else(cut);
    let table = |flags: u8| {
        if flags & 0x80 == 0 {
            0
        } else {
            3 << ((flags & 7) + 1)
        }
    };
    const TRAILER: u8 = 0x3B;
    let mut at = 13 + table(byte(10)?);
    let mut frames = 0;
    loop {
        match source.get(at).copied().unwrap_or(TRAILER) {
            0x2C => {
                frames += 1;
                at += 11 + table(byte(at + 9)?);
            }
            0x21 => at += 2,
            TRAILER if frames == 0 => {
                return Err(ConvertError::invalid("there is no picture in it"));
            }
            TRAILER => return Ok(frames),
            // Padding between blocks, which some writers leave.
            0x00 => {
                at += 1;
                continue;
            }
            _ => return Err(ConvertError::invalid("an unknown block")),
        }
        // Both kinds end in sub-blocks, each with its length in front, and an empty one.
        loop {
            let length = usize::from(byte(at)?);
            at += 1 + length;
            if length == 0 {
                break;
            }
        }
    }
}

/// A frame may be larger than its canvas up to this many pixels: some writers get the canvas wrong.
/// Beyond it, the canvas is a lie that hides what decoding costs.
const SLOPPY_FRAME: u64 = 1_000_000;

/// The frames of a GIF.
struct Animation<'a> {
    decoder: gif::Decoder<Cursor<&'a [u8]>>,
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
        let decoder = options.read_info(Cursor::new(source))?;
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
        Orientation::UPRIGHT
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
