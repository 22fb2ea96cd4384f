//! The images whose deletion the owner has requested and can still undo. One that is uploaded, imported
//! or looked up by its source meanwhile is kept: a program relies on it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use porchlight_api::ImageHash;

use super::{Images, table};
use crate::database::DatabaseError;

/// A set of images; clones are the same. It changes within a write to the database where the answer to an
/// upload and a deletion depend on each other: writes come one after another.
#[derive(Clone, Default)]
pub struct RequestedDeletions(Arc<Mutex<HashSet<ImageHash>>>);

impl RequestedDeletions {
    /// These images are to be deleted by [`Images::delete_if_requested`].
    pub fn request(&self, hashes: &[ImageHash]) {
        self.all().extend(hashes);
    }

    /// These images are to stay.
    pub fn withdraw(&self, hashes: &[ImageHash]) {
        let mut all = self.all();
        for hash in hashes {
            all.remove(hash);
        }
    }

    pub(super) fn contains(&self, hash: ImageHash) -> bool {
        self.all().contains(&hash)
    }

    pub(super) fn take(&self, hash: ImageHash) {
        self.all().remove(&hash);
    }

    fn all(&self) -> MutexGuard<'_, HashSet<ImageHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Images {
    /// The images whose deletion is requested.
    #[must_use]
    pub fn requested_deletions(&self) -> &RequestedDeletions {
        &self.0.requested_deletions
    }

    /// Keeps this image where its deletion is requested. A deletion that came first has taken effect when
    /// this returns.
    pub(super) async fn keep(&self, hash: ImageHash) -> Result<(), DatabaseError> {
        let requested = self.0.requested_deletions.clone();
        if !requested.contains(hash) {
            return Ok(());
        }
        let kept = self.0.database.write(move |transaction| {
            requested.take(hash);
            Ok::<_, DatabaseError>(table::find(transaction, hash)?.is_some())
        });
        if kept.await? {
            tracing::info!(%hash, "a deleted image that was uploaded again is kept");
        }
        Ok(())
    }
}
