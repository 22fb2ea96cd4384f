//! A cache of frequently requested images, in bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use quick_cache::Weighter;

use super::WIDTHS;
use super::row::StoredImage;
use crate::storage::ObjectName;
use crate::text::image_hash::ImageHash;

/// The maximum size of all cached images, in bytes.
const CAPACITY: u64 = 24 * 1024 * 1024;
/// A larger image is streamed and not cached.
pub(super) const LARGEST: u64 = 1024 * 1024;

/// A cached object: its row, its size, and its bytes where they are few.
#[derive(Debug, Clone)]
pub(super) struct CachedObject {
    pub(super) name: ObjectName,
    pub(super) image: StoredImage,
    pub(super) size: u64,
    pub(super) bytes: Option<Bytes>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<ObjectName, Arc<CachedObject>> for ByBytes {
    fn weight(&self, _: &ObjectName, kept: &Arc<CachedObject>) -> u64 {
        256 + kept.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

pub(super) struct Cache {
    kept: quick_cache::sync::Cache<ObjectName, Arc<CachedObject>, ByBytes>,
    /// Counts deletions: what was read before one must not be cached after it.
    deletions: AtomicU64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            kept: quick_cache::sync::Cache::with_weighter(4096, CAPACITY, ByBytes),
            deletions: AtomicU64::new(0),
        }
    }

    pub(super) fn get(&self, name: ObjectName) -> Option<Arc<CachedObject>> {
        self.kept.get(&name)
    }

    /// Must be called before reading what is then passed to [`Cache::keep`].
    pub(super) fn moment(&self) -> u64 {
        self.deletions.load(Ordering::SeqCst)
    }

    /// Caches what was read since `moment`, unless something was deleted since.
    pub(super) fn keep(&self, moment: u64, kept: Arc<CachedObject>) {
        self.keep_as(kept.name, moment, kept);
    }

    /// The same under another name than the object's.
    pub(super) fn keep_as(&self, name: ObjectName, moment: u64, kept: Arc<CachedObject>) {
        self.kept.insert(name, kept);
        if self.moment() != moment {
            self.kept.remove(&name);
        }
    }

    /// Evicts an image, its renditions and its aliases.
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

    /// Evicts one object.
    pub(super) fn forget_object(&self, name: ObjectName) {
        self.deletions.fetch_add(1, Ordering::SeqCst);
        self.kept.remove(&name);
    }
}
