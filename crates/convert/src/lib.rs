//! From the bytes of an upload to the WebP that is stored: decoded within limits, turned upright,
//! its colours brought to sRGB, everything else dropped.
//!
//! Everything here is blocking and bound to the processor: call it from a worker thread. Nothing
//! here looks at a file name; the first bytes decide what a source is. The same source and the
//! same options always give the same bytes, and a stored WebP given again gives itself.

mod animation;
mod canvas;
mod colour;
mod encode;
mod error;
mod format;
mod gif;
mod ico;

#[cfg(windows)]
pub mod job;
mod jpeg;
mod libwebp;
mod limits;
mod lossless;
mod memory;
mod narrow;
mod orientation;
mod other;
mod picture;
mod png;
mod preview;
mod resize;
mod riff;
pub mod sandbox;
mod webp;

#[cfg(test)]
mod tests;

pub use error::ConvertError;
pub use format::SourceFormat;
pub use narrow::narrow;
pub use preview::{Preview, preview};
pub use sandbox::Sandbox;

use limits::Limits;
use picture::Still;

/// WebP has no side longer than this, in pixels; a longer one is scaled down to it.
pub const MAX_SIDE: u32 = 16_383;

/// The owner's settings for conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertOptions {
    /// Quality of lossy WebP, 1 to 100.
    pub quality: u8,
    /// The most pixels that a picture, or one frame of an animation, may have.
    pub max_pixels: u64,
    /// The most pixels that all frames of an animation may have together, each frame counted with
    /// the size of the whole canvas, and as 4096 at least.
    pub max_animation_pixels: u64,
    /// Where AVIF and JPEG XL are decoded.
    pub sandbox: Sandbox,
}

/// The header of a source, before any of its pixels are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The format by the first bytes of the source.
    pub format: SourceFormat,
    /// Width as stored, in pixels, before orientation is applied.
    pub width: u32,
    /// Height as stored, in pixels, before orientation is applied.
    pub height: u32,
    /// Frames of the animation; 1 for a still.
    pub frames: u32,
    /// About how many bytes of memory [`convert`] holds at its peak, the source included. A copy by
    /// [`narrow`] of a stored WebP stays within it too.
    pub memory: u64,
}

/// A finished WebP, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The file.
    pub webp: Vec<u8>,
    /// Width in pixels, upright.
    pub width: u32,
    /// Height in pixels, upright.
    pub height: u32,
    /// Frames of the source's animation; 1 for a still.
    pub frames: u32,
    /// What the source was.
    pub format: SourceFormat,
    /// What is shown of it before it is loaded.
    pub preview: Preview,
}

/// Reads the header of `source` alone: what it is, how large, and how much memory [`convert`]
/// will take.
///
/// # Errors
///
/// [`ConvertError::Unsupported`] for what is no image, [`ConvertError::Invalid`] for a broken
/// header, [`ConvertError::TooLarge`] when the header claims more pixels than the options allow.
pub fn inspect(source: &[u8], options: &ConvertOptions) -> Result<Inspection, ConvertError> {
    Ok(open(source, options)?.0)
}

/// The decoder process of a sandboxed format waits, once it has read the header.
fn open(
    source: &[u8],
    options: &ConvertOptions,
) -> Result<(Inspection, Option<sandbox::Opened>), ConvertError> {
    libwebp::check_processor()?;
    let format = SourceFormat::of(source)?;
    let limits = Limits::of(options);
    let (header, opened) = if format.is_sandboxed() {
        let read = || sandbox::header(&options.sandbox, format, source, limits);
        let (header, opened) = error::caught(read)?;
        (header, Some(opened))
    } else {
        (error::caught(|| read_header(format, source))?, None)
    };
    limits.check(&header)?;
    let inspection = Inspection {
        format,
        width: header.width,
        height: header.height,
        frames: header.frames,
        memory: memory::estimate(source.len(), &header),
    };
    Ok((inspection, opened))
}

