//! Files in a folder of ours. A file that is to be put away is moved into one beside it first: what another
//! program saves under its name afterwards is another file, and stays.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ignored::STAGED;
use crate::files;

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;

/// A file in a folder of ours, which goes when it is empty.
pub(super) struct Staged {
    pub(super) path: PathBuf,
    original: PathBuf,
}

impl Staged {
    /// Moves a file into the folder of ours beside it.
    ///
    /// # Errors
    /// When it cannot be moved, also since one of its name is there already.
    pub(super) fn rename(file: &Path) -> io::Result<Self> {
        let folder = file.with_file_name(STAGED);
        let staged = Self {
            path: folder.join(file.file_name().unwrap_or_default()),
            original: file.to_owned(),
        };
        loop {
            match fs::create_dir(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            match rename_new(file, &staged.path) {
                // Another file left the folder, and it went.
                Err(error) if error.kind() == io::ErrorKind::NotFound && file.exists() => {}
                renamed => return renamed.map(|()| staged),
            }
        }
    }

    /// The file comes back under its name.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub(super) fn restore(&self) -> io::Result<()> {
        rename_to_free(&self.path, &self.original).map(drop)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(folder) = self.path.parent() {
            // It stays while there is a file in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Moves the files back that a killed process left in the folder of ours in this one. Blocks.
pub(super) fn restore_all(folder: &Path) {
    let staged = folder.join(STAGED);
    let Ok(entries) = fs::read_dir(&staged) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        match rename_to_free(&path, &folder.join(entry.file_name())) {
            Ok(file) => tracing::info!(file = %file.display(), "a file is in its folder again"),
            Err(error) => {
                tracing::warn!(file = %path.display(), %error, "a file does not come back to its folder");
            }
        }
    }
    let _ = fs::remove_dir(staged);
}

/// Renames a file to `wanted`, or where that is taken to `a (2).png` and so on.
///
/// # Errors
/// When it cannot be renamed.
pub(super) fn rename_to_free(from: &Path, wanted: &Path) -> io::Result<PathBuf> {
    for number in 1_u32..10_000 {
        let place = if number == 1 {
            wanted.to_owned()
        } else {
            numbered(wanted, number)
        };
        match rename_new(from, &place) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            renamed => return renamed.map(|()| place),
        }
    }
    Err(io::Error::other("there are too many files of this name"))
}

fn numbered(file: &Path, number: u32) -> PathBuf {
    let mut end = OsString::from(format!(" ({number})"));
    if let Some(ending) = file.extension() {
        end.push(".");
        end.push(ending);
    }
    let stem = file.file_stem().unwrap_or_default();
    let mut name = OsString::from(stem);
    if stem.len() + end.len() > LONGEST_NAME {
        let stem = stem.to_string_lossy();
        let fits = stem.floor_char_boundary(LONGEST_NAME.saturating_sub(end.len()));
        name = OsString::from(&stem[..fits]);
    }
    name.push(end);
    file.with_file_name(name)
}

/// Renames a file, never over another one.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    files::retried((), |()| rename_once(from, to).map_err(|error| (error, ())))
}

#[cfg(unix)]
fn rename_once(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // File systems of a network.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        renamed => Ok(renamed?),
    }
}

#[cfg(windows)]
#[allow(unsafe_code, reason = "the standard library replaces files")]
fn rename_once(from: &Path, to: &Path) -> io::Result<()> {
    use windows::Win32::Storage::FileSystem::{MOVE_FILE_FLAGS, MoveFileExW};
    use windows::core::HSTRING;

    let (from, to) = (HSTRING::from(from), HSTRING::from(to));
    // SAFETY: both are texts that end in zero and live until the call returns.
    let moved = unsafe { MoveFileExW(&from, &to, MOVE_FILE_FLAGS(0)) };
    moved.map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
        let mut names: Vec<String> = names.map(|name| name.expect("UTF-8")).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_gets_its_name_back_and_never_replaces_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let read = |name: &str| fs::read_to_string(at(name)).expect("a file");
        fs::write(at("a.png"), "one").expect("a file");
        let staged = Staged::rename(&at("a.png")).expect("renamed");
        assert!(!at("a.png").exists());
        staged.restore().expect("renamed");
        assert_eq!(read("a.png"), "one");
        drop(staged);
        assert_eq!(names(folder.path()), ["a.png"]);

        let staged = Staged::rename(&at("a.png")).expect("renamed");
        fs::write(at("a.png"), "two").expect("a file");
        let taken = Staged::rename(&at("a.png"))
            .err()
            .expect("the name is taken");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        staged.restore().expect("renamed");
        drop(staged);
        assert_eq!([read("a.png"), read("a (2).png")], ["two", "one"]);
        assert_eq!(names(folder.path()), ["a (2).png", "a.png"]);
    }

    #[test]
    fn the_longest_name_is_a_name_like_any_other() {
        let folder = tempfile::tempdir().expect("a folder");
        // Windows counts units of UTF-16, others bytes.
        let long = |end: &str| format!("{}{end}", "é".repeat((LONGEST_NAME - end.len()) / 2));
        let file = folder.path().join(long("_.png"));
        fs::write(&file, "one").expect("a file");
        let staged = Staged::rename(&file).expect("renamed");
        fs::write(&file, "two").expect("a file");
        staged.restore().expect("renamed");
        drop(staged);
        assert_eq!(names(folder.path()), [long(" (2).png"), long("_.png")]);
    }

    #[test]
    fn what_a_killed_process_left_gets_its_name_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["a.png", "灯 b.png"] {
            fs::write(at(name), name).expect("a file");
            std::mem::forget(Staged::rename(&at(name)).expect("renamed"));
        }
        fs::write(at("a.png"), "newer").expect("a file");
        fs::create_dir(at(STAGED).join("folder")).expect("a folder");
        restore_all(folder.path());
        let left = ["a (2).png", "a.png", STAGED, "灯 b.png"];
        assert_eq!(names(folder.path()), left);
        assert_eq!(names(&at(STAGED)), ["folder"]);
        assert_eq!(fs::read_to_string(at("a.png")).expect("a file"), "newer");
    }
}
