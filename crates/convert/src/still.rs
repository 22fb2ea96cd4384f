//! A decoded still.

use super::orientation::Orientation;
use super::picture::{Coding, Raster};
use super::space::Space;

/// A decoded still with the metadata of its file, before its colours are converted and it is turned
/// upright.
#[derive(Debug, Clone)]
pub(super) struct Still {
    pub(super) raster: Raster,
    /// How the file describes its colours.
    pub(super) space: Space,
    pub(super) orientation: Orientation,
    pub(super) coding: Coding,
}
