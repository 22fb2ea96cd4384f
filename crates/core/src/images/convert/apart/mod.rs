//! Decoders that are kept apart: AVIF and JPEG XL are read by libraries that a broken or a
//! hostile file can bring to abort, to fill the memory or to go on for hours. So each such picture
//! is decoded by a process of its own, which is given the bytes, gives back pixels, and may die of
//! them: then the picture is broken, and nothing else has happened.

mod avif;
mod boxes;
#[cfg(target_os = "linux")]
mod confine;
mod container;
mod jxl;
mod sequence;
mod wire;
mod worker;
mod yuv;

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::limits::Limits;
use super::picture::{Coding, Samples, Still};
use super::{
    ConvertError, Header, Inspection, Output, SourceFormat, Stage, animation, encode, memory,
};
#[cfg(target_os = "linux")]
pub use confine::confine;
use wire::Head;
use worker::Worker;

/// Where pictures are decoded whose decoders are kept apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Apart {
    /// Nowhere: their formats are not supported.
    #[default]
    Nowhere,
    /// In this process. For one that may die of a picture, such as a test.
    Here,
    /// In a process of its own for each: this program, called with the words of [`ARGUMENT`] and a
    /// [`Task`], which it passes on to [`decode`].
    Program(Arc<Path>),
}

/// The word that tells [`Apart::Program`] to be a decoder.
pub const ARGUMENT: &str = "decode-picture";

/// What a decoder of its own is told on its command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Whether the header is all that is wanted.
    pub header_only: bool,
    /// The most pixels of a frame.
    pub max_pixels: u64,
    /// The most pixels of all frames.
    pub max_animation_pixels: u64,
    /// The most memory that the process may have, in bytes of its address space. It limits itself,
    /// where the system lets it.
    pub memory: u64,
}

/// What a process takes of its address space whatever it does: programs, libraries, stacks.
const PROCESS: u64 = 512 << 20;

impl Task {
    fn header(source: &[u8], limits: &Limits) -> Self {
        Self {
            header_only: true,
            max_pixels: limits.max_pixels(),
            max_animation_pixels: limits.max_animation_pixels(),
            memory: PROCESS + source.len() as u64 * 4,
        }
    }

    /// What follows the header may be no larger than it said.
    fn pixels(inspection: &Inspection, limits: &Limits) -> Self {
        Self {
            header_only: false,
            max_pixels: u64::from(inspection.width) * u64::from(inspection.height),
            max_animation_pixels: limits.max_animation_pixels(),
            memory: PROCESS + inspection.memory,
        }
    }

    fn words(&self) -> Vec<String> {
        let mut words = vec![
            ARGUMENT.to_owned(),
            format!("--max-pixels={}", self.max_pixels),
            format!("--max-animation-pixels={}", self.max_animation_pixels),
            format!("--memory={}", self.memory),
        ];
        if self.header_only {
            words.push("--header-only".to_owned());
        }
        words
    }
}

/// A picture in the words of its decoder: what its header says, and then its frames, each in the
/// size of the whole picture.
struct Decoding<'a> {
    head: Head,
    frames: Frames<'a>,
}

/// The frames one by one; none after the last.
type Frames<'a> = Box<dyn FnMut() -> Result<Option<Shown>, ConvertError> + 'a>;

/// A frame as it is shown.
struct Shown {
    milliseconds: u32,
    samples: Samples,
}

