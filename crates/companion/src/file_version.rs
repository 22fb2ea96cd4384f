//! Identifies a version of a file without reading it.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A file's size and the time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    /// In bytes.
    pub(crate) bytes: u64,
    /// In nanoseconds since 1970; 0 where it is unknown.
    pub(crate) changed: i64,
}

impl FileVersion {
    /// From a file's metadata.
    pub(crate) fn of(about: &Metadata) -> Self {
        let since = about
            .modified()
            .ok()
            .and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
        Self {
            bytes: about.len(),
            changed: nanoseconds.unwrap_or(0),
        }
    }

    /// The current version of a file.
    ///
    /// # Errors
    /// When its metadata cannot be read.
    pub(crate) fn now(file: &Path) -> io::Result<Self> {
        Ok(Self::of(&fs::metadata(file)?))
    }
}
