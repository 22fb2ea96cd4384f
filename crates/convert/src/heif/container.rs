//! The container of HEIF, read as far as a still needs it: which items there are, where their bytes
//! lie, and their properties. Boxes are as ISO/IEC 14496-12 has them, and what they say is as ISO/IEC
//! 23008-12 (HEIF) has it.

use image::metadata::Orientation;

use super::super::{ConvertError, SourceFormat};
use super::yuv::Coding;

/// The most items, references, properties or extents that a file may list, and the most properties that its
/// items may have together.
const MAX_LISTED: usize = 4_096;
const MAX_ASSOCIATIONS: usize = 4 * MAX_LISTED;

type Kind = [u8; 4];

/// Reads numbers from the front of bytes; none where they end.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        self.0.split_off(..length)
    }

    /// A number of up to eight bytes; none is 0.
    pub(super) fn number(&mut self, length: usize) -> Option<u64> {
        let add = |number, byte: &u8| number << 8 | u64::from(*byte);
        Some(self.take(length)?.iter().fold(0, add))
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        Some(self.number(1)? as u8)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        Some(self.number(2)? as u16)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(self.number(4)? as u32)
    }

    fn kind(&mut self) -> Option<Kind> {
        Some(self.u32()?.to_be_bytes())
    }

    fn version(&mut self) -> Option<u8> {
        Some((self.u32()? >> 24) as u8)
    }

    /// A number of two bytes in the first versions of a box, and of four in later ones.
    fn short(&mut self, is_first: bool) -> Option<u32> {
        Some(self.number(if is_first { 2 } else { 4 })? as u32)
    }

    /// A number of things that follow.
    fn count(&mut self, is_first: bool) -> Option<u32> {
        let count = self.short(is_first)?;
        (count as usize <= MAX_LISTED).then_some(count)
    }

    /// All boxes of these bytes: their kinds and bodies. The last one may be marked to reach to the end.
    fn boxes(mut self) -> Option<Vec<(Kind, Self)>> {
        let mut boxes = Vec::new();
        while !self.0.is_empty() && boxes.len() < MAX_LISTED {
            let (length, kind) = (self.u32()?, self.kind()?);
            let body = match length {
                0 => self.0.len() as u64,
                1 => self.number(8)?.checked_sub(16)?,
                length => u64::from(length).checked_sub(8)?,
            };
            boxes.push((kind, Self(self.take(usize::try_from(body).ok()?)?)));
        }
        Some(boxes)
    }
}

/// A still as its container has it.
#[derive(Default)]
pub(super) struct Container<'a> {
    source: &'a [u8],
    idat: &'a [u8],
    /// The item that is the picture.
    pub(super) primary: u32,
    kinds: Vec<(u32, Kind)>,
    places: Vec<(u32, Place)>,
    references: Vec<(Kind, u32, Vec<u32>)>,
    properties: Vec<(Kind, Bytes<'a>)>,
    /// Items, and the numbers of their properties, from 1.
    associations: Vec<(u32, usize)>,
}

/// Where the bytes of an item lie.
struct Place {
    in_idat: bool,
    /// Whether they are in another file, or put together by a rule.
    elsewhere: bool,
    /// Starts and lengths; a length of 0 is to the end.
    extents: Vec<(u64, u64)>,
}

/// A picture of several, side by side.
pub(super) struct Grid {
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) size: (u32, u32),
}

impl<'a> Container<'a> {
    /// Reads the boxes around the pixels.
    ///
    /// # Errors
    /// [`ConvertError::Unsupported`] for an animation of AVIF.
    pub(super) fn parse(source: &'a [u8]) -> Result<Self, ConvertError> {
        let cut = || ConvertError::invalid("a box is cut short");
        let boxes = Bytes(source).boxes().ok_or_else(cut)?;
        // An image sequence. Its first frame alone would not be what was sent; of HEIC it is, since phones
        // write bursts so.
        let is_sequence = boxes.iter().any(|(kind, _)| kind == b"moov");
        if is_sequence && SourceFormat::of(source)? == SourceFormat::Avif {
            return Err(ConvertError::Unsupported);
        }
        let meta = boxes.into_iter().find(|(kind, _)| kind == b"meta");
        let (_, meta) = meta.ok_or_else(|| ConvertError::invalid("nothing says what is in it"))?;
        let mut container = Self {
            source,
            ..Self::default()
        };
        container.meta(meta).ok_or_else(cut)?;
        Ok(container)
    }