/// The whole work of a decoder of its own: reads a picture to its end, writes what is in it.
/// `unconfined` is why [`confine`] failed.
///
/// # Errors
/// When `output` cannot be written; what is wrong with the picture is said in `output`.
pub fn decode(
    task: Task,
    unconfined: Option<&str>,
    mut input: impl Read,
    mut output: impl Write,
) -> std::io::Result<()> {
    if let Some(reason) = unconfined {
        wire::write_unconfined(&mut output, reason)?;
    }
    let mut source = Vec::new();
    input.read_to_end(&mut source)?;
    let limits = Limits::of_task(&task);
    let opened = SourceFormat::of(&source)
        .and_then(|format| open(format, &source, &limits, !task.header_only));
    match opened {
        Err(error) => wire::write_error(&mut output, &error)?,
        Ok(Decoding { head, mut frames }) => {
            wire::write_head(&mut output, &head)?;
            let mut next = || if task.header_only { Ok(None) } else { frames() };
            loop {
                match next() {
                    Ok(Some(shown)) => wire::write_frame(&mut output, &shown)?,
                    Ok(None) => break,
                    Err(error) => {
                        wire::write_error(&mut output, &error)?;
                        break;
                    }
                }
            }
            wire::write_end(&mut output)?;
        }
    }
    output.flush()
}

/// Opens a picture in this process.
fn open<'a>(
    format: SourceFormat,
    source: &'a [u8],
    limits: &Limits,
    with_pixels: bool,
) -> Result<Decoding<'a>, ConvertError> {
    match format {
        SourceFormat::Avif => avif::open(source, limits, with_pixels),
        SourceFormat::JpegXl => jxl::open(source, limits),
        _ => Err(ConvertError::Unsupported),
    }
}

/// Reads the header of a picture.
pub(super) fn header(
    apart: &Apart,
    format: SourceFormat,
    source: &[u8],
    limits: Limits,
) -> Result<Header, ConvertError> {
    let head = match apart {
        Apart::Nowhere => return Err(ConvertError::Unsupported),
        Apart::Here => open(format, source, &limits, false)?.head,
        Apart::Program(program) => {
            Worker::start(program, source, &Task::header(source, &limits))?.head
        }
    };
    Ok(Header {
        width: head.width,
        height: head.height,
        frames: head.frames,
        cost: memory::Cost {
            decode: cost(format),
            picture: wire::channel_count(head.channels),
            encode: memory::Encode::PerhapsLossless,
        },
    })
}

/// What decoding costs at its peak in both processes, in bytes a pixel. The decoder alone was
/// measured on pictures of 24 megapixels: JPEG XL 28.4 lossy and 23.5 lossless, AVIF 7.0 with 8
/// bits and thin chroma (16 bits and full chroma are three times that). The output of the pipe is
/// allocated in addition.
fn cost(format: SourceFormat) -> u64 {
    match format {
        SourceFormat::JpegXl => 44,
        _ => 28,
    }
}

/// Converts a picture of a format that is decoded apart.
pub(super) fn convert(
    apart: &Apart,
    source: &[u8],
    inspection: &Inspection,
    quality: u8,
    limits: Limits,
    hear: &dyn Fn(Stage),
) -> Result<Output, ConvertError> {
    let task = Task::pixels(inspection, &limits);
    let decoding = match apart {
        Apart::Nowhere => return Err(ConvertError::Unsupported),
        Apart::Here => open(inspection.format, source, &Limits::of_task(&task), true)?,
        Apart::Program(program) => Worker::start(program, source, &task)?.into_decoding(),
    };
    let Decoding { head, mut frames } = decoding;
    limits.check_frame(head.width, head.height)?;
    if head.frames > 1 {
        let sequence = sequence::Sequence::new(head, frames);
        return animation::convert(sequence, quality, limits, hear);
    }
    let shown = frames()?.ok_or_else(|| ConvertError::invalid("there is no picture in it"))?;
    // To the end, so that a decoder that dies there is heard.
    if frames()?.is_some() {
        return Err(ConvertError::invalid("more frames than announced"));
    }
    let still = Still {
        orientation: head.orientation,
        coding: if head.lossy {
            Coding::Lossy
        } else {
            Coding::Unknown
        },
        raster: head.raster(shown.samples)?,
        profile: head.profile,
    };
    hear(Stage::Decoded);
    encode::still(still, quality)
}
