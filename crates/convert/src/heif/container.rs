//! The container of HEIF, read as far as a still needs it: which items there are, where their bytes
//! lie, and their properties. The crate `mp4-atom` reads the boxes, each by itself: what has no meaning here may
//! be broken. Boxes are as ISO/IEC 14496-12 has them, and what they say is as ISO/IEC 23008-12 (HEIF) has it.

use image::metadata::Orientation;
use mp4_atom::{
    Atom, Auxc, Clap, Colr, Decode as _, FourCC, Header, Iloc, Imir, Ipma, Iref, Irot, Ispe,
    ItemLocation, Pitm, PropertyAssociations, Reference,
};

use super::super::{ConvertError, SourceFormat};
use super::yuv::Coding;

/// The most boxes beside each other, and the longest box with a list, in bytes.
const MAX_BOXES: usize = 4_096;
const MAX_LIST: usize = 1 << 20;

type Kind = [u8; 4];

fn cut() -> ConvertError {
    ConvertError::invalid("a box is cut short")
}

/// All boxes of these bytes: their kinds and bodies. The last one may be marked to reach to the end.
fn boxes(mut bytes: &[u8]) -> Result<Vec<(Kind, &[u8])>, ConvertError> {
    let mut boxes = Vec::new();
    while !bytes.is_empty() && boxes.len() < MAX_BOXES {
        let header = Header::decode(&mut bytes)?;
        let body = bytes.split_off(..header.size.unwrap_or(bytes.len()));
        boxes.push((header.kind.into(), body.ok_or_else(cut)?));
    }
    Ok(boxes)
}

/// A box with a list.
fn list<T: Atom>(mut body: &[u8]) -> Result<T, ConvertError> {
    if body.len() > MAX_LIST {
        return Err(ConvertError::invalid("a list is too long"));
    }
    Ok(T::decode_body(&mut body)?)
}

/// The number and the kind of an item. Before version 2, items have no kinds.
fn kind(entry: &[u8]) -> Option<(u32, Kind)> {
    let (id, rest) = match *entry {
        [2, _, _, _, a, b, _, _, ref rest @ ..] => (u32::from_be_bytes([0, 0, a, b]), rest),
        [3, _, _, _, a, b, c, d, _, _, ref rest @ ..] => (u32::from_be_bytes([a, b, c, d]), rest),
        _ => return None,
    };
    Some((id, *rest.first_chunk()?))
}