    fn meta(&mut self, mut meta: Bytes<'a>) -> Option<()> {
        meta.version()?;
        for (kind, mut body) in meta.boxes()? {
            match &kind {
                b"pitm" => {
                    let version = body.version()?;
                    self.primary = body.short(version == 0)?;
                }
                b"iinf" => {
                    let version = body.version()?;
                    body.short(version == 0)?;
                    for (_, mut entry) in body.boxes()? {
                        // Before that, items have no kinds.
                        if let version @ 2.. = entry.version()? {
                            let id = entry.short(version == 2)?;
                            // Whether it is protected; nothing that can be read here is.
                            entry.u16()?;
                            self.kinds.push((id, entry.kind()?));
                        }
                    }
                }
                b"iloc" => self.places(body)?,
                b"iref" => {
                    let version = body.version()?;
                    for (kind, mut entry) in body.boxes()? {
                        let from = entry.short(version == 0)?;
                        let to = (0..entry.u16()?).map(|_| entry.short(version == 0));
                        self.references
                            .push((kind, from, to.collect::<Option<_>>()?));
                    }
                }
                b"iprp" => {
                    for (kind, body) in body.boxes()? {
                        match &kind {
                            b"ipco" => self.properties = body.boxes()?,
                            b"ipma" => self.associations(body)?,
                            _ => {}
                        }
                    }
                }
                b"idat" => self.idat = body.0,
                _ => {}
            }
        }
        Some(())
    }

    fn places(&mut self, mut body: Bytes<'a>) -> Option<()> {
        let version = body.version()?;
        let sizes = body.u16()?;
        let [offset, length, base, index] =
            [12, 8, 4, 0].map(|shift| usize::from(sizes >> shift & 15));
        let index = if version == 0 { 0 } else { index };
        for _ in 0..body.count(version < 2)? {
            let id = body.short(version < 2)?;
            let method = if version == 0 { 0 } else { body.u16()? & 15 };
            // In which file it lies; 0 is this one.
            let elsewhere = body.u16()? != 0 || method > 1;
            let start = body.number(base)?;
            let mut extents = Vec::new();
            for _ in 0..body.count(true)? {
                body.take(index)?;
                let at = start.checked_add(body.number(offset)?)?;
                extents.push((at, body.number(length)?));
            }
            let in_idat = method == 1;
            let place = Place {
                in_idat,
                elsewhere,
                extents,
            };
            self.places.push((id, place));
        }
        Some(())
    }

    fn associations(&mut self, mut body: Bytes<'a>) -> Option<()> {
        let head = body.u32()?;
        for _ in 0..body.u32()? {
            let id = body.short(head >> 24 == 0)?;
            for _ in 0..body.u8()? {
                // The highest bit marks it as essential.
                let number = match head & 1 {
                    0 => u16::from(body.u8()? & 0x7F),
                    _ => body.u16()? & 0x7FFF,
                };
                if self.associations.len() == MAX_ASSOCIATIONS {
                    return None;
                }
                self.associations.push((id, number.into()));
            }
        }
        Some(())
    }

