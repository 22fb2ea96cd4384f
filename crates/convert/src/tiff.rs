//! TIFF: the `tiff` crate unpacks the samples of the first page, and what they mean is read here, since it
//! knows neither palettes, Lab and Group 3 nor how to make a colour of luma and chroma.

use std::borrow::Cow;
use std::io::Cursor;
use std::ops::Range;

use fax::Color;
use fax::decoder::{decode_g3, pels};
use image::Primitive;
use image::metadata::Orientation;
use moxcms::{ColorProfile, Lab, TransferCharacteristics, Vector3d};
use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use super::colour::{by_icc, of_ink};
use super::still::{Coding, Still, divide_by_alpha, image_of};
use super::{ConvertError, ConvertOptions};

/// The meanings of samples, by the numbers of the tag "PhotometricInterpretation".
const WHITE_IS_ZERO: u16 = 0;
const BLACK_IS_ZERO: u16 = 1;
const RGB: u16 = 2;
const PALETTE: u16 = 3;
const CMYK: u16 = 5;
const YCBCR: u16 = 6;
const CIE_LAB: u16 = 8;
const ICC_LAB: u16 = 9;

/// The compression Group 3, by its number, and the tag with its options.
const GROUP_3: u16 = 3;
const GROUP_3_OPTIONS: Tag = Tag::Unknown(292);

/// The crate's CIE XYZ counts to here where the standard counts to 1.
const XYZ_OF_ONE: f64 = 1.0 + 32_767.0 / 32_768.0;

/// The most samples of a pixel: more have no meaning here.
const MOST_SAMPLES: usize = 8;

impl From<TiffError> for ConvertError {
    fn from(error: TiffError) -> Self {
        match error {
            TiffError::UnsupportedError(_) => Self::Unsupported,
            TiffError::LimitsExceeded => Self::TooLarge,
            other => Self::invalid(other),
        }
    }
}

/// The first page of a file.
struct Page<'a> {
    source: &'a [u8],
    tags: Decoder<Cursor<Cow<'a, [u8]>>>,
    size: (u32, u32),
    bits: u16,
    /// Samples of a pixel.
    each: usize,
    photometric: u16,
}

pub(super) fn decode(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    let mut page = Page::open(source)?;
    limits.check_frame(page.size)?;
    let profile = page.tags.find_tag(Tag::IccProfile).ok().flatten();
    let mut profile = profile.and_then(|profile| by_icc(&profile.into_u8_vec().ok()?));
    let orientation = u8::try_from(page.number(Tag::Orientation).unwrap_or(1));
    let orientation = orientation.ok().and_then(Orientation::from_exif);
    let samples = if page.number(Tag::Compression) == Some(GROUP_3) {
        DecodingResult::U8(page.group_3()?)
    } else {
        page.samples()?
    };
    let mut image = match samples {
        DecodingResult::U8(samples) => {
            let (channels, samples) = page.colours(samples, |unit| (unit * 255.0 + 0.5) as u8)?;
            image_of::<u8>(page.size, channels, samples)?
        }
        DecodingResult::U16(samples) => {
            let (channels, samples) = page.colours(samples, sixteen_bits)?;
            image_of::<u16>(page.size, channels, samples)?
        }
        _ => return Err(ConvertError::Unsupported),
    };
    if page.photometric == CMYK {
        image = of_ink(&image.into_rgba8(), page.size, profile.take())?;
    } else if page.number(Tag::ExtraSamples) == Some(1) {
        divide_by_alpha(&mut image)?;
    }
    Ok(Still {
        image,
        profile,
        orientation: orientation.unwrap_or(Orientation::NoTransforms),
        coding: Coding::Unknown,
    })
}

impl<'a> Page<'a> {
    fn open(source: &'a [u8]) -> Result<Self, ConvertError> {
        let (renamed, photometric) = with_plain_samples(source)
            .ok_or_else(|| ConvertError::invalid("no samples are described"))?;
        let mut tags =
            Decoder::new(Cursor::new(renamed))?.with_limits(tiff::decoder::Limits::unlimited());
        let mut page = Self {
            source,
            size: tags.dimensions()?,
            tags,
            bits: 1,
            each: 1,
            photometric,
        };
        page.bits = page.number(Tag::BitsPerSample).unwrap_or(1);
        page.each = page.number(Tag::SamplesPerPixel).unwrap_or(1).into();
        // The decoder ignores that the bits of each byte are reversed.
        let is_reversed = page.number(Tag::FillOrder) == Some(2);
        if is_reversed || !(1..=MOST_SAMPLES).contains(&page.each) {
            return Err(ConvertError::Unsupported);
        }
        Ok(page)
    }

    fn number(&mut self, tag: Tag) -> Option<u16> {
        let values = self.tags.find_tag_unsigned_vec(tag).ok()??;
        values.first().copied()
    }

