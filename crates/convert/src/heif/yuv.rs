//! From the planes of a video frame to red, green and blue: the matrices of ITU-T H.273, both
//! ranges, and all ways in which chroma can be thinner than luma.

use super::super::ConvertError;
use super::super::picture::{Channels, Samples};

/// A plane of a frame: rows of samples, with what lies between them.
pub(super) struct Plane {
    /// Of 8 bits each, or of 16 in the order of this machine.
    pub(super) bytes: Box<dyn AsRef<[u8]>>,
    /// From one row to the next, in bytes.
    pub(super) stride: usize,
}

/// The planes of a decoded frame.
pub(super) struct Planes {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bits: u32,
    pub(super) luma: Plane,
    /// None of a grey frame.
    pub(super) chroma: Option<[Plane; 2]>,
    /// Whether chroma has half as many columns, and half as many rows.
    pub(super) thin: (bool, bool),
    /// The coding that the frame itself names.
    pub(super) coding: Coding,
}

/// How luma and chroma are coded, by the numbers of ITU-T H.273.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Coding {
    pub(super) primaries: u8,
    pub(super) transfer: u8,
    pub(super) matrix: u8,
    pub(super) full_range: bool,
}

impl Planes {
    /// A row of a plane as numbers: `scale * (sample - zero)`.
    fn row(
        &self,
        plane: &Plane,
        y: usize,
        width: usize,
        (zero, scale): (f32, f32),
        row: &mut Vec<f32>,
    ) -> Result<(), ConvertError> {
        let wide = if self.bits > 8 { 2 } else { 1 };
        let bytes = (*plane.bytes).as_ref();
        let bytes = bytes
            .get(y * plane.stride..)
            .and_then(|rest| rest.get(..width * wide))
            .ok_or_else(|| ConvertError::invalid("a plane is cut short"))?;
        row.clear();
        let number = |sample: u16| (f32::from(sample) - zero) * scale;
        if wide == 2 {
            let pairs = bytes.as_chunks::<2>().0.iter();
            row.extend(pairs.map(|&pair| number(u16::from_ne_bytes(pair))));
        } else {
            row.extend(bytes.iter().map(|&byte| number(u16::from(byte))));
        }
        Ok(())
    }

    /// A row of chroma as wide as luma: what lies between two samples is mixed of both.
    fn chroma_row(
        &self,
        plane: &Plane,
        y: usize,
        range: (f32, f32),
        [near, far]: &mut [Vec<f32>; 2],
        row: &mut Vec<f32>,
    ) -> Result<(), ConvertError> {
        let (thin_columns, thin_rows) = self.thin;
        if !thin_columns {
            return self.row(plane, y, self.width, range, row);
        }
        let half = self.width.div_ceil(2);
        if thin_rows {
            self.row(plane, y / 2, half, range, near)?;
            let other = neighbour(y, self.height.div_ceil(2));
            self.row(plane, other, half, range, far)?;
            for (near, far) in near.iter_mut().zip(far) {
                *near = *near * 0.75 + *far * 0.25;
            }
        } else {
            self.row(plane, y, half, range, near)?;
        }
        row.clear();
        let last = half - 1;
        for (at, &sample) in near.iter().enumerate() {
            let before = near[at.saturating_sub(1)];
            let after = near[(at + 1).min(last)];
            row.push(sample * 0.75 + before * 0.25);
            row.push(sample * 0.75 + after * 0.25);
        }
        Ok(())
    }
}

/// The sample on the other side of a place, among so many.
fn neighbour(at: usize, count: usize) -> usize {
    if at.is_multiple_of(2) {
        (at / 2).saturating_sub(1)
    } else {
        (at / 2 + 1).min(count - 1)
    }
}

/// Where the pixels go, tile by tile.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    channels: usize,
    samples: Samples,
}

impl Canvas {
    pub(super) fn new(
        width: u32,
        height: u32,
        channels: Channels,
        sixteen: bool,
    ) -> Result<Self, ConvertError> {
        let channels = if channels == Channels::Rgba { 4 } else { 3 };
        let (width, height) = (width as usize, height as usize);
        let length = width
            .checked_mul(height)
            .and_then(|pixels| pixels.checked_mul(channels))
            .ok_or(ConvertError::TooLarge)?;
        Ok(Self {
            width,
            height,
            channels,
            samples: if sixteen {
                Samples::Sixteen(vec![u16::MAX; length])
            } else {
                Samples::Eight(vec![u8::MAX; length])
            },
        })
    }

    pub(super) fn into_samples(self) -> Samples {
        self.samples
    }

