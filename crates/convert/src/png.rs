//! PNG and APNG, of all depths.

use std::borrow::Cow;
use std::io::Cursor;
use std::ops::RangeInclusive;

use image::DynamicImage;
use image::metadata::Orientation;
use png::{BitDepth, BlendOp, DisposeOp, Transformations};

use super::animation::Animation;
use super::canvas::{Dispose, Frame};
use super::colour::{Colour, Profile, by_gamma, by_icc, by_numbers};
use super::still::{self, Coding, Still, image_of};
use super::{ConvertError, ConvertOptions, Decoded};

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

fn open<'a>(source: &'a [u8], limits: &ConvertOptions) -> Result<Reader<'a>, ConvertError> {
    let mut decoder = png::Decoder::new(Cursor::new(ended(source)));
    decoder.set_transformations(Transformations::EXPAND);
    // Text is dropped anyway, and it can be a bomb.
    decoder.set_ignore_text_chunk(true);
    decoder.set_limits(png::Limits { bytes: MAX_BYTES });
    limits.check_frame(decoder.read_header_info()?.size())?;
    Ok(decoder.read_info()?)
}

pub(super) fn decode<'a>(
    source: &'a [u8],
    limits: &ConvertOptions,
) -> Result<Decoded<'a>, ConvertError> {
    let reader = open(source, limits)?;
    let Some(control) = reader.info().animation_control else {
        return still_of(reader, source).map(Decoded::Still);
    };
    limits.check(reader.info().size(), control.num_frames)?;
    animation(reader, control).map(Decoded::Animation)
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
fn profile(reader: &Reader<'_>) -> Profile {
    /// A gamma of 1/2.2, which writers of sRGB add for readers that know only this chunk.
    const LIKE_SRGB: RangeInclusive<u32> = 45_000..=46_000;
    let info = reader.info();
    if let Some(points) = info.coding_independent_code_points
        && points.is_video_full_range_image
        && points.matrix_coefficients == 0
    {
        return by_numbers(points.color_primaries, points.transfer_function);
    }
    if let Some(icc) = &info.icc_profile {
        return by_icc(icc);
    }
    let gamma = info.gama_chunk.map(png::ScaledFloat::into_scaled);
    let chromaticities = info.chrm_chunk.map(|places| {
        [places.white, places.red, places.green, places.blue]
            .map(|(x, y)| (f64::from(x.into_value()), f64::from(y.into_value())))
    });
    let gamma = gamma.filter(|&gamma| gamma > 0 && info.srgb.is_none())?;
    if chromaticities.is_none() && LIKE_SRGB.contains(&gamma) {
        return None;
    }
    by_gamma(100_000.0 / f64::from(gamma), chromaticities)
}

fn orientation(reader: &Reader<'_>) -> Orientation {
    let exif = reader.info().exif_metadata.as_deref();
    exif.map_or(Orientation::NoTransforms, still::orientation)
}

/// Decodes the next frame as it is stored: its own size, its own colours.
fn next_image(reader: &mut Reader<'_>) -> Result<DynamicImage, ConvertError> {
    let length = reader.output_buffer_size().ok_or(ConvertError::TooLarge)?;
    let mut bytes = vec![0; length];
    let frame = reader.next_frame(&mut bytes)?;
    let (line, height) = (frame.line_size, frame.height as usize);
    if reader.info().interlaced {
        // Interlaced rows are laid out as wide as the whole picture.
        let stride = reader.output_line_size(reader.info().width);
        let stride = stride.ok_or(ConvertError::TooLarge)?;
        for row in 1..height {
            bytes.copy_within(row * stride..row * stride + line, row * line);
        }
    }
    bytes.truncate(line * height);
    let (size, channels) = ((frame.width, frame.height), frame.color_type.samples());
    if frame.bit_depth == BitDepth::Sixteen {
        let pairs = bytes.as_chunks::<2>().0.iter();
        let samples = pairs.map(|&pair| u16::from_be_bytes(pair)).collect();
        image_of::<u16>(size, channels, samples)
    } else {
        image_of(size, channels, bytes)
    }
}

/// Decodes a still; of an animation its default picture.
pub(super) fn still(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    still_of(open(source, limits)?, source)
}

fn still_of(mut reader: Reader<'_>, source: &[u8]) -> Result<Still, ConvertError> {
    let profile = profile(&reader);
    let image = next_image(&mut reader)?;
    // EXIF may stand behind the pixels.
    reader.finish()?;
    Ok(Still {
        image,
        profile,
        orientation: orientation(&reader),
        coding: Coding::Lossless(pixel_bytes(source)),
    })
}

fn animation(
    mut reader: Reader<'_>,
    control: png::AnimationControl,
) -> Result<Animation<'_>, ConvertError> {
    let colour = Colour::new(profile(&reader));
    if reader.info().frame_control.is_none() {
        // The first picture is for readers that know no animation, and no frame of it.
        next_image(&mut reader)?;
    }
    let mut left = control.num_frames;
    Ok(Animation {
        size: reader.info().size(),
        count: control.num_frames,
        plays: u16::try_from(control.num_plays).unwrap_or(u16::MAX),
        orientation: orientation(&reader),
        frames: Box::new(std::iter::from_fn(move || {
            if left == 0 {
                return reader.finish().err().map(|error| Err(error.into()));
            }
            left -= 1;
            Some(next(&mut reader, &colour))
        })),
    })
}

/// No frame is larger than the picture, which is within the limits; the decoder sees to it.
fn next(reader: &mut Reader<'_>, colour: &Colour) -> Result<Frame, ConvertError> {
    let image = next_image(reader)?;
    let control = reader.info().frame_control;
    let control = control.ok_or_else(|| ConvertError::invalid("a frame without control"))?;
    Ok(Frame {
        place: (control.x_offset, control.y_offset),
        image: colour.srgb(image)?.into_rgba8(),
        blends: control.blend_op == BlendOp::Over,
        dispose: match control.dispose_op {
            DisposeOp::None => Dispose::Keep,
            DisposeOp::Background => Dispose::Clear,
            DisposeOp::Previous => Dispose::Restore,
        },
        milliseconds: milliseconds(control.delay_num, control.delay_den),
    })
}

/// A delay is a fraction of a second; no denominator means hundredths. Browsers show what asks for
/// 10 ms or less for 100, and so does what is stored.
fn milliseconds(numerator: u16, denominator: u16) -> u32 {
    let denominator = match denominator {
        0 => 100,
        denominator => u32::from(denominator),
    };
    match (u32::from(numerator) * 1000 + denominator / 2) / denominator {
        0..=10 => 100,
        delay => delay,
    }
}
