//! The container of HEIF, read as far as a still needs it: which items there are, where their bytes
//! lie, and their properties.

use super::super::orientation::Orientation;
use super::super::{ConvertError, SourceFormat};
use super::boxes::{Bytes, Crop, MAX_LISTED, Property, cut, property};
use super::yuv::Coding;

/// A still as its container has it.
pub(super) struct Container<'a> {
    source: &'a [u8],
    idat: &'a [u8],
    primary: u32,
    items: Vec<Item>,
    references: Vec<Reference>,
    properties: Vec<Property<'a>>,
    associations: Vec<(u32, Vec<usize>)>,
}

struct Item {
    id: u32,
    kind: [u8; 4],
    in_idat: bool,
    /// Places and lengths; a length of 0 is to the end.
    extents: Vec<(u64, u64)>,
}

struct Reference {
    kind: [u8; 4],
    from: u32,
    to: Vec<u32>,
}

impl<'a> Container<'a> {
    /// Reads the boxes around the pixels.
    ///
    /// # Errors
    /// [`ConvertError::Unsupported`] for an animation of AVIF.
    pub(super) fn parse(source: &'a [u8]) -> Result<Self, ConvertError> {
        let mut container = Self {
            source,
            idat: &[],
            primary: 0,
            items: Vec::new(),
            references: Vec::new(),
            properties: Vec::new(),
            associations: Vec::new(),
        };
        let (mut boxes, mut described) = (Bytes(source), false);
        let is_avif = SourceFormat::of(source)? == SourceFormat::Avif;
        while let Some((kind, body)) = boxes.next_box()? {
            match &kind {
                b"meta" if !described => {
                    described = true;
                    container.meta(body)?;
                }
                // An image sequence. Its first frame alone would not be what was sent; of HEIC it is, since
                // phones write bursts so.
                b"moov" if is_avif => return Err(ConvertError::Unsupported),
                _ => {}
            }
        }
        if !described {
            return Err(ConvertError::invalid("nothing says what is in it"));
        }
        Ok(container)
    }

    fn meta(&mut self, mut body: Bytes<'a>) -> Result<(), ConvertError> {
        body.version()?;
        while let Some((kind, mut body)) = body.next_box()? {
            match &kind {
                b"pitm" => {
                    let (version, _) = body.version()?;
                    self.primary = body.number(if version == 0 { 2 } else { 4 })? as u32;
                }
                b"iinf" => self.item_kinds(body)?,
                b"iloc" => self.item_places(body)?,
                b"iref" => self.item_references(body)?,
                b"iprp" => self.item_properties(body)?,
                b"idat" => self.idat = body.0,
                _ => {}
            }
        }
        Ok(())
    }

    fn item(&mut self, id: u32) -> Result<&mut Item, ConvertError> {
        if let Some(at) = self.items.iter().position(|item| item.id == id) {
            return Ok(&mut self.items[at]);
        }
        if self.items.len() == MAX_LISTED {
            return Err(ConvertError::invalid("too many items"));
        }
        self.items.push(Item {
            id,
            kind: [0; 4],
            in_idat: false,
            extents: Vec::new(),
        });
        let last = self.items.len() - 1;
        Ok(&mut self.items[last])
    }

    fn item_kinds(&mut self, mut body: Bytes<'a>) -> Result<(), ConvertError> {
        let (version, _) = body.version()?;
        body.count(if version == 0 { 2 } else { 4 })?;
        while let Some((kind, mut entry)) = body.next_box()? {
            let (version, _) = if kind == *b"infe" {
                entry.version()?
            } else {
                continue;
            };
            if version < 2 {
                continue;
            }
            let id = entry.number(if version == 2 { 2 } else { 4 })? as u32;
            // Whether it is protected; nothing that can be read here is.
            entry.u16()?;
            self.item(id)?.kind = entry.kind()?;
        }
        Ok(())
    }

    fn item_places(&mut self, mut body: Bytes<'a>) -> Result<(), ConvertError> {
        let (version, _) = body.version()?;
        let sizes = body.u16()?;
        let size = |shift: u32| usize::from(sizes >> shift & 15);
        let (offset, length, base) = (size(12), size(8), size(4));
        let index = if version == 0 { 0 } else { size(0) };
        if [offset, length, base, index].iter().any(|size| *size > 8) {
            return Err(ConvertError::invalid("numbers too long"));
        }
        for _ in 0..body.count(if version < 2 { 2 } else { 4 })? {
            let id = body.number(if version < 2 { 2 } else { 4 })? as u32;
            let method = if version == 0 { 0 } else { body.u16()? & 15 };
            // In which file it lies; 0 is this one.
            let elsewhere = body.u16()? != 0;
            let start = body.number(base)?;
            let mut extents = Vec::new();
            for _ in 0..body.count(2)? {
                body.take(index)?;
                let at = start.checked_add(body.number(offset)?).ok_or_else(cut)?;
                extents.push((at, body.number(length)?));
            }
            if elsewhere || method > 1 {
                return Err(ConvertError::Unsupported);
            }
            let item = self.item(id)?;
            (item.in_idat, item.extents) = (method == 1, extents);
        }
        Ok(())
    }

    fn item_references(&mut self, mut body: Bytes<'a>) -> Result<(), ConvertError> {
        let (version, _) = body.version()?;
        let length = if version == 0 { 2 } else { 4 };
        while let Some((kind, mut entry)) = body.next_box()? {
            let from = entry.number(length)? as u32;
            let count = entry.count(2)?;
            let to = (0..count).map(|_| entry.number(length).map(|id| id as u32));
            let to = to.collect::<Result<_, _>>()?;
            if self.references.len() == MAX_LISTED {
                return Err(ConvertError::invalid("too many references"));
            }
            self.references.push(Reference { kind, from, to });
        }
        Ok(())
    }

