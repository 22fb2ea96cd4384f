//! Turning pixels upright, by the EXIF orientation.

use super::picture::Picture;

/// The eight ways that a camera can have been held, numbered as EXIF numbers them, 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Orientation(u8);

impl Orientation {
    /// As the file has it.
    pub(super) const UPRIGHT: Self = Self(1);

    /// From an EXIF block, which begins with a TIFF header; upright where it has no valid one.
    pub(super) fn from_exif(exif: &[u8]) -> Self {
        // Some writers repeat the marker of JPEG before the block.
        let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
        image::metadata::Orientation::from_exif_chunk(exif).map_or(Self::UPRIGHT, Self::from)
    }

    /// By the number that EXIF gives it; none for a number that is none.
    pub(super) fn numbered(exif: u8) -> Option<Self> {
        matches!(exif, 1..=8).then_some(Self(exif))
    }

    pub(super) fn is_upright(self) -> bool {
        self == Self::UPRIGHT
    }

    /// Whether width and height change places.
    fn swaps_sides(self) -> bool {
        self.0 >= 5
    }

    /// Whether the columns are reversed, once the sides are swapped.
    fn mirrors_columns(self) -> bool {
        matches!(self.0, 2 | 3 | 6 | 7)
    }

    /// Whether the rows are reversed, once the sides are swapped.
    fn mirrors_rows(self) -> bool {
        matches!(self.0, 3 | 4 | 7 | 8)
    }

    /// The picture, upright.
    pub(super) fn apply(self, picture: Picture) -> Picture {
        match picture.layout.bytes() {
            1 => self.turn::<1>(picture),
            2 => self.turn::<2>(picture),
            3 => self.turn::<3>(picture),
            _ => self.turn::<4>(picture),
        }
    }

    /// Every orientation is a reflection in the diagonal, or not, and then mirrored either way.
    fn turn<const BYTES: usize>(self, mut picture: Picture) -> Picture {
        if self.swaps_sides() {
            picture = transposed::<BYTES>(&picture);
        }
        let width = picture.width as usize;
        let pixels = picture.pixels.as_chunks_mut::<BYTES>().0;
        match (self.mirrors_columns(), self.mirrors_rows()) {
            (true, true) => pixels.reverse(),
            (true, false) => pixels.chunks_exact_mut(width).for_each(<[_]>::reverse),
            (false, true) => {
                let height = picture.height as usize;
                let (upper, lower) = pixels.split_at_mut(height / 2 * width);
                let rows = upper.chunks_exact_mut(width);
                for (above, below) in rows.zip(lower.chunks_exact_mut(width).rev()) {
                    above.swap_with_slice(below);
                }
            }
            (false, false) => {}
        }
        picture
    }
}

impl From<image::metadata::Orientation> for Orientation {
    fn from(orientation: image::metadata::Orientation) -> Self {
        Self(orientation.to_exif())
    }
}

/// Rows become columns. In tiles, so that neither side of the copy strides through memory that
/// the cache has forgotten.
fn transposed<const BYTES: usize>(picture: &Picture) -> Picture {
    const TILE: usize = 32;
    let (width, height) = (picture.width as usize, picture.height as usize);
    let from = picture.pixels.as_chunks::<BYTES>().0;
    let mut pixels = vec![0; picture.pixels.len()];
    let to = pixels.as_chunks_mut::<BYTES>().0;
    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for x in left..width.min(left + TILE) {
                for y in top..height.min(top + TILE) {
                    to[x * height + y] = from[y * width + x];
                }
            }
        }
    }
    Picture {
        width: picture.height,
        height: picture.width,
        layout: picture.layout,
        pixels,
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::Layout;
    use super::*;

    #[test]
    fn every_orientation_matches_the_image_crate() {
        let (width, height) = (67, 41);
        let pixels: Vec<u8> = (0..width * height * 3)
            .map(|n| (n * 7 % 251) as u8)
            .collect();
        for exif in 1..=8 {
            let mut expected = image::DynamicImage::ImageRgb8(
                image::RgbImage::from_raw(width, height, pixels.clone()).unwrap(),
            );
            expected.apply_orientation(image::metadata::Orientation::from_exif(exif).unwrap());
            let turned = Orientation(exif).apply(Picture {
                width,
                height,
                layout: Layout::Rgb,
                pixels: pixels.clone(),
            });
            assert_eq!(
                (turned.width, turned.height),
                (expected.width(), expected.height())
            );
            assert_eq!(
                turned.pixels,
                expected.into_rgb8().into_raw(),
                "orientation {exif}"
            );
        }
    }
}
