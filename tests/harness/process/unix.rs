//! Signals and the figures of a process, by the system calls and the files of Linux.

use std::io;

use rustix::process::{Pid, WaitId, WaitIdOptions, kill_process, waitid};

pub(super) use rustix::process::Signal;

pub(super) const TERMINATE: Signal = Signal::TERM;
pub(super) const INTERRUPT: Signal = Signal::INT;
pub(super) const KILL: Signal = Signal::KILL;

fn of(pid: u32) -> Pid {
    Pid::from_raw(pid.cast_signed()).expect("a process")
}

pub(super) fn send(pid: u32, signal: Signal) -> io::Result<()> {
    Ok(kill_process(of(pid), signal)?)
}

/// Waits until a child has ended, and leaves it to be reaped.
pub(super) fn wait(pid: u32) {
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let _ = waitid(WaitId::Pid(of(pid)), ended);
}

/// The most memory that a process has had, in bytes.
pub fn peak_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.expect("a peak").trim().trim_end_matches(" kB");
    number.parse::<u64>().expect("a number") * 1024
}

/// The processor time that a process has taken, in seconds.
pub fn seconds_worked(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    // The second field is a name in brackets, and can hold anything.
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let times = fields.split(' ').skip(11).take(2);
    let ticks: u64 = times
        .map(|ticks| ticks.parse::<u64>().expect("a number"))
        .sum();
    ticks as f64 / rustix::param::clock_ticks_per_second() as f64
}
