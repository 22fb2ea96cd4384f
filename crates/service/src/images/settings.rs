//! `[images]`

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How readers get an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// The bytes, from here (Behaviour A).
    #[default]
    Direct,
    /// A redirect to the object store (Behaviour B).
    Redirect,
}

/// `[images]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImagesSettings {
    /// How readers get an image.
    pub delivery: Delivery,
    /// The quality of lossy WebP, 1 to 100.
    pub quality: u64,
    /// The longest side of what is stored, in pixels; 0 for no limit but that of WebP.
    pub max_side: u64,
    /// The largest upload, in bytes.
    pub max_upload_bytes: u64,
    /// The most pixels an image may have.
    pub max_pixels: u64,
    /// The most pixels that all frames of an animation may have together.
    pub max_animation_pixels: u64,
    /// How many days a deleted image can be put back; 0: not at all.
    pub trash_days: u64,
    /// The maximum size of all renditions on disk, in bytes; the least recently
    /// used go first.
    pub rendition_cache_bytes: u64,
    /// The program whose helper processes convert images; `None` for this one. Not a setting: tests
    /// supply it.
    #[serde(skip)]
    pub helper: Option<Arc<Path>>,
}

impl Default for ImagesSettings {
    fn default() -> Self {
        Self {
            delivery: Delivery::Direct,
            quality: 80,
            max_side: 0,
            max_upload_bytes: 50 * 1024 * 1024,
            max_pixels: 100_000_000,
            max_animation_pixels: 1_000_000_000,
            trash_days: 30,
            rendition_cache_bytes: 1024 * 1024 * 1024,
            helper: None,
        }
    }
}
