//! The helper processes that convert pictures: as many at once as there are cores, up to a bound. Each
//! stays for the next picture.

mod process;
#[cfg(all(test, unix))]
mod tests;

use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use porchlight_convert::ConvertError;
use porchlight_convert::helper::{Done, Task, needs_fonts};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout_at};

use process::{Died, Process};

/// The most helper processes: together they may take so many times [`MEMORY`].
const MOST: usize = 4;

/// The memory that a helper process may take in addition to the program, in bytes. A picture of 100
/// megapixels fits in it in most forms.
const MEMORY: u64 = 1 << 30;
/// The memory of the one helper process for a picture that does not fit.
const LARGE_MEMORY: u64 = 4 << 30;

/// How many pictures a helper process converts, and how long it waits for one.
const PICTURES: u32 = 100;
const IDLE: Duration = Duration::from_secs(60);

/// How long nothing may come from a helper process that works.
const PATIENCE: Duration = Duration::from_secs(30);

/// So many bytes show whether a picture needs fonts.
const BEGINNING: u64 = 4_096;

/// How many readers wait at once for a worker that makes a rendition.
const WAITING: usize = 64;

/// This program converts pictures for itself.
#[cfg(not(test))]
pub(super) fn this_program() -> Option<Arc<Path>> {
    // On Linux by a name that holds when the file has been replaced by a newer one meanwhile.
    if cfg!(target_os = "linux") {
        return Some(Path::new("/proc/self/exe").into());
    }
    std::env::current_exe().ok().map(Into::into)
}

#[cfg(test)]
pub(super) fn this_program() -> Option<Arc<Path>> {
    Some(porchlight_test_harness::process::built_program())
}

/// The bytes of a picture.
pub(super) enum Picture<'a> {
    Bytes(Bytes),
    /// Of this file, which are never in the memory of this process.
    File(&'a Path),
}

#[derive(Clone)]
pub(super) struct Helpers(Arc<Inner>);

