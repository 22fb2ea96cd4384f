//! AVIF and HEIC: one container for both, read here, since no library reports all of it (turns, crops, the
//! alpha of pieces); the AV1 in it is decoded by rav1d, the HEVC by hpvcd.

mod av1;
mod container;
mod hevc;
#[cfg(test)]
mod tests;
mod threads;
mod yuv;

use image::{DynamicImage, ImageBuffer, Luma, Pixel, Rgba};

use super::colour::{by_icc, by_numbers};
use super::still::{Coding, Still, divide_by_alpha};
use super::{ConvertError, ConvertOptions};
use container::{Container, Grid};
use threads::{Job, decoded};
pub(super) use threads::{is_prepared, prepare};

/// The most pictures of a grid: more than any camera makes.
const MAX_TILES: usize = 1_024;

pub(super) fn decode(source: &[u8], limits: &ConvertOptions) -> Result<Still, ConvertError> {
    let container = Container::parse(source)?;
    let primary = container.primary;
    let size = container.size(primary);
    let size = size.ok_or_else(|| ConvertError::invalid("no size is announced"))?;
    limits.check_frame(size)?;
    let tiles = Tiles::of(&container, primary, size)?;
    let alpha = tiles.alpha(&container, primary)?;
    let announced = container.coding(primary);
    let (mut image, coding) = tiles.image(&container, announced, limits)?;
    if let Some(alpha) = alpha {
        let (alpha, _) = alpha.image(&container, None, limits)?;
        image = if let DynamicImage::ImageRgb8(_) = image {
            with_alpha(image.into_rgba8(), &alpha.into_luma8()).into()
        } else {
            with_alpha(image.into_rgba16(), &alpha.into_luma16()).into()
        };
        if container.is_premultiplied(primary) {
            divide_by_alpha(&mut image)?;
        }
    }
    if let Some([x, y, width, height]) = container.crop(primary, size)? {
        image = image.crop_imm(x, y, width, height);
    }
    Ok(Still {
        image,
        profile: match container.profile(primary) {
            Some(icc) => by_icc(icc),
            None => by_numbers(coding.primaries, coding.transfer),
        },
        orientation: container.orientation(primary),
        // Nothing was lost in what came without a matrix and at the best of qualities; that is not
        // known here, and only means that lossless is not tried.
        coding: Coding::Lossy,
    })
}

