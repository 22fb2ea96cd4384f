//! From the bytes of an upload to the WebP that is stored: decoded within limits, turned upright,
//! its colours brought to sRGB, everything else dropped.
//!
//! Everything here is blocking and bound to the processor. Decoders can abort, fill the memory or run
//! for hours on a hostile file, so the service has all of it done by [`helper`] processes. Nothing
//! here looks at a file name; the first bytes decide what a source is. The same source and the
//! same options always give the same bytes, and a stored WebP given again gives itself.

mod animation;
mod bmp;
mod canvas;
mod colour;
mod encode;
mod error;
mod format;
mod gif;
mod hdr;
mod heif;
pub mod helper;
mod ico;
#[cfg(windows)]
pub mod job;
mod jpeg;
mod jxl;
mod libwebp;
mod limits;
mod lossless;
mod narrow;
mod png;
mod preview;
mod progress;
mod resize;
mod riff;
mod still;
mod svg;
mod tiff;
mod webp;

#[cfg(test)]
mod tests;

pub use error::ConvertError;
pub use format::SourceFormat;
pub use narrow::narrow;
pub use preview::{Preview, preview};

use animation::Animation;
use serde::{Deserialize, Serialize};
use still::Still;

/// WebP has no side longer than this, in pixels; a longer one is scaled down to it.
pub const MAX_SIDE: u32 = 16_383;

/// The owner's settings for conversion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvertOptions {
    /// Quality of lossy WebP, 1 to 100.
    pub quality: u8,
    /// The longest side of what is stored, in pixels; a longer picture is scaled down. 0: only WebP's own
    /// limit, [`MAX_SIDE`].
    pub max_side: u32,
    /// The most pixels that a picture, or one frame of an animation, may have.
    pub max_pixels: u64,
    /// The most pixels that all frames of an animation may have together, each frame counted with
    /// the size of the whole canvas, and as 4096 at least.
    pub max_animation_pixels: u64,
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

/// Converts `source` to WebP.
///
/// A WebP that needs neither turning nor other colours comes out as it came in, less its metadata.
/// Of everything else the pixels are encoded once: lossy at the quality of the options, or
/// lossless where that is smaller.
///
/// # Errors
///
/// [`ConvertError::Unsupported`] for what is no image, [`ConvertError::Invalid`] for one that is cut
/// short or broken, [`ConvertError::TooLarge`] for one with more pixels than the options allow,
/// [`ConvertError::OutOfMemory`] when the encoder found none, [`ConvertError::Internal`] when it
/// failed in another way.
pub fn convert(source: &[u8], options: &ConvertOptions) -> Result<Converted, ConvertError> {
    libwebp::check_processor()?;
    let format = SourceFormat::of(source)?;
    let side = match options.max_side {
        0 => MAX_SIDE,
        side => side.min(MAX_SIDE),
    };
    let target = Target {
        quality: options.quality.clamp(1, 100),
        size: Size::Within(side),
        format,
    };
    match error::caught(|| decode(format, source, options))? {
        Decoded::Still(still) => encode::still(still, target),
        Decoded::Animation(animation) => animation::convert(animation, target, options),
        Decoded::WebP(webp) => webp::convert(webp, target, options),
    }
}

/// What the container of a stored WebP says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// 1 for a still.
    pub frames: u32,
}

impl Stored {
    /// Reads the container, which must be whole and hold only what is kept of a WebP. Its pixels are not
    /// decoded.
    #[must_use]
    pub fn of(webp: &[u8]) -> Option<Self> {
        let read = riff::Webp::parse(webp).ok()?;
        (read.file == webp).then_some(Self {
            width: read.size.0,
            height: read.size.1,
            frames: read.frames,
        })
    }
}

/// What a decoder has made of a source.
enum Decoded<'a> {
    Still(Still),
    /// Its frames are decoded one by one.
    Animation(Animation<'a>),
    /// Not decoded yet, because it may stay as it is.
    WebP(riff::Webp<'a>),
}

/// How a picture is encoded.
#[derive(Debug, Clone, Copy)]
struct Target {
    quality: u8,
    size: Size,
    /// What the source is.
    format: SourceFormat,
}

/// How large it becomes, in pixels.
#[derive(Debug, Clone, Copy)]
enum Size {
    /// The longest side, at most.
    Within(u32),
    Width(u32),
}

impl Target {
    /// The size that a picture of this size gets.
    fn fit(self, (width, height): (u32, u32)) -> (u32, u32) {
        match self.size {
            Size::Within(side) => resize::within(side, (width, height)),
            Size::Width(new) => (new, resize::scaled(height, new, width)),
        }
    }
}

/// Reads the header, which must be within the limits, and the pixels of a still.
fn decode<'a>(
    format: SourceFormat,
    source: &'a [u8],
    limits: &ConvertOptions,
) -> Result<Decoded<'a>, ConvertError> {
    let still = match format {
        SourceFormat::Png => return png::decode(source, limits),
        SourceFormat::Gif => return gif::decode(source, limits),
        SourceFormat::JpegXl => return jxl::decode(source, limits),
        SourceFormat::WebP => return webp::open(source, limits),
        SourceFormat::Jpeg => jpeg::decode(source, limits),
        SourceFormat::Ico => ico::decode(source, limits),
        SourceFormat::Bmp => bmp::decode(source, limits),
        SourceFormat::Qoi => bmp::decode_qoi(source, limits),
        SourceFormat::Tiff => tiff::decode(source, limits),
        SourceFormat::Avif | SourceFormat::Heic => heif::decode(source, limits),
        SourceFormat::Svg => svg::decode(source),
    };
    still.map(Decoded::Still)
}
