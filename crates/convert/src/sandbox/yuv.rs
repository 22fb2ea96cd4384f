//! From the planes of a video frame to red, green and blue: the matrices of ITU-T H.273, both
//! ranges, and all ways in which chroma can be thinner than luma.

use re_rav1d::dav1d::{Picture, PixelLayout, PlanarImageComponent, Plane, pixel};

use super::super::ConvertError;
use super::super::picture::{Channels, Samples};
use super::boxes::Numbers;

/// The planes of a decoded frame.
pub(super) struct Planes {
    width: usize,
    height: usize,
    bits: u32,
    layout: PixelLayout,
    luma: (Plane, usize),
    chroma: Option<[(Plane, usize); 2]>,
    numbers: Numbers,
}

impl Planes {
    pub(super) fn of(picture: &Picture) -> Result<Self, ConvertError> {
        let plane = |component: PlanarImageComponent| {
            (picture.plane(component), picture.stride(component) as usize)
        };
        let layout = picture.pixel_layout();
        let bits = picture
            .bits_per_component()
            .ok_or_else(|| ConvertError::invalid("samples of an unknown width"))?;
        Ok(Self {
            width: picture.width() as usize,
            height: picture.height() as usize,
            bits: bits.0 as u32,
            luma: plane(PlanarImageComponent::Y),
            chroma: (layout != PixelLayout::I400)
                .then(|| [PlanarImageComponent::U, PlanarImageComponent::V].map(plane)),
            layout,
            numbers: Numbers {
                primaries: picture.color_primaries() as u8,
                transfer: picture.transfer_characteristic() as u8,
                matrix: picture.matrix_coefficients() as u8,
                full_range: picture.color_range() == pixel::YUVRange::Full,
            },
        })
    }

    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// The colours that the frame itself names.
    pub(super) fn numbers(&self) -> Numbers {
        self.numbers
    }

    fn luma_row(&self, y: usize, row: &mut Vec<f32>) -> Result<(), ConvertError> {
        self.row(&self.luma, y, self.width, row)
    }

    fn row(
        &self,
        (plane, stride): &(Plane, usize),
        y: usize,
        width: usize,
        row: &mut Vec<f32>,
    ) -> Result<(), ConvertError> {
        let wide = if self.bits > 8 { 2 } else { 1 };
        let bytes = plane
            .get(y * stride..)
            .and_then(|rest| rest.get(..width * wide))
            .ok_or_else(|| ConvertError::invalid("a plane is cut short"))?;
        row.clear();
        if wide == 2 {
            let pairs = bytes.as_chunks::<2>().0;
            row.extend(
                pairs
                    .iter()
                    .map(|&pair| f32::from(u16::from_ne_bytes(pair))),
            );
        } else {
            row.extend(bytes.iter().map(|&byte| f32::from(byte)));
        }
        Ok(())
    }

    /// A row of chroma as wide as luma: what lies between two samples is mixed of both.
    fn chroma_row(
        &self,
        plane: &(Plane, usize),
        y: usize,
        [near, far]: &mut [Vec<f32>; 2],
        row: &mut Vec<f32>,
    ) -> Result<(), ConvertError> {
        let half = self.width.div_ceil(2);
        match self.layout {
            PixelLayout::I444 | PixelLayout::I400 => return self.row(plane, y, self.width, row),
            PixelLayout::I422 => self.row(plane, y, half, near)?,
            PixelLayout::I420 => {
                self.row(plane, y / 2, half, near)?;
                self.row(plane, neighbour(y, self.height.div_ceil(2)), half, far)?;
                for (near, far) in near.iter_mut().zip(far) {
                    *near = *near * 0.75 + *far * 0.25;
                }
            }
        }
        row.clear();
        row.extend((0..self.width).map(|x| near[x / 2] * 0.75 + near[neighbour(x, half)] * 0.25));
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
                Samples::Sixteen(vec![0; length])
            } else {
                Samples::Eight(vec![0; length])
            },
        })
    }

    pub(super) fn into_samples(self) -> Samples {
        self.samples
    }

    /// Stores a sample of 0 to 1.
    fn set(&mut self, x: usize, y: usize, channel: usize, value: f32) {
        let at = (y * self.width + x) * self.channels + channel;
        // The conversion stops at both ends.
        match &mut self.samples {
            Samples::Eight(samples) => samples[at] = (value * 255.0 + 0.5) as u8,
            Samples::Sixteen(samples) => samples[at] = (value * 65_535.0 + 0.5) as u16,
        }
    }
}

