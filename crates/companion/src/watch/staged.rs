//! Files under a name of ours. A file that is to be put away gets such a name first, in its folder: what
//! another program saves under its own name afterwards is another file, and stays.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use porchlight_api::files;

use super::ignored::STAGED;

/// A file under a name of ours.
pub(super) struct Staged {
    pub(super) path: PathBuf,
    original: PathBuf,
}

impl Staged {
    /// Renames a file to a name of ours.
    ///
    /// # Errors
    /// When it cannot be renamed, also since that name is taken.
    pub(super) fn rename(file: &Path) -> io::Result<Self> {
        let mut name = OsString::from(STAGED);
        name.push(file.file_name().unwrap_or_default());
        let path = file.with_file_name(name);
        rename_new(file, &path)?;
        Ok(Self {
            path,
            original: file.to_owned(),
        })
    }

    /// The file gets its name back.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub(super) fn restore(&self) -> io::Result<()> {
        rename_to_free(&self.path, &self.original).map(drop)
    }
}

/// Gives the files of this folder that have a name of ours theirs back: a process that was killed left
/// them. Blocks.
pub(super) fn restore_all(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Some(original) = name_before(&name) else {
            continue;
        };
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        match rename_to_free(&path, &folder.join(original)) {
            Ok(file) => tracing::info!(file = %file.display(), "a file has its name again"),
            Err(error) => {
                tracing::warn!(file = %path.display(), %error, "a file does not get its name back");
            }
        }
    }
}

/// What a file was called before it got a name of ours; `None` where it has none.
fn name_before(name: &OsStr) -> Option<OsString> {
    let before = name.as_encoded_bytes().strip_prefix(STAGED.as_bytes())?;
    if before.is_empty() {
        return None;
    }
    #[cfg(unix)]
    {
        let name: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(before);
        Some(name.to_owned())
    }
    #[cfg(not(unix))]
    name.to_str()?.strip_prefix(STAGED).map(OsString::from)
}

/// Renames a file to `wanted`, or where that is taken to `a (2).png` and so on.
///
/// # Errors
/// When it cannot be renamed.
pub(super) fn rename_to_free(from: &Path, wanted: &Path) -> io::Result<PathBuf> {
    let stem = wanted.file_stem().unwrap_or_default();
    for number in 1_u32..10_000 {
        let place = if number == 1 {
            wanted.to_owned()
        } else {
            let mut name = OsString::from(stem);
            name.push(format!(" ({number})"));
            if let Some(ending) = wanted.extension() {
                name.push(".");
                name.push(ending);
            }
            wanted.with_file_name(name)
        };
        match rename_new(from, &place) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            renamed => return renamed.map(|()| place),
        }
    }
    Err(io::Error::other("there are too many files of this name"))
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

        let staged = Staged::rename(&at("a.png")).expect("renamed");
        fs::write(at("a.png"), "two").expect("a file");
        let taken = Staged::rename(&at("a.png"))
            .err()
            .expect("the name is taken");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        staged.restore().expect("renamed");
        assert_eq!([read("a.png"), read("a (2).png")], ["two", "one"]);
    }

    #[test]
    fn what_a_killed_process_left_gets_its_name_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["a.png", "灯 b.png"] {
            fs::write(at(name), name).expect("a file");
            drop(Staged::rename(&at(name)).expect("renamed"));
        }
        fs::write(at("a.png"), "newer").expect("a file");
        fs::write(at(STAGED), "of the owner").expect("a file");
        fs::create_dir(at(&format!("{STAGED}folder"))).expect("a folder");
        restore_all(folder.path());
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string())
            .map(|name| name.expect("UTF-8"))
            .collect();
        names.sort();
        let folder_name = format!("{STAGED}folder");
        let left = ["a (2).png", "a.png", STAGED, &folder_name, "灯 b.png"];
        assert_eq!(names, left);
        assert_eq!(fs::read_to_string(at("a.png")).expect("a file"), "newer");
    }
}
