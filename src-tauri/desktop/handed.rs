//! Files that a start with `--upload` hands to the app that runs already, or
//! that it becomes itself. They lie in the data folder as a list until they are
//! taken: words on the session bus must be Unicode, and names of files need not
//! be. Each list is a file of its own, so that two starts do not meet.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The folder of the lists, in the data folder.
const FOLDER: &str = "handed";
/// What a list is called once all of it is written.
const WHOLE: &str = "list";

/// A list that is taken back when this is dropped, unless somebody took it.
pub(super) struct Handed(PathBuf);

impl Drop for Handed {
    fn drop(&mut self) {
        // It was taken, or nobody will.
        let _ = fs::remove_file(&self.0);
    }
}

/// Hands over these files; a relative path is one of this process's folder.
///
/// # Errors
/// When the data folder cannot be written.
pub(super) fn hand(data_folder: &Path, files: &[PathBuf]) -> io::Result<Handed> {
    let folder = data_folder.join(FOLDER);
    crate::data_folder::make_closed(data_folder)?;
    crate::data_folder::make_closed(&folder)?;
    let mut list = tempfile::Builder::new().tempfile_in(&folder)?;
    for file in files {
        let file = std::path::absolute(file)?;
        // No path holds a zero.
        list.write_all(file.as_os_str().as_encoded_bytes())?;
        list.write_all(&[0])?;
    }
    let whole = list.path().with_extension(WHOLE);
    list.persist(&whole)?;
    Ok(Handed(whole))
}

/// Takes what was handed over.
pub(super) fn take(data_folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(data_folder.join(FOLDER)) else {
        return Vec::new();
    };
    let mut lists: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new(WHOLE)))
        .collect();
    lists.sort();
    let read = |list: PathBuf| {
        let text = fs::read(&list);
        // Whoever removes it has it.
        fs::remove_file(&list).ok()?;
        text.ok()
    };
    lists
        .into_iter()
        .filter_map(read)
        .flat_map(|text| {
            let names = text.split(|byte| *byte == 0);
            let names = names.filter(|name| !name.is_empty());
            names.filter_map(path).collect::<Vec<_>>()
        })
        .collect()
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
        let mut names = vec![
            PathBuf::from("/p/-x --hidden.png"),
            PathBuf::from("/p/two\nlines.png"),
            PathBuf::from("/p/光.png"),
        ];
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            names.push(PathBuf::from(OsStr::from_bytes(b"/p/\xff\xfe.png")));
        }
        let handed = hand(folder.path(), &names).expect("handed over");
        assert_eq!(take(folder.path()), names);
        assert_eq!(take(folder.path()), Vec::<PathBuf>::new());
        drop(handed);
    }

    #[test]
    fn a_relative_name_is_of_the_folder_that_it_was_said_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let _handed = hand(folder.path(), &[PathBuf::from("-a.png")]).expect("handed over");
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(take(folder.path()), [here.join("-a.png")]);
    }

    #[test]
    fn what_nobody_took_is_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(hand(folder.path(), &[PathBuf::from("/p/a.png")]).expect("handed over"));
        assert_eq!(take(folder.path()), Vec::<PathBuf>::new());
    }
}
