//! Pictures that the owner deletes. They go a few seconds later; until then
//! nothing has been deleted, and quitting deletes nothing. One that is uploaded again meanwhile stays.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use porchlight_api::state::{State, StateReader};
use porchlight_api::window::Removal;
use porchlight_api::{ImageHash, Message, Timestamp};
use porchlight_core::images::{Images, RequestedDeletions};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// How long the owner can undo it.
const GRACE: Duration = Duration::from_secs(5);
/// Pictures that can be deleted at once.
const MOST: usize = 10_000;

/// What is about to be deleted; clones are the same.
#[derive(Clone, Default)]
pub struct Removals(Arc<Shared>);

#[derive(Default)]
struct Shared {
    requested: RequestedDeletions,
    pending: Mutex<Pending>,
    added: Notify,
    changed: State<()>,
}

#[derive(Default)]
struct Pending {
    last_id: u32,
    /// In the order of their times.
    removals: Vec<Waiting>,
}

struct Waiting {
    removal: Removal,
    due: Instant,
    /// It can be kept no more. It stays here until all are gone.
    started: bool,
}

impl Removals {
    /// Removals of images that [`Self::run`] then deletes.
    pub fn of(images: &Images) -> Self {
        Self(Arc::new(Shared {
            requested: images.requested_deletions().clone(),
            ..Shared::default()
        }))
    }

    /// Deletes what is due until it is dropped; `failed` is called with how many images of a removal
    /// are still there.
    pub async fn run(&self, images: Images, failed: impl Fn(usize)) {
        let delete = |hash| {
            let images = images.clone();
            async move {
                let deleted = images.delete_if_requested(hash).await;
                if let Err(error) = &deleted {
                    tracing::error!(%hash, %error, "a picture was not deleted");
                }
                deleted.is_ok()
            }
        };
        self.work(delete, failed).await;
    }

    /// Follows every change of what is about to be deleted from now on.
    #[must_use]
    pub fn changes(&self) -> StateReader<()> {
        self.0.changed.reader()
    }

    /// Deletes these pictures when their time has come.
    ///
    /// # Errors
    /// When they are none or too many.
    pub fn add(&self, mut hashes: Vec<ImageHash>) -> Result<Removal, Message> {
        match hashes.len() {
            0 => return Err(Message::NoPictureNamed),
            1..=MOST => {}
            _ => return Err(Message::TooManyToDelete { most: MOST.into() }),
        }
        hashes.sort_unstable();
        hashes.dedup();
        let removal = {
            let mut pending = self.pending();
            pending.last_id += 1;
            self.0.requested.request(&hashes);
            let grace = i64::try_from(GRACE.as_millis()).unwrap_or(i64::MAX);
            let removal = Removal {
                id: pending.last_id,
                hashes,
                at: Timestamp::now().as_millis().saturating_add(grace),
            };
            pending.removals.push(Waiting {
                removal: removal.clone(),
                due: Instant::now() + GRACE,
                started: false,
            });
            removal
        };
        self.0.added.notify_one();
        self.changed();
        Ok(removal)
    }

    /// Keeps the pictures of this removal; whether that came in time.
    pub fn keep(&self, id: u32) -> bool {
        let kept = {
            let removals = &mut self.pending().removals;
            let at = removals
                .iter()
                .position(|waiting| waiting.removal.id == id && !waiting.started);
            at.map(|at| removals.remove(at).removal.hashes)
        };
        if let Some(hashes) = &kept {
            self.0.requested.withdraw(hashes);
            self.changed();
        }
        kept.is_some()
    }

    /// What is about to be deleted, or is being deleted now, oldest first.
    pub fn all(&self) -> Vec<Removal> {
        let pending = self.pending();
        let removals = pending.removals.iter();
        removals.map(|waiting| waiting.removal.clone()).collect()
    }

    /// Deletes what is due, for ever; `failed` is called with how many of a removal are
    /// still there. `delete` is called with one, and returns whether it is done.
    async fn work<F: Future<Output = bool>>(
        &self,
        delete: impl Fn(ImageHash) -> F,
        failed: impl Fn(usize),
    ) {
        loop {
            let due = self.next_due().await;
            let mut left = 0;
            for hash in due.hashes {
                left += usize::from(!delete(hash).await);
            }
            if left > 0 {
                failed(left);
            }
            self.pending()
                .removals
                .retain(|waiting| waiting.removal.id != due.id);
            self.changed();
        }
    }

    /// The next removal when its time has come. From then on it cannot be kept.
    async fn next_due(&self) -> Removal {
        loop {
            let first = self.pending().removals.first().map(|first| first.due);
            // One that is added wakes this also when it was added before.
            match first {
                Some(due) => sleep_until(due).await,
                None => self.0.added.notified().await,
            }
            // The first one may have been kept, and another be first by now.
            if let Some(first) = self.pending().removals.first_mut()
                && first.due <= Instant::now()
            {
                first.started = true;
                return first.removal.clone();
            }
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.0.pending.lock()
    }

    fn changed(&self) {
        self.0.changed.set(());
    }
}

#[cfg(test)]
mod tests;
