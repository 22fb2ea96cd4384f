//! AVIF and JPEG XL are decoded in a sandbox: their libraries can abort, fill the memory or run for
//! hours on a broken or hostile file. Each such image is decoded by a separate process, which gets
//! the bytes and returns pixels. When the process dies, the image is broken and nothing else has
//! happened.
//!
//! The process starts once per image: it sends the content of the header and waits. The caller reserves
//! the memory that the pixels need, and then has them decoded.

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
use super::{ConvertError, Header, Inspection, Output, SourceFormat, animation, encode, memory};
#[cfg(target_os = "linux")]
pub use confine::confine;
use wire::Head;
use worker::Worker;

/// Where the images of these formats are decoded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Nowhere: their formats are not supported.
    #[default]
    Unavailable,
    /// In this process. For one that may die of an image, such as a test.
    InThisProcess,
    /// In a separate process for each: this program, called with [`ARGUMENT`] and a [`Task`], which
    /// it passes to [`decode`].
    Program(Arc<Path>),
}

/// The subcommand of [`Sandbox::Program`] that decodes.
pub const ARGUMENT: &str = "decode-picture";

/// The limits of a decoder process, from its command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The maximum number of pixels of a frame.
    pub max_pixels: u64,
    /// The maximum number of pixels of all frames.
    pub max_animation_pixels: u64,
    /// The address space that the process may have while it reads the header, in bytes. The process
    /// limits itself, where the system supports it; on Linux the parent raises the limit for the
    /// pixels, up to [`MAX_MEMORY`].
    pub memory: u64,
}

/// The address space that any process takes: the allocator, stacks and what the decoders keep. On
/// Windows memory that is reserved does not count, so it is more than enough.
const PROCESS: u64 = 512 << 20;

/// The maximum address space of a decoder process, in bytes: more than its libraries and the largest
/// image that is accepted need.
pub const MAX_MEMORY: u64 = PROCESS + (5 << 30);

/// The address space that a process has now, in bytes; 0 where the system does not show it. The
/// libraries of the window are part of each decoder of the tray app, and take more than half a GiB.
#[must_use]
pub fn address_space(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kib = size.and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map_or(0, |kib| kib << 10)
}

impl Task {
    fn new(source: &[u8], limits: &Limits) -> Self {
        Self {
            max_pixels: limits.max_pixels(),
            max_animation_pixels: limits.max_animation_pixels(),
            memory: if cfg!(any(target_os = "linux", windows)) {
                PROCESS + source.len() as u64 * 4
            } else {
                MAX_MEMORY
            },
        }
    }

    fn words(&self) -> [String; 4] {
        [
            ARGUMENT.to_owned(),
            format!("--max-pixels={}", self.max_pixels),
            format!("--max-animation-pixels={}", self.max_animation_pixels),
            format!("--memory={}", self.memory),
        ]
    }
}

/// A picture in the words of its decoder: the content of its header, and then its frames, each in the
/// size of the whole picture.
struct Decoding<'a> {
    head: Head,
    frames: Frames<'a>,
}

/// The frames one by one; none after the last.
type Frames<'a> = Box<dyn FnMut() -> Result<Option<DecodedFrame>, ConvertError> + 'a>;

/// A frame as it is shown.
struct DecodedFrame {
    milliseconds: u32,
    samples: Samples,
}

/// All that a decoder process does: reads an image from `input`, writes the content of its header to
/// `output`, waits for one more byte, and writes the pixels. `unconfined` is why [`confine`] failed.
///
/// # Errors
/// When `input` ends early or `output` cannot be written; what is wrong with the image is written to
/// `output`.
pub fn decode(
    task: Task,
    unconfined: Option<&str>,
    mut input: impl Read,
    mut output: impl Write,
) -> std::io::Result<()> {
    if let Some(reason) = unconfined {
        wire::write_unconfined(&mut output, reason)?;
    }
    let source = wire::read_source(&mut input)?;
    let limits = Limits::new(task.max_pixels, task.max_animation_pixels);
    let header = SourceFormat::of(&source)
        .and_then(|format| Ok((format, open(format, &source, &limits, false)?.head)));
    let (format, head) = match header {
        Ok(header) => header,
        Err(error) => {
            wire::write_error(&mut output, &error)?;
            return output.flush();
        }
    };
    wire::write_head(&mut output, &head)?;
    output.flush()?;
    input.read_exact(&mut [0])?;
    let limits = limits.of_announced(head.width, head.height);
    match open(format, &source, &limits, true) {
        Err(error) => wire::write_error(&mut output, &error)?,
        Ok(Decoding { head, mut frames }) => {
            wire::write_head(&mut output, &head)?;
            loop {
                match frames() {
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

/// A decoder that has read the header of an image.
pub(super) enum Opened {
    InThisProcess,
    Program(Worker),
}

/// Reads the header of an image.
pub(super) fn header(
    sandbox: &Sandbox,
    format: SourceFormat,
    source: &[u8],
    limits: Limits,
) -> Result<(Header, Opened), ConvertError> {
    let (head, opened) = match sandbox {
        Sandbox::Unavailable => return Err(ConvertError::Unsupported),
        Sandbox::InThisProcess => {
            let head = open(format, source, &limits, false)?.head;
            (head, Opened::InThisProcess)
        }
        Sandbox::Program(program) => {
            let worker = Worker::start(program, source, &Task::new(source, &limits))?;
            (worker.head.clone(), Opened::Program(worker))
        }
    };
    let header = Header {
        width: head.width,
        height: head.height,
        frames: head.frames,
        cost: memory::Cost {
            decode: cost(format),
            picture: wire::channel_count(head.channels),
            encode: memory::Encode::PerhapsLossless,
        },
    };
    Ok((header, opened))
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

/// Converts an image whose header was read.
pub(super) fn convert(
    opened: Opened,
    source: &[u8],
    inspection: &Inspection,
    quality: u8,
    limits: Limits,
) -> Result<Output, ConvertError> {
    let announced = limits.of_announced(inspection.width, inspection.height);
    let decoding = match opened {
        Opened::InThisProcess => open(inspection.format, source, &announced, true)?,
        Opened::Program(worker) => worker.decode(PROCESS + inspection.memory, &announced)?,
    };
    let Decoding { head, mut frames } = decoding;
    limits.check_frame(head.width, head.height)?;
    if head.frames > 1 {
        let sequence = sequence::Sequence::new(head, frames);
        return animation::convert(sequence, quality, limits);
    }
    let shown = frames()?.ok_or_else(|| ConvertError::invalid("there is no picture in it"))?;
    // To the end, so that a decoder that dies there is noticed.
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
    encode::still(still, quality)
}
