//! AVIF and HEIC: one container for both, read here, since no library reports all of it (turns, crops, the
//! alpha of pieces); the AV1 in it is decoded by rav1d, the HEVC by hpvcd.

mod av1;
mod boxes;
mod container;
mod hevc;
#[cfg(test)]
mod tests;
mod yuv;

use super::ConvertError;
use super::limits::Limits;
use super::picture::{Channels, Coding, Raster, Samples};
use super::space::{Numbers, Space};
use super::still::Still;
use boxes::{Crop, Grid};
use container::Container;
use yuv::{Canvas, Planes};

/// The most pictures of a grid: more than any camera makes.
const MAX_TILES: usize = 1_024;

pub(super) fn decode(source: &[u8], limits: &Limits) -> Result<Still, ConvertError> {
    let container = Container::parse(source)?;
    let primary = container.primary();
    let size = container.size(primary);
    let (width, height) = size.ok_or_else(|| ConvertError::invalid("no size is announced"))?;
    limits.check_frame(width, height)?;
    let announced = container.coding(primary);
    let tiles = Tiles::of(&container, primary, (width, height))?;
    let alpha = tiles.alpha(&container, primary, (width, height))?;
    let channels = if alpha.is_some() {
        Channels::Rgba
    } else {
        Channels::Rgb
    };

    let first = planes(&container, tiles.items[0], limits)?;
    let coding = announced.unwrap_or(first.coding);
    let mut canvas = Canvas::new(width, height, channels, first.bits > 8)?;
    tiles.draw(first, &container, limits, |planes, place| {
        yuv::draw(planes, coding, place, &mut canvas)
    })?;
    if let Some(alpha) = &alpha {
        let first = planes(&container, alpha.items[0], limits)?;
        alpha.draw(first, &container, limits, |planes, place| {
            yuv::draw_alpha(planes, place, &mut canvas)
        })?;
    }
    let mut samples = canvas.into_samples();
    if alpha.is_some() && container.is_premultiplied(primary) {
        samples.divide_by_alpha(channels);
    }
    let mut raster = Raster {
        width,
        height,
        channels,
        samples,
    };
    if let Some(crop) = container.crop(primary) {
        cut(&mut raster, crop)?;
    }
    Ok(Still {
        raster,
        space: match container.profile(primary) {
            Some(profile) => Space::Icc(profile.to_vec()),
            None => Space::Numbers(Numbers {
                primaries: coding.primaries,
                transfer: coding.transfer,
            }),
        },
        orientation: container.orientation(primary)?,
        // Nothing was lost in what came without a matrix and at the best of qualities; that is not
        // known here, and only means that lossless is not tried.
        coding: Coding::Lossy,
    })
}

/// Starts what a confined process can no longer start.
pub(super) fn prepare() {
    hevc::prepare();
}

/// Whether that is still there. It is not after a broken picture.
pub(super) fn is_prepared() -> bool {
    hevc::is_prepared()
}

/// Keeps what lies within a crop.
fn cut(raster: &mut Raster, crop: Crop) -> Result<(), ConvertError> {
    fn rows<Sample: Copy>(samples: &[Sample], row: usize, within: [usize; 4]) -> Vec<Sample> {
        let [from, to, top, bottom] = within;
        let rows = samples.chunks_exact(row).take(bottom).skip(top);
        rows.flat_map(|row| &row[from..to]).copied().collect()
    }
    let place = crop.place((raster.width, raster.height));
    let (x, y, width, height) = place.ok_or_else(|| ConvertError::invalid("a crop outside"))?;
    let channels = if raster.channels == Channels::Rgba {
        4
    } else {
        3
    };
    let row = raster.width as usize * channels;
    let within = [
        x as usize * channels,
        (x + width) as usize * channels,
        y as usize,
        (y + height) as usize,
    ];
    raster.samples = match &raster.samples {
        Samples::Eight(samples) => Samples::Eight(rows(samples, row, within)),
        Samples::Sixteen(samples) => Samples::Sixteen(rows(samples, row, within)),
    };
    (raster.width, raster.height) = (width, height);
    Ok(())
}

/// Decodes an item that is one picture.
fn planes(container: &Container<'_>, item: u32, limits: &Limits) -> Result<Planes, ConvertError> {
    let (kind, payload) = container.payload(item)?;
    if payload.is_empty() {
        return Err(ConvertError::invalid("there is no picture in it"));
    }
    match &kind {
        b"av01" => av1::decode(payload, limits),
        b"hvc1" | b"hev1" => {
            let settings = container.hevc_settings(item);
            let settings =
                settings.ok_or_else(|| ConvertError::invalid("HEVC without settings"))?;
            hevc::decode(settings, &payload)
        }
        _ => Err(ConvertError::Unsupported),
    }
}

/// The pictures that make up an item: one, or a grid of them.
struct Tiles {
    items: Vec<u32>,
    columns: u32,
    size: (u32, u32),
}

impl Tiles {
    fn of(container: &Container<'_>, item: u32, size: (u32, u32)) -> Result<Self, ConvertError> {
        let (kind, payload) = container.payload(item)?;
        if &kind != b"grid" {
            return Ok(Self {
                // A copy, which only turns or cuts.
                items: match container.tiles(item)[..] {
                    [original] if &kind == b"iden" => vec![original],
                    _ => vec![item],
                },
                columns: 1,
                size,
            });
        }
        let grid = Grid::parse(&payload)?;
        let items = container.tiles(item);
        let count = (grid.rows * grid.columns) as usize;
        if (grid.width, grid.height) != size || items.len() != count || count > MAX_TILES {
            return Err(ConvertError::invalid("a grid that does not fit"));
        }
        Ok(Self {
            items,
            columns: grid.columns,
            size,
        })
    }

    /// What makes up the alpha: that of the whole, or those of all pieces.
    fn alpha(
        &self,
        container: &Container<'_>,
        item: u32,
        size: (u32, u32),
    ) -> Result<Option<Self>, ConvertError> {
        if let Some(alpha) = container.alpha_of(item) {
            return Self::of(container, alpha, size).map(Some);
        }
        let of_pieces = self.items.iter().map(|item| container.alpha_of(*item));
        let of_pieces: Option<Vec<u32>> = of_pieces.collect();
        Ok(of_pieces.map(|items| Self { items, ..*self }))
    }

    /// Decodes one after the other and gives each with its place. All are as large as the first,
    /// and together they cover the picture.
    fn draw(
        &self,
        first: Planes,
        container: &Container<'_>,
        limits: &Limits,
        mut draw: impl FnMut(&Planes, (u32, u32)) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        let (width, height) = (first.width as u32, first.height as u32);
        let rows = self.items.len() as u32 / self.columns;
        let covers = |piece: u32, count: u32, side: u32| {
            let (piece, count, side) = (u64::from(piece), u64::from(count), u64::from(side));
            piece * count >= side && piece * (count - 1) < side
        };
        let covered = if self.items.len() == 1 {
            (width, height) == self.size
        } else {
            covers(width, self.columns, self.size.0) && covers(height, rows, self.size.1)
        };
        if !covered {
            return Err(ConvertError::invalid("another size than announced"));
        }
        let mut next = Some(first);
        for (number, item) in (0..).zip(&self.items) {
            let tile = match next.take() {
                Some(first) => first,
                None => planes(container, *item, limits)?,
            };
            if (tile.width as u32, tile.height as u32) != (width, height) {
                return Err(ConvertError::invalid("pieces of different sizes"));
            }
            let place = (
                number % self.columns * width,
                number / self.columns * height,
            );
            draw(&tile, place)?;
        }
        Ok(())
    }
}
