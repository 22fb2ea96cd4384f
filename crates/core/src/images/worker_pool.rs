//! The worker pool for pixels: off the async threads, as many tasks at once as
//! there are cores, within one shared memory budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};

use crate::heap;
use porchlight_convert::ConvertError;

/// The memory that all conversions together may take, in bytes. One that
/// needs more takes it all and works alone.
const BUDGET: u64 = 512 * 1024 * 1024;
/// And one that needs more than this is refused: 100 megapixels fit in it, in
/// any form that cameras and painting programs write.
const CEILING: u64 = 3 * 1024 * 1024 * 1024;

/// The budget is counted in these, since a semaphore counts to 2^29 only on
/// small machines.
const UNIT: u64 = 64 * 1024;
/// How many readers wait at once for a worker that makes a rendition.
const WAITING: usize = 64;

/// So long after large work or a stream to a reader ends, freed memory is returned to the system, once
/// nothing is worked on. Other streams do not delay that: where they end all the time, it is done at most
/// once in this time.
const IDLE: Duration = Duration::from_secs(1);
/// Work that needs less than this leaves nothing worth returning, in bytes.
const WORTH_RETURNING: u64 = 8 * 1024 * 1024;

#[derive(Clone)]
pub(super) struct WorkerPool {
    memory: Arc<Semaphore>,
    cores: Arc<Semaphore>,
    renditions: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Whether a task waits to return freed memory.
    returning: Arc<AtomicBool>,
}

impl WorkerPool {
    pub(super) fn new() -> Self {
        let core_count = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            memory: Arc::new(Semaphore::new((BUDGET / UNIT) as usize)),
            cores: Arc::new(Semaphore::new(core_count)),
            renditions: Arc::new(Semaphore::new(core_count.saturating_sub(1).max(1))),
            waiting: Arc::new(Semaphore::new(WAITING)),
            returning: Arc::default(),
        }
    }

    /// A permit to make a rendition: one less than there are cores, so that readers do not delay
    /// the owner's uploads. `until` is the deadline of a reader: `None` when no permit is free by
    /// then, or when too many wait already.
    pub(super) async fn rendition_permit(
        &self,
        until: Option<Instant>,
    ) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.renditions).acquire_owned();
        let Some(until) = until else {
            return place.await.ok();
        };
        let _waiting = self.waiting.try_acquire().ok()?;
        timeout_at(until, place).await.ok()?.ok()
    }

    /// Runs `work` when a core and `memory` bytes are free.
    pub(super) async fn work<R: Send + 'static>(
        &self,
        memory: u64,
        work: impl FnOnce() -> Result<R, ConvertError> + Send + 'static,
    ) -> Result<R, ConvertError> {
        self.work_in_steps(memory, move |_| work()).await
    }

    /// The same for work that finds out how much memory its next step needs. All steps run on one
    /// thread: a decoder process ends with the thread that started it. Every user of memory has a
    /// core first, so nothing waits for a core that holds memory.
    pub(super) async fn work_in_steps<R: Send + 'static>(
        &self,
        memory: u64,
        work: impl FnOnce(&mut Reservation) -> Result<R, ConvertError> + Send + 'static,
    ) -> Result<R, ConvertError> {
        let core = Arc::clone(&self.cores).acquire_owned().await;
        let core = core.map_err(closed)?;
        let held = self.reserve(memory).await?;
        let pool = self.clone();
        tokio::task::spawn_blocking(move || {
            // Both are released when the work is done, also when the caller was
            // cancelled.
            let _core = core;
            let held = Some(held);
            work(&mut Reservation { pool, held })
        })
        .await
        .unwrap_or_else(|error| Err(ConvertError::Internal(format!("a worker failed: {error}"))))
    }

    /// Whether nothing is worked on, and nothing waits.
    pub(super) fn is_idle(&self) -> bool {
        self.memory.available_permits() == (BUDGET / UNIT) as usize
    }

    pub(super) async fn reserve(&self, memory: u64) -> Result<OwnedSemaphorePermit, ConvertError> {
        if memory > CEILING {
            return Err(ConvertError::TooLarge);
        }
        let units = memory.div_ceil(UNIT).clamp(1, BUDGET / UNIT) as u32;
        if memory >= WORTH_RETURNING {
            self.return_memory_when_idle();
        }
        let permit = Arc::clone(&self.memory).acquire_many_owned(units);
        permit.await.map_err(closed)
    }

    pub(super) fn return_memory_when_idle(&self) {
        if self.returning.swap(true, Ordering::Relaxed) {
            return;
        }
        let workers = self.clone();
        tokio::spawn(async move {
            loop {
                sleep(IDLE).await;
                if workers.is_idle() {
                    break;
                }
            }
            workers.returning.store(false, Ordering::Relaxed);
            tokio::task::spawn_blocking(heap::return_free_memory).await
        });
    }
}

fn closed<E>(_: E) -> ConvertError {
    ConvertError::Internal("the worker pool is closed".to_owned())
}

/// The memory that running work may take.
pub(super) struct Reservation {
    pool: WorkerPool,
    held: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// Releases what is reserved and waits until `memory` bytes are free. Blocks the thread.
    pub(super) fn change_to(&mut self, memory: u64) -> Result<(), ConvertError> {
        self.held = None;
        let reserved = tokio::runtime::Handle::current().block_on(self.pool.reserve(memory));
        self.held = Some(reserved?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_readers_are_bounded_in_number_and_time() {
        let workers = WorkerPool::new();
        let mut taken = Vec::new();
        while let Ok(place) = Arc::clone(&workers.renditions).try_acquire_owned() {
            taken.push(place);
        }
        let until = Some(Instant::now() + Duration::from_secs(2));
        let place = || Box::pin(workers.rendition_permit(until));
        let mut waiting: Vec<_> = (0..WAITING).map(|_| place()).collect();
        for reader in &mut waiting {
            assert!(poll!(reader).is_pending());
        }
        assert!(place().await.is_none(), "too many wait");
        // The first in the queue leaves: there is room at its end, and the second comes next.
        drop(waiting.remove(0));
        let mut last = place();
        assert!(poll!(&mut last).is_pending());
        taken.pop();
        let second = waiting.remove(0).await;
        assert!(second.is_some());
        assert!(last.await.is_none(), "the time is over");
    }
}
