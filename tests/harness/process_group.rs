//! A program and all that it starts, ended together: browsers and drivers leave
//! children behind.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::eventually;
use crate::process::RunningProcess;

/// What was killed is gone well before this.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// The group that a process was started as the first of. Dropping it kills
/// what is left of it.
pub struct Group(Pid);

impl Group {
    /// The group of a process whose command had `process_group(0)`.
    pub fn of(process: &RunningProcess) -> Self {
        let pid = process.pid().expect("it was just started");
        Self(Pid::from_raw(pid.cast_signed()).expect("no process has number 0"))
    }

    /// Waits until the last one has ended by itself.
    pub async fn gone(&self) {
        eventually("the last process to be gone", async || {
            self.alive().is_empty().then_some(())
        })
        .await;
    }

    /// Those that are not merely waiting to be reaped.
    fn alive(&self) -> Vec<String> {
        let group = self.0.as_raw_nonzero().to_string();
        let mut alive = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
            // Those that end in between have no file any more.
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // After the name in brackets: state, parent, group.
            let Some((name, rest)) = stat.rsplit_once(") ") else {
                continue;
            };
            let words: Vec<&str> = rest.split(' ').collect();
            if words.get(2) == Some(&group.as_str()) && words[0] != "Z" {
                alive.push(format!("{name})"));
            }
        }
        alive
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = kill_process_group(self.0, Signal::KILL);
        let started = Instant::now();
        while !self.alive().is_empty() && started.elapsed() < GONE_WITHIN {
            std::thread::yield_now();
        }
    }
}
