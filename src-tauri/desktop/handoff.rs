//! Files that a start with `--upload` hands to the app that runs already, or
//! that it becomes itself. They lie in the data folder as a list until they are
//! taken: words on the session bus must be Unicode, and names of files need not
//! be. Each list is a separate file, so that two starts do not meet.

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
        // It was accepted, or never will be.
        let _ = fs::remove_file(&self.0);
    }
}

/// Hands over these files; a relative path is one of this process's folder.
///
/// # Errors
/// When the data folder cannot be written.
pub(super) fn hand(data_folder: &Path, files: &[PathBuf]) -> io::Result<Handed> {
    let folder = data_folder.join(FOLDER);
    porchlight_app::data_dir::make_closed(data_folder)?;
    porchlight_app::data_dir::make_closed(&folder)?;
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

/// The files that were handed over.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) files: Vec<PathBuf>,
    /// A list could not be read, or not be taken; the log says which.
    pub(super) broken: bool,
}

/// Accepts what was handed over.
pub(super) fn take(data_folder: &Path) -> Taken {
    let mut taken = Taken::default();
    let folder = data_folder.join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => {
            taken.broken = error.kind() != io::ErrorKind::NotFound;
            if taken.broken {
                tracing::error!(%error, "{} cannot be looked into", folder.display());
            }
            return taken;
        }
    };
    let mut lists: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new(WHOLE)))
        .collect();
    lists.sort();
    for list in lists {
        match take_list(&list) {
            Ok(files) => taken.files.extend(files),
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

fn take_list(list: &Path) -> io::Result<Vec<PathBuf>> {
    let text = fs::read(list);
    // Whoever removes it has it.
    fs::remove_file(list)?;
    let text = text?;
    let names = text.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    Ok(names.filter_map(path).collect())
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
        let taken = Taken {
            files: names,
            broken: false,
        };
        assert_eq!(take(folder.path()), taken);
        assert_eq!(take(folder.path()), Taken::default());
        drop(handed);
    }

    #[test]
    fn a_relative_name_is_of_the_folder_that_it_was_said_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let _handed = hand(folder.path(), &[PathBuf::from("-a.png")]).expect("handed over");
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(take(folder.path()).files, [here.join("-a.png")]);
    }

    #[test]
    fn what_nobody_took_is_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(hand(folder.path(), &[PathBuf::from("/p/a.png")]).expect("handed over"));
        assert_eq!(take(folder.path()), Taken::default());
    }

    #[test]
    fn a_list_that_cannot_be_read_is_said_and_the_others_are_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let _handed = hand(folder.path(), &[PathBuf::from("/p/a.png")]).expect("handed over");
        // As no file, it can be read by nobody, whoever runs the test.
        let broken = folder.path().join(FOLDER).join("broken.list");
        fs::create_dir(broken).expect("a folder");
        let taken = take(folder.path());
        assert_eq!(taken.files, [PathBuf::from("/p/a.png")]);
        assert!(taken.broken);
    }
}
