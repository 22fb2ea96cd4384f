//! The time limit of a test that starts programs: one that hangs fails, and names what it waited for.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// More than twice as long as the longest test takes.
const LIMIT: Duration = Duration::from_secs(120);

/// How long the test then has to fail because its programs are gone.
const GRACE: Duration = Duration::from_secs(20);

thread_local! {
    /// What the test on this thread waits for.
    static WAITS_FOR: RefCell<Arc<Mutex<String>>> = RefCell::default();
}

/// Notes what the test on this thread waits for from now on.
pub fn waits_for(what: &str) {
    WAITS_FOR.with_borrow(|waits| what.clone_into(&mut waits.lock().expect("no panic in it")));
}

/// The limit of the test on this thread. Drop it before the programs.
pub struct Deadline {
    _done: Sender<()>,
}

impl Deadline {
    /// From now on; the programs of the test have `home` as their home folder.
    pub fn start(home: &Path) -> Self {
        Self::longer(Duration::ZERO, home)
    }

    /// The same with so much more time.
    pub fn longer(by: Duration, home: &Path) -> Self {
        Self::of(LIMIT + by, home, || std::process::abort())
    }

    fn of(limit: Duration, home: &Path, give_up: impl FnOnce() + Send + 'static) -> Self {
        let waits = WAITS_FOR.with_borrow(Arc::clone);
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        let home = home.to_owned();
        let (done, is_done) = channel::<()>();
        std::thread::spawn(move || {
            let is_over = |limit| is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if !is_over(limit) {
                return;
            }
            let what = waits.lock().map(|waits| waits.clone()).unwrap_or_default();
            eprintln!("{test} takes longer than {limit:?}; it waits for: {what}");
            for program in programs_at(&home) {
                // It may have ended meanwhile.
                let _ = kill_process(program, Signal::KILL);
            }
            if is_over(GRACE.min(limit)) {
                eprintln!("{test} does not end without its programs either");
                give_up();
            }
        });
        Self { _done: done }
    }
}

/// The processes whose environment names this home folder.
fn programs_at(home: &Path) -> Vec<Pid> {
    let home = [b"HOME=", home.as_os_str().as_encoded_bytes()].concat();
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    let is_there = |folder: &PathBuf| {
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        environment
            .split(|&byte| byte == 0)
            .any(|line| line == home)
    };
    entries
        .map(|entry| entry.path())
        .filter(is_there)
        .filter_map(|folder| Pid::from_raw(folder.file_name()?.to_str()?.parse().ok()?))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_programs_of_a_test_that_hangs_are_ended() {
        let home = tempfile::tempdir().expect("a folder");
        let mut sleep = Command::new("sleep");
        let mut sleep = sleep
            .arg("60")
            .env("HOME", home.path())
            .spawn()
            .expect("it starts");
        waits_for("a sleeper");
        let deadline = Deadline::of(Duration::from_millis(50), home.path(), || {});
        let ended = sleep.wait().expect("it ends");
        assert!(!ended.success(), "{ended}");
        drop(deadline);
    }
}