    /// All samples, pixel by pixel, each scaled to 8 or 16 bits; those of a palette as they are.
    fn samples(&mut self) -> Result<DecodingResult, ConvertError> {
        use DecodingResult::{F16, F32, F64, I8, I16, U8, U16, U32};

        let mut read = U8(Vec::new());
        let layout = self.tags.read_image_to_buffer(&mut read)?;
        let samples = match read {
            U8(bytes) if self.bits < 8 => {
                U8(self.unpacked(&bytes, layout.row_stride.map_or(1, usize::from)))
            }
            I8(samples) => U8(samples.into_iter().map(i8::cast_unsigned).collect()),
            I16(samples) => U16(samples.into_iter().map(i16::cast_unsigned).collect()),
            U32(samples) => U16(samples.into_iter().map(|v| (v >> 16) as u16).collect()),
            F16(samples) => {
                let samples = samples.into_iter().map(|v| sixteen_bits(v.to_f32()));
                U16(samples.collect())
            }
            F32(samples) => U16(samples.into_iter().map(sixteen_bits).collect()),
            F64(samples) => {
                let samples = samples.into_iter().map(|v| sixteen_bits(v as f32));
                U16(samples.collect())
            }
            samples => samples,
        };
        Ok(match samples {
            U8(samples) => U8(mixed(samples, layout.planes)),
            U16(samples) => U16(mixed(samples, layout.planes)),
            samples => samples,
        })
    }

    /// Samples of 1, 2 or 4 bits, of which each row begins with a byte.
    fn unpacked(&self, bytes: &[u8], row: usize) -> Vec<u8> {
        let count = self.size.0 as usize * self.each;
        let (bits, most) = (usize::from(self.bits), u8::MAX >> (8 - self.bits));
        let scale = if self.photometric == PALETTE {
            1
        } else {
            u8::MAX / most
        };
        let sample = |row: &[u8], at: usize| {
            let place = at * bits;
            let byte = row.get(place / 8).copied().unwrap_or_default();
            (byte >> (8 - bits - place % 8) & most) * scale
        };
        let rows = bytes.chunks_exact(row);
        rows.flat_map(|row| (0..count).map(move |at| sample(row, at)))
            .collect()
    }

    /// The pixels of Group 3, one-dimensional: 0 is white.
    fn group_3(&mut self) -> Result<Vec<u8>, ConvertError> {
        if self.number(GROUP_3_OPTIONS).unwrap_or(0) & 1 == 1 {
            return Err(ConvertError::Unsupported);
        }
        let (columns, rows) = self.size;
        let width = u16::try_from(columns).map_err(|_| ConvertError::TooLarge)?;
        let whole = columns as usize * rows as usize;
        let starts = self.tags.get_tag_u64_vec(Tag::StripOffsets)?;
        let lengths = self.tags.get_tag_u64_vec(Tag::StripByteCounts)?;
        let strip = self.number(Tag::RowsPerStrip).map_or(rows, u32::from);
        let mut pixels = Vec::with_capacity(whole);
        for (number, (start, length)) in (1..).zip(starts.into_iter().zip(lengths)) {
            let bytes = usize::try_from(start)
                .ok()
                .and_then(|start| self.source.get(start..));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let bytes = bytes.and_then(|rest| rest.get(..length));
            let bytes = bytes.ok_or_else(|| ConvertError::invalid("a strip is cut short"))?;
            let end = whole.min(strip as usize * number * columns as usize);
            // What it answers at the end says nothing: files leave out the mark of the end.
            let _ = decode_g3(bytes.iter().copied(), |changes| {
                if pixels.len() < end {
                    let row = pels(changes, width);
                    pixels
                        .extend(row.map(|colour| if colour == Color::White { 0 } else { u8::MAX }));
                }
            });
        }
        if pixels.len() != whole {
            return Err(ConvertError::invalid("rows are missing"));
        }
        Ok(pixels)
    }

