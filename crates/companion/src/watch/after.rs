//! What happens to a file whose image is uploaded.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use porchlight_api::files;

use super::ignored::ARCHIVE;
use crate::opened::{FileVersion, Opened, keep_from_writers};
use crate::settings::AfterUpload;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PutAway {
    /// It is not in its place any more.
    Gone,
    /// It is, unchanged or changed in between.
    Stays,
}

/// Puts a file away that is in the watched `folder` and was uploaded as it was
/// at `sent`. Blocks.
///
/// # Errors
/// When it cannot be moved; it stays then.
pub(super) fn put_away(
    after: AfterUpload,
    folder: &Path,
    file: &Path,
    sent: FileVersion,
) -> io::Result<PutAway> {
    if let Err(error) = fs::symlink_metadata(file) {
        return match error.kind() {
            io::ErrorKind::NotFound => Ok(PutAway::Gone),
            _ => Err(error),
        };
    }
    let root = files::full_path(folder)?;
    let below = file.strip_prefix(&root).map_err(io::Error::other)?;
    match Opened::inside(&root, below) {
        Ok(there) if there.file_version() == sent => {}
        // A file that changed in between is another image, and links do not
        // count.
        Ok(_) => return Ok(PutAway::Stays),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PutAway::Stays),
        Err(error) => return Err(error),
    }
    match after {
        AfterUpload::Keep => Ok(PutAway::Stays),
        AfterUpload::Archive => archive(&root, file, sent),
        AfterUpload::Trash => {
            trash::delete(file).map_err(io::Error::other)?;
            Ok(PutAway::Gone)
        }
    }
}

fn archive(root: &Path, file: &Path, sent: FileVersion) -> io::Result<PutAway> {
    let below = file.strip_prefix(root).map_err(io::Error::other)?;
    let place = free(&root.join(ARCHIVE).join(below))?;
    make_folders(root, below.parent().unwrap_or(Path::new("")))?;
    // What a program that opens it before the move writes after it would go into the archive.
    let _held = keep_from_writers(file)?;
    if FileVersion::now(file)? != sent {
        return Ok(PutAway::Stays);
    }
    files::rename(file, &place)?;
    // It was written to in this moment: the new version is not uploaded yet,
    // and is restored.
    if FileVersion::now(&place)? != sent && fs::symlink_metadata(file).is_err() {
        files::rename(&place, file)?;
        return Ok(PutAway::Stays);
    }
    Ok(PutAway::Gone)
}

/// Makes the archive's copy of the folder `below`. Each folder in it has the mode of the original,
/// so that a shared watched folder has a shared archive.
fn make_folders(root: &Path, below: &Path) -> io::Result<()> {
    let (mut original, mut copy) = (root.to_owned(), root.join(ARCHIVE));
    let mut parts = below.components();
    loop {
        match fs::create_dir(&copy) {
            Ok(()) => fs::set_permissions(&copy, fs::metadata(&original)?.permissions())?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let Some(part) = parts.next() else {
            return Ok(());
        };
        original.push(part);
        copy.push(part);
    }
}

/// The place itself, or one beside it that nothing has: `a (2).png`.
fn free(wanted: &Path) -> io::Result<PathBuf> {
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
        match fs::symlink_metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(place),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    Err(io::Error::other(
        "the archive has too many files of this name",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_keeps_subfolders_and_overwrites_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = files::full_path(folder.path()).expect("a path");
        fs::create_dir(root.join("trip")).expect("a folder");
        let file = root.join("trip/a.png");
        for text in ["one", "two", "three"] {
            fs::write(&file, text).expect("a file");
            let sent = FileVersion::now(&file).expect("a file");
            let ended = put_away(AfterUpload::Archive, &root, &file, sent);
            assert_eq!(ended.expect("moved"), PutAway::Gone);
        }
        for (name, text) in [
            ("a.png", "one"),
            ("a (2).png", "two"),
            ("a (3).png", "three"),
        ] {
            let archived = root.join(ARCHIVE).join("trip").join(name);
            assert_eq!(fs::read_to_string(archived).expect("a file"), text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn archive_folders_keep_the_modes_of_the_watched_folders() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let root = files::full_path(folder.path()).expect("a path");
        let trip = root.join("trip");
        fs::create_dir(&trip).expect("a folder");
        for (path, mode) in [(&root, 0o2775), (&trip, 0o750)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        let file = trip.join("a.png");
        fs::write(&file, "one").expect("a file");
        let sent = FileVersion::now(&file).expect("a file");
        put_away(AfterUpload::Archive, &root, &file, sent).expect("moved");
        let mode = |path: &Path| {
            let about = fs::metadata(path).expect("a folder");
            about.permissions().mode() & 0o7777
        };
        let archive = root.join(ARCHIVE);
        assert_eq!(
            (mode(&archive), mode(&archive.join("trip"))),
            (0o2775, 0o750)
        );
    }

    #[test]
    fn a_file_changed_since_it_was_sent_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        fs::write(&file, "one").expect("a file");
        let sent = FileVersion::now(&file).expect("a file");
        fs::write(&file, "another").expect("a file");
        for after in [AfterUpload::Archive, AfterUpload::Trash] {
            let ended = put_away(after, folder.path(), &file, sent);
            assert_eq!(ended.expect("an outcome"), PutAway::Stays);
        }
        assert_eq!(fs::read_to_string(&file).expect("a file"), "another");
        fs::remove_file(&file).expect("our file");
        let ended = put_away(AfterUpload::Archive, folder.path(), &file, sent);
        assert_eq!(ended.expect("an outcome"), PutAway::Gone);
    }
}
