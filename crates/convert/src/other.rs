//! The formats that the `image` crate decodes as they are: BMP, TIFF and QOI.

use std::io::Cursor;

use image::codecs::{bmp::BmpDecoder, qoi::QoiDecoder, tiff::TiffDecoder};
use image::{DynamicImage, ImageDecoder};
use tiff::tags::Tag;

use super::memory::{Cost, Encode};
use super::orientation::Orientation;
use super::picture::{Channels, Coding, Raster, Samples, Still};
use super::{ConvertError, Header, SourceFormat};

type Boxed<'a> = Box<dyn ImageDecoder + 'a>;

fn decoder(format: SourceFormat, source: &[u8]) -> Result<Boxed<'_>, ConvertError> {
    let bytes = Cursor::new(source);
    Ok(match format {
        SourceFormat::Bmp => Box::new(BmpDecoder::new(bytes)?),
        SourceFormat::Tiff if has_reversed_bits(source) => return Err(ConvertError::Unsupported),
        SourceFormat::Tiff => Box::new(TiffDecoder::new(bytes)?),
        SourceFormat::Qoi => Box::new(QoiDecoder::new(bytes)?),
        _ => return Err(ConvertError::Unsupported),
    })
}

/// A number in the description of the first page of a TIFF.
fn tiff_tag(source: &[u8], tag: Tag) -> Option<u16> {
    let mut page = tiff::decoder::Decoder::new(Cursor::new(source)).ok()?;
    let values = page.find_tag_unsigned_vec(tag).ok()??;
    values.first().copied()
}

/// Whether the bits of each byte are reversed. The decoder ignores this and returns wrong pixels.
fn has_reversed_bits(source: &[u8]) -> bool {
    tiff_tag(source, Tag::FillOrder) == Some(2)
}

/// Whether colours are premultiplied by alpha. The decoder returns them unchanged.
fn is_premultiplied(source: &[u8]) -> bool {
    tiff_tag(source, Tag::ExtraSamples) == Some(1)
}

pub(super) fn header(format: SourceFormat, source: &[u8]) -> Result<Header, ConvertError> {
    if let (SourceFormat::Qoi, Some(&[.., a, b, c, d, e, f, g, h])) =
        (format, source.first_chunk::<12>())
    {
        // Its decoder has a limit of its own, which would hide that the picture is too large.
        let (width, height) = (
            u32::from_be_bytes([a, b, c, d]),
            u32::from_be_bytes([e, f, g, h]),
        );
        let cost = Cost {
            decode: 4,
            picture: 4,
            encode: Encode::PerhapsLossless,
        };
        return Ok(Header {
            width,
            height,
            frames: 1,
            cost,
        });
    }
    let decoder = decoder(format, source)?;
    let (width, height) = decoder.dimensions();
    Ok(Header {
        width,
        height,
        frames: 1,
        cost: Cost {
            // TIFF holds its samples twice for a moment.
            decode: u64::from(decoder.color_type().bytes_per_pixel()) * 2,
            picture: u64::from(decoder.color_type().channel_count()),
            encode: Encode::PerhapsLossless,
        },
    })
}

pub(super) fn decode(format: SourceFormat, source: &[u8]) -> Result<Still, ConvertError> {
    let mut still = still(decoder(format, source)?)?;
    let channels = still.raster.channels;
    if format == SourceFormat::Tiff && channels.has_alpha() && is_premultiplied(source) {
        still.raster.samples.divide_by_alpha(channels);
    }
    Ok(still)
}

/// Width and height of what is about to be decoded.
pub(super) fn size(decoder: &impl ImageDecoder) -> (u32, u32) {
    decoder.dimensions()
}

/// Decodes to the end.
pub(super) fn still(mut decoder: impl ImageDecoder) -> Result<Still, ConvertError> {
    // The size is within the limits; this is against buffers that have nothing to do with it.
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some(
        decoder
            .total_bytes()
            .saturating_mul(2)
            .saturating_add(64 << 20),
    );
    decoder.set_limits(limits)?;
    let profile = decoder.icc_profile().ok().flatten();
    let orientation = orientation(&mut decoder);
    let image = DynamicImage::from_decoder(decoder)?;
    let (width, height) = (image.width(), image.height());
    let (channels, samples) = samples(image);
    Ok(Still {
        raster: Raster {
            width,
            height,
            channels,
            samples,
        },
        profile,
        orientation,
        coding: Coding::Unknown,
    })
}

fn orientation(decoder: &mut impl ImageDecoder) -> Orientation {
    decoder
        .orientation()
        .map_or(Orientation::UPRIGHT, Orientation::from)
}

fn samples(image: DynamicImage) -> (Channels, Samples) {
    match image {
        DynamicImage::ImageLuma8(image) => (Channels::Grey, Samples::Eight(image.into_raw())),
        DynamicImage::ImageLumaA8(image) => (Channels::GreyAlpha, Samples::Eight(image.into_raw())),
        DynamicImage::ImageRgb8(image) => (Channels::Rgb, Samples::Eight(image.into_raw())),
        DynamicImage::ImageRgba8(image) => (Channels::Rgba, Samples::Eight(image.into_raw())),
        DynamicImage::ImageLuma16(image) => (Channels::Grey, Samples::Sixteen(image.into_raw())),
        DynamicImage::ImageLumaA16(image) => {
            (Channels::GreyAlpha, Samples::Sixteen(image.into_raw()))
        }
        DynamicImage::ImageRgb16(image) => (Channels::Rgb, Samples::Sixteen(image.into_raw())),
        DynamicImage::ImageRgba16(image) => (Channels::Rgba, Samples::Sixteen(image.into_raw())),
        // Floating point: what is beyond white is cut off.
        other if other.color().has_alpha() => (
            Channels::Rgba,
            Samples::Sixteen(other.into_rgba16().into_raw()),
        ),
        other => (
            Channels::Rgb,
            Samples::Sixteen(other.into_rgb16().into_raw()),
        ),
    }
}
