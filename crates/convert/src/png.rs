//! PNG and APNG, of all depths.

use std::borrow::Cow;
use std::io::Cursor;
use std::ops::RangeInclusive;

use png::{BitDepth, BlendOp, ColorType, DisposeOp, Transformations};

use super::animation::Frames;
use super::canvas::{Blend, Dispose, Frame};
use super::colour::Colour;
use super::limits::Limits;
use super::orientation::{Orientation, of_exif};
use super::picture::{Channels, Coding, Raster, Samples};
use super::space::{Gamma, Numbers, Space};
use super::still::Still;
use super::{ConvertError, Decoded};

/// The most that what stands beside the pixels may unfold to; each frame takes its row of it, too.
const MAX_BYTES: usize = 1 << 30;

type Reader<'a> = png::Reader<Cursor<Cow<'a, [u8]>>>;

impl From<png::DecodingError> for ConvertError {
    fn from(error: png::DecodingError) -> Self {
        match error {
            png::DecodingError::LimitsExceeded => Self::TooLarge,
            other => Self::invalid(other),
        }
    }
}

fn open<'a>(source: &'a [u8], limits: &Limits) -> Result<Reader<'a>, ConvertError> {
    let mut decoder = png::Decoder::new(Cursor::new(ended(source)));
    decoder.set_transformations(Transformations::EXPAND);
    // Text is dropped anyway, and it can be a bomb.
    decoder.set_ignore_text_chunk(true);
    decoder.set_limits(png::Limits { bytes: MAX_BYTES });
    let (width, height) = decoder.read_header_info()?.size();
    limits.check_frame(width, height)?;
    Ok(decoder.read_info()?)
}

pub(super) fn decode<'a>(source: &'a [u8], limits: &Limits) -> Result<Decoded<'a>, ConvertError> {
    let reader = open(source, limits)?;
    let Some(control) = reader.info().animation_control else {
        return still_of(reader, source).map(Decoded::Still);
    };
    limits.check(reader.info().size(), control.num_frames)?;
    let animation = Animation::open(reader, control.num_frames)?;
    Ok(Decoded::Animation(Box::new(animation)))
}

/// A file that ends behind its pixels or in its end chunk, as one with that chunk, which browsers do not
/// miss.
fn ended(source: &[u8]) -> Cow<'_, [u8]> {
    const END: [u8; 12] = [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42, 0x60, 0x82];
    if source.ends_with(&END) {
        return Cow::Borrowed(source);
    }
    let there = (0..END.len()).rfind(|&there| source.ends_with(&END[..there]));
    Cow::Owned([source, &END[there.unwrap_or_default()..]].concat())
}

/// The bytes of the compressed pixels, without profiles and metadata.
fn pixel_bytes(source: &[u8]) -> usize {
    let (mut at, mut bytes) = (8, 0);
    while let Some(&[a, b, c, d, ref kind @ ..]) =
        source.get(at..).and_then(<[u8]>::first_chunk::<8>)
    {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        bytes += if kind == b"IDAT" { length } else { 0 };
        at += length + 12;
    }
    bytes
}

/// By the chunk that comes first in the order of the specification's third edition.
fn space(reader: &Reader<'_>) -> Space {
    /// A gamma of 1/2.2, which writers of sRGB add for readers that know only this chunk.
    const LIKE_SRGB: RangeInclusive<u32> = 45_000..=46_000;
    let info = reader.info();
    if let Some(points) = info.coding_independent_code_points
        && points.is_video_full_range_image
        && points.matrix_coefficients == 0
    {
        return Space::Numbers(Numbers {
            primaries: points.color_primaries,
            transfer: points.transfer_function,
        });
    }
    if let Some(icc) = &info.icc_profile {
        return Space::Icc(icc.to_vec());
    }
    let gamma = info.gama_chunk.map(png::ScaledFloat::into_scaled);
    let chromaticities = info.chrm_chunk.map(|places| {
        [places.white, places.red, places.green, places.blue]
            .map(|(x, y)| (f64::from(x.into_value()), f64::from(y.into_value())))
    });
    match gamma.filter(|&gamma| gamma > 0 && info.srgb.is_none()) {
        Some(gamma) if chromaticities.is_some() || !LIKE_SRGB.contains(&gamma) => {
            Space::Gamma(Gamma {
                exponent: 100_000.0 / f64::from(gamma),
                chromaticities,
            })
        }
        _ => Space::Srgb,
    }
}

fn orientation(reader: &Reader<'_>) -> Orientation {
    let exif = reader.info().exif_metadata.as_deref();
    exif.map_or(Orientation::NoTransforms, of_exif)
}