/// Decodes an item that is one picture.
fn job(container: &Container<'_>, item: u32, limits: &ConvertOptions) -> Result<Job, ConvertError> {
    let (kind, payload) = container.payload(item)?;
    if payload.is_empty() {
        return Err(ConvertError::invalid("there is no picture in it"));
    }
    match &kind {
        b"av01" => {
            let limits = limits.clone();
            Ok(Box::new(move |_| av1::decode(payload, &limits)))
        }
        b"hvc1" | b"hev1" => {
            let settings = container.hevc_settings(item).map(<[u8]>::to_vec);
            let settings =
                settings.ok_or_else(|| ConvertError::invalid("HEVC without settings"))?;
            Ok(Box::new(move |decoder| {
                hevc::decode(&settings, &payload, decoder)
            }))
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
        let items = container.tiles(item);
        let fits = |grid: &Grid| {
            let count = (grid.rows * grid.columns) as usize;
            grid.size == size && items.len() == count && count <= MAX_TILES
        };
        let grid = Grid::parse(&payload).filter(fits);
        let grid = grid.ok_or_else(|| ConvertError::invalid("a grid that does not fit"))?;
        Ok(Self {
            items,
            columns: grid.columns,
            size,
        })
    }

    /// What makes up the alpha: that of the whole, or those of all pieces.
    fn alpha(&self, container: &Container<'_>, item: u32) -> Result<Option<Self>, ConvertError> {
        if let Some(alpha) = container.alpha_of(item) {
            return Self::of(container, alpha, self.size).map(Some);
        }
        let of_pieces = self.items.iter().map(|item| container.alpha_of(*item));
        let of_pieces: Option<Vec<u32>> = of_pieces.collect();
        Ok(of_pieces.map(|items| Self { items, ..*self }))
    }

    /// Decodes them and draws each at its place. All are as large as the first, and together they cover the
    /// picture. They are coded as is announced, else as the first one says itself.
    fn image(
        &self,
        container: &Container<'_>,
        announced: Option<yuv::Coding>,
        limits: &ConvertOptions,
    ) -> Result<(DynamicImage, yuv::Coding), ConvertError> {
        let (mut coding, mut size, mut whole, mut number) = (announced, None, None, 0);
        let jobs = self.items.iter().map(|item| job(container, *item, limits));
        decoded(jobs, |frame| {
            let coding = *coding.get_or_insert(frame.coding);
            let tile = frame.into_image(coding)?;
            let tile_size = (tile.width(), tile.height());
            let size = *size.get_or_insert(tile_size);
            if tile_size != size || !self.are_covered_by(size) {
                return Err(ConvertError::invalid(
                    "pieces of other sizes than announced",
                ));
            }
            if self.items.len() == 1 {
                whole = Some(tile);
                return Ok(());
            }
            let (width, height) = self.size;
            let canvas =
                whole.get_or_insert_with(|| DynamicImage::new(width, height, tile.color()));
            let place = (
                (number % self.columns * size.0) as usize,
                (number / self.columns * size.1) as usize,
            );
            number += 1;
            match (canvas, &tile) {
                (DynamicImage::ImageRgb8(canvas), DynamicImage::ImageRgb8(tile)) => {
                    draw(canvas, tile, place);
                }
                (DynamicImage::ImageRgb16(canvas), DynamicImage::ImageRgb16(tile)) => {
                    draw(canvas, tile, place);
                }
                _ => return Err(ConvertError::invalid("pieces of different depths")),
            }
            Ok(())
        })?;
        let none = || ConvertError::invalid("a grid of none");
        Ok((whole.ok_or_else(none)?, coding.ok_or_else(none)?))
    }

    /// Whether pieces of this size cover the picture, and none of them lies outside.
    fn are_covered_by(&self, (width, height): (u32, u32)) -> bool {
        if self.items.len() == 1 {
            return (width, height) == self.size;
        }
        let rows = self.items.len() as u32 / self.columns;
        let covers = |piece: u32, count: u32, side: u32| {
            let (piece, count, side) = (u64::from(piece), u64::from(count), u64::from(side));
            piece * count >= side && piece * (count - 1) < side
        };
        covers(width, self.columns, self.size.0) && covers(height, rows, self.size.1)
    }
}

/// Draws a tile at a place, row by row; what sticks out is cut off.
fn draw<P: Pixel>(
    canvas: &mut ImageBuffer<P, Vec<P::Subpixel>>,
    tile: &ImageBuffer<P, Vec<P::Subpixel>>,
    (left, top): (usize, usize),
) {
    let channels = usize::from(P::CHANNEL_COUNT);
    let row = |width: u32| width as usize * channels;
    let (to_row, from_row) = (row(canvas.width()), row(tile.width()));
    let rows = canvas.chunks_exact_mut(to_row).skip(top);
    for (to, from) in rows.zip(tile.chunks_exact(from_row)) {
        let to = &mut to[left * channels..];
        let seen = to.len().min(from.len());
        to[..seen].copy_from_slice(&from[..seen]);
    }
}

fn with_alpha<T: image::Primitive>(
    mut image: ImageBuffer<Rgba<T>, Vec<T>>,
    alpha: &ImageBuffer<Luma<T>, Vec<T>>,
) -> ImageBuffer<Rgba<T>, Vec<T>>
where
    Rgba<T>: Pixel<Subpixel = T>,
    Luma<T>: Pixel<Subpixel = T>,
{
    for (pixel, alpha) in image.pixels_mut().zip(alpha.pixels()) {
        pixel.0[3] = alpha.0[0];
    }
    image
}
