//! The HEVC of a HEIC, by hpvcd.

use std::ops::RangeInclusive;

use hpvcd::{ChromaFormat, SampleBuf, VideoDecoder};

use super::super::ConvertError;
use super::super::still::image_of;
use super::container::Bytes;
use super::yuv::{Coding, Frame, deep_plane};

/// Kinds of units (ITU-T H.265, table 7-1): the slices of pictures that need no other, the parameter sets of a
/// sequence and of a picture, and the end of a sequence. Slices are those below 32.
const INTRA: RangeInclusive<u8> = 16..=23;
const SEQUENCE: u8 = 33;
const PICTURE: u8 = 34;
const END_OF_SEQUENCE: u8 = 36;

/// A decoder. It has a thread, which a confined process can no longer start.
pub(super) fn decoder() -> VideoDecoder {
    VideoDecoder::with_threads(1)
}

/// The units of a picture. `settings` is its configuration record (ISO/IEC 14496-15, 8.3.2), which has the
/// parameter sets; the units of the payload have their length in front.
fn units<'a>(settings: &'a [u8], payload: &'a [u8]) -> Option<Vec<&'a [u8]>> {
    /// Bytes before the lists of parameter sets.
    const FIXED: usize = 22;
    let (mut settings, mut payload) = (Bytes(settings), Bytes(payload));
    let length = usize::from(settings.take(FIXED)?[FIXED - 1] & 3) + 1;
    let mut units = Vec::new();
    for _ in 0..settings.u8()? {
        settings.u8()?;
        for _ in 0..settings.u16()? {
            let length = settings.u16()?;
            units.push(settings.take(length.into())?);
        }
    }
    while !payload.0.is_empty() {
        let length = payload.number(length)? as usize;
        units.push(payload.take(length)?);
    }
    Some(units)
}

/// Decodes one picture of these settings. The decoder is there again unless something goes wrong.
pub(super) fn decode(
    settings: &[u8],
    payload: &[u8],
    kept: &mut Option<VideoDecoder>,
) -> Result<Frame, ConvertError> {
    let units = units(settings, payload);
    let mut units = units.ok_or_else(|| ConvertError::invalid("a unit is cut short"))?;
    units.retain(|unit| unit.len() > 2);
    // In the six bits behind the first.
    let kind = |unit: &&[u8]| unit[0] >> 1 & 63;
    // The decoder knows the pictures before this one and their settings, which must not count.
    let has = |wanted: u8| units.iter().any(|unit| kind(unit) == wanted);
    let first = units.iter().map(kind).find(|kind| *kind < 32);
    if !first.is_some_and(|kind| INTRA.contains(&kind)) || !has(SEQUENCE) || !has(PICTURE) {
        return Err(ConvertError::invalid("a picture that needs others"));
    }
    let mut decoder = kept.take().unwrap_or_else(self::decoder);
    for unit in units {
        let done = decoder.process_nal(kind(&unit), unit);
        done.map_err(ConvertError::invalid)?;
    }
    decoder.flush().map_err(ConvertError::invalid)?;
    let frames = decoder.take_frames(true);
    // The end of a sequence: the next picture has nothing to do with this one.
    let ended = decoder.process_nal(END_OF_SEQUENCE, &[END_OF_SEQUENCE << 1, 1]);
    ended.map_err(ConvertError::invalid)?;
    *kept = Some(decoder);
    let frame = frames.first();
    let frame = frame.ok_or_else(|| ConvertError::invalid("there is no picture in it"))?;
    let (yuv, colour) = (frame.to_yuv(), frame.color());
    let plane = |samples: SampleBuf, width: usize, height: usize| {
        let size = (width as u32, height as u32);
        match samples {
            SampleBuf::U8(samples) => image_of::<u8>(size, 1, samples),
            SampleBuf::U16(samples) => deep_plane(size, yuv.bit_depth.into(), samples.into_iter()),
        }
    };
    let mut planes = vec![plane(yuv.y, yuv.width, yuv.height)?];
    if yuv.chroma != ChromaFormat::Monochrome {
        for samples in [yuv.cb, yuv.cr] {
            planes.push(plane(samples, yuv.chroma_width, yuv.chroma_height)?);
        }
    }
    Ok(Frame {
        planes,
        coding: Coding {
            primaries: colour.primaries as u8,
            transfer: colour.transfer as u8,
            matrix: colour.matrix as u8,
            full_range: colour.full_range,
        },
    })
}
