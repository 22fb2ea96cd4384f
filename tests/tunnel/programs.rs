//! Programs that the tests start, and folders of stand-in programs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::files;

/// Writes a shell script that can be run.
pub(crate) fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    fs::create_dir_all(folder).expect("a folder");
    let file = folder.join(name);
    files::script(&file, text);
    file
}

/// `PATH` with this folder before all others.
pub(crate) fn path_with(folder: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", folder.display())
}

/// A process and the children of its children.
pub(crate) fn family(pid: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
    pids.filter(|of| descends(*of, pid)).collect()
}

fn descends(mut pid: u32, from: u32) -> bool {
    while pid > 1 && pid != from {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        pid = parent.and_then(|pid| pid.trim().parse().ok()).unwrap_or(0);
    }
    pid == from
}

/// Whether a process is there.
pub(crate) fn is_there(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// The process group of a process: the fifth field of its `stat`, behind its
/// name in parentheses.
pub(crate) fn group(pid: u32) -> i32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let behind_the_name = stat.rsplit(')').next().expect("fields");
    let group = behind_the_name.split_whitespace().nth(2);
    group.expect("a group").parse().expect("a number")
}
