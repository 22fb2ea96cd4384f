//! AVIF stills: the container by hand, since no library of its kind reports turns and of colours
//! by number, and the AV1 in it by rav1d.

use moxcms::{
    CicpColorPrimaries, CicpProfile, ColorProfile, MatrixCoefficients, TransferCharacteristics,
};
use re_rav1d::dav1d::{Decoder, Error, Picture, Settings};

use super::super::ConvertError;
use super::super::limits::Limits;
use super::super::picture::Channels;
use super::boxes::{Grid, Numbers};
use super::container::Container;
use super::wire::Head;
use super::yuv::{self, Canvas, Planes};
use super::{DecodedFrame, Decoding};

/// The most pictures of a grid: more than any camera makes.
const MAX_TILES: usize = 256;

/// By number: perceptual quantisation, and hybrid log-gamma.
const BRIGHTER_THAN_WHITE: [u8; 2] = [16, 18];

pub(super) fn open<'a>(
    source: &'a [u8],
    limits: &Limits,
    with_pixels: bool,
) -> Result<Decoding<'a>, ConvertError> {
    let container = Container::parse(source)?;
    let primary = container.primary();
    let orientation = container.orientation(primary)?;
    let size = container.size(primary);
    let (width, height) = size.ok_or_else(|| ConvertError::invalid("no size is announced"))?;
    limits.check_frame(width, height)?;
    let announced = container.numbers(primary);
    refuse_brighter_than_white(announced)?;
    let alpha = container.alpha_of(primary);
    let mut head = Head {
        width,
        height,
        frames: 1,
        plays: 1,
        orientation,
        channels: if alpha.is_some() {
            Channels::Rgba
        } else {
            Channels::Rgb
        },
        sixteen: false,
        lossy: true,
        profile: container.profile(primary).map(<[u8]>::to_vec),
    };
    if !with_pixels {
        return Ok(Decoding {
            head,
            frames: Box::new(|| Ok(None)),
        });
    }

    let tiles = Tiles::of(&container, primary, (width, height))?;
    let first = decode(&container, tiles.items[0], limits)?;
    let planes = Planes::of(&first)?;
    let numbers = announced.unwrap_or_else(|| planes.numbers());
    refuse_brighter_than_white(Some(numbers))?;
    head.sixteen = planes.bits() > 8;
    // Nothing was lost in what came without a matrix and at the best of qualities; that is not
    // known here, and only means that lossless is not tried.
    if head.profile.is_none() {
        head.profile = profile(numbers);
    }
    let mut canvas = Canvas::new(width, height, head.channels, head.sixteen)?;
    tiles.draw(first, &container, limits, |planes, place| {
        yuv::draw(planes, numbers, place, &mut canvas)
    })?;
    if let Some(alpha) = alpha {
        let tiles = Tiles::of(&container, alpha, (width, height))?;
        let first = decode(&container, tiles.items[0], limits)?;
        tiles.draw(first, &container, limits, |planes, place| {
            yuv::draw_alpha(planes, place, &mut canvas)
        })?;
    }
    let mut samples = canvas.into_samples();
    if alpha.is_some_and(|_| container.is_premultiplied(primary)) {
        samples.divide_by_alpha(head.channels);
    }
    let mut shown = Some(DecodedFrame {
        milliseconds: 0,
        samples,
    });
    Ok(Decoding {
        head,
        frames: Box::new(move || Ok(shown.take())),
    })
}

/// What is brighter than white has no place in a WebP, and squeezing it in is a matter of taste.
fn refuse_brighter_than_white(numbers: Option<Numbers>) -> Result<(), ConvertError> {
    match numbers {
        Some(numbers) if BRIGHTER_THAN_WHITE.contains(&numbers.transfer) => {
            Err(ConvertError::Unsupported)
        }
        _ => Ok(()),
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
        match &kind {
            b"av01" => Ok(Self {
                items: vec![item],
                columns: 1,
                size,
            }),
            b"grid" => {
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
            _ => Err(ConvertError::Unsupported),
        }
    }

    /// Decodes one after the other and gives each with its place. All are as large as the first,
    /// and together they cover the picture.
    fn draw(
        &self,
        first: Picture,
        container: &Container<'_>,
        limits: &Limits,
        mut draw: impl FnMut(&Planes, (u32, u32)) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        let (width, height) = (first.width(), first.height());
        let rows = self.items.len() as u32 / self.columns;
        let covered = if self.items.len() == 1 {
            (width, height) == self.size
        } else {
            u64::from(width) * u64::from(self.columns) >= u64::from(self.size.0)
                && u64::from(height) * u64::from(rows) >= u64::from(self.size.1)
                && u64::from(width) * u64::from(self.columns - 1) < u64::from(self.size.0)
                && u64::from(height) * u64::from(rows - 1) < u64::from(self.size.1)
        };
        if !covered {
            return Err(ConvertError::invalid("another size than announced"));
        }
        let mut next = Some(first);
        for (number, item) in (0..).zip(&self.items) {
            let tile = match next.take() {
                Some(first) => first,
                None => decode(container, *item, limits)?,
            };
            if (tile.width(), tile.height()) != (width, height) {
                return Err(ConvertError::invalid("pieces of different sizes"));
            }
            let place = (
                number % self.columns * width,
                number / self.columns * height,
            );
            draw(&Planes::of(&tile)?, place)?;
        }
        Ok(())
    }
}

/// Decodes the AV1 of an item.
fn decode(container: &Container<'_>, item: u32, limits: &Limits) -> Result<Picture, ConvertError> {
    let (kind, payload) = container.payload(item)?;
    if kind != *b"av01" {
        return Err(ConvertError::Unsupported);
    }
    let mut settings = Settings::new();
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    settings.set_frame_size_limit(u32::try_from(limits.max_pixels()).unwrap_or(u32::MAX));
    let mut decoder = Decoder::with_settings(&settings).map_err(refused)?;
    if payload.is_empty() {
        return Err(ConvertError::invalid("there is no picture in it"));
    }
    let mut sent = decoder.send_data(payload, None, None, None);
    loop {
        match decoder.get_picture() {
            Ok(picture) => return Ok(picture),
            Err(Error::Again) => {}
            Err(error) => return Err(refused(error)),
        }
        match sent {
            // All was taken, and no picture came of it.
            Ok(()) => return Err(ConvertError::invalid("there is no picture in it")),
            Err(Error::Again) => sent = decoder.send_pending_data(),
            Err(error) => return Err(refused(error)),
        }
    }
}

fn refused(error: Error) -> ConvertError {
    match error {
        Error::NotEnoughMemory => ConvertError::TooLarge,
        error => ConvertError::invalid(error),
    }
}

/// The profile of colours by number; none for those of sRGB, and for what is not known. The curve
/// of television counts as that of sRGB, as in every browser.
fn profile(numbers: Numbers) -> Option<Vec<u8>> {
    const SRGB: [u8; 4] = [1, 2, 5, 6];
    let transfer = match numbers.transfer {
        1 | 2 | 6 | 14 | 15 => 13,
        other => other,
    };
    if SRGB.contains(&numbers.primaries) && transfer == 13 {
        return None;
    }
    let primaries = if numbers.primaries == 2 {
        1
    } else {
        numbers.primaries
    };
    let profile = ColorProfile::new_from_cicp(CicpProfile {
        color_primaries: CicpColorPrimaries::try_from(primaries).ok()?,
        transfer_characteristics: TransferCharacteristics::try_from(transfer).ok()?,
        matrix_coefficients: MatrixCoefficients::Identity,
        full_range: true,
    });
    profile.encode().ok()
}
