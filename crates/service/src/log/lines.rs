//! The newest lines of the log, as they are read back from its files.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::settings::window::LogLine;

/// The maximum number of lines that are returned.
const MOST: usize = 2_000;
/// How much of the file's end is read, in bytes: more than that many lines have.
const LOOKED_AT: u64 = 1024 * 1024;

/// The newest lines of the newest file in `logs`, oldest first.
///
/// # Errors
/// When it cannot be read.
pub fn newest_lines(logs: &Path, lines: usize) -> io::Result<Vec<LogLine>> {
    let Some(file) = newest_file(logs)? else {
        return Ok(Vec::new());
    };
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    let from = length.saturating_sub(LOOKED_AT);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line is cut where the file begins before it.
    let text = match text.split_once('\n') {
        Some((_, rest)) if from > 0 => rest,
        _ => &text,
    };
    let mut found: Vec<LogLine> = Vec::new();
    for line in text.lines() {
        match (read(line), found.last_mut()) {
            (Some(line), _) => found.push(line),
            // What has no time belongs to the one before.
            (None, Some(before)) => {
                before.text.push('\n');
                before.text.push_str(line);
            }
            (None, None) => {}
        }
    }
    let wanted = lines.min(MOST);
    Ok(found.split_off(found.len().saturating_sub(wanted)))
}

/// The names hold the day, so the last one is the newest.
///
/// # Errors
/// When the folder cannot be read.
pub fn newest_file(logs: &Path) -> io::Result<Option<PathBuf>> {
    let mut newest = None;
    for entry in std::fs::read_dir(logs)? {
        let file = entry?.path();
        if file.extension().is_some_and(|ending| ending == "log") {
            newest = newest.max(Some(file));
        }
    }
    Ok(newest)
}

/// `TIME LEVEL place: text`
fn read(line: &str) -> Option<LogLine> {
    let (at, rest) = line.split_once(' ')?;
    let (level, text) = rest.trim_start().split_once(' ')?;
    let known = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"].contains(&level);
    (known && at.ends_with('Z')).then(|| LogLine {
        at: at.to_owned(),
        level: level.to_owned(),
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn the_newest_lines_come_from_the_newest_file_and_keep_what_belongs_to_them() {
        let logs = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(logs.path().join(name), text);
        write(
            "porchlight.2026-01-01.log",
            "2026-01-01T00:00:00Z  INFO a: old\n",
        )
        .expect("a file");
        write("other.txt", "2026-01-03T00:00:00Z  INFO a: other\n").expect("a file");
        let mut text = String::new();
        for number in 0..40_000 {
            let _ = writeln!(
                text,
                "2026-01-02T00:00:00.{number:06}Z  WARN porchlight: line {number}"
            );
        }
        text.push_str("2026-01-02T00:00:01Z ERROR porchlight: broken\n   at a place\n");
        write("porchlight.2026-01-02.log", &text).expect("a file");
        let lines = newest_lines(logs.path(), 2).expect("lines");
        assert_eq!(lines[0].text, "porchlight: line 39999");
        assert_eq!(
            (lines[1].level.as_str(), lines[1].at.as_str()),
            ("ERROR", "2026-01-02T00:00:01Z")
        );
        assert_eq!(lines[1].text, "porchlight: broken\n   at a place");
        assert_eq!(
            newest_lines(logs.path(), usize::MAX).expect("lines").len(),
            MOST
        );
    }
}
