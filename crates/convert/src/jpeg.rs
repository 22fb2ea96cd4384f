//! JPEG, decoded strictly: what a cut file would leave grey is an error here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use image::metadata::Orientation;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::colour::{by_icc, of_ink};
use super::still::{Coding, Still, image_of, orientation};
use super::{ConvertError, ConvertOptions};

impl From<DecodeErrors> for ConvertError {
    fn from(error: DecodeErrors) -> Self {
        match error {
            // Arithmetic coding, lossless, hierarchical: no browser shows them either.
            DecodeErrors::Unsupported(_) => Self::Unsupported,
            other => Self::Invalid(format!("{other:?}")),
        }
    }
}

fn decoder(source: &[u8], out: ColorSpace) -> Result<JpegDecoder<ZCursor<&[u8]>>, ConvertError> {
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        // The decoder's own limit is lower than ours; ours is asked in between.
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .jpeg_set_out_colorspace(out);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(source), options);
    decoder.decode_headers()?;
    Ok(decoder)
}

pub(super) fn decode(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    let source = &*between_segments_removed(source);
    let segments = segments(source);
    let headers = decoder(source, ColorSpace::RGB)?;
    let (width, height) = headers
        .dimensions()
        .ok_or_else(|| ConvertError::invalid("no frame"))?;
    let size = (width as u32, height as u32);
    limits.check_frame(size)?;
    let profile = headers.icc_profile().and_then(|icc| by_icc(&icc));
    let colours = headers.input_colorspace().unwrap_or(ColorSpace::YCbCr);
    let (out, channels) = match colours {
        ColorSpace::Luma => (colours, 1),
        // Ink comes out as it is stored, so that its profile can be used.
        ColorSpace::CMYK | ColorSpace::YCCK => (colours, 4),
        ColorSpace::YCbCr | ColorSpace::RGB => (ColorSpace::RGB, 3),
        _ => return Err(ConvertError::Unsupported),
    };
    let mut samples = match segments.end {
        Some(end) if segments.may_lose_its_end() => samples(&ended(source, end, &[0; AHEAD]), out)?,
        Some(_) => samples(source, out)?,
        // Nothing says that the pixels are all there. They are if what follows makes no difference.
        None => {
            if segments.progressive && !segments.has_all_scans() {
                return Err(ConvertError::invalid("the file ends before its last scan"));
            }
            let [zeros, ones] = [[0; AHEAD], [0x55; AHEAD]].map(|mut tail: [u8; AHEAD]| {
                if !segments.may_lose_its_end() {
                    tail[AHEAD - 2..].copy_from_slice(&[0xFF, 0xD9]);
                }
                samples(&ended(source, source.len(), &tail), out)
            });
            let (zeros, ones) = (zeros?, ones?);
            if zeros != ones {
                return Err(ConvertError::invalid(
                    "the file ends before the picture does",
                ));
            }
            zeros
        }
    };
    match colours {
        ColorSpace::YCCK => ink_from_ycck(&mut samples, segments.adobe),
        ColorSpace::CMYK if segments.adobe => samples.iter_mut().for_each(|ink| *ink = 255 - *ink),
        _ => {}
    }
    let (image, profile) = if channels == 4 {
        (of_ink(&samples, size, profile)?, None)
    } else {
        (image_of::<u8>(size, channels, samples)?, profile)
    };
    Ok(Still {
        image,
        profile,
        orientation: segments.orientation.unwrap_or(Orientation::NoTransforms),
        coding: Coding::Lossy,
    })
}

fn samples(source: &[u8], out: ColorSpace) -> Result<Vec<u8>, ConvertError> {
    let mut decoder = decoder(source, out)?;
    let length = decoder
        .output_buffer_size()
        .ok_or_else(|| ConvertError::invalid("no size"))?;
    let mut samples = vec![0; length];
    decoder.decode_into(&mut samples)?;
    Ok(samples)
}

