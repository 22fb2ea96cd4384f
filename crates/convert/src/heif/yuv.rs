//! From the planes of a video frame to red, green and blue, by the `yuv` crate: the matrices of ITU-T H.273,
//! both ranges, and all ways in which chroma can be thinner than luma.

use std::fmt::Debug;

use image::{DynamicImage, ImageBuffer, Luma};
use yuv::{YuvError, YuvGrayImage, YuvPlanarImage, YuvRange, YuvStandardMatrix};

use super::super::ConvertError;
use super::super::still::image_of;

/// A decoded frame.
pub(super) struct Frame {
    /// Luma, and chroma unless the frame is grey: samples of 8 bits, or of more in the upper ones of 16.
    pub(super) planes: Vec<DynamicImage>,
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

/// Luma is green, and chroma blue and red.
const IDENTITY: u8 = 0;
const YCGCO: u8 = 8;

impl From<YuvError> for ConvertError {
    fn from(error: YuvError) -> Self {
        Self::invalid(error)
    }
}

/// A plane of samples of more than 8 bits, which are the lower ones of 16.
pub(super) fn deep_plane(
    size: (u32, u32),
    bits: u32,
    samples: impl Iterator<Item = u16>,
) -> Result<DynamicImage, ConvertError> {
    image_of::<u16>(
        size,
        1,
        samples.map(|sample| sample << (16 - bits)).collect(),
    )
}

impl Frame {
    /// Red, green and blue of 8 or 16 bits.
    pub(super) fn into_image(self, coding: Coding) -> Result<DynamicImage, ConvertError> {
        let size = (self.planes[0].width(), self.planes[0].height());
        let is_deep = self.planes[0].as_luma16().is_some();
        let planes = self.planes.into_iter();
        // The crate knows YCgCo of 8 bits alone.
        if is_deep && coding.matrix != YCGCO {
            let between = |near, far| ((3 * u32::from(near) + u32::from(far) + 2) / 4) as u16;
            let ways = Ways {
                grey: yuv::y016_to_rgb16,
                mixed: yuv::i416_to_rgb16,
                identity: yuv::gb16_to_rgb16,
                ycgco: None,
            };
            let planes: Vec<_> = planes.map(DynamicImage::into_luma16).collect();
            image_of(size, 3, ways.mix(&planes, coding, between)?)
        } else {
            let between = |near, far| ((3 * u16::from(near) + u16::from(far) + 2) / 4) as u8;
            let ways = Ways {
                grey: yuv::yuv400_to_rgb,
                mixed: yuv::yuv444_to_rgb,
                identity: yuv::gbr_to_rgb,
                ycgco: Some(yuv::ycgco444_to_rgb),
            };
            let planes: Vec<_> = planes.map(DynamicImage::into_luma8).collect();
            image_of(size, 3, ways.mix(&planes, coding, between)?)
        }
    }
}

/// Chroma at least as wide and high as luma: what lies between two samples is mixed of both, by a function
/// that takes three parts of the first and one of the second.
fn widened<T: image::Primitive>(
    thin: &Plane<T>,
    (width, height): (u32, u32),
    between: &impl Fn(T, T) -> T,
) -> Vec<T>
where
    Luma<T>: image::Pixel<Subpixel = T>,
{
    let (columns, rows) = (thin.width() as usize, thin.height() as usize);
    let times = if thin.width() < width { 2 } else { 1 };
    let mut wide = vec![T::zero(); columns * times * height as usize];
    // With the first and the last sample twice.
    let mut row = vec![T::zero(); columns + 2];
    for (y, wide) in wide.chunks_exact_mut(columns * times).enumerate() {
        let (near, far) = match (thin.height() < height, y % 2) {
            (false, _) => (y, y),
            (true, 0) => (y / 2, (y / 2).saturating_sub(1)),
            (true, _) => (y / 2, (y / 2 + 1).min(rows - 1)),
        };
        let [near, far] = [near, far].map(|row| &thin.as_raw()[row * columns..][..columns]);
        let mixed = near.iter().zip(far);
        for (sample, (near, far)) in row[1..].iter_mut().zip(mixed) {
            *sample = between(*near, *far);
        }
        if times == 1 {
            wide.copy_from_slice(&row[1..=columns]);
            continue;
        }
        (row[0], row[columns + 1]) = (row[1], row[columns]);
        for (wide, [before, sample, after]) in
            wide.as_chunks_mut().0.iter_mut().zip(row.array_windows())
        {
            *wide = [between(*sample, *before), between(*sample, *after)];
        }
    }
    wide
}

type Plane<T> = ImageBuffer<Luma<T>, Vec<T>>;

type Done = Result<(), YuvError>;
type OfGrey<T> = fn(&YuvGrayImage<'_, T>, &mut [T], u32, YuvRange, YuvStandardMatrix) -> Done;
type ByMatrix<T> = fn(&YuvPlanarImage<'_, T>, &mut [T], u32, YuvRange, YuvStandardMatrix) -> Done;
type ByRange<T> = fn(&YuvPlanarImage<'_, T>, &mut [T], u32, YuvRange) -> Done;

/// The functions of the crate for one kind of sample.
struct Ways<T: Copy + Debug> {
    grey: OfGrey<T>,
    mixed: ByMatrix<T>,
    identity: ByRange<T>,
    ycgco: Option<ByRange<T>>,
}

impl<T: image::Primitive + Debug> Ways<T>
where
    Luma<T>: image::Pixel<Subpixel = T>,
{
    fn mix(
        &self,
        planes: &[Plane<T>],
        coding: Coding,
        between: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>, ConvertError> {
        let (width, height) = planes[0].dimensions();
        let (y_plane, y_stride, stride) = (planes[0].as_raw(), width, width * 3);
        let mut rgb = vec![T::zero(); stride as usize * height as usize];
        let range = if coding.full_range {
            YuvRange::Full
        } else {
            YuvRange::Limited
        };
        let [_, u, v] = planes else {
            let grey = YuvGrayImage {
                y_plane,
                y_stride,
                width,
                height,
            };
            (self.grey)(&grey, &mut rgb, stride, range, YuvStandardMatrix::Bt601)?;
            return Ok(rgb);
        };
        let stride_of_chroma = u.width() * if u.width() < width { 2 } else { 1 };
        let [u, v] = [u, v].map(|plane| widened(plane, (width, height), &between));
        let planes = YuvPlanarImage {
            y_plane,
            y_stride,
            u_plane: &u,
            u_stride: stride_of_chroma,
            v_plane: &v,
            v_stride: stride_of_chroma,
            width,
            height,
        };
        let matrix = match coding.matrix {
            IDENTITY => return Ok((self.identity)(&planes, &mut rgb, stride, range).map(|()| rgb)?),
            YCGCO if let Some(ycgco) = self.ycgco => {
                return Ok(ycgco(&planes, &mut rgb, stride, range).map(|()| rgb)?);
            }
            1 => YuvStandardMatrix::Bt709,
            4 => YuvStandardMatrix::Fcc,
            // Where none is named, the matrix of JPEG.
            2 | 5 | 6 => YuvStandardMatrix::Bt601,
            7 => YuvStandardMatrix::Smpte240,
            9 => YuvStandardMatrix::Bt2020,
            _ => return Err(ConvertError::Unsupported),
        };
        (self.mixed)(&planes, &mut rgb, stride, range, matrix)?;
        Ok(rgb)
    }
}
