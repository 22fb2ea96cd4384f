//! The files of the log, whose number and size are bounded.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};

use super::lines::newest_file;

/// The number of files that are kept: one for each day, and the earlier part of a file that grew
/// too large.
const KEPT_FILES: usize = 14;

/// The maximum size of a file, in bytes.
pub(super) const LARGEST: u64 = 8 * 1024 * 1024;

/// The name for a file that grew too large; it replaces the previous one. It sorts before names
/// with a day, so it is never the newest.
const FORMER: &str = "porchlight.1.log";

/// The log files. The library starts a new one each day and removes the oldest; it does not limit
/// their size, so this type does.
pub(super) struct LogFiles {
    folder: PathBuf,
    /// `None` after an error.
    today: Option<RollingFileAppender>,
    /// At least as many bytes as are in today's file.
    size: u64,
    largest: u64,
}

impl LogFiles {
    /// Opens today's file in this folder.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(folder: &Path, largest: u64) -> Result<Self, InitError> {
        Ok(Self {
            folder: folder.to_owned(),
            today: Some(open_today(folder)?),
            size: size_of_newest(folder).unwrap_or_default(),
            largest,
        })
    }

    /// Starts a new file if the current one would grow too large.
    fn make_room(&mut self, length: u64) -> io::Result<()> {
        // The day may have changed, and the file with it.
        self.size = size_of_newest(&self.folder)?;
        if self.size > 0 && self.size + length > self.largest {
            self.today = None;
            if let Some(file) = newest_file(&self.folder)? {
                crate::files::rename(file, self.folder.join(FORMER))?;
            }
            self.size = 0;
        }
        Ok(())
    }
}

impl Write for LogFiles {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if self.size.saturating_add(length) > self.largest {
            self.make_room(length)?;
        }
        let today = match &mut self.today {
            Some(today) => today,
            none => none.insert(open_today(&self.folder).map_err(io::Error::other)?),
        };
        today.write_all(bytes)?;
        self.size += length;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.today.as_mut().map_or(Ok(()), Write::flush)
    }
}

fn open_today(folder: &Path) -> Result<RollingFileAppender, InitError> {
    RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("porchlight")
        .filename_suffix("log")
        .max_log_files(KEPT_FILES)
        .build(folder)
}

fn size_of_newest(folder: &Path) -> io::Result<u64> {
    newest_file(folder)?.map_or(Ok(0), |file| Ok(file.metadata()?.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(folder: &Path) -> String {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        files
            .iter()
            .map(|file| std::fs::read_to_string(file).expect("a file"))
            .collect()
    }

    #[test]
    fn the_log_is_bounded_and_keeps_its_newest_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        // Twice, as over a restart.
        for run in 0..2 {
            let mut log = LogFiles::open(folder.path(), 1_000).expect("a log");
            for number in 0..500 {
                let line = format!("line {number} of run {run}\n");
                log.write_all(line.as_bytes()).expect("room");
                let kept = read_all(folder.path());
                assert!(kept.len() <= 2_000, "{kept}");
                assert!(kept.ends_with(&line));
            }
        }
        let kept = read_all(folder.path());
        assert!(kept.len() > 1_000 && !kept.contains("run 0"), "{kept}");
        let files = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(files, 2);
    }

    #[test]
    fn a_line_that_is_larger_than_a_file_is_written_all_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut log = LogFiles::open(folder.path(), 10).expect("a log");
        for _ in 0..3 {
            log.write_all(&[b'x'; 100]).expect("room");
        }
        assert_eq!(read_all(folder.path()).len(), 2 * 100);
    }
}
