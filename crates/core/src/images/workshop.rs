//! Where pixels are worked on: off the async threads, as many at once as
//! there are cores, within one budget of memory for all.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::convert::ConvertError;

/// The memory that all conversions together may take, in bytes. One that
/// needs more takes it all and works alone.
const BUDGET: u64 = 512 * 1024 * 1024;
/// And one that needs more than this is refused: 100 megapixels fit in it, in
/// any form that cameras and painting programs write.
const CEILING: u64 = 3 * 1024 * 1024 * 1024;

/// The budget is counted in these, since a semaphore counts to 2^29 only on
/// small machines.
const UNIT: u64 = 64 * 1024;

#[derive(Clone)]
pub(super) struct Workshop {
    memory: Arc<Semaphore>,
    benches: Arc<Semaphore>,
    narrowing: Arc<Semaphore>,
}

impl Workshop {
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            memory: Arc::new(Semaphore::new((BUDGET / UNIT) as usize)),
            benches: Arc::new(Semaphore::new(cores)),
            narrowing: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
        }
    }

    /// Waits until another narrower copy may be made: one core less than there
    /// are is for readers' wishes.
    pub(super) async fn place_for_narrowing(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.narrowing).acquire_owned().await.ok()
    }

    /// Runs `work` when `memory` bytes and a core are free.
    pub(super) async fn work<R: Send + 'static>(
        &self,
        memory: u64,
        work: impl FnOnce() -> Result<R, ConvertError> + Send + 'static,
    ) -> Result<R, ConvertError> {
        if memory > CEILING {
            return Err(ConvertError::TooLarge);
        }
        let units = memory.div_ceil(UNIT).clamp(1, BUDGET / UNIT) as u32;
        let gone = |_| ConvertError::Internal("the workshop is closed".to_owned());
        let memory = Arc::clone(&self.memory)
            .acquire_many_owned(units)
            .await
            .map_err(gone)?;
        let bench = Arc::clone(&self.benches)
            .acquire_owned()
            .await
            .map_err(gone)?;
        tokio::task::spawn_blocking(move || {
            // Both are given back when the work is done, also when the caller
            // has stopped waiting for it.
            let _held = (memory, bench);
            work()
        })
        .await
        .unwrap_or_else(|error| Err(ConvertError::Internal(format!("a worker broke: {error}"))))
    }
}
