//! Restarts the process when its tokio runtime stops running tasks: a fault that would otherwise
//! leave a process that lives and answers nothing.
//!
//! A separate thread asks the runtime for a heartbeat each second. Seconds are counted by waking
//! up, not by a clock: while the machine sleeps or the process is stopped, none pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use porchlight_api::Timestamp;
use tokio::runtime::Handle;

/// How often the runtime is asked.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// So many questions without an answer mean that the runtime is frozen: half a minute.
const MOST_UNANSWERED: u32 = 30;

/// The process restarts at most once in this time, in milliseconds.
const RESTARTS_APART: i64 = 10 * 60 * 1000;

/// Names the time at which the process before this one was restarted, in Unix milliseconds.
pub const RESTARTED_AT: &str = "PORCHLIGHT_RESTARTED_AT";

/// Makes debug builds freeze, see [`Watchdog::start`].
pub const FREEZE: &str = "PORCHLIGHT_FREEZE";

/// For how long after a restart the owner is notified of it, in milliseconds.
const NOTIFIED_FOR: i64 = 60 * 60 * 1000;

/// Watches a runtime until it is dropped.
pub struct Watchdog(#[expect(dead_code, reason = "its end stops the thread")] Sender<()>);

impl Watchdog {
    /// Starts the thread. In debug builds, [`FREEZE`] tests it. `restart` replaces the process; it returns only when that failed.
    pub fn start(runtime: Handle, restart: impl Fn() + Send + 'static) -> Self {
        #[cfg(debug_assertions)]
        freeze_if_asked(&runtime);
        let last = restarted_at();
        Self::with(ASK_EVERY, runtime, move || {
            let now = Timestamp::now().as_millis();
            // A clock that was set back since then does not count.
            let recent = |last| (0..RESTARTS_APART).contains(&now.saturating_sub(last));
            if !last.is_some_and(recent) {
                restart();
            }
        })
    }

    /// Asks this often. `frozen` is called each [`MOST_UNANSWERED`] questions while the runtime is frozen.
    fn with(every: Duration, runtime: Handle, frozen: impl Fn() + Send + 'static) -> Self {
        let (keep, stop) = channel();
        let watch = move || {
            let answered = Arc::new(AtomicBool::new(true));
            let mut unanswered = 0;
            while stop.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if answered.swap(false, Ordering::AcqRel) {
                    unanswered = 0;
                    let answer = Arc::clone(&answered);
                    runtime.spawn(async move { answer.store(true, Ordering::Release) });
                    continue;
                }
                unanswered += 1;
                if unanswered == MOST_UNANSWERED {
                    log_threads();
                }
                // Not at once: another thread writes the log. Where it fails, again after as long.
                if unanswered > MOST_UNANSWERED && unanswered % MOST_UNANSWERED == 1 {
                    frozen();
                }
            }
        };
        let thread = std::thread::Builder::new().name("watchdog".to_owned());
        if let Err(error) = thread.spawn(watch) {
            tracing::warn!(%error, "there is no watchdog");
        }
        Self(keep)
    }
}

/// When the process before this one was restarted for being frozen, in Unix milliseconds.
fn restarted_at() -> Option<i64> {
    std::env::var(RESTARTED_AT).ok()?.parse().ok()
}

/// Whether the owner is to know that the process was restarted for being frozen.
pub fn was_restarted() -> bool {
    let now = Timestamp::now().as_millis();
    restarted_at().is_some_and(|at| (0..NOTIFIED_FOR).contains(&now.saturating_sub(at)))
}

/// Logs that the runtime is frozen, and the state of each thread.
fn log_threads() {
    tracing::error!("no task has run for {MOST_UNANSWERED} s: this process is frozen");
    for thread in threads() {
        tracing::error!("frozen: {thread}");
    }
}

/// Each thread: its name, its state, where in the kernel it waits, and its system call.
#[cfg(target_os = "linux")]
fn threads() -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let line = |entry: std::io::Result<std::fs::DirEntry>| {
        let folder = entry.ok()?.path();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let stat = read("stat");
        // After the name, which may contain anything, in brackets.
        let state = stat.rsplit_once(") ")?.1.chars().next()?;
        let [name, waits, call] = ["comm", "wchan", "syscall"].map(read);
        let [name, waits, call] = [&name, &waits, &call].map(|text| text.trim());
        Some(format!(
            "{name}: state {state}, waits in {waits}, system call {call}"
        ))
    };
    entries.filter_map(line).collect()
}

/// Other systems have no files about threads.
#[cfg(not(target_os = "linux"))]
fn threads() -> Vec<String> {
    Vec::new()
}

/// With [`FREEZE`], once, all worker threads block a second after the start.
#[cfg(debug_assertions)]
fn freeze_if_asked(runtime: &Handle) {
    if std::env::var_os(FREEZE).is_none() || restarted_at().is_some() {
        return;
    }
    let workers = runtime.metrics().num_workers();
    for _ in 0..workers {
        runtime.spawn(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            loop {
                std::thread::park();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const OFTEN: Duration = Duration::from_millis(10);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .expect("a runtime")
    }

    #[test]
    fn a_runtime_whose_workers_all_block_is_noticed_and_one_that_has_one_left_is_not() {
        let runtime = runtime();
        let (frozen, is_frozen) = channel();
        let _watchdog = Watchdog::with(OFTEN, runtime.handle().clone(), move || {
            // The test may have ended.
            let _ = frozen.send(());
        });
        let (release, released) = channel::<()>();
        let block = move || {
            let _ = released.recv();
        };
        let first = runtime.spawn(async move { block() });
        let for_a_while = OFTEN * 3 * MOST_UNANSWERED;
        assert!(is_frozen.recv_timeout(for_a_while).is_err(), "one is left");
        let (release_other, released) = channel::<()>();
        runtime.spawn(async move { released.recv() });
        let noticed = is_frozen.recv_timeout(Duration::from_secs(30));
        assert_eq!(noticed, Ok(()));
        drop((release, release_other));
        runtime.block_on(first).expect("it ended");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn each_thread_is_described() {
        let (_keep, stop) = channel::<()>();
        let other = std::thread::Builder::new().name("a lamp".to_owned());
        let other = other.spawn(move || stop.recv()).expect("a thread");
        let found = || {
            threads()
                .into_iter()
                .any(|line| line.starts_with("a lamp: state "))
        };
        while !found() {
            std::thread::yield_now();
        }
        drop(_keep);
        other.join().expect("it ends").expect_err("nothing is sent");
    }
}
