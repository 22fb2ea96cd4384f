//! What happens to a file whose image is uploaded.

use std::fs;
use std::io;
use std::path::Path;

use super::ignored::ARCHIVE;
use super::staged::{Staged, rename_to_free};
use crate::files;
use crate::uploads::opened::{FileVersion, Opened, keep_from_writers};
use crate::uploads::watch::settings::AfterUpload;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PutAway {
    /// It is not in its place any more.
    Gone,
    /// It is, unchanged or changed in between.
    Stays,
}

/// The file that was uploaded.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentFile {
    pub(super) file_version: FileVersion,
    pub(super) sha256: [u8; 32],
}

impl SentFile {
    /// The file at a path below `root`, if its size and its time are those that were sent.
    fn open(&self, root: &Path, path: &Path) -> io::Result<Option<Opened>> {
        let below = path.strip_prefix(root).map_err(io::Error::other)?;
        match Opened::inside(root, below) {
            Ok(there) => Ok(Some(there).filter(|there| there.file_version() == self.file_version)),
            // Links and what is no file do not count.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether this is the file at a path below `root`. Reads it.
    fn is_at(&self, root: &Path, path: &Path) -> io::Result<bool> {
        let Some(there) = self.open(root, path)? else {
            return Ok(false);
        };
        Ok(there.sha256()? == self.sha256 && there.is_unchanged())
    }
}

/// Puts a file away that is in the watched `folder`, if it is the one that was sent. Blocks.
///
/// # Errors
/// When it cannot be moved; it stays then.
pub(super) fn put_away(
    after: AfterUpload,
    folder: &Path,
    file: &Path,
    sent: &SentFile,
) -> io::Result<PutAway> {
    if let Err(error) = fs::symlink_metadata(file) {
        return match error.kind() {
            io::ErrorKind::NotFound => Ok(PutAway::Gone),
            _ => Err(error),
        };
    }
    let root = files::full_path(folder)?;
    if after == AfterUpload::Keep || sent.open(&root, file)?.is_none() {
        return Ok(PutAway::Stays);
    }
    let staged = Staged::rename(file)?;
    let moved = match sent.is_at(&root, &staged.path) {
        Ok(true) => move_away(after, &root, file, &staged, sent),
        // It is another image.
        is_sent => is_sent.map(|_| PutAway::Stays),
    };
    if !matches!(moved, Ok(PutAway::Gone)) {
        staged.restore()?;
    }
    moved
}

fn move_away(
    after: AfterUpload,
    root: &Path,
    file: &Path,
    staged: &Staged,
    sent: &SentFile,
) -> io::Result<PutAway> {
    if after == AfterUpload::Trash {
        trash::delete(&staged.path).map_err(io::Error::other)?;
        return Ok(PutAway::Gone);
    }
    let below = file.strip_prefix(root).map_err(io::Error::other)?;
    make_folders(root, below.parent().unwrap_or(Path::new("")))?;
    // What a program that opens it before the move writes after it would go into the archive.
    let _held = keep_from_writers(&staged.path)?;
    let place = rename_to_free(&staged.path, &root.join(ARCHIVE).join(below))?;
    // A program that had it open wrote to it: this version is not uploaded yet.
    if FileVersion::now(&place)? != sent.file_version {
        rename_to_free(&place, &staged.path)?;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use sha2::{Digest as _, Sha256};

    use super::super::ignored::STAGED;
    use super::*;

    fn sent(file: &Path) -> SentFile {
        SentFile {
            file_version: FileVersion::now(file).expect("a file"),
            sha256: Sha256::digest(fs::read(file).expect("a file")).into(),
        }
    }

    #[test]
    fn the_archive_keeps_subfolders_and_overwrites_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = files::full_path(folder.path()).expect("a path");
        fs::create_dir(root.join("trip")).expect("a folder");
        let file = root.join("trip/a.png");
        for text in ["one", "two", "three"] {
            fs::write(&file, text).expect("a file");
            let ended = put_away(AfterUpload::Archive, &root, &file, &sent(&file));
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
        put_away(AfterUpload::Archive, &root, &file, &sent(&file)).expect("moved");
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
    fn what_is_saved_under_the_name_during_the_comparison_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        // Large, so that it is read for a while.
        let written = fs::File::create(&file).and_then(|file| file.set_len(64 << 20));
        written.expect("a file");
        let (sent, end) = (sent(&file), AtomicBool::new(false));
        thread::scope(|scope| {
            let saving = scope.spawn(|| {
                let staged = folder.path().join(STAGED).join("a.png");
                while !staged.exists() {
                    assert!(!end.load(Ordering::Relaxed), "it kept its name");
                    thread::yield_now();
                }
                fs::write(&file, "another").expect("a file");
            });
            let ended = put_away(AfterUpload::Archive, folder.path(), &file, &sent);
            end.store(true, Ordering::Relaxed);
            assert_eq!(ended.expect("an outcome"), PutAway::Gone);
            saving.join().expect("it was saved");
        });
        assert_eq!(fs::read_to_string(&file).expect("a file"), "another");
        let archived = fs::metadata(folder.path().join(ARCHIVE).join("a.png"));
        assert_eq!(archived.expect("a file").len(), 64 << 20);
    }

    /// As a program that keeps the time of what it saves: only the bytes differ.
    #[test]
    fn a_file_that_is_not_the_one_that_was_sent_stays_under_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        fs::write(&file, "one").expect("a file");
        let sent = sent(&file);
        let changed = fs::metadata(&file).expect("a file").modified();
        let changed = changed.expect("a time");
        for (text, keeps_time) in [("two", true), ("another", false)] {
            let saved = folder.path().join("saved");
            fs::write(&saved, text).expect("a file");
            if keeps_time {
                let saved = fs::File::options().write(true).open(&saved);
                let saved = saved.expect("a file");
                saved.set_modified(changed).expect("a time");
            }
            fs::rename(&saved, &file).expect("replaced");
            for after in [AfterUpload::Archive, AfterUpload::Trash] {
                let ended = put_away(after, folder.path(), &file, &sent);
                assert_eq!(ended.expect("an outcome"), PutAway::Stays);
                assert_eq!(fs::read_to_string(&file).expect("a file"), text);
            }
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        }
        fs::remove_file(&file).expect("our file");
        let ended = put_away(AfterUpload::Archive, folder.path(), &file, &sent);
        assert_eq!(ended.expect("an outcome"), PutAway::Gone);
    }
}
