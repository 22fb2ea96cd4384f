//! The file that a process was started from.

use std::path::PathBuf;

/// That file; `None` where it is another user's or gone.
pub(super) fn file_of(pid: u32) -> Option<PathBuf> {
    let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    // An update has replaced it while it ran.
    let path = file.to_str()?;
    Some(PathBuf::from(
        path.strip_suffix(" (deleted)").unwrap_or(path),
    ))
}

#[cfg(test)]
mod tests {
    use super::file_of;

    #[test]
    fn a_process_is_known_by_its_file() {
        assert_eq!(
            file_of(std::process::id()),
            std::env::current_exe().ok(),
            "this very process"
        );
        assert_eq!(file_of(u32::MAX), None);
    }
}