/// A marker of the file and what it marks.
struct Segment<'a> {
    marker: u8,
    /// Where the marker begins.
    at: usize,
    /// With the marker and the length.
    bytes: &'a [u8],
}

impl<'a> Segment<'a> {
    /// What it says, behind its length.
    fn body(&self) -> &'a [u8] {
        self.bytes.get(4..).unwrap_or_default()
    }
}

/// The segments of a file; what lies between them, as the pixels do, is skipped. The last one may be cut short,
/// and the mark of the end has no length.
fn walk(source: &[u8]) -> impl Iterator<Item = Segment<'_>> {
    let mut next = 2;
    std::iter::from_fn(move || {
        let rest = source.get(next..)?;
        // No stuffed, restart or fill bytes, nor the other markers without a length.
        let is_mark =
            |two: &[u8]| two[0] == 0xFF && !matches!(two[1], 0x00 | 0x01 | 0xD0..=0xD8 | 0xFF);
        let at = next + rest.windows(2).position(is_mark)?;
        let marker = source[at + 1];
        let length = match (marker, source.get(at + 2..at + 4)) {
            (0xD9, _) => 0,
            (_, length) => usize::from(u16::from_be_bytes(length?.try_into().ok()?)).max(2),
        };
        next = at + 2 + length;
        let bytes = &source[at..next.min(source.len())];
        Some(Segment { marker, at, bytes })
    })
}

/// An Adobe segment shorter than this, including its length field, has no usable content.
const ADOBE: usize = 14;

/// The file without the bytes that lie between the segments of its header, and without an Adobe
/// segment that is cut short. Metadata editors leave these bytes; browsers skip them, and the
/// strict decoder does not.
fn between_segments_removed(source: &[u8]) -> Cow<'_, [u8]> {
    let mut kept = vec![source.get(..2).unwrap_or(source)];
    for segment in walk(source) {
        // The pixels, or the end of the file: the rest is not changed.
        if matches!(segment.marker, 0xD9 | 0xDA) {
            if kept.iter().map(|part| part.len()).sum::<usize>() == segment.at {
                break;
            }
            kept.push(&source[segment.at..]);
            return Cow::Owned(kept.concat());
        }
        let is_adobe = segment.marker == 0xEE && segment.body().starts_with(b"Adobe");
        if !is_adobe || segment.bytes.len() >= 2 + ADOBE {
            kept.push(segment.bytes);
        }
    }
    Cow::Borrowed(source)
}

/// So many bytes the decoder reads ahead.
const AHEAD: usize = 16;

/// The decoder takes an end mark that comes too early for the end of the picture, and fills what is
/// missing with grey. Without the mark it has to find the bits of every block, or fail. It reads a
/// few bytes ahead, so some follow that mean nothing.
fn ended(source: &[u8], end: usize, tail: &[u8; AHEAD]) -> Vec<u8> {
    [&source[..end], tail].concat()
}

/// YCC is the complement of the three inks. Where Adobe wrote the file, all four are stored
/// inverted: 0 is full ink.
fn ink_from_ycck(samples: &mut [u8], adobe: bool) {
    for pixel in samples.as_chunks_mut::<4>().0 {
        let [y, cb, cr, k] = pixel.map(f32::from);
        let light = [
            y + 1.402 * (cr - 128.0),
            y - 0.344_136 * (cb - 128.0) - 0.714_136 * (cr - 128.0),
            y + 1.772 * (cb - 128.0),
        ];
        let stored = light.map(|value| 255 - value.round().clamp(0.0, 255.0) as u8);
        let [c, m, y] = stored;
        *pixel = [c, m, y, k as u8];
        if adobe {
            *pixel = pixel.map(|ink| 255 - ink);
        }
    }
}

/// The content of the markers of the file.
#[derive(Default)]
struct Segments {
    /// An Adobe segment: ink is stored inverted.
    adobe: bool,
    progressive: bool,
    /// Marks inside the pixels at which decoding can start again.
    restarts: bool,
    scans: usize,
    /// Of each component, by its number: how many bits of each coefficient its scans have left out.
    left_out: BTreeMap<u8, [u8; 64]>,
    /// Where the end of the picture is marked.
    end: Option<usize>,
    /// That of the first EXIF block: editors leave a second one behind it.
    orientation: Option<Orientation>,
}