    fn item_properties(&mut self, mut body: Bytes<'a>) -> Result<(), ConvertError> {
        while let Some((kind, mut body)) = body.next_box()? {
            if kind == *b"ipco" {
                while let Some((kind, body)) = body.next_box()? {
                    if self.properties.len() == MAX_LISTED {
                        return Err(ConvertError::invalid("too many properties"));
                    }
                    self.properties.push(property(kind, body)?);
                }
            } else if kind == *b"ipma" {
                let (version, flags) = body.version()?;
                for _ in 0..body.count(4)? {
                    let id = body.number(if version == 0 { 2 } else { 4 })? as u32;
                    let count = body.count(1)?;
                    let mut about = Vec::with_capacity(count);
                    for _ in 0..count {
                        // The highest bit marks it as essential; the rest counts from 1.
                        let index = if flags & 1 == 0 {
                            usize::from(body.u8()? & 0x7F)
                        } else {
                            usize::from(body.u16()? & 0x7FFF)
                        };
                        about.push(index);
                    }
                    self.associations.push((id, about));
                }
            }
        }
        Ok(())
    }

    /// The properties of an item, in the order in which it is to be done.
    fn about(&self, id: u32) -> impl Iterator<Item = Property<'a>> {
        let lists = self
            .associations
            .iter()
            .filter(move |(item, _)| *item == id);
        let numbers = lists.flat_map(|(_, numbers)| numbers);
        numbers.filter_map(|number| self.properties.get(number.checked_sub(1)?).copied())
    }

    /// The item that is the picture.
    pub(super) fn primary(&self) -> u32 {
        self.primary
    }

    /// The item that is the alpha of another.
    pub(super) fn alpha_of(&self, id: u32) -> Option<u32> {
        let mut references = self.references.iter();
        let alpha = references.find(|reference| {
            reference.kind == *b"auxl"
                && reference.to.contains(&id)
                && self
                    .about(reference.from)
                    .any(|p| matches!(p, Property::IsAlpha))
        })?;
        Some(alpha.from)
    }

    /// Whether the colours are multiplied by the alpha already.
    pub(super) fn is_premultiplied(&self, id: u32) -> bool {
        let mut references = self.references.iter();
        references.any(|reference| reference.kind == *b"prem" && reference.from == id)
    }

    /// The bytes of an item, and its kind: AV1, HEVC, a grid of such.
    pub(super) fn payload(&self, id: u32) -> Result<([u8; 4], Vec<u8>), ConvertError> {
        let item = self.items.iter().find(|item| item.id == id);
        let item = item.ok_or_else(|| ConvertError::invalid("there is no picture in it"))?;
        let within = if item.in_idat { self.idat } else { self.source };
        let mut payload = Vec::new();
        for &(start, length) in &item.extents {
            let start = usize::try_from(start).map_err(|_| cut())?;
            let part = within.get(start..).ok_or_else(cut)?;
            let length = usize::try_from(length).map_err(|_| cut())?;
            let length = if length == 0 { part.len() } else { length };
            let part = part.get(..length).ok_or_else(cut)?;
            if payload.len() + part.len() > self.source.len() {
                return Err(ConvertError::invalid("an item larger than its file"));
            }
            payload.extend_from_slice(part);
        }
        Ok((item.kind, payload))
    }

    /// The pictures of a grid, row by row.
    pub(super) fn tiles(&self, id: u32) -> Vec<u32> {
        let mut references = self.references.iter();
        let tiles = references.find(|reference| reference.kind == *b"dimg" && reference.from == id);
        tiles.map_or_else(Vec::new, |tiles| tiles.to.clone())
    }

    /// Width and height that are announced for an item.
    pub(super) fn size(&self, id: u32) -> Option<(u32, u32)> {
        self.about(id).find_map(|property| match property {
            Property::Size(width, height) => Some((width, height)),
            _ => None,
        })
    }

    /// The ICC profile of an item.
    pub(super) fn profile(&self, id: u32) -> Option<&'a [u8]> {
        self.about(id).find_map(|property| match property {
            Property::Profile(profile) => Some(profile),
            _ => None,
        })
    }

    /// How the samples of an item are coded, by number.
    pub(super) fn coding(&self, id: u32) -> Option<Coding> {
        self.about(id).find_map(|property| match property {
            Property::Coding(coding) => Some(coding),
            _ => None,
        })
    }

    /// The part of an item that is shown.
    pub(super) fn crop(&self, id: u32) -> Option<Crop> {
        self.about(id).find_map(|property| match property {
            Property::Crop(crop) => Some(crop),
            _ => None,
        })
    }

    /// The configuration record of an item that is HEVC.
    pub(super) fn hevc_settings(&self, id: u32) -> Option<&'a [u8]> {
        self.about(id).find_map(|property| match property {
            Property::Hevc(settings) => Some(settings),
            _ => None,
        })
    }

    /// How an item is to be turned: first by quarters, then mirrored.
    pub(super) fn orientation(&self, id: u32) -> Result<Orientation, ConvertError> {
        let (mut turn, mut mirror) = (0, None);
        for property in self.about(id) {
            match property {
                Property::Turn(quarters) => turn = quarters,
                Property::Mirror(sides) => mirror = Some(sides),
                _ => {}
            }
        }
        let exif = match (turn, mirror) {
            (0, None) => 1,
            (1, None) => 8,
            (2, None) => 3,
            (_, None) => 6,
            (0, Some(true)) | (2, Some(false)) => 2,
            (0, Some(false)) | (2, Some(true)) => 4,
            (1, Some(false)) | (3, Some(true)) => 5,
            (_, Some(_)) => 7,
        };
        Orientation::from_exif(exif).ok_or_else(cut)
    }
}
