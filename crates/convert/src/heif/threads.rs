//! Threads that decode the pictures of a grid beside each other.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{available_parallelism, spawn};

use hpvcd::VideoDecoder;

use super::super::ConvertError;
use super::super::error::caught;
use super::hevc;
use super::yuv::Frame;

/// More threads are not started: each takes address space, and the rest of a conversion has one alone.
const MOST: usize = 4;

/// What is decoded, by the decoder of a thread if it is HEVC.
pub(super) type Job =
    Box<dyn FnOnce(&mut Option<VideoDecoder>) -> Result<Frame, ConvertError> + Send>;

struct Threads {
    count: usize,
    queue: Sender<(Job, Sender<Result<Frame, ConvertError>>)>,
    /// Whether one of them has no decoder any more.
    is_broken: Arc<AtomicBool>,
}

// Those that work for this thread. A confined process can start no others. They end by themselves when it is
// gone, and nothing waits for that: in a destructor of a thread it would never end on Windows.
thread_local! {
    #[allow(clippy::missing_const_for_thread_local, reason = "it is const, which clippy does not see for Windows")]
    static THREADS: OnceCell<Threads> = const { OnceCell::new() };
}

impl Threads {
    fn start() -> Self {
        let (queue, jobs) = channel::<(Job, Sender<_>)>();
        let (jobs, is_broken) = (Arc::new(Mutex::new(jobs)), Arc::new(AtomicBool::new(false)));
        let (started, all_started) = channel::<()>();
        let count = available_parallelism().map_or(1, usize::from).min(MOST);
        for _ in 0..count {
            let (jobs, is_broken) = (Arc::clone(&jobs), Arc::clone(&is_broken));
            let started = started.clone();
            let next = move || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            spawn(move || {
                let mut decoder = Some(hevc::decoder());
                drop(started);
                while let Ok((job, result)) = next() {
                    let frame = caught(|| job(&mut decoder));
                    is_broken.fetch_or(decoder.is_none(), Ordering::Relaxed);
                    // Nobody waits for it where the picture was given up.
                    let _ = result.send(frame);
                }
            });
        }
        drop(started);
        // Nothing is sent: it ends when all have let go of it.
        let _ = all_started.recv();
        Self {
            count,
            queue,
            is_broken,
        }
    }

    fn begin(&self, job: Job) -> Receiver<Result<Frame, ConvertError>> {
        let (result, receiver) = channel();
        // If it fails, nothing comes of it.
        let _ = self.queue.send((job, result));
        receiver
    }
}

/// Starts the threads that work for this one.
pub(in super::super) fn prepare() {
    THREADS.with(|threads| {
        threads.get_or_init(Threads::start);
    });
}

/// Whether they all have their decoders. After a broken picture they have not.
pub(in super::super) fn is_prepared() -> bool {
    THREADS.with(|threads| {
        let threads = threads.get();
        threads.is_some_and(|threads| !threads.is_broken.load(Ordering::Relaxed))
    })
}

/// Has these decoded, a few of them at once, and `each` called with what comes of them in their order. Ends
/// when all that was begun is done.
pub(super) fn decoded(
    mut jobs: impl Iterator<Item = Result<Job, ConvertError>>,
    mut each: impl FnMut(Frame) -> Result<(), ConvertError>,
) -> Result<(), ConvertError> {
    THREADS.with(|threads| {
        let threads = threads.get_or_init(Threads::start);
        let (mut begun, mut done) = (VecDeque::new(), Ok(()));
        loop {
            // One more than threads, so that none waits while `each` is busy.
            while done.is_ok()
                && begun.len() <= threads.count
                && let Some(job) = jobs.next()
            {
                match job {
                    Ok(job) => begun.push_back(threads.begin(job)),
                    Err(error) => done = Err(error),
                }
            }
            let Some(next) = begun.pop_front() else {
                return done;
            };
            let gone = |_| Err(ConvertError::invalid("no thread decodes it"));
            let frame = next.recv().unwrap_or_else(gone);
            if done.is_ok() {
                done = frame.and_then(&mut each);
            }
        }
    })
}