impl Segments {
    /// With restarts or further scans the decoder looks for marks itself, the last one too.
    fn may_lose_its_end(&self) -> bool {
        !self.progressive && !self.restarts && self.scans == 1
    }

    /// Whether the scans of a progressive picture bring each coefficient to its last bit.
    fn has_all_scans(&self) -> bool {
        let mut all = self.left_out.values().flatten();
        self.scans > 0 && all.all(|bits| *bits == 0)
    }

    /// `body` is that of the start of a scan: its components, its coefficients and their bits.
    fn add_scan(&mut self, body: &[u8]) {
        let Some((count, rest)) = body.split_first() else {
            return;
        };
        let (components, rest) = rest.split_at(rest.len().min(usize::from(*count) * 2));
        let &[first, last, bits, ..] = rest else {
            return;
        };
        for component in components.chunks_exact(2) {
            let left_out = self.left_out.entry(component[0]).or_insert([u8::MAX; 64]);
            let coefficients = left_out.iter_mut().take(usize::from(last) + 1);
            coefficients
                .skip(usize::from(first))
                .for_each(|left| *left = bits & 15);
        }
    }
}

fn segments(source: &[u8]) -> Segments {
    let mut found = Segments::default();
    for segment in walk(source) {
        let body = segment.body();
        match segment.marker {
            0xC2 => found.progressive = true,
            0xD9 => {
                found.end = Some(segment.at);
                break;
            }
            0xDA => {
                found.scans += 1;
                found.add_scan(body);
            }
            0xDD => found.restarts = true,
            0xE1 if found.orientation.is_none() && body.starts_with(b"Exif\0\0") => {
                found.orientation = Some(orientation(body));
            }
            0xEE => found.adobe |= body.starts_with(b"Adobe"),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ycck_turns_into_the_inks_of_adobe_files() {
        // Neutral white light in Y: the stored inks are 0, which is full ink when inverted.
        let mut pixel = [255, 128, 128, 200];
        ink_from_ycck(&mut pixel, true);
        assert_eq!(pixel, [255, 255, 255, 55]);
        let mut pixel = [0, 128, 128, 255];
        ink_from_ycck(&mut pixel, true);
        assert_eq!(pixel, [0, 0, 0, 0], "white paper");
    }

    #[test]
    fn bytes_between_segments_are_removed_up_to_the_pixels() {
        let comment: &[u8] = &[0xFF, 0xFE, 0, 4, b'a', 0xFF];
        let pixels: &[u8] = &[0xFF, 0xDA, 0, 2, 1, 0xFF, 0x00, 0xFF, 0xD9];
        let clean = [&[0xFF, 0xD8], comment, comment, pixels].concat();
        assert!(matches!(between_segments_removed(&clean), Cow::Borrowed(_)));
        let short_adobe: &[u8] = &[0xFF, 0xEE, 0, 8, b'A', b'd', b'o', b'b', b'e', 0];
        for junk in [
            b"hello",
            &[0xFF, 0x00, 0, 2][..],
            &[0xFF, 0xFF],
            short_adobe,
        ] {
            let file = [&[0xFF, 0xD8], comment, junk, comment, junk, pixels].concat();
            assert_eq!(*between_segments_removed(&file), clean, "{junk:?}");
        }
        for at in 0..clean.len() {
            // A truncated file is left to the decoder.
            between_segments_removed(&clean[..at]);
        }
    }

    #[test]
    fn an_end_mark_inside_a_thumbnail_is_not_the_end() {
        let mut file = vec![0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xD8, 0xFF, 0xD9];
        assert_eq!(segments(&file).end, None);
        file.extend([0xFF, 0xD9]);
        assert_eq!(segments(&file).end, Some(10));
    }
}
