//! The HEVC of a HEIC, by hpvcd.

use std::sync::LazyLock;

use hpvcd::{Decoder, HeicSettings, ParseLimits, PlanarImage, PlaneBuffer, YuvBuffer};
use image::DynamicImage;

use super::super::ConvertError;
use super::super::still::image_of;
use super::yuv::{Coding, Frame, deep_plane};

/// The decoder, which keeps nothing of what it decoded. It has a thread, which a confined process can no longer
/// start.
pub(super) static DECODER: LazyLock<Decoder> = LazyLock::new(|| {
    // The sizes are within the limits already.
    let limits = ParseLimits {
        max_dimension: u32::MAX,
        max_pixels: u64::MAX,
        ..ParseLimits::new()
    };
    let settings = HeicSettings::new().with_threads(1).primary_only();
    Decoder::from_settings(settings.with_limits(limits))
});

/// Whether the first slice of a payload is of a picture that needs no other (ITU-T H.265, table 7-1); none where
/// there is no slice. The units have their length in front.
fn needs_no_other(settings: &[u8], payload: &[u8]) -> Option<bool> {
    let length_of_length = usize::from(settings.get(21)? & 3) + 1;
    let mut units = payload;
    loop {
        let length = units.split_off(..length_of_length)?.iter();
        let length = length.fold(0, |length, byte| length << 8 | usize::from(*byte));
        let kind = units.split_off(..length)?.first()? >> 1 & 63;
        if kind < 32 {
            return Some((16..24).contains(&kind));
        }
    }
}

/// A file with one item alone: the decoder would show a grid with gaps in place of its broken pieces.
fn file_of(settings: &[u8], payload: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    const NO_VERSION: &[u8] = &[0; 4];
    let framed = |kind: &[u8; 4], parts: &[&[u8]]| {
        let body = parts.concat();
        [&(body.len() as u32 + 8).to_be_bytes()[..], kind, &body].concat()
    };
    let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let properties = [
        framed(b"hvcC", &[settings]),
        framed(b"ispe", &[NO_VERSION, &sides]),
    ];
    let length = (payload.len() as u32).to_be_bytes();
    // Item 1 has two properties, 1 and 2, and one extent, from the start of the box of data on.
    let has_properties = [0, 0, 0, 1, 0, 1, 2, 1, 2];
    let is_there = [
        1, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0,
    ];
    let meta = [
        NO_VERSION,
        &framed(b"pitm", &[NO_VERSION, &[0, 1]]),
        &framed(b"iloc", &[&is_there, &length]),
        &framed(
            b"iprp",
            &[
                &framed(b"ipco", &[&properties.concat()]),
                &framed(b"ipma", &[NO_VERSION, &has_properties]),
            ],
        ),
        &framed(b"idat", &[payload]),
    ];
    [framed(b"ftyp", &[b"heic"]), framed(b"meta", &meta)].concat()
}

/// Decodes one picture of these settings, which are its configuration record (ISO/IEC 14496-15, 8.3.2), and of
/// this size.
pub(super) fn decode(
    settings: &[u8],
    payload: &[u8],
    size: (u32, u32),
) -> Result<Frame, ConvertError> {
    if needs_no_other(settings, payload) != Some(true) {
        return Err(ConvertError::invalid("a picture that needs others"));
    }
    let decoded = DECODER.decode_yuv(&file_of(settings, payload, size))?;
    let colour = decoded.color.color_encoding();
    let bits = decoded.bit_depth.bits().into();
    let planes = match decoded.planes {
        YuvBuffer::U8(planes) => each(planes, |size, samples| image_of::<u8>(size, 1, samples)),
        YuvBuffer::U16(planes) => each(planes, |size, samples| {
            deep_plane(size, bits, samples.into_iter())
        }),
    };
    Ok(Frame {
        planes: planes?,
        coding: Coding {
            primaries: colour.primaries as u8,
            transfer: colour.transfer as u8,
            matrix: colour.matrix as u8,
            full_range: colour.full_range,
        },
    })
}

/// Luma, and chroma where there is some, each by this function.
fn each<T: Copy + Default>(
    planes: PlanarImage<T>,
    plane: impl Fn((u32, u32), Vec<T>) -> Result<DynamicImage, ConvertError>,
) -> Result<Vec<DynamicImage>, ConvertError> {
    let planes = [Some(planes.y), planes.cb, planes.cr].into_iter().flatten();
    let made = planes.map(|buffer: PlaneBuffer<T>| {
        let size = (buffer.width() as u32, buffer.height() as u32);
        plane(size, buffer.into_tight()?)
    });
    made.collect()
}