    /// The properties of an item of this kind, in the order in which they are to be done.
    fn about(&self, id: u32, kind: &Kind) -> impl Iterator<Item = Bytes<'a>> {
        let associations = self
            .associations
            .iter()
            .filter(move |(item, _)| *item == id);
        let properties =
            associations.filter_map(|(_, number)| self.properties.get(number.checked_sub(1)?));
        properties.filter_map(move |(is, body)| (is == kind).then_some(*body))
    }

    /// The items that others refer to in this way, or that refer to them.
    fn referred(&self, kind: &Kind, from: u32) -> Option<&[u32]> {
        let mut references = self.references.iter();
        let reference = references.find(|(is, item, _)| is == kind && *item == from)?;
        Some(&reference.2)
    }

    /// The item that is the alpha of another.
    pub(super) fn alpha_of(&self, id: u32) -> Option<u32> {
        const NAMES: [&[u8]; 2] = [
            b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
            b"urn:mpeg:hevc:2015:auxid:1",
        ];
        // Behind a version.
        let is_alpha = |property: Bytes<'_>| {
            let name = property
                .0
                .get(4..)
                .and_then(|name| name.split(|byte| *byte == 0).next());
            name.is_some_and(|name| NAMES.contains(&name))
        };
        let mut references = self.references.iter();
        let alpha = references.find(|(kind, from, to)| {
            kind == b"auxl" && to.contains(&id) && self.about(*from, b"auxC").any(is_alpha)
        })?;
        Some(alpha.1)
    }

    /// Whether the colours are multiplied by the alpha already.
    pub(super) fn is_premultiplied(&self, id: u32) -> bool {
        self.referred(b"prem", id).is_some()
    }

    /// The pictures of a grid, row by row.
    pub(super) fn tiles(&self, id: u32) -> Vec<u32> {
        self.referred(b"dimg", id).unwrap_or_default().to_vec()
    }

    /// The bytes of an item, and its kind: AV1, HEVC, a grid of such.
    pub(super) fn payload(&self, id: u32) -> Result<(Kind, Vec<u8>), ConvertError> {
        let none = || ConvertError::invalid("there is no picture in it");
        let place = self.places.iter().rfind(|(item, _)| *item == id);
        let (_, place) = place.ok_or_else(none)?;
        if place.elsewhere {
            return Err(ConvertError::Unsupported);
        }
        let within = if place.in_idat {
            self.idat
        } else {
            self.source
        };
        let mut payload = Vec::new();
        for &(start, length) in &place.extents {
            let part = usize::try_from(start).ok().and_then(|at| within.get(at..));
            let part = part.and_then(|part| match usize::try_from(length).ok()? {
                0 => Some(part),
                length => part.get(..length),
            });
            payload.extend_from_slice(part.ok_or_else(none)?);
            if payload.len() > self.source.len() {
                return Err(ConvertError::invalid("an item larger than its file"));
            }
        }
        let kind = self.kinds.iter().rfind(|(item, _)| *item == id);
        Ok((kind.map_or([0; 4], |(_, kind)| *kind), payload))
    }

    /// Width and height that are announced for an item.
    pub(super) fn size(&self, id: u32) -> Option<(u32, u32)> {
        let mut body = self.about(id, b"ispe").next()?;
        body.version()?;
        Some((body.u32()?, body.u32()?))
    }

    /// What describes the colours of an item in one of these ways.
    fn colours(&self, id: u32, ways: &[Kind]) -> Option<Bytes<'a>> {
        self.about(id, b"colr").find_map(|mut body| {
            let way = body.kind()?;
            ways.contains(&way).then_some(body)
        })
    }

    /// The ICC profile of an item.
    pub(super) fn profile(&self, id: u32) -> Option<&'a [u8]> {
        Some(self.colours(id, &[*b"prof", *b"rICC"])?.0)
    }

    /// How the samples of an item are coded, by number.
    pub(super) fn coding(&self, id: u32) -> Option<Coding> {
        let mut body = self.colours(id, &[*b"nclx"])?;
        Some(Coding {
            primaries: body.u16()? as u8,
            transfer: body.u16()? as u8,
            matrix: body.u16()? as u8,
            full_range: body.u8()? & 0x80 != 0,
        })
    }

    /// The configuration record of an item that is HEVC.
    pub(super) fn hevc_settings(&self, id: u32) -> Option<&'a [u8]> {
        Some(self.about(id, b"hvcC").next()?.0)
    }

    /// The part of an item of this size that is shown: left, top, width and height in whole pixels.
    pub(super) fn crop(
        &self,
        id: u32,
        (width, height): (u32, u32),
    ) -> Result<Option<[u32; 4]>, ConvertError> {
        let Some(mut body) = self.about(id, b"clap").next() else {
            return Ok(None);
        };
        // Its width and height, and how far its middle lies from that of the whole, each as a fraction;
        // numerators of shifts may be negative.
        let mut times = |factor: i64| {
            let (count, of) = (body.u32()?.cast_signed(), body.u32()?);
            (i64::from(count) * factor).checked_div(i64::from(of))
        };
        let mut numbers = || Some([times(1)?, times(1)?, times(2)?, times(2)?]);
        let side = |whole: u32, size: i64, twice_shift: i64| {
            let size = u32::try_from(size).ok().filter(|&size| size > 0)?;
            // The middle of the whole, less half of the part, plus the shift; rounded down.
            let doubled = i64::from(whole) - i64::from(size) + twice_shift;
            let start = u32::try_from(doubled / 2).ok().filter(|_| doubled >= 0)?;
            (start.checked_add(size)? <= whole).then_some((start, size))
        };
        let place = numbers().and_then(|[columns, rows, right, down]| {
            let (left, width) = side(width, columns, right)?;
            let (top, height) = side(height, rows, down)?;
            Some([left, top, width, height])
        });
        let place = place.ok_or_else(|| ConvertError::invalid("a crop outside"))?;
        Ok(Some(place))
    }

    /// How an item is to be turned: first by quarters against the clock, then mirrored.
    pub(super) fn orientation(&self, id: u32) -> Orientation {
        let last = |kind| self.about(id, kind).last().and_then(|mut body| body.u8());
        let exif = match (
            last(b"irot").unwrap_or(0) & 3,
            last(b"imir").map(|sides| sides & 1),
        ) {
            (0, None) => 1,
            (1, None) => 8,
            (2, None) => 3,
            (_, None) => 6,
            // Left and right change places; else top and bottom do.
            (0, Some(1)) | (2, Some(0)) => 2,
            (0, Some(_)) | (2, Some(_)) => 4,
            (1, Some(0)) | (3, Some(1)) => 5,
            (_, Some(_)) => 7,
        };
        Orientation::from_exif(exif).unwrap_or(Orientation::NoTransforms)
    }
}

impl Grid {
    /// From the payload of an item of the kind `grid`.
    pub(super) fn parse(payload: &[u8]) -> Option<Self> {
        let mut body = Bytes(payload);
        body.u8()?;
        let is_short = body.u8()? & 1 == 0;
        Some(Self {
            rows: u32::from(body.u8()?) + 1,
            columns: u32::from(body.u8()?) + 1,
            size: (body.short(is_short)?, body.short(is_short)?),
        })
    }
}
