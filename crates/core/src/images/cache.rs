//! The images that readers ask for again and again, in bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use porchlight_api::ImageHash;
use quick_cache::Weighter;

use super::table::StoredImage;

/// Bytes that all kept images may take together.
const CAPACITY: u64 = 24 * 1024 * 1024;
/// An image larger than this is streamed and not kept.
pub(super) const LARGEST: u64 = 1024 * 1024;

/// What is kept of an image: its row, and its bytes where they are small.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) image: StoredImage,
    pub(super) bytes: Option<Bytes>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<ImageHash, Arc<Kept>> for ByBytes {
    fn weight(&self, _: &ImageHash, kept: &Arc<Kept>) -> u64 {
        256 + kept.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

pub(super) struct Cache {
    kept: quick_cache::sync::Cache<ImageHash, Arc<Kept>, ByBytes>,
    /// Counts deletions: what was read before one may not be kept after it.
    deletions: AtomicU64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            kept: quick_cache::sync::Cache::with_weighter(4096, CAPACITY, ByBytes),
            deletions: AtomicU64::new(0),
        }
    }

    pub(super) fn get(&self, hash: ImageHash) -> Option<Arc<Kept>> {
        self.kept.get(&hash)
    }

    /// To be taken before reading what is then given to [`Cache::keep`].
    pub(super) fn moment(&self) -> u64 {
        self.deletions.load(Ordering::SeqCst)
    }

    /// Keeps what was read since `moment`, unless something was deleted since.
    pub(super) fn keep(&self, moment: u64, kept: Arc<Kept>) {
        let hash = kept.image.hash;
        self.kept.insert(hash, kept);
        if self.moment() != moment {
            self.kept.remove(&hash);
        }
    }

    pub(super) fn forget(&self, hash: ImageHash) {
        self.deletions.fetch_add(1, Ordering::SeqCst);
        self.kept.remove(&hash);
    }
}
