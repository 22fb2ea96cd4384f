//! The size limit of renditions on disk: above it, the least recently used are
//! removed.
//!
//! Last uses are kept in memory; the files' modification times, updated at most
//! once an hour, preserve them for the next start. So a read costs no write,
//! and a crash leaves nothing inconsistent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{Images, WIDTHS};
use crate::clock::timestamp::Timestamp;
use crate::storage::{ObjectName, StorageError};
use crate::text::image_hash::ImageHash;

/// How long a file's time may lag behind the last use, in milliseconds.
const REMEMBERED_WITHIN: i64 = 60 * 60 * 1000;

/// The renditions on disk.
pub(super) struct Renditions {
    /// In bytes.
    bound: AtomicU64,
    book: Mutex<RenditionUses>,
    too_many: Notify,
}

#[derive(Default)]
struct RenditionUses {
    copies: HashMap<ObjectName, RenditionUse>,
    /// Of all renditions together.
    bytes: u64,
}

/// Times in Unix milliseconds.
#[derive(Clone, Copy)]
struct RenditionUse {
    size: u64,
    used: i64,
    /// The last use by the file's modification time.
    remembered: i64,
}

impl Renditions {
    pub(super) fn within(bound: u64) -> Self {
        Self {
            bound: AtomicU64::new(bound),
            book: Mutex::default(),
            too_many: Notify::new(),
        }
    }

    fn bound(&self) -> u64 {
        self.bound.load(Ordering::Relaxed)
    }

    /// Keeps them within this many bytes from now on.
    pub(super) fn keep_within(&self, bound: u64) {
        self.bound.store(bound, Ordering::Relaxed);
        self.too_many.notify_one();
    }

    /// Whether a rendition of this size fits in at all.
    pub(super) fn has_room_for(&self, size: u64) -> bool {
        size <= self.bound()
    }

    /// Records a use; returns whether the file's time should be updated.
    pub(super) fn used(&self, name: ObjectName, size: u64, now: Timestamp) -> bool {
        let now = now.as_millis();
        let mut book = self.book();
        let is_new = !book.copies.contains_key(&name);
        let copied = book.copies.entry(name).or_insert(RenditionUse {
            size: 0,
            used: now,
            remembered: now,
        });
        copied.used = copied.used.max(now);
        let lags = now - copied.remembered >= REMEMBERED_WITHIN;
        if lags {
            copied.remembered = now;
        }
        let before = std::mem::replace(&mut copied.size, size);
        book.bytes = book.bytes - before + size;
        if is_new && book.bytes > self.bound() {
            self.too_many.notify_one();
        }
        lags
    }

    /// Records a file that existed before this process.
    fn found(&self, name: ObjectName, size: u64, used: Timestamp) {
        let used = used.as_millis();
        let mut book = self.book();
        if let Some(copied) = book.copies.get_mut(&name) {
            copied.remembered = copied.remembered.min(used);
            return;
        }
        book.bytes += size;
        let remembered = used;
        book.copies.insert(
            name,
            RenditionUse {
                size,
                used,
                remembered,
            },
        );
    }

    /// The renditions of an image were removed.
    pub(super) fn forget(&self, hash: ImageHash) {
        let mut book = self.book();
        for width in WIDTHS {
            book.forget(ObjectName::rendition(hash, width));
        }
    }

    /// What to evict, least recently used first, until a tenth of the limit is
    /// free again, to avoid a sweep for each new rendition.
    fn too_much(&self) -> Vec<(ObjectName, i64)> {
        let book = self.book();
        if book.bytes <= self.bound() {
            return Vec::new();
        }
        let mut oldest: Vec<(&ObjectName, &RenditionUse)> = book.copies.iter().collect();
        oldest.sort_unstable_by_key(|(_, copied)| copied.used);
        let mut left = book.bytes;
        let goal = self.bound() - self.bound() / 10;
        let mut going = Vec::new();
        for (name, copied) in oldest {
            if left <= goal {
                break;
            }
            left -= copied.size;
            going.push((*name, copied.used));
        }
        going
    }

