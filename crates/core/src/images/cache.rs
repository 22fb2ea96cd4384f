//! The images that readers ask for again and again, in bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use porchlight_api::ImageHash;
use quick_cache::Weighter;

use super::WIDTHS;
use super::table::StoredImage;
use crate::storage::ObjectName;

/// Bytes that all kept images may take together.
const CAPACITY: u64 = 24 * 1024 * 1024;
/// An image larger than this is streamed and not kept.
pub(super) const LARGEST: u64 = 1024 * 1024;

/// What is kept of an object: its row, its size, and its bytes where they are few.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) name: ObjectName,
    pub(super) image: StoredImage,
    pub(super) size: u64,
    pub(super) bytes: Option<Bytes>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<ObjectName, Arc<Kept>> for ByBytes {
    fn weight(&self, _: &ObjectName, kept: &Arc<Kept>) -> u64 {
        256 + kept.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

pub(super) struct Cache {
    kept: quick_cache::sync::Cache<ObjectName, Arc<Kept>, ByBytes>,
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

    pub(super) fn get(&self, name: ObjectName) -> Option<Arc<Kept>> {
        self.kept.get(&name)
    }

    /// To be taken before reading what is then given to [`Cache::keep`].
    pub(super) fn moment(&self) -> u64 {
        self.deletions.load(Ordering::SeqCst)
    }

    /// Keeps what was read since `moment`, unless something was deleted since.
    pub(super) fn keep(&self, moment: u64, kept: Arc<Kept>) {
        self.keep_as(kept.name, moment, kept);
    }

    /// The same under another name than the object's.
    pub(super) fn keep_as(&self, name: ObjectName, moment: u64, kept: Arc<Kept>) {
        self.kept.insert(name, kept);
        if self.moment() != moment {
            self.kept.remove(&name);
        }
    }

    /// Forgets an image, its narrower copies and its further names.
    pub(super) fn forget(&self, hash: ImageHash, aliases: &[ImageHash]) {
        self.deletions.fetch_add(1, Ordering::SeqCst);
        self.kept.remove(&ObjectName::image(hash));
        for alias in aliases {
            self.kept.remove(&ObjectName::image(*alias));
        }
        for width in WIDTHS {
            self.kept.remove(&ObjectName::rendition(hash, width));
        }
    }

    /// Forgets one object.
    pub(super) fn forget_object(&self, name: ObjectName) {
        self.deletions.fetch_add(1, Ordering::SeqCst);
        self.kept.remove(&name);
    }
}
