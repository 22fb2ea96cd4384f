//! The boxes of HEIF: one inside the other, as ISO/IEC 14496-12 has them, and what some of them
//! say, as ISO/IEC 23008-12 (HEIF) has it.

use super::super::ConvertError;
use super::yuv::Coding;

/// The most items, properties or extents that a file may list.
pub(super) const MAX_LISTED: usize = 4096;

/// The properties of an item that matter here.
#[derive(Clone, Copy)]
pub(super) enum Property<'a> {
    Size(u32, u32),
    Coding(Coding),
    Profile(&'a [u8]),
    /// The configuration record of HEVC.
    Hevc(&'a [u8]),
    Crop(Crop),
    /// Quarter turns against the clock.
    Turn(u8),
    /// Whether left and right change places; else top and bottom do.
    Mirror(bool),
    IsAlpha,
    Other,
}

/// The part that is shown: its width and height, and how far its middle lies from that of the whole, each
/// as a fraction.
#[derive(Clone, Copy)]
pub(super) struct Crop([(i64, i64); 4]);

impl Crop {
    /// Left, top, width and height in whole pixels of a picture of this size.
    pub(super) fn place(self, (width, height): (u32, u32)) -> Option<(u32, u32, u32, u32)> {
        let [crop_width, crop_height, right, down] = self.0;
        let side = |whole: u32, (count, of): (i64, i64), (shift, shift_of): (i64, i64)| {
            if of <= 0 || shift_of <= 0 {
                return None;
            }
            let size = u32::try_from(count / of).ok().filter(|&size| size > 0)?;
            // The middle of the whole, less half of the part, plus the shift; rounded down.
            let doubled = i64::from(whole) - i64::from(size) + 2 * shift / shift_of;
            let start = u32::try_from(doubled / 2).ok().filter(|_| doubled >= 0)?;
            (start.checked_add(size)? <= whole).then_some((start, size))
        };
        let (left, width) = side(width, crop_width, right)?;
        let (top, height) = side(height, crop_height, down)?;
        Some((left, top, width, height))
    }
}

/// A picture of several, side by side.
pub(super) struct Grid {
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

pub(super) fn cut() -> ConvertError {
    ConvertError::invalid("a box is cut short")
}

/// Reads numbers from the front of bytes.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], ConvertError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of up to eight bytes; none is 0.
    pub(super) fn number(&mut self, length: usize) -> Result<u64, ConvertError> {
        let bytes = self.take(length)?;
        Ok(bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    pub(super) fn u8(&mut self) -> Result<u8, ConvertError> {
        Ok(self.number(1)? as u8)
    }

    pub(super) fn u16(&mut self) -> Result<u16, ConvertError> {
        Ok(self.number(2)? as u16)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ConvertError> {
        Ok(self.number(4)? as u32)
    }

    pub(super) fn kind(&mut self) -> Result<[u8; 4], ConvertError> {
        Ok(self.u32()?.to_be_bytes())
    }

    /// Version and flags.
    pub(super) fn version(&mut self) -> Result<(u8, u32), ConvertError> {
        let both = self.u32()?;
        Ok(((both >> 24) as u8, both & 0x00FF_FFFF))
    }

    /// The next box: its kind and its body. The last one may be marked to reach to the end.
    pub(super) fn next_box(&mut self) -> Result<Option<([u8; 4], Bytes<'a>)>, ConvertError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let (length, kind) = (self.u32()?, self.kind()?);
        let body = match length {
            0 => self.0.len() as u64,
            1 => self.number(8)?.checked_sub(16).ok_or_else(cut)?,
            length => u64::from(length).checked_sub(8).ok_or_else(cut)?,
        };
        let body = usize::try_from(body).map_err(|_| cut())?;
        Ok(Some((kind, Bytes(self.take(body)?))))
    }

    /// A number of the entries that follow.
    pub(super) fn count(&mut self, length: usize) -> Result<usize, ConvertError> {
        let count = self.number(length)? as usize;
        if count > MAX_LISTED {
            return Err(ConvertError::invalid("too much is listed"));
        }
        Ok(count)
    }
}

/// The content of a property.
pub(super) fn property<'a>(
    kind: [u8; 4],
    mut body: Bytes<'a>,
) -> Result<Property<'a>, ConvertError> {
    Ok(match &kind {
        b"ispe" => {
            body.version()?;
            Property::Size(body.u32()?, body.u32()?)
        }
        b"colr" => match &body.kind()? {
            b"nclx" => Property::Coding(Coding {
                primaries: body.u16()? as u8,
                transfer: body.u16()? as u8,
                matrix: body.u16()? as u8,
                full_range: body.u8()? & 0x80 != 0,
            }),
            b"prof" | b"rICC" => Property::Profile(body.0),
            _ => Property::Other,
        },
        b"irot" => Property::Turn(body.u8()? & 3),
        b"imir" => Property::Mirror(body.u8()? & 1 == 1),
        b"auxC" => {
            body.version()?;
            let name = body.0.split(|byte| *byte == 0).next().unwrap_or_default();
            let alpha: [&[u8]; 2] = [
                b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
                b"urn:mpeg:hevc:2015:auxid:1",
            ];
            if alpha.contains(&name) {
                Property::IsAlpha
            } else {
                Property::Other
            }
        }
        b"hvcC" => Property::Hevc(body.0),
        b"clap" => {
            // Numerators of shifts may be negative.
            let mut fraction = || {
                let (count, of) = (body.u32()?, body.u32()?);
                Ok::<_, ConvertError>((i64::from(count.cast_signed()), i64::from(of)))
            };
            Property::Crop(Crop([fraction()?, fraction()?, fraction()?, fraction()?]))
        }
        _ => Property::Other,
    })
}

impl Grid {
    /// From the payload of an item of the kind `grid`.
    pub(super) fn parse(payload: &[u8]) -> Result<Self, ConvertError> {
        let mut body = Bytes(payload);
        body.u8()?;
        let length = if body.u8()? & 1 == 0 { 2 } else { 4 };
        let (rows, columns) = (u32::from(body.u8()?) + 1, u32::from(body.u8()?) + 1);
        Ok(Self {
            rows,
            columns,
            width: body.number(length)? as u32,
            height: body.number(length)? as u32,
        })
    }
}
