//! The memory of a process and its descendants.

#[cfg(windows)]
pub use crate::process::memory_of;

/// The memory of a process and its descendants, in bytes: private memory plus the proportional
/// share of shared memory. 0 for one that has exited.
#[cfg(not(windows))]
pub fn memory_of(process: u32) -> u64 {
    let below: u64 = children(process).into_iter().map(memory_of).sum();
    summed(process, "Pss:") + below
}

/// The memory of a process and its descendants that was written to and is not backed by a file, in
/// bytes; shared memory counts in part.
#[cfg(not(windows))]
pub fn dirty_of(process: u32) -> u64 {
    let all = descendants(process).into_iter();
    all.map(|process| summed(process, "Pss_Dirty:")).sum()
}

/// The memory of a process without what it reads of files, in bytes. Unlike [`memory_of`], other
/// processes of the same program do not change it.
#[cfg(not(windows))]
pub fn anonymous_of(process: u32) -> u64 {
    summed(process, "Anonymous:")
}

#[cfg(not(windows))]
fn summed(process: u32, what: &str) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup"));
    let kib = rollup.ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix(what))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kib.unwrap_or(0) * 1024
}

/// How many files and connections a process has open, on Linux.
#[cfg(not(windows))]
pub fn open_files(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}

/// A process and all that it started and that runs, on Linux.
#[cfg(not(windows))]
pub fn descendants(process: u32) -> Vec<u32> {
    let below = children(process).into_iter().flat_map(descendants);
    [process].into_iter().chain(below).collect()
}

/// The direct children of a process, on Linux.
#[cfg(not(windows))]
pub fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|line| {
            let numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
            numbers.collect::<Vec<u32>>()
        })
        .collect()
}