/// A still as its container has it.
#[derive(Default)]
pub(super) struct Container<'a> {
    source: &'a [u8],
    idat: &'a [u8],
    /// The item that is the picture.
    pub(super) primary: u32,
    kinds: Vec<(u32, Kind)>,
    places: Vec<ItemLocation>,
    references: Vec<Reference>,
    properties: Vec<(Kind, &'a [u8])>,
    /// The numbers of the properties of items, from 1.
    associations: Vec<PropertyAssociations>,
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
        let boxes = boxes(source)?;
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
        container.meta(meta)?;
        Ok(container)
    }

    fn meta(&mut self, meta: &'a [u8]) -> Result<(), ConvertError> {
        for (kind, body) in boxes(meta.get(4..).ok_or_else(cut)?)? {
            match &kind {
                b"pitm" => self.primary = list::<Pitm>(body)?.item_id,
                b"iinf" => {
                    // Behind a version and a count, which has two bytes in the first version.
                    let entries = if body.first() == Some(&0) { 6 } else { 8 };
                    let entries = boxes(body.get(entries..).ok_or_else(cut)?)?;
                    self.kinds = entries
                        .iter()
                        .filter_map(|(_, entry)| self::kind(entry))
                        .collect();
                }
                // Without the sizes of starts and lengths, a few bytes could list any number of them.
                b"iloc" if body.get(4) != Some(&0) => {
                    self.places = list::<Iloc>(body)?.item_locations;
                }
                b"iref" => self.references = list::<Iref>(body)?.references,
                b"iprp" => {
                    for (kind, body) in boxes(body)? {
                        match &kind {
                            b"ipco" => self.properties = boxes(body)?,
                            b"ipma" => self
                                .associations
                                .extend(list::<Ipma>(body)?.item_properties),
                            _ => {}
                        }
                    }
                }
                b"idat" => self.idat = body,
                _ => {}
            }
        }
        Ok(())
    }

    /// The properties of an item of this kind, in the order in which they are to be done.
    fn bodies(&self, id: u32, kind: FourCC) -> impl Iterator<Item = &'a [u8]> {
        let of_item = self.associations.iter().filter(move |of| of.item_id == id);
        let numbers = of_item.flat_map(|of| &of.associations);
        let properties = numbers.filter_map(|number| {
            let place = usize::from(number.property_index).checked_sub(1)?;
            self.properties.get(place)
        });
        properties.filter_map(move |(is, body)| (FourCC::new(is) == kind).then_some(*body))
    }

    /// The same, read, without those that are broken.
    fn about<T: Atom>(&self, id: u32) -> impl Iterator<Item = T> {
        let bodies = self.bodies(id, T::KIND);
        bodies.filter_map(|mut body| T::decode_body(&mut body).ok())
    }

    /// The items that an item refers to in this way.
    fn referred(&self, kind: &Kind, from: u32) -> Option<&[u32]> {
        let mut references = self.references.iter();
        let is_it = |reference: &&Reference| {
            reference.reference_type == FourCC::new(kind) && reference.from_item_id == from
        };
        Some(&references.find(is_it)?.to_item_ids)
    }

    /// The item that is the alpha of another.
    pub(super) fn alpha_of(&self, id: u32) -> Option<u32> {
        const NAMES: [&str; 2] = [
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
            "urn:mpeg:hevc:2015:auxid:1",
        ];
        let is_alpha = |property: Auxc| NAMES.contains(&property.aux_type.as_str());
        let mut references = self.references.iter();
        let alpha = references.find(|reference| {
            reference.reference_type == FourCC::new(b"auxl")
                && reference.to_item_ids.contains(&id)
                && self.about(reference.from_item_id).any(is_alpha)
        })?;
        Some(alpha.from_item_id)
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
        let place = self.places.iter().rfind(|place| place.item_id == id);
        let place = place.ok_or_else(none)?;
        let within = match (place.data_reference_index, place.construction_method) {
            (0, 0) => self.source,
            (0, 1) => self.idat,
            // In another file, or put together by a rule.
            _ => return Err(ConvertError::Unsupported),
        };
        let mut payload = Vec::new();
        for extent in &place.extents {
            let start = place.base_offset.checked_add(extent.offset);
            let start = start.and_then(|start| usize::try_from(start).ok());
            let part = start.and_then(|start| within.get(start..));
            let part = part.and_then(|part| match usize::try_from(extent.length).ok()? {
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
        let size: Ispe = self.about(id).next()?;
        Some((size.width, size.height))
    }

    /// The ICC profile of an item.
    pub(super) fn profile(&self, id: u32) -> Option<Vec<u8>> {
        self.about(id).find_map(|colours| match colours {
            Colr::Prof { profile } | Colr::Ricc { profile } => Some(profile),
            _ => None,
        })
    }

    /// How the samples of an item are coded, by number.
    pub(super) fn coding(&self, id: u32) -> Option<Coding> {
        self.about(id).find_map(|colours| match colours {
            Colr::Nclx {
                colour_primaries,
                transfer_characteristics,
                matrix_coefficients,
                full_range_flag,
            } => Some(Coding {
                primaries: colour_primaries as u8,
                transfer: transfer_characteristics as u8,
                matrix: matrix_coefficients as u8,
                full_range: full_range_flag,
            }),
            _ => None,
        })
    }

    /// The configuration record of an item that is HEVC.
    pub(super) fn hevc_settings(&self, id: u32) -> Option<&'a [u8]> {
        self.bodies(id, FourCC::new(b"hvcC")).next()
    }

    /// The part of an item of this size that is shown: left, top, width and height in whole pixels.
    pub(super) fn crop(
        &self,
        id: u32,
        (width, height): (u32, u32),
    ) -> Result<Option<[u32; 4]>, ConvertError> {
        let Some(mut body) = self.bodies(id, Clap::KIND).next() else {
            return Ok(None);
        };
        // Its width and height, and how far its middle lies from that of the whole, each as a fraction.
        let clap = Clap::decode_body(&mut body)?;
        let times = |factor: i64, count: i64, of: u32| (count * factor).checked_div(of.into());
        let numbers = || {
            Some([
                times(
                    1,
                    clap.clean_aperture_width_n.into(),
                    clap.clean_aperture_width_d,
                )?,
                times(
                    1,
                    clap.clean_aperture_height_n.into(),
                    clap.clean_aperture_height_d,
                )?,
                times(2, clap.horiz_off_n.into(), clap.horiz_off_d)?,
                times(2, clap.vert_off_n.into(), clap.vert_off_d)?,
            ])
        };
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
        /// The numbers of EXIF by the turn, without a mirror and for each of its two ways: top and bottom change
        /// places, or left and right.
        const EXIF: [[u8; 4]; 3] = [[1, 8, 3, 6], [4, 5, 2, 7], [2, 7, 4, 5]];
        let turn = self.about(id).last();
        let turn = turn.map_or(0, |turn: Irot| turn.angle);
        let mirror = self.about(id).last();
        let mirror = mirror.map_or(0, |mirror: Imir| 1 + (mirror.axis & 1));
        let exif = EXIF[usize::from(mirror)][usize::from(turn)];
        Orientation::from_exif(exif).unwrap_or(Orientation::NoTransforms)
    }
}

impl Grid {
    /// From the payload of an item of the kind `grid`.
    pub(super) fn parse(payload: &[u8]) -> Option<Self> {
        let &[_, flags, rows, columns, ref sides @ ..] = payload else {
            return None;
        };
        let size = if flags & 1 == 0 {
            let &[a, b, c, d] = sides.first_chunk()?;
            (
                u32::from_be_bytes([0, 0, a, b]),
                u32::from_be_bytes([0, 0, c, d]),
            )
        } else {
            let &[a, b, c, d, e, f, g, h] = sides.first_chunk()?;
            (
                u32::from_be_bytes([a, b, c, d]),
                u32::from_be_bytes([e, f, g, h]),
            )
        };
        Some(Self {
            rows: u32::from(rows) + 1,
            columns: u32::from(columns) + 1,
            size,
        })
    }
}
