//! Group commit: many written lines are forced to the disk at once.
//!
//! Forcing takes milliseconds, and on a slow disk a second. So a writer does not wait for it with a
//! lock held, and all writers that arrive meanwhile share the next one.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// A file that is appended to, and the folder that it and others are made in.
pub(super) struct Forcing {
    list: File,
    folder: PathBuf,
    /// How often something was written.
    written: AtomicU64,
    /// How much of that is on the disk.
    forced: Mutex<u64>,
}

impl Forcing {
    /// Forces this file, open for writing, and what is made in the folder.
    pub(super) fn of(list: File, folder: &Path) -> Self {
        Self {
            list,
            folder: folder.to_owned(),
            written: AtomicU64::new(0),
            forced: Mutex::new(0),
        }
    }

    /// Something was written, or a file was made in the folder.
    pub(super) fn written(&self) {
        self.written.fetch_add(1, Ordering::Release);
    }

    /// Returns when all that was written until now is on the disk; whether that
    /// was left to this call. Blocks.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn force(&self) -> io::Result<bool> {
        let wanted = self.written.load(Ordering::Acquire);
        let mut forced = self.forced.lock();
        if *forced >= wanted {
            return Ok(false);
        }
        // What others have written while this one waited for its turn, too.
        let all = self.written.load(Ordering::Acquire);
        self.list.sync_data()?;
        sync_folder(&self.folder)?;
        *forced = all;
        Ok(true)
    }
}

/// A name is on the disk once its folder is.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_have_written_is_forced_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = File::create(folder.path().join("list")).expect("a file");
        let forcing = Forcing::of(list, folder.path());
        assert!(!forcing.force().expect("a disk"), "nothing was written");
        for _ in 0..1_000 {
            forcing.written();
        }
        let forced = |_: &u32| forcing.force().expect("a disk");
        assert_eq!((0..1_000).filter(forced).count(), 1);
        forcing.written();
        assert!(forcing.force().expect("a disk"));
    }
}
