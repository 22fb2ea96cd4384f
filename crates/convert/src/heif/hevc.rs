//! The HEVC of a HEIC, by hpvcd.

use std::cell::Cell;

use hpvcd::{ChromaFormat, SampleBuf, VideoDecoder};

use super::super::ConvertError;
use super::boxes::Bytes;
use super::yuv::{Coding, Plane, Planes};

/// The kind of the unit that ends a sequence.
const END_OF_SEQUENCE: u8 = 36;

thread_local! {
    /// It has a thread that does its work, which a confined process can no longer start.
    static DECODER: Cell<Option<VideoDecoder>> = const { Cell::new(None) };
}

/// Starts the decoder of this thread.
pub(super) fn prepare() {
    DECODER.set(Some(VideoDecoder::with_threads(1)));
}

/// Whether the decoder of this thread is there. After a broken picture it is not.
pub(super) fn is_prepared() -> bool {
    let decoder = DECODER.take();
    let is_there = decoder.is_some();
    DECODER.set(decoder);
    is_there
}

/// Decodes one picture. `settings` is its configuration record (ISO/IEC 14496-15, 8.3.2), which has the
/// parameter sets; the units of the payload have their length in front.
pub(super) fn decode(settings: &[u8], payload: &[u8]) -> Result<Planes, ConvertError> {
    /// Bytes before the lists of parameter sets.
    const FIXED: usize = 22;
    let mut settings = Bytes(settings);
    let length = usize::from(settings.take(FIXED)?[FIXED - 1] & 3) + 1;
    // Kept only if nothing goes wrong, not even a panic.
    let decoder = DECODER.take();
    let mut decoder = decoder.unwrap_or_else(|| VideoDecoder::with_threads(1));
    let mut unit = |unit: &[u8]| match unit {
        // Its kind is in the six bits behind the first.
        [first, _, _, ..] => {
            let done = decoder.process_nal(first >> 1 & 63, unit);
            done.map_err(ConvertError::invalid)
        }
        _ => Ok(()),
    };
    for _ in 0..settings.u8()? {
        settings.u8()?;
        for _ in 0..settings.u16()? {
            let length = settings.u16()?;
            unit(settings.take(usize::from(length))?)?;
        }
    }
    let mut payload = Bytes(payload);
    while !payload.0.is_empty() {
        let length = payload.number(length)? as usize;
        unit(payload.take(length)?)?;
    }
    decoder.flush().map_err(ConvertError::invalid)?;
    let frames = decoder.take_frames(true);
    // The end of a sequence: the next picture has nothing to do with this one.
    let ended = decoder.process_nal(END_OF_SEQUENCE, &[END_OF_SEQUENCE << 1, 1]);
    ended.map_err(ConvertError::invalid)?;
    DECODER.set(Some(decoder));
    let frame = frames.first();
    let frame = frame.ok_or_else(|| ConvertError::invalid("there is no picture in it"))?;
    let (planes, colour) = (frame.to_yuv(), frame.color());
    let (width, thin_width) = (planes.width, planes.chroma_width);
    Ok(Planes {
        width,
        height: planes.height,
        bits: u32::from(planes.bit_depth),
        luma: plane(planes.y, width),
        thin: (
            matches!(planes.chroma, ChromaFormat::Yuv420 | ChromaFormat::Yuv422),
            planes.chroma == ChromaFormat::Yuv420,
        ),
        chroma: (planes.chroma != ChromaFormat::Monochrome)
            .then(|| [planes.cb, planes.cr].map(|samples| plane(samples, thin_width))),
        coding: Coding {
            primaries: colour.primaries as u8,
            transfer: colour.transfer as u8,
            matrix: colour.matrix as u8,
            full_range: colour.full_range,
        },
    })
}

fn plane(samples: SampleBuf, width: usize) -> Plane {
    match samples {
        SampleBuf::U8(bytes) => Plane {
            bytes: Box::new(bytes),
            stride: width,
        },
        SampleBuf::U16(samples) => {
            let bytes: Vec<u8> = samples
                .iter()
                .flat_map(|sample| sample.to_ne_bytes())
                .collect();
            Plane {
                bytes: Box::new(bytes),
                stride: width * 2,
            }
        }
    }
}