    /// What the samples mean: channels of a pixel and all their samples, which for ink are those of the file.
    /// `stored` makes a sample of a number from 0 to 1.
    fn colours<T: Primitive + Into<f32> + Into<usize>>(
        &mut self,
        mut samples: Vec<T>,
        stored: impl Fn(f32) -> T + Copy,
    ) -> Result<(usize, Vec<T>), ConvertError> {
        let (each, most) = (self.each, T::DEFAULT_MAX_VALUE);
        let unit = |sample: T| Into::<f32>::into(sample) / Into::<f32>::into(most);
        let alpha = self.number(Tag::ExtraSamples);
        Ok(match (self.photometric, each) {
            (WHITE_IS_ZERO | BLACK_IS_ZERO, 1..) => {
                if self.photometric == WHITE_IS_ZERO {
                    let greys = samples.iter_mut().step_by(each);
                    greys.for_each(|grey| *grey = most - *grey);
                }
                let channels = if each > 1 && matches!(alpha, Some(1 | 2)) {
                    2
                } else {
                    1
                };
                (channels, kept(samples, each, channels)?)
            }
            (RGB, 3..) => (each.min(4), kept(samples, each, each.min(4))?),
            (CMYK, _) => (4, kept(samples, each, 4)?),
            (PALETTE, 1..) => {
                let colours = self.tags.get_tag_u16_vec(Tag::ColorMap)?;
                let count = colours.len() / 3;
                // Some writers store colours of 8 bits there.
                let is_narrow = colours.iter().all(|&value| value < 256);
                let brightest = if is_narrow { 255.0 } else { 65_535.0 };
                let chosen = samples.iter().step_by(each).flat_map(|&index| {
                    let index = Into::<usize>::into(index).min(count.saturating_sub(1));
                    [0, 1, 2].map(|colour| {
                        let value = colours.get(colour * count + index);
                        stored(f32::from(value.copied().unwrap_or_default()) / brightest)
                    })
                });
                (3, chosen.collect())
            }
            (YCBCR, 3..) => {
                let half = 128.0 / 255.0;
                let rgb = samples.chunks_exact(each).flat_map(|pixel| {
                    let (y, cb, cr) =
                        (unit(pixel[0]), unit(pixel[1]) - half, unit(pixel[2]) - half);
                    [
                        y + 1.402 * cr,
                        y - 0.344_136 * cb - 0.714_136 * cr,
                        y + 1.772 * cb,
                    ]
                    .map(stored)
                });
                (3, rgb.collect())
            }
            (CIE_LAB | ICC_LAB, 3..) => {
                let is_signed = self.photometric == CIE_LAB;
                let axis = |sample: T| {
                    // From -128 to 127, whatever the width.
                    let value = unit(sample) * 255.0;
                    match is_signed {
                        true if value >= 128.0 => value - 256.0,
                        true => value,
                        false => value - 128.0,
                    }
                };
                let to_rgb = ColorProfile::new_srgb().rgb_to_xyz_matrix().inverse();
                let rgb = samples.chunks_exact(each).flat_map(|pixel| {
                    let lab = Lab::new(unit(pixel[0]) * 100.0, axis(pixel[1]), axis(pixel[2]));
                    let xyz = lab.to_xyz().to_xyzd();
                    let light = [xyz.x, xyz.y, xyz.z].map(|part| part * XYZ_OF_ONE);
                    let light = to_rgb.mul_vector(Vector3d { v: light });
                    let encoded = |light| TransferCharacteristics::Srgb.gamma(light) as f32;
                    light.v.map(|light| stored(encoded(light)))
                });
                (3, rgb.collect())
            }
            _ => return Err(ConvertError::Unsupported),
        })
    }
}

/// The sample of a number from 0 to 1; what is beyond is cut off, as the conversion stops at both ends.
fn sixteen_bits(unit: f32) -> u16 {
    (unit * 65_535.0 + 0.5) as u16
}

/// Pixel by pixel what lies in planes one behind the other.
fn mixed<T: Copy>(samples: Vec<T>, planes: usize) -> Vec<T> {
    if planes <= 1 {
        return samples;
    }
    let plane = samples.len() / planes;
    let pixels = (0..plane).flat_map(|at| (at..samples.len()).step_by(plane));
    pixels.map(|at| samples[at]).collect()
}

/// The first `count` of each `each` samples.
fn kept<T: Copy>(samples: Vec<T>, each: usize, count: usize) -> Result<Vec<T>, ConvertError> {
    if each == count {
        return Ok(samples);
    }
    if each < count {
        return Err(ConvertError::Unsupported);
    }
    let pixels = samples.chunks_exact(each);
    Ok(pixels.flat_map(|pixel| &pixel[..count]).copied().collect())
}

/// By the first bytes of a file: where it says where its list of tags is, and how the entry of
/// "PhotometricInterpretation" begins there, which is one short number.
const LISTS: [(&[u8], Range<usize>, &[u8]); 4] = [
    (b"II*\0", 4..8, b"\x06\x01\x03\0\x01\0\0\0"),
    (b"MM\0*", 4..8, b"\x01\x06\0\x03\0\0\0\x01"),
    (b"II+\0", 8..16, b"\x06\x01\x03\0\x01\0\0\0\0\0\0\0"),
    (b"MM\0+", 8..16, b"\x01\x06\0\x03\0\0\0\0\0\0\0\x01"),
];

/// The file with its samples called plain where the decoder would refuse to unpack what they are called, and
/// what they are called.
fn with_plain_samples(source: &[u8]) -> Option<(Cow<'_, [u8]>, u16)> {
    let mut lists = LISTS.iter();
    let (magic, list, entry) = lists.find(|(magic, ..)| source.starts_with(magic))?;
    let is_little = magic[0] == b'I';
    let list = source.get(list.clone())?;
    let add = |number: usize, byte: &u8| number << 8 | usize::from(*byte);
    let list = if is_little {
        list.iter().rev().fold(0, add)
    } else {
        list.iter().fold(0, add)
    };
    let mut places = source.get(list..)?.windows(entry.len());
    let value = list + places.position(|place| place == *entry)? + entry.len();
    let low = value + usize::from(!is_little);
    let photometric = u16::from(*source.get(low)?);
    if !matches!(photometric, WHITE_IS_ZERO | PALETTE | CIE_LAB | ICC_LAB) {
        return Some((Cow::Borrowed(source), photometric));
    }
    let mut renamed = source.to_vec();
    renamed[low] = BLACK_IS_ZERO as u8;
    Some((Cow::Owned(renamed), photometric))
}