/// Converts `source` to WebP.
///
/// A WebP that needs neither turning nor other colours comes out as it came in, less its metadata.
/// Of everything else the pixels are encoded once: lossy at the quality of the options, or
/// lossless where that is smaller.
///
/// # Errors
///
/// Those of [`inspect`], and [`ConvertError::Invalid`] for a source that is cut short or broken,
/// [`ConvertError::OutOfMemory`] when the encoder found none, [`ConvertError::Internal`] when it
/// failed in another way.
pub fn convert(source: &[u8], options: &ConvertOptions) -> Result<Converted, ConvertError> {
    Inspected::new(source.to_vec(), options.clone())?.convert()
}

/// A source whose header was read, so that the memory that its pixels need can be reserved before
/// they are decoded.
pub struct Inspected {
    source: Vec<u8>,
    options: ConvertOptions,
    pub inspection: Inspection,
    opened: Option<sandbox::Opened>,
}

impl Inspected {
    /// # Errors
    /// Those of [`inspect`].
    pub fn new(source: Vec<u8>, options: ConvertOptions) -> Result<Self, ConvertError> {
        let (inspection, opened) = open(&source, &options)?;
        Ok(Self {
            source,
            options,
            inspection,
            opened,
        })
    }

    /// Converts it.
    ///
    /// # Errors
    /// Those of [`convert`].
    pub fn convert(self) -> Result<Converted, ConvertError> {
        let Self {
            source,
            options,
            inspection,
            opened,
        } = self;
        let (source, limits) = (source.as_slice(), Limits::of(&options));
        let quality = options.quality.clamp(1, 100);
        let format = inspection.format;
        let output = match (format, opened) {
            (_, Some(opened)) => sandbox::convert(opened, source, &inspection, quality, limits)?,
            (SourceFormat::WebP, _) => webp::convert(source, quality, limits)?,
            (SourceFormat::Gif, _) => {
                let gif = error::caught(|| gif::Animation::open(source))?;
                animation::convert(gif, quality, limits)?
            }
            (SourceFormat::Png, _) if png::is_animated(source) => {
                let apng = error::caught(|| png::Animation::open(source))?;
                animation::convert(apng, quality, limits)?
            }
            _ => {
                let still = error::caught(|| decode(format, source))?;
                encode::still(still, quality)?
            }
        };
        Ok(Converted {
            webp: output.webp,
            width: output.width,
            height: output.height,
            frames: output.frames,
            format,
            preview: output.preview,
        })
    }
}

/// What a header has, whatever the format.
#[derive(Debug, Clone, Copy)]
struct Header {
    width: u32,
    height: u32,
    frames: u32,
    /// What its pixels cost in memory.
    cost: memory::Cost,
}

/// An encoded picture and its size.
#[derive(Debug)]
struct Output {
    webp: Vec<u8>,
    width: u32,
    height: u32,
    frames: u32,
    preview: Preview,
}

fn read_header(format: SourceFormat, source: &[u8]) -> Result<Header, ConvertError> {
    match format {
        SourceFormat::Jpeg => jpeg::header(source),
        SourceFormat::Png => png::header(source),
        SourceFormat::Gif => gif::header(source),
        SourceFormat::WebP => webp::header(source),
        SourceFormat::Ico => ico::header(source),
        SourceFormat::Bmp | SourceFormat::Tiff | SourceFormat::Qoi => other::header(format, source),
        SourceFormat::Avif | SourceFormat::JpegXl => Err(ConvertError::Unsupported),
    }
}

fn decode(format: SourceFormat, source: &[u8]) -> Result<Still, ConvertError> {
    match format {
        SourceFormat::Jpeg => jpeg::decode(source),
        SourceFormat::Png => png::decode(source),
        SourceFormat::Ico => ico::decode(source),
        _ => other::decode(format, source),
    }
}