    /// Forgets a rendition, unless it was used since.
    fn evict(&self, name: ObjectName, used: i64) -> bool {
        let mut book = self.book();
        let unused = book.copies.get(&name).is_some_and(|c| c.used == used);
        if unused {
            book.forget(name);
        }
        unused
    }

    fn book(&self) -> MutexGuard<'_, RenditionUses> {
        self.book.lock()
    }
}

impl RenditionUses {
    fn forget(&mut self, name: ObjectName) {
        if let Some(copied) = self.copies.remove(&name) {
            self.bytes -= copied.size;
        }
    }
}

impl Images {
    /// Keeps the renditions on disk within their limit, until stopped.
    pub(crate) async fn keep_renditions_bounded(&self, stop: CancellationToken) {
        let found = tokio::select! {
            () = stop.cancelled() => return,
            found = self.find_renditions() => found,
        };
        if let Err(error) = found {
            tracing::warn!(%error, "existing renditions could not be listed");
        }
        loop {
            self.sweep_renditions(&stop).await;
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.renditions.too_many.notified() => {}
            }
        }
    }

    async fn find_renditions(&self) -> Result<(), StorageError> {
        for (name, size, used) in self.0.storage.disk().renditions().await? {
            self.0.renditions.found(name, size, used);
        }
        Ok(())
    }

    async fn sweep_renditions(&self, stop: &CancellationToken) {
        for (name, used) in self.0.renditions.too_much() {
            if stop.is_cancelled() {
                return;
            }
            // One that is being written is not removed half-way.
            let _turn = self.0.hashes.turn(name.hash).await;
            if !self.0.renditions.evict(name, used) {
                continue;
            }
            self.0.cache.forget_object(name);
            // Open readers continue; a later reader makes it again.
            if let Err(error) = self.0.storage.disk().remove_one(name).await {
                tracing::warn!(%name, %error, "a rendition could not be removed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::timestamp::Timestamp;
    use crate::text::image_hash::ImageHash;

    use super::{REMEMBERED_WITHIN, Renditions};
    use crate::storage::ObjectName;

    fn name(number: u8) -> ObjectName {
        ObjectName::rendition(ImageHash::from_bytes([number; 16]), 320)
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn the_least_recently_used_are_evicted_until_there_is_room() {
        let kept = Renditions::within(1_000);
        for number in 0..10 {
            kept.used(name(number), 100, at(i64::from(number)));
        }
        assert!(kept.too_much().is_empty(), "full is not too full");
        kept.used(name(0), 100, at(50));
        kept.used(name(10), 150, at(60));
        let going: Vec<_> = kept.too_much().into_iter().map(|(n, _)| n).collect();
        assert_eq!(going, [name(1), name(2), name(3)]);
        kept.used(name(2), 100, at(70));
        assert!(kept.evict(name(1), 1));
        assert!(!kept.evict(name(2), 2), "it was used in between");
        kept.forget(ImageHash::from_bytes([3; 16]));
        assert_eq!(kept.book().bytes, 950);
    }

    #[test]
    fn at_startup_the_last_use_is_the_files_time() {
        let kept = Renditions::within(250);
        kept.used(name(1), 100, at(5_000));
        kept.found(name(2), 100, at(3_000));
        kept.found(name(3), 100, at(2_000));
        kept.found(name(1), 100, at(1_000));
        assert_eq!(kept.book().bytes, 300);
        let going: Vec<_> = kept.too_much().into_iter().map(|(n, _)| n).collect();
        assert_eq!(going, [name(3)]);
    }

    #[test]
    fn a_use_is_written_to_the_file_once_an_hour() {
        let kept = Renditions::within(250);
        kept.found(name(1), 100, at(0));
        assert!(!kept.used(name(1), 100, at(REMEMBERED_WITHIN - 1)));
        assert!(kept.used(name(1), 100, at(REMEMBERED_WITHIN)));
        assert!(!kept.used(name(1), 100, at(REMEMBERED_WITHIN + 1)));
    }
}