/// Decodes the next frame as it is stored: its own size, its own colours.
fn next_raster(reader: &mut Reader<'_>) -> Result<Raster, ConvertError> {
    let length = reader.output_buffer_size().ok_or(ConvertError::TooLarge)?;
    let mut bytes = vec![0; length];
    let frame = reader.next_frame(&mut bytes)?;
    let (width, height) = (frame.width as usize, frame.height as usize);
    if reader.info().interlaced {
        // Interlaced rows are laid out as wide as the whole picture.
        let stride = reader
            .output_line_size(reader.info().width)
            .ok_or(ConvertError::TooLarge)?;
        for row in 1..height {
            bytes.copy_within(
                row * stride..row * stride + frame.line_size,
                row * frame.line_size,
            );
        }
    }
    bytes.truncate(frame.line_size * height);
    let channels = match frame.color_type {
        ColorType::Grayscale => Channels::Grey,
        ColorType::GrayscaleAlpha => Channels::GreyAlpha,
        ColorType::Rgb => Channels::Rgb,
        ColorType::Rgba => Channels::Rgba,
        ColorType::Indexed => return Err(ConvertError::invalid("no palette")),
    };
    let samples = if frame.bit_depth == BitDepth::Sixteen {
        let pairs = bytes.as_chunks::<2>().0;
        Samples::Sixteen(pairs.iter().map(|&pair| u16::from_be_bytes(pair)).collect())
    } else {
        Samples::Eight(bytes)
    };
    Ok(Raster {
        width: width as u32,
        height: height as u32,
        channels,
        samples,
    })
}

/// Decodes a still; of an animation its default picture.
pub(super) fn still(source: &[u8], limits: &Limits) -> Result<Still, ConvertError> {
    still_of(open(source, limits)?, source)
}

fn still_of(mut reader: Reader<'_>, source: &[u8]) -> Result<Still, ConvertError> {
    let space = space(&reader);
    let raster = next_raster(&mut reader)?;
    // EXIF may stand behind the pixels.
    reader.finish()?;
    Ok(Still {
        raster,
        space,
        orientation: orientation(&reader),
        coding: Coding::Lossless(pixel_bytes(source)),
    })
}

/// The frames of an APNG.
struct Animation<'a> {
    reader: Reader<'a>,
    size: (u32, u32),
    frames: u32,
    left: u32,
    colour: Colour,
}

impl<'a> Animation<'a> {
    fn open(mut reader: Reader<'a>, frames: u32) -> Result<Self, ConvertError> {
        let colour = Colour::new(&space(&reader));
        if reader.info().frame_control.is_none() {
            // The first picture is for readers that know no animation, and no frame of it.
            next_raster(&mut reader)?;
        }
        let size = reader.info().size();
        Ok(Self {
            reader,
            size,
            frames,
            left: frames,
            colour,
        })
    }
}

impl Frames for Animation<'_> {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn count(&self) -> u32 {
        self.frames
    }

    fn plays(&self) -> u16 {
        let plays = self
            .reader
            .info()
            .animation_control
            .map_or(0, |control| control.num_plays);
        u16::try_from(plays).unwrap_or(u16::MAX)
    }

    fn orientation(&self) -> Orientation {
        orientation(&self.reader)
    }

    fn next(&mut self, _limits: &Limits) -> Result<Option<Frame>, ConvertError> {
        if self.left == 0 {
            self.reader.finish()?;
            return Ok(None);
        }
        self.left -= 1;
        // No frame is larger than the picture, which is within the limits; the decoder sees to it.
        let raster = next_raster(&mut self.reader)?;
        let control = self.reader.info().frame_control;
        let control = control.ok_or_else(|| ConvertError::invalid("a frame without control"))?;
        Ok(Some(Frame {
            x: control.x_offset,
            y: control.y_offset,
            picture: self.colour.srgb(raster)?.into_rgba(),
            blend: match control.blend_op {
                BlendOp::Source => Blend::Replace,
                BlendOp::Over => Blend::Over,
            },
            dispose: match control.dispose_op {
                DisposeOp::None => Dispose::Keep,
                DisposeOp::Background => Dispose::Clear,
                DisposeOp::Previous => Dispose::Restore,
            },
            milliseconds: milliseconds(control.delay_num, control.delay_den),
        }))
    }
}

/// A delay is a fraction of a second; no denominator means hundredths. Browsers show what asks for
/// 10 ms or less for 100, and so does what is stored.
fn milliseconds(numerator: u16, denominator: u16) -> u32 {
    let denominator = if denominator == 0 {
        100
    } else {
        u32::from(denominator)
    };
    match (u32::from(numerator) * 1000 + denominator / 2) / denominator {
        0..=10 => 100,
        delay => delay,
    }
}
