//! Files that a start with `--upload` hands to the app that runs already, or
//! that it becomes itself. They lie in the data folder as a list until they are
//! taken: words on the session bus must be Unicode, and names of files need not
//! be. Each list is a separate file, so that two starts do not meet.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files;
use crate::files::private_files::{self, sync_folder};

/// The folder of the lists, in the data folder.
const FOLDER: &str = "handed";
/// What a list is called once all of it is written.
const WHOLE: &str = "list";
/// What it is called from then on that it was taken until its files are in the upload queue.
const TAKEN: &str = "taken";

/// A list that is taken back when this is dropped, unless somebody took it.
pub struct Handed(PathBuf);

impl Drop for Handed {
    fn drop(&mut self) {
        // It was accepted, or never will be.
        let _ = fs::remove_file(&self.0);
    }
}

/// Hands over these files; a relative path is one of this process's folder.
///
/// # Errors
/// When the data folder cannot be written.
pub fn hand(data_folder: &Path, files: &[PathBuf]) -> io::Result<Handed> {
    let folder = data_folder.join(FOLDER);
    private_files::make_folder(data_folder)?;
    private_files::make_folder(&folder)?;
    let mut list = Vec::new();
    for file in files {
        let file = std::path::absolute(file)?;
        // No path holds a zero.
        list.extend_from_slice(file.as_os_str().as_encoded_bytes());
        list.push(0);
    }
    // Unique, and in order.
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let name = format!("{:032}-{}.{WHOLE}", now.as_nanos(), std::process::id());
    let whole = folder.join(name);
    private_files::write(&whole, &list)?;
    Ok(Handed(whole))
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct HandedFiles {
    pub files: Vec<PathBuf>,
    /// A list could not be read, or not be taken; the log names it. The next start tries again.
    pub broken: bool,
    lists: Vec<PathBuf>,
}

impl HandedFiles {
    /// The files are in the upload queue: their lists are not needed any more.
    pub fn are_queued(&self) {
        for list in &self.lists {
            if let Err(error) = fs::remove_file(list) {
                tracing::warn!(%error, "{} cannot be removed", list.display());
            }
        }
        // What the owner cancels later must not come back after a power cut.
        if let Some(Err(error)) = self
            .lists
            .first()
            .and_then(|list| list.parent())
            .map(sync_folder)
        {
            tracing::warn!(%error, "the folder of the lists cannot be synced");
        }
    }
}

/// Has the next [`take`] accept, too, what a run before took and did not bring into the upload
/// queue. Nothing may be taken at the same time.
pub fn take_back(data_folder: &Path) {
    for list in lists(&data_folder.join(FOLDER), TAKEN).unwrap_or_default() {
        if let Err(error) = files::rename(&list, list.with_extension(WHOLE)) {
            tracing::error!(%error, "the files in {} are not uploaded", list.display());
        }
    }
}

/// The lists of a folder in this state, in order.
fn lists(folder: &Path, state: &str) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.flatten();
    let paths = entries.map(|entry| entry.path());
    let mut lists: Vec<PathBuf> = paths
        .filter(|path| path.extension() == Some(OsStr::new(state)))
        .collect();
    lists.sort();
    Ok(lists)
}

/// Accepts what was handed over.
pub fn take(data_folder: &Path) -> HandedFiles {
    let mut taken = HandedFiles::default();
    let folder = data_folder.join(FOLDER);
    let lists = match lists(&folder, WHOLE) {
        Ok(lists) => lists,
        Err(error) => {
            taken.broken = error.kind() != io::ErrorKind::NotFound;
            if taken.broken {
                tracing::error!(%error, "{} cannot be looked into", folder.display());
            }
            return taken;
        }
    };
    for list in lists {
        match take_list(&list) {
            Ok((files, list)) => {
                taken.files.extend(files);
                taken.lists.push(list);
            }
            // Somebody else has taken it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::error!(%error, "the files in {} are not uploaded", list.display());
                taken.broken = true;
            }
        }
    }
    taken
}

/// The files of a list, and where it is from now on.
fn take_list(list: &Path) -> io::Result<(Vec<PathBuf>, PathBuf)> {
    let taken = list.with_extension(TAKEN);
    // The one that renames it has it.
    files::rename(list, &taken)?;
    // One that cannot be read stays, for the next start.
    let text = fs::read(&taken)?;
    let names = text.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    Ok((names.filter_map(path).collect(), taken))
}

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "elsewhere not all bytes are a name"
)]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_once_with_whatever_names_they_have() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = vec![
            folder.path().join("-x --hidden.png"),
            folder.path().join("two\nlines.png"),
            folder.path().join("光.png"),
            #[cfg(unix)]
            <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/p/\xff\xfe.png").into(),
        ];
        let handed = hand(folder.path(), &names).expect("handed over");
        let taken = take(folder.path());
        assert_eq!((&taken.files, taken.broken), (&names, false));
        assert_eq!(take(folder.path()), HandedFiles::default());
        drop(handed);
        // The process ends before they are in the queue.
        take_back(folder.path());
        let taken = take(folder.path());
        assert_eq!((&taken.files, taken.broken), (&names, false));
        taken.are_queued();
        take_back(folder.path());
        assert_eq!(take(folder.path()), HandedFiles::default());
    }

    #[test]
    fn a_relative_path_is_resolved_against_the_callers_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let _handed = hand(folder.path(), &[PathBuf::from("-a.png")]).expect("handed over");
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(take(folder.path()).files, [here.join("-a.png")]);
    }

    #[test]
    fn a_list_that_is_not_accepted_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(hand(folder.path(), &[PathBuf::from("/p/a.png")]).expect("handed over"));
        assert_eq!(take(folder.path()), HandedFiles::default());
    }

    #[test]
    fn an_unreadable_list_is_reported_and_the_others_are_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        let _handed = hand(folder.path(), std::slice::from_ref(&file)).expect("handed over");
        // As no file, it cannot be read, whoever runs the test.
        let broken = folder.path().join(FOLDER).join("broken.list");
        fs::create_dir(broken).expect("a folder");
        let taken = take(folder.path());
        assert_eq!(taken.files, [file]);
        assert!(taken.broken);
        taken.are_queued();
        // It may have been unreadable for a moment.
        take_back(folder.path());
        assert!(take(folder.path()).broken);
    }
}
