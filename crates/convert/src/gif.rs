//! GIF, still and animated, as browsers play it.

use std::io::{Cursor, Read};

use gif::{ColorOutput, DecodeOptions, Decoder, DisposalMethod, MemoryLimit, Repeat};
use image::RgbaImage;
use image::metadata::Orientation;

use super::animation::Animation;
use super::canvas::{Dispose, Frame};
use super::{ConvertError, ConvertOptions, Decoded};

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

/// A file with an end mark behind it, which browsers do not miss.
fn open(source: &[u8], options: DecodeOptions) -> Result<Decoder<impl Read>, ConvertError> {
    let mut options = options;
    // Every frame is measured against the limits before it is decoded.
    options.set_memory_limit(MemoryLimit::Unlimited);
    Ok(options.read_info(Cursor::new(source).chain(&[0x3B][..]))?)
}

/// Reads to the end without decoding the pixels.
fn frame_count(source: &[u8]) -> Result<u32, ConvertError> {
    let mut options = DecodeOptions::new();
    options.skip_frame_decoding(true);
    let mut decoder = open(source, options)?;
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

pub(super) fn decode<'a>(
    source: &'a [u8],
    limits: &ConvertOptions,
) -> Result<Decoded<'a>, ConvertError> {
    let count = frame_count(source)?;
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = open(source, options)?;
    let size = (u32::from(decoder.width()), u32::from(decoder.height()));
    limits.check(size, count)?;
    let canvas = limits.check_frame(size)?;
    let limits = limits.clone();
    Ok(Decoded::Animation(Animation {
        size,
        count,
        // GIF counts how often it starts again, WebP how often it plays; without the count it plays once.
        plays: match decoder.repeat() {
            Repeat::Infinite => 0,
            Repeat::Finite(again) => again.saturating_add(1),
        },
        orientation: Orientation::NoTransforms,
        frames: Box::new((0..count).map(move |_| next(&mut decoder, canvas, &limits))),
    }))
}

/// The next frame of an animation whose canvas has so many pixels.
fn next(
    decoder: &mut Decoder<impl Read>,
    canvas: u64,
    limits: &ConvertOptions,
) -> Result<Frame, ConvertError> {
    let frame = decoder.next_frame_info()?;
    let frame = frame.ok_or_else(|| ConvertError::invalid("a frame is missing"))?;
    let (width, height) = (u32::from(frame.width), u32::from(frame.height));
    let place = (u32::from(frame.left), u32::from(frame.top));
    let dispose = match frame.dispose {
        DisposalMethod::Any | DisposalMethod::Keep => Dispose::Keep,
        // Browsers clear to nothing, whatever background colour the file names.
        DisposalMethod::Background => Dispose::Clear,
        DisposalMethod::Previous => Dispose::Restore,
    };
    // In hundredths of a second. Browsers show a frame that asks for 10 ms or less for 100, because the
    // writers of old GIFs meant "as fast as you can" by it, and so does what is stored.
    let milliseconds = match u32::from(frame.delay) {
        0 | 1 => 100,
        hundredths => hundredths * 10,
    };
    if limits.check_frame((width, height))? > canvas.max(SLOPPY_FRAME) {
        return Err(ConvertError::invalid("a frame is larger than its canvas"));
    }
    let mut image = RgbaImage::new(width, height);
    decoder.read_into_buffer(&mut image)?;
    Ok(Frame {
        place,
        image,
        blends: true,
        dispose,
        milliseconds,
    })
}
