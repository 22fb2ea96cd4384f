//! TIFF: the `tiff` crate unpacks the samples of the first page, and what they mean is read here, since it
//! knows neither palettes, Lab and Group 3 nor how to make a colour of luma and chroma.

use std::borrow::Cow;
use std::io::Cursor;

use fax::Color;
use fax::decoder::{decode_g3, pels};
use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use super::ConvertError;
use super::limits::Limits;
use super::orientation::Orientation;
use super::picture::{Channels, Coding, Raster, Samples};
use super::space::Space;
use super::still::Still;

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

/// The most samples of a pixel: more have no meaning here.
const MOST_SAMPLES: u16 = 8;

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
    width: u32,
    height: u32,
    bits: u16,
    photometric: u16,
}

pub(super) fn decode(source: &[u8], limits: &Limits) -> Result<Still, ConvertError> {
    let mut page = Page::open(source)?;
    limits.check_frame(page.width, page.height)?;
    let profile = page.tags.find_tag(Tag::IccProfile).ok().flatten();
    let profile = profile.and_then(|profile| profile.into_u8_vec().ok());
    let orientation = page.number(Tag::Orientation).unwrap_or(1);
    let (channels, mut samples) = page.pixels()?;
    // Alpha that colours are multiplied by already.
    if channels.has_alpha() && page.number(Tag::ExtraSamples) == Some(1) {
        samples.divide_by_alpha(channels);
    }
    Ok(Still {
        raster: Raster {
            width: page.width,
            height: page.height,
            channels,
            samples,
        },
        space: profile.map_or(Space::Srgb, Space::Icc),
        orientation: u8::try_from(orientation)
            .ok()
            .and_then(Orientation::from_exif)
            .unwrap_or(Orientation::NoTransforms),
        coding: Coding::Unknown,
    })
}

impl<'a> Page<'a> {
    fn open(source: &'a [u8]) -> Result<Self, ConvertError> {
        let (renamed, photometric) = with_plain_samples(source)?;
        let mut tags =
            Decoder::new(Cursor::new(renamed))?.with_limits(tiff::decoder::Limits::unlimited());
        let (width, height) = tags.dimensions()?;
        let mut page = Self {
            source,
            tags,
            width,
            height,
            bits: 1,
            photometric,
        };
        page.bits = page.number(Tag::BitsPerSample).unwrap_or(1);
        // The decoder ignores that the bits of each byte are reversed.
        let is_reversed = page.number(Tag::FillOrder) == Some(2);
        let samples = page.number(Tag::SamplesPerPixel).unwrap_or(1);
        if is_reversed || samples > MOST_SAMPLES {
            return Err(ConvertError::Unsupported);
        }
        Ok(page)
    }

    fn number(&mut self, tag: Tag) -> Option<u16> {
        let values = self.tags.find_tag_unsigned_vec(tag).ok()??;
        values.first().copied()
    }

    fn pixels(&mut self) -> Result<(Channels, Samples), ConvertError> {
        let pixels = self.width as usize * self.height as usize;
        let samples = if self.number(Tag::Compression) == Some(GROUP_3) {
            Samples::Eight(self.group_3()?)
        } else {
            self.samples()?
        };
        Ok(match samples {
            Samples::Eight(samples) => {
                let (channels, samples) = self.meaning(samples, pixels, u8::MAX)?;
                (channels, Samples::Eight(samples))
            }
            Samples::Sixteen(samples) => {
                let (channels, samples) = self.meaning(samples, pixels, u16::MAX)?;
                (channels, Samples::Sixteen(samples))
            }
        })
    }

    /// All samples, pixel by pixel, each scaled to 8 or 16 bits; those of a palette as they are.
    fn samples(&mut self) -> Result<Samples, ConvertError> {
        let mut read = DecodingResult::U8(Vec::new());
        let layout = self.tags.read_image_to_buffer(&mut read)?;
        let samples = match read {
            DecodingResult::U8(bytes) if self.bits < 8 => {
                let row = layout.row_stride.map_or(1, usize::from);
                Samples::Eight(self.unpacked(&bytes, row))
            }
            DecodingResult::U8(samples) => Samples::Eight(samples),
            DecodingResult::I8(samples) => {
                Samples::Eight(samples.into_iter().map(i8::cast_unsigned).collect())
            }
            DecodingResult::U16(samples) => Samples::Sixteen(samples),
            DecodingResult::I16(samples) => {
                Samples::Sixteen(samples.into_iter().map(i16::cast_unsigned).collect())
            }
            DecodingResult::U32(samples) => {
                Samples::Sixteen(samples.into_iter().map(|v| (v >> 16) as u16).collect())
            }
            // 0 to 1; what is beyond is cut off.
            DecodingResult::F16(samples) => floats(samples.into_iter().map(|v| v.to_f32())),
            DecodingResult::F32(samples) => floats(samples.into_iter()),
            DecodingResult::F64(samples) => floats(samples.into_iter().map(|v| v as f32)),
            _ => return Err(ConvertError::Unsupported),
        };
        Ok(match samples {
            Samples::Eight(samples) => Samples::Eight(mingled(samples, layout.planes)),
            Samples::Sixteen(samples) => Samples::Sixteen(mingled(samples, layout.planes)),
        })
    }

