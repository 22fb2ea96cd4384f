//! The data folder: where it is, and that one process alone serves it.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::message::Message;
use crate::files::lock_file::{self, LockError, LockFile};
use crate::files::{self, file_mode, private_files};

/// The lock of the process that serves the folder.
const SERVICE: &str = "porchlight.lock";

/// Its name in the platform's place, as programs are named there.
const NAME: &str = if cfg!(any(windows, target_os = "macos")) {
    "Porchlight"
} else {
    "porchlight"
};

/// The platform names no place for it.
fn no_place() -> Message {
    let why =
        crate::detail!("this user has no folder for application data: name one with --data-dir");
    Message::Settings { why: why.into() }
}

fn unusable(folder: &Path, why: &io::Error) -> Message {
    crate::detail!("the data folder {} cannot be used: {why}", folder.display())
}

/// Where the data folder is, from the root on: what was asked for, else the
/// platform's place.
///
/// # Errors
/// When there is none.
pub fn place(asked_for: Option<PathBuf>) -> Result<PathBuf, Message> {
    let folder = match asked_for {
        Some(folder) if folder.as_os_str().is_empty() => return Err(no_place()),
        Some(folder) => folder,
        None => dirs::data_local_dir().ok_or_else(no_place)?.join(NAME),
    };
    std::path::absolute(&folder).map_err(|why| unusable(&folder, &why))
}

/// The one path of a folder, however it is written, also while it is not there yet.
pub fn full_path(place: &Path) -> PathBuf {
    let Ok(absolute) = std::path::absolute(place) else {
        return place.to_owned();
    };
    let known = absolute.ancestors().find_map(|above| {
        let rest = absolute.strip_prefix(above).ok()?;
        Some(files::full_path(above).ok()?.join(rest))
    });
    // `join` with nothing leaves a slash behind.
    known.map_or(absolute, |known| known.components().collect())
}

/// Makes the folder where it is not there yet, closed to other users, and
/// gives back its full path.
///
/// # Errors
/// When it cannot be made or is no folder.
pub fn make(folder: &Path) -> Result<PathBuf, Message> {
    let failed = |why: io::Error| unusable(folder, &why);
    let is_new = !folder.exists();
    private_files::make_folder(folder).map_err(failed)?;
    let folder = files::full_path(folder).map_err(failed)?;
    if is_new {
        file_mode::close_new_folder(&folder);
    }
    Ok(folder)
}

/// Takes the folder's lock.
///
/// # Errors
/// When another process has it, or the lock file cannot be written.
pub fn lock(folder: &Path) -> Result<LockFile, Message> {
    let file = folder.join(SERVICE);
    LockFile::take(&file).map_err(|error| match error {
        LockError::Unusable(why) => {
            crate::detail!("the lock file {} cannot be used: {why}", file.display())
        }
        LockError::Held(holder) => Message::DataFolderHeld {
            folder: folder.into(),
            process: holder
                .map_or_else(String::new, |pid| format!(" (process {pid})"))
                .into(),
        },
    })
}

/// The process that serves the folder: `None` when there is none, and within it the process id,
/// where that is known.
pub fn holder(folder: &Path) -> Option<Option<String>> {
    lock_file::holder(&folder.join(SERVICE))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_name_before_and_after_it_is_made() {
        let above = tempfile::tempdir().expect("a folder");
        let above = files::full_path(above.path()).expect("a path");
        std::os::unix::fs::symlink(&above, above.join("link")).expect("a link");
        let (real, linked) = (above.join("a/b"), above.join("link/a/b"));
        assert_eq!(full_path(&linked).as_os_str(), real.as_os_str());
        std::fs::create_dir_all(&real).expect("folders");
        assert_eq!(full_path(&linked).as_os_str(), real.as_os_str());
    }
}
