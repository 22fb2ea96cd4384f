//! Folders and small files of the owner alone; files are replaced whole or not at all.

use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::files;

/// What is in the name of a file that is not whole yet.
const UNFINISHED: &str = ".porchlight-unfinished-";

/// Makes a folder and those above it; new ones have mode 0700.
///
/// # Errors
/// When one of them cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Puts `bytes` in the place of `file`, readable by its owner alone. They are on the disk when this
/// returns. Blocks.
///
/// # Errors
/// When the folder cannot be written to; what was there before is still there then.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    write_where(file, bytes, || true).map(drop)
}

/// The same if `still` is true at the last moment; whether it was.
///
/// # Errors
/// As [`write`].
pub fn write_where(file: &Path, bytes: &[u8], still: impl Fn() -> bool) -> io::Result<bool> {
    write_as(file, bytes, |_| Ok(()), still)
}

/// The same for a file that is no secret: `prepare` sets its rights.
///
/// # Errors
/// As [`write`].
pub fn write_as(
    file: &Path,
    bytes: &[u8],
    prepare: impl FnOnce(&File) -> io::Result<()>,
    still: impl Fn() -> bool,
) -> io::Result<bool> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Temporary files are made with mode 0600.
    let mut written = tempfile::Builder::new()
        .prefix(&unfinished(file))
        .tempfile_in(folder)?;
    written.write_all(bytes)?;
    prepare(written.as_file())?;
    written.as_file().sync_all()?;
    let is_written = files::retried(written, |written| {
        if !still() {
            return Ok(false);
        }
        let named = written.persist(file).map(|_| true);
        named.map_err(|failed| (failed.error, failed.file))
    })?;
    sync_folder(folder)?;
    Ok(is_written)
}

/// Removes what kills left of this file while it was being written.
///
/// # Errors
/// When its folder cannot be read, or a file not removed.
pub fn remove_unfinished(file: &Path) -> io::Result<()> {
    let (Some(folder), prefix) = (file.parent(), unfinished(file)) else {
        return Ok(());
    };
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// What the name of a file begins with that is not whole yet.
fn unfinished(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // No name is longer than 255 bytes.
    let name: String = name.chars().take(40).collect();
    format!(".{name}{UNFINISHED}")
}

/// Forces the names of the files in a folder to the disk.
///
/// # Errors
/// The error of the system.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_the_place_of_another_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.json");
        write(&file, b"first, and longer").expect("written");
        write(&file, b"second").expect("written");
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "second");
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn where_it_cannot_be_written_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let taken = folder.path().join("a.json");
        std::fs::create_dir(&taken).expect("a folder");
        std::fs::write(taken.join("kept"), "x").expect("a file");
        assert!(write(&taken, b"text").is_err());
        assert!(write(&folder.path().join("gone/a.json"), b"text").is_err());
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .collect();
        assert_eq!(left.len(), 1);
        assert!(taken.join("kept").exists());
    }
}