    /// Samples of 1, 2 or 4 bits, of which each row begins with a byte.
    fn unpacked(&mut self, bytes: &[u8], row: usize) -> Vec<u8> {
        let each = self.number(Tag::SamplesPerPixel).unwrap_or(1);
        let count = self.width as usize * usize::from(each);
        let (bits, most) = (usize::from(self.bits), (1_u16 << self.bits) - 1);
        let scale = if self.photometric == PALETTE {
            1
        } else {
            255 / most
        };
        let sample = |row: &[u8], at: usize| {
            let place = at * bits;
            let byte = row.get(place / 8).copied().unwrap_or_default();
            let value = u16::from(byte) >> (8 - bits - place % 8) & most;
            (value * scale) as u8
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
        let width = u16::try_from(self.width).map_err(|_| ConvertError::TooLarge)?;
        let whole = self.width as usize * self.height as usize;
        let starts = self.tags.get_tag_u64_vec(Tag::StripOffsets)?;
        let lengths = self.tags.get_tag_u64_vec(Tag::StripByteCounts)?;
        let strip = self
            .number(Tag::RowsPerStrip)
            .map_or(self.height, u32::from);
        let mut pixels = Vec::with_capacity(whole);
        for (number, (start, length)) in (1..).zip(starts.into_iter().zip(lengths)) {
            let bytes = usize::try_from(start)
                .ok()
                .and_then(|start| self.source.get(start..));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let bytes = bytes.and_then(|rest| rest.get(..length));
            let bytes = bytes.ok_or_else(|| ConvertError::invalid("a strip is cut short"))?;
            let end = whole.min(strip as usize * number * self.width as usize);
            // What it answers at the end says nothing: files leave out the mark of the end.
            let _ = decode_g3(bytes.iter().copied(), |changes| {
                if pixels.len() < end {
                    let row = pels(changes, width);
                    pixels.extend(row.map(|colour| if colour == Color::White { 0 } else { 255 }));
                }
            });
        }
        if pixels.len() != whole {
            return Err(ConvertError::invalid("rows are missing"));
        }
        Ok(pixels)
    }

    /// The samples as colours, `full` being the largest of them.
    fn meaning<Sample>(
        &mut self,
        mut samples: Vec<Sample>,
        pixels: usize,
        full: Sample,
    ) -> Result<(Channels, Vec<Sample>), ConvertError>
    where
        Sample: Copy + Into<u32> + TryFrom<u32>,
    {
        let each = samples.len() / pixels.max(1);
        let scale = full.into() as f32;
        let unit = |sample: Sample| sample.into() as f32 / scale;
        let stored = |value: f32| {
            Sample::try_from((value.clamp(0.0, 1.0) * scale + 0.5) as u32).unwrap_or(full)
        };
        let has_alpha =
            |colours: usize, number: Option<u16>| each > colours && matches!(number, Some(1 | 2));
        let extra = self.number(Tag::ExtraSamples);
        match (self.photometric, each) {
            (WHITE_IS_ZERO | BLACK_IS_ZERO, 1..) => {
                if self.photometric == WHITE_IS_ZERO {
                    for grey in samples.iter_mut().step_by(each) {
                        *grey = Sample::try_from(full.into() - (*grey).into()).unwrap_or(full);
                    }
                }
                Ok(if has_alpha(1, extra) {
                    (Channels::GreyAlpha, kept(samples, each, 2))
                } else {
                    (Channels::Grey, kept(samples, each, 1))
                })
            }
            (RGB, 3..) => Ok(if each >= 4 {
                (Channels::Rgba, kept(samples, each, 4))
            } else {
                (Channels::Rgb, samples)
            }),
            (CMYK, 4..) => Ok((Channels::Cmyk, kept(samples, each, 4))),
            (PALETTE, 1..) => {
                let colours = self.tags.get_tag_u16_vec(Tag::ColorMap)?;
                let count = colours.len() / 3;
                // Some writers store colours of 8 bits there.
                let most = if colours.iter().all(|&value| value < 256) {
                    255.0
                } else {
                    65_535.0
                };
                let chosen = samples.iter().step_by(each).flat_map(|&index| {
                    let index = (index.into() as usize).min(count.saturating_sub(1));
                    [0, 1, 2].map(|colour| {
                        let value = colours.get(colour * count + index);
                        stored(f32::from(value.copied().unwrap_or_default()) / most)
                    })
                });
                Ok((Channels::Rgb, chosen.collect()))
            }
            (YCBCR, 3..) => {
                let half = full.into().div_ceil(2) as f32 / scale;
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
                Ok((Channels::Rgb, rgb.collect()))
            }
            (CIE_LAB | ICC_LAB, 3..) => {
                let is_signed = self.photometric == CIE_LAB;
                let axis = |sample: Sample| {
                    // From -128 to 127, whatever the width.
                    let value = unit(sample) * 255.0;
                    match is_signed {
                        true if value >= 128.0 => value - 256.0,
                        true => value,
                        false => value - 128.0,
                    }
                };
                let rgb = samples.chunks_exact(each).flat_map(|pixel| {
                    lab(unit(pixel[0]) * 100.0, axis(pixel[1]), axis(pixel[2])).map(stored)
                });
                Ok((Channels::Rgb, rgb.collect()))
            }
            _ => Err(ConvertError::Unsupported),
        }
    }
}

fn floats(samples: impl Iterator<Item = f32>) -> Samples {
    // The conversion to integers stops at both ends.
    Samples::Sixteen(
        samples
            .map(|value| (value * 65_535.0 + 0.5) as u16)
            .collect(),
    )
}

/// Planes that lie one behind the other, pixel by pixel.
fn mingled<Sample: Copy>(samples: Vec<Sample>, planes: usize) -> Vec<Sample> {
    if planes <= 1 {
        return samples;
    }
    let each = samples.len() / planes;
    let pixels = (0..each).flat_map(|at| (0..planes).map(move |plane| plane * each + at));
    pixels.map(|at| samples[at]).collect()
}

/// The first `count` of each `each` samples.
fn kept<Sample: Copy>(samples: Vec<Sample>, each: usize, count: usize) -> Vec<Sample> {
    if each == count {
        return samples;
    }
    let pixels = samples.chunks_exact(each);
    pixels.flat_map(|pixel| &pixel[..count]).copied().collect()
}

/// CIE L*a*b* under the light D50, as sRGB.
fn lab(l: f32, a: f32, b: f32) -> [f32; 3] {
    let y = (l + 16.0) / 116.0;
    let linear = |f: f32| {
        if f > 6.0 / 29.0 {
            f * f * f
        } else {
            (f - 4.0 / 29.0) * 108.0 / 841.0
        }
    };
    let [x, y, z] = [
        0.964_22 * linear(y + a / 500.0),
        linear(y),
        0.825_21 * linear(y - b / 200.0),
    ];
    // With the adaptation to D65 by Bradford.
    let light = [
        3.133_856 * x - 1.616_866_7 * y - 0.490_614_6 * z,
        -0.978_768_4 * x + 1.916_141_5 * y + 0.033_454 * z,
        0.071_945_3 * x - 0.228_991_4 * y + 1.405_242_7 * z,
    ];
    light.map(|light| {
        if light <= 0.003_130_8 {
            light * 12.92
        } else {
            1.055 * light.powf(1.0 / 2.4) - 0.055
        }
    })
}

/// The file with its samples called plain where the decoder would refuse to unpack what they are called, and
/// what they are called.
fn with_plain_samples(source: &[u8]) -> Result<(Cow<'_, [u8]>, u16), ConvertError> {
    const PHOTOMETRIC: u64 = 262;
    let cut = || ConvertError::invalid("the file ends in its header");
    let little = source.starts_with(b"II");
    let big = source.get(2) == Some(&43) || source.get(3) == Some(&43);
    let number = |at: usize, length: usize| {
        let bytes = source
            .get(at..)
            .and_then(|rest| rest.get(..length))
            .ok_or_else(cut)?;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Ok::<_, ConvertError>(if little {
            bytes.iter().rev().fold(0, add)
        } else {
            bytes.iter().fold(0, add)
        })
    };
    let (list, count_length, entry, value) = if big {
        (number(8, 8)?, 8, 20, 12)
    } else {
        (number(4, 4)?, 2, 12, 8)
    };
    let list = usize::try_from(list).map_err(|_| cut())?;
    let first = list.checked_add(count_length).ok_or_else(cut)?;
    for index in 0..number(list, count_length)?.min(4_096) as usize {
        let at = first.checked_add(index * entry).ok_or_else(cut)?;
        if number(at, 2)? != PHOTOMETRIC {
            continue;
        }
        let at = at + value;
        let photometric = number(at, 2)? as u16;
        if !matches!(photometric, WHITE_IS_ZERO | PALETTE | CIE_LAB | ICC_LAB) {
            return Ok((Cow::Borrowed(source), photometric));
        }
        let mut renamed = source.to_vec();
        renamed[at + usize::from(!little)] = BLACK_IS_ZERO as u8;
        renamed[at + usize::from(little)] = 0;
        return Ok((Cow::Owned(renamed), photometric));
    }
    Err(ConvertError::Unsupported)
}