/// How samples become numbers: luma of 0 to 1, chroma of -½ to ½.
struct Range {
    black: f32,
    luma: f32,
    middle: f32,
    chroma: f32,
}

impl Range {
    fn of(bits: u32, full: bool) -> Self {
        let most = ((1_u32 << bits) - 1) as f32;
        let step = (1_u32 << (bits - 8)) as f32;
        Self {
            black: if full { 0.0 } else { 16.0 * step },
            luma: 1.0 / if full { most } else { 219.0 * step },
            middle: 128.0 * step,
            chroma: 1.0 / if full { most } else { 224.0 * step },
        }
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
    numbers: Numbers,
    (left, top): (u32, u32),
    canvas: &mut Canvas,
) -> Result<(), ConvertError> {
    let (left, top) = (left as usize, top as usize);
    let matrix = Matrix::of(numbers.matrix)?;
    let range = Range::of(planes.bits, numbers.full_range);
    let (mut y_row, mut u_row, mut v_row) = (Vec::new(), Vec::new(), Vec::new());
    let mut between = [Vec::new(), Vec::new()];
    let width = planes.width.min(canvas.width.saturating_sub(left));
    for y in 0..planes.height.min(canvas.height.saturating_sub(top)) {
        planes.luma_row(y, &mut y_row)?;
        if let Some([u, v]) = &planes.chroma {
            planes.chroma_row(u, y, &mut between, &mut u_row)?;
            planes.chroma_row(v, y, &mut between, &mut v_row)?;
        }
        for x in 0..width {
            let luma = (y_row[x] - range.black) * range.luma;
            let rgb = if planes.chroma.is_none() {
                [luma; 3]
            } else if let Matrix::Identity = matrix {
                let colour = |sample: f32| (sample - range.black) * range.luma;
                [colour(v_row[x]), luma, colour(u_row[x])]
            } else {
                let chroma = |sample: f32| (sample - range.middle) * range.chroma;
                mixed(matrix, luma, chroma(u_row[x]), chroma(v_row[x]))
            };
            for (channel, value) in rgb.into_iter().enumerate() {
                canvas.set(left + x, top + y, channel, value);
            }
            if canvas.channels == 4 {
                canvas.set(left + x, top + y, 3, 1.0);
            }
        }
    }
    Ok(())
}

fn mixed(matrix: Matrix, luma: f32, u: f32, v: f32) -> [f32; 3] {
    match matrix {
        Matrix::Shares(red, blue) => {
            let r = luma + 2.0 * (1.0 - red) * v;
            let b = luma + 2.0 * (1.0 - blue) * u;
            [r, (luma - red * r - blue * b) / (1.0 - red - blue), b]
        }
        Matrix::YCgCo => [luma - u + v, luma + u, luma - u - v],
        Matrix::Identity => [v, luma, u],
    }
}

/// Draws the luma of a tile as alpha.
pub(super) fn draw_alpha(
    planes: &Planes,
    (left, top): (u32, u32),
    canvas: &mut Canvas,
) -> Result<(), ConvertError> {
    let (left, top) = (left as usize, top as usize);
    let range = Range::of(planes.bits, planes.numbers.full_range);
    let mut row = Vec::new();
    let width = planes.width.min(canvas.width.saturating_sub(left));
    for y in 0..planes.height.min(canvas.height.saturating_sub(top)) {
        planes.luma_row(y, &mut row)?;
        for (x, sample) in row[..width].iter().enumerate() {
            canvas.set(left + x, top + y, 3, (sample - range.black) * range.luma);
        }
    }
    Ok(())
}
