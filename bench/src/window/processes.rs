//! What a process and all that it started take, read from proc(5).

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use crate::Result;

/// A process and all its descendants, by their numbers.
pub(crate) fn tree(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if let Some(parent) = field(number, 1).and_then(|field| u32::try_from(field).ok()) {
            children.entry(parent).or_default().push(number);
        }
    }
    let mut found = vec![root];
    let mut at = 0;
    while let Some(one) = found.get(at) {
        found.extend(children.remove(one).unwrap_or_default());
        at += 1;
    }
    found
}

/// `Pss_Dirty` of a process in bytes: memory that it has written to, and that
/// is not backed by a file; shared memory counts in part.
///
/// # Errors
/// When the process is not there, or the kernel is older than 6.0.
pub(crate) fn dirty_memory(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/smaps_rollup");
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let kilobytes = text
        .lines()
        .find_map(|line| line.strip_prefix("Pss_Dirty:")?.strip_suffix("kB"))
        .ok_or("this kernel does not report Pss_Dirty")?;
    Ok(kilobytes.trim().parse::<u64>()? * 1024)
}

/// The processor's time that a process has taken, itself and in the kernel;
/// none when it is gone.
pub(crate) fn processor_time(process: u32) -> Duration {
    let ticks = field(process, 11).unwrap_or(0) + field(process, 12).unwrap_or(0);
    let a_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks * 1000 / a_second)
}

/// A number of `/proc/N/stat`, counted from the process's state on, which is 0.
fn field(process: u32, place: usize) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold anything, brackets too.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_belongs_to_its_parent() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .expect("a child");
        let found = tree(std::process::id());
        let memory = dirty_memory(child.id());
        child.kill().expect("a child of our own");
        child.wait().expect("it ends");
        assert!(found.contains(&child.id()), "{found:?}");
        assert!(memory.expect("its memory") > 0);
        assert!(!tree(std::process::id()).contains(&child.id()));
    }
}