struct Inner {
    /// Called with [`porchlight_convert::helper::ARGUMENT`].
    program: Option<Arc<Path>>,
    patience: Duration,
    cores: Arc<Semaphore>,
    core_count: usize,
    /// Held by the one that may take more memory.
    large: Semaphore,
    idle: Mutex<Vec<(Process, Instant)>>,
    /// Whether a task waits to end those that are idle.
    ending: AtomicBool,
    renditions: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Helpers {
    pub(super) fn new(program: Option<Arc<Path>>) -> Self {
        Self::with_patience(program, PATIENCE)
    }

    fn with_patience(program: Option<Arc<Path>>, patience: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let core_count = cores.min(MOST);
        Self(Arc::new(Inner {
            program,
            patience,
            cores: Arc::new(Semaphore::new(core_count)),
            core_count,
            large: Semaphore::new(1),
            idle: Mutex::default(),
            ending: AtomicBool::default(),
            renditions: Arc::new(Semaphore::new(core_count.saturating_sub(1).max(1))),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }))
    }

    /// A permit to make a rendition: one less than there are cores, so that readers do not delay
    /// the owner's uploads. `until` is the deadline of a reader: `None` when no permit is free by
    /// then, or when too many wait already.
    pub(super) async fn rendition_permit(
        &self,
        until: Option<Instant>,
    ) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.0.renditions).acquire_owned();
        let Some(until) = until else {
            return place.await.ok();
        };
        let _waiting = self.0.waiting.try_acquire().ok()?;
        timeout_at(until, place).await.ok()?.ok()
    }

    /// How many pictures are worked on at once.
    pub(super) fn at_once(&self) -> usize {
        self.0.core_count
    }

    /// Whether no picture is worked on.
    pub(super) fn is_idle(&self) -> bool {
        self.0.cores.available_permits() == self.0.core_count
    }

    /// Work, as long as this is held.
    #[cfg(test)]
    pub(super) async fn busy(&self) -> OwnedSemaphorePermit {
        let core = Arc::clone(&self.0.cores).acquire_owned().await;
        core.expect("an open semaphore")
    }

    /// Does a task when a core is free. A picture that kills its helper process is broken, one that
    /// finds no memory too large.
    pub(super) async fn run(
        &self,
        task: &Task,
        picture: Picture<'_>,
    ) -> Result<(Done, Vec<u8>), ConvertError> {
        let core = Arc::clone(&self.0.cores).acquire_owned().await;
        let _core = core.map_err(internal)?;
        let Some(program) = &self.0.program else {
            return Err(internal("no program does that"));
        };
        let fonts = needs_fonts(&beginning(&picture).await?);
        let idle = self.idle(fonts);
        let is_new = idle.is_none();
        let process = match idle {
            Some(process) => process,
            None => Process::start(program, MEMORY, fonts)?,
        };
        let mut outcome = self.work(process, task, &picture).await;
        if matches!(outcome, Err(Died::Other)) && !is_new {
            // It may have died of an earlier picture, or of being idle.
            let process = Process::start(program, MEMORY, fonts)?;
            outcome = self.work(process, task, &picture).await;
        }
        if matches!(
            outcome,
            Err(Died::OfMemory) | Ok(Err(ConvertError::OutOfMemory))
        ) {
            let _alone = self.0.large.acquire().await;
            let mut process = Process::start(program, LARGE_MEMORY, fonts)?;
            outcome = process.work(task, &picture, self.0.patience).await;
        }
        match outcome {
            Ok(Err(ConvertError::OutOfMemory)) | Err(Died::OfMemory) => Err(ConvertError::TooLarge),
            Ok(answer) => answer,
            Err(Died::Silent) => Err(ConvertError::Invalid("it takes too long to decode".into())),
            Err(Died::Other) => Err(ConvertError::Invalid("its decoder died of it".into())),
        }
    }

    /// Has a process do a task, and keeps it if it has.
    async fn work(
        &self,
        mut process: Process,
        task: &Task,
        picture: &Picture<'_>,
    ) -> Result<Result<(Done, Vec<u8>), ConvertError>, Died> {
        let answer = process.work(task, picture, self.0.patience).await?;
        if process.pictures < PICTURES {
            self.lock().push((process, Instant::now() + IDLE));
            if !self.0.ending.swap(true, Ordering::Relaxed) {
                tokio::spawn(self.clone().end_idle());
            }
        }
        Ok(answer)
    }

    /// The one that was used last.
    fn idle(&self, fonts: bool) -> Option<Process> {
        let mut idle = self.lock();
        let at = idle
            .iter()
            .rposition(|(process, _)| process.fonts == fonts)?;
        Some(idle.remove(at).0)
    }

    /// Ends each process that waits for too long, until there is none.
    async fn end_idle(self) {
        loop {
            let next = self.lock().iter().map(|(_, until)| *until).min();
            let Some(next) = next else { break };
            sleep_until(next).await;
            let now = Instant::now();
            self.lock().retain(|(_, until)| *until > now);
        }
        self.0.ending.store(false, Ordering::Relaxed);
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Vec<(Process, Instant)>> {
        self.0.idle.lock()
    }
}

async fn beginning(picture: &Picture<'_>) -> Result<Vec<u8>, ConvertError> {
    match picture {
        Picture::Bytes(bytes) => Ok(bytes[..bytes.len().min(BEGINNING as usize)].to_vec()),
        Picture::File(path) => {
            let mut beginning = Vec::new();
            let file = File::open(path).await.map_err(internal)?;
            let mut file = file.take(BEGINNING);
            file.read_to_end(&mut beginning).await.map_err(internal)?;
            Ok(beginning)
        }
    }
}

fn internal(error: impl std::fmt::Display) -> ConvertError {
    ConvertError::Internal(format!("no picture can be converted: {error}"))
}
