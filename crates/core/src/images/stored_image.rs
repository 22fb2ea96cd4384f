//! A stored image, as every part of the service knows it.

use porchlight_api::{ImageHash, Timestamp};

use crate::storage::StorageKind;

/// A stored image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredImage {
    /// Its public name, which is its object's, too.
    pub hash: ImageHash,
    /// Stored bytes.
    pub size: u64,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// When it was stored.
    pub created_at: Timestamp,
    /// Where its object is.
    pub place: StorageKind,
}
