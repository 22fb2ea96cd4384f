//! Files that a request names by their paths.

use std::path::{Component, Path, PathBuf, Prefix};

use crate::uploads::{UploadFile, file_named};

/// The files that these paths mean; none has been opened yet.
///
/// # Errors
/// What is wrong with one, in a sentence.
pub(crate) async fn files_at(named: Vec<PathBuf>) -> Result<Vec<UploadFile>, String> {
    let find = move || {
        let named = named.iter();
        let found = named.map(|named| file_named(named, may_be_opened));
        found.collect::<Vec<_>>()
    };
    let found = tokio::task::spawn_blocking(find).await;
    let files = found.map_err(|error| format!("the list cannot be read: {error}"))?;
    if let Some(file) = files.iter().find(|file| !file.is_absolute()) {
        return Err(format!("{file:?}: a full path is needed"));
    }
    if let Some(file) = files.iter().find(|file| !is_on_this_computer(file)) {
        return Err(format!(
            "{file:?}: a file on another computer is not opened; copy it to this one"
        ));
    }
    Ok(files.into_iter().map(UploadFile::File).collect())
}

fn may_be_opened(file: &Path) -> bool {
    file.is_absolute() && is_on_this_computer(file)
}

/// Whether a full path is on a drive. On Windows another one can lead to another computer, and to open
/// it would send that computer what logs this user in.
fn is_on_this_computer(file: &Path) -> bool {
    match file.components().next() {
        Some(Component::Prefix(first)) => {
            matches!(first.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_))
        }
        // A path without a drive leads to wherever the process is.
        _ => !cfg!(windows),
    }
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn no_path_to_another_computer_is_opened() {
        for path in [
            r"\\server\share\a.png",
            "//server/share/a.png",
            r"\\?\UNC\server\share\a.png",
            r"\\.\UNC\server\share\a.png",
            r"\\?\GLOBALROOT\Device\Mup\server\share\a.png",
            r"\\.\pipe\a",
        ] {
            assert!(!is_on_this_computer(Path::new(path)), "{path}");
        }
        for path in [r"C:\p\a.png", "c:/p/a.png", r"\\?\C:\p\a.png"] {
            assert!(is_on_this_computer(Path::new(path)), "{path}");
        }
    }
}
