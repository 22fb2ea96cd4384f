//! A file that is locked by one process at a time.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

/// How often a lock that is held is tried again, and the pause before each attempt: [`holder`]
/// takes it for a moment.
const RETRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Held until it is dropped; the operating system releases it with the process, however that ends.
#[derive(Debug)]
pub struct LockFile(File);

#[derive(Debug)]
pub enum LockError {
    /// Another process holds it; its id where that is known.
    Held(Option<String>),
    /// It cannot be written.
    Unusable(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Unusable(error)
    }
}

impl LockFile {
    /// Locks the file, which is made where it is not there, and writes this process's id into it.
    /// Blocks, a fifth of a second at most.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let mut file = File::options()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(path)?;
        let mut locked = file.try_lock();
        for _ in 0..RETRIES {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(PAUSE);
            locked = file.try_lock();
        }
        match locked {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) => return Err(LockError::Held(written_pid(&mut file))),
        }
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Self(file))
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Closing alone releases it only once a child process that is just being started has closed
        // its copy, too.
        let _ = self.0.unlock();
    }
}

/// The process that holds the lock: `None` when there is none, and within it the process id, where
/// that is known.
pub fn holder(path: &Path) -> Option<Option<String>> {
    let mut file = File::open(path).ok()?;
    // Shared, so that those who ask do not take each other for the holder.
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(written_pid(&mut file)),
        Ok(()) => {
            // Not left to closing, for the reason that `LockFile` gives.
            let _ = file.unlock();
            None
        }
        Err(TryLockError::Error(_)) => None,
    }
}

/// Who wrote the file; `None` where that cannot be read, as on Windows.
fn written_pid(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    let pid = text.trim();
    let is_number = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| pid.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_lock_is_free_at_once_though_a_child_has_a_copy_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("a.lock");
        let held = LockFile::take(&lock).expect("the lock");
        let copy = held.0.try_clone().expect("a copy");
        drop(held);
        assert!(holder(&lock).is_none());
        assert!(LockFile::take(&lock).is_ok());
        drop(copy);
    }

    #[test]
    fn asking_for_the_holder_does_not_make_a_start_fail() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("a.lock");
        drop(LockFile::take(&lock).expect("the lock"));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    holder(&lock);
                }
            });
            let refused = (0..100).find_map(|_| LockFile::take(&lock).err());
            done.store(true, Ordering::Relaxed);
            assert!(refused.is_none(), "{refused:?}");
        });
    }
}
