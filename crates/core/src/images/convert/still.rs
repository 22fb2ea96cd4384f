//! A decoded still, before its colours are converted and it is turned upright.

use super::orientation::Orientation;
use super::picture::{Coding, Raster};

/// A decoded still with the metadata of its file.
#[derive(Debug, Clone)]
pub(super) struct Still {
    pub(super) raster: Raster,
    /// The embedded ICC profile.
    pub(super) profile: Option<Vec<u8>>,
    pub(super) orientation: Orientation,
    pub(super) coding: Coding,
}