    /// Stores numbers of 0 to 1 in a row, from this channel of its first pixel on.
    fn store<const COUNT: usize>(
        &mut self,
        (x, y): (usize, usize),
        channel: usize,
        pixels: impl Iterator<Item = [f32; COUNT]>,
    ) {
        let (from, to) = (
            (y * self.width + x) * self.channels,
            (y + 1) * self.width * self.channels,
        );
        // The conversion to integers stops at both ends.
        match &mut self.samples {
            Samples::Eight(samples) => {
                let row = samples[from..to].chunks_exact_mut(self.channels);
                for (to, numbers) in row.zip(pixels) {
                    for (to, number) in to[channel..channel + COUNT].iter_mut().zip(numbers) {
                        *to = (number * 255.0 + 0.5) as u8;
                    }
                }
            }
            Samples::Sixteen(samples) => {
                let row = samples[from..to].chunks_exact_mut(self.channels);
                for (to, numbers) in row.zip(pixels) {
                    for (to, number) in to[channel..channel + COUNT].iter_mut().zip(numbers) {
                        *to = (number * 65_535.0 + 0.5) as u16;
                    }
                }
            }
        }
    }
}

/// Zero and scale of luma, which becomes 0 to 1, and of chroma, which becomes -½ to ½.
fn ranges(bits: u32, full: bool) -> [(f32, f32); 2] {
    let most = ((1_u32 << bits) - 1) as f32;
    let step = (1_u32 << (bits - 8)) as f32;
    let middle = 128.0 * step;
    if full {
        [(0.0, 1.0 / most), (middle, 1.0 / most)]
    } else {
        [
            (16.0 * step, 1.0 / (219.0 * step)),
            (middle, 1.0 / (224.0 * step)),
        ]
    }
}

/// How luma and chroma mix.
#[derive(Clone, Copy)]
enum Matrix {
    /// Green, blue and red as they are.
    Identity,
    /// Green against orange.
    YCgCo,
    /// By the share of red and of blue in luma.
    Shares(f32, f32),
}

impl Matrix {
    fn of(number: u8) -> Result<Self, ConvertError> {
        Ok(match number {
            0 => Self::Identity,
            1 => Self::Shares(0.2126, 0.0722),
            4 => Self::Shares(0.30, 0.11),
            // Where none is named, the matrix of JPEG.
            2 | 5 | 6 => Self::Shares(0.299, 0.114),
            7 => Self::Shares(0.212, 0.087),
            8 => Self::YCgCo,
            9 => Self::Shares(0.2627, 0.0593),
            _ => return Err(ConvertError::Unsupported),
        })
    }
}

/// Draws a tile at a place; what sticks out is cut off.
pub(super) fn draw(
    planes: &Planes,
    coding: Coding,
    (left, top): (u32, u32),
    canvas: &mut Canvas,
) -> Result<(), ConvertError> {
    let (left, top) = (left as usize, top as usize);
    let matrix = Matrix::of(coding.matrix)?;
    let [luma, mut chroma] = ranges(planes.bits, coding.full_range);
    if matches!(matrix, Matrix::Identity) {
        chroma = luma;
    }
    let (mut ys, mut us, mut vs) = (Vec::new(), Vec::new(), Vec::new());
    let mut between = [Vec::new(), Vec::new()];
    let width = planes.width.min(canvas.width.saturating_sub(left));
    for y in 0..planes.height.min(canvas.height.saturating_sub(top)) {
        planes.row(&planes.luma, y, planes.width, luma, &mut ys)?;
        let place = (left, top + y);
        let Some([u, v]) = &planes.chroma else {
            canvas.store(place, 0, ys[..width].iter().map(|&luma| [luma; 3]));
            continue;
        };
        planes.chroma_row(u, y, chroma, &mut between, &mut us)?;
        planes.chroma_row(v, y, chroma, &mut between, &mut vs)?;
        let pixels = ys[..width].iter().zip(&us).zip(&vs);
        match matrix {
            Matrix::Shares(red, blue) => {
                let (to_red, to_blue) = (2.0 * (1.0 - red), 2.0 * (1.0 - blue));
                let green = 1.0 - red - blue;
                let (from_v, from_u) = (-red * to_red / green, -blue * to_blue / green);
                let mixed = pixels.map(|((&luma, &u), &v)| {
                    [
                        luma + to_red * v,
                        luma + from_v * v + from_u * u,
                        luma + to_blue * u,
                    ]
                });
                canvas.store(place, 0, mixed);
            }
            Matrix::YCgCo => {
                let mixed = pixels.map(|((&luma, &u), &v)| [luma - u + v, luma + u, luma - u - v]);
                canvas.store(place, 0, mixed);
            }
            Matrix::Identity => {
                canvas.store(place, 0, pixels.map(|((&luma, &u), &v)| [v, luma, u]));
            }
        }
    }
    Ok(())
}

/// Draws the luma of a tile as alpha.
pub(super) fn draw_alpha(
    planes: &Planes,
    (left, top): (u32, u32),
    canvas: &mut Canvas,
) -> Result<(), ConvertError> {
    let (left, top) = (left as usize, top as usize);
    let [range, _] = ranges(planes.bits, planes.coding.full_range);
    let mut row = Vec::new();
    let width = planes.width.min(canvas.width.saturating_sub(left));
    for y in 0..planes.height.min(canvas.height.saturating_sub(top)) {
        planes.row(&planes.luma, y, planes.width, range, &mut row)?;
        canvas.store(
            (left, top + y),
            3,
            row[..width].iter().map(|&alpha| [alpha]),
        );
    }
    Ok(())
}
