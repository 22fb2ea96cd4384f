//! What a page can show of an image before it is loaded: its average colour and its ThumbHash.

use image::DynamicImage;
use serde::{Deserialize, Serialize};

use super::resize::{Scaler, within};
use super::riff::Webp;
use super::{ConvertError, webp};

/// ThumbHash takes no larger side, in pixels.
const LARGEST: u32 = 100;

/// What is shown of an image before it is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Its average colour: `0xrrggbb`.
    pub colour: u32,
    /// A blurred copy in about 25 bytes: <https://evanw.github.io/thumbhash/>.
    pub thumbhash: Vec<u8>,
}

/// The preview of a stored WebP; of an animation that of its first frame.
///
/// # Errors
///
/// [`ConvertError::Invalid`] when it does not decode.
pub fn preview(webp: &[u8]) -> Result<Preview, ConvertError> {
    webp::preview(&Webp::parse(webp)?)
}

impl Preview {
    pub(super) fn of(image: &DynamicImage) -> Result<Self, ConvertError> {
        let size = within(LARGEST, (image.width(), image.height()));
        let small = Scaler::default().scaled(image, size)?.into_rgba8();
        let mut sums = [0_u64; 4];
        for [colours @ .., alpha] in small.as_chunks::<4>().0 {
            for (sum, colour) in sums.iter_mut().zip(colours) {
                *sum += u64::from(*colour) * u64::from(*alpha);
            }
            sums[3] += u64::from(*alpha);
        }
        let [red, green, blue] = [0, 1, 2].map(|at| (sums[at] / sums[3].max(1)) as u32);
        let (width, height) = (small.width() as usize, small.height() as usize);
        Ok(Self {
            colour: red << 16 | green << 8 | blue,
            thumbhash: thumbhash::rgba_to_thumb_hash(width, height, &small),
        })
    }
}
