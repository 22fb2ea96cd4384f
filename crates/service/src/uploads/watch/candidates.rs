//! Files that are perhaps not complete yet: each counts when its size and time have stayed, and no
//! program has it open for writing.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::attributes::is_left_alone;
use crate::uploads::kind;
use crate::uploads::opened::{FileVersion, is_being_written};

/// How long the size and the time of a file must stay.
const STEADY: Duration = Duration::from_secs(1);
/// The same for one that was closed or moved here: programs that close and open again do so at once.
const STEADY_WHEN_CLOSED: Duration = Duration::from_millis(100);

/// The files that are waited for.
#[derive(Debug, Default)]
pub(super) struct Candidates(HashMap<PathBuf, Candidate>);

#[derive(Debug, Clone, Copy)]
struct Candidate {
    seen: FileVersion,
    /// Complete if it is the same then.
    due: Instant,
}

/// Files that are complete.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Complete {
    /// Images, or what looks like one.
    pub(super) pictures: Vec<(PathBuf, FileVersion)>,
    pub(super) others: Vec<(PathBuf, FileVersion)>,
}

impl Candidates {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A file was seen in this version. `is_complete` where the system said so.
    pub(super) fn add(&mut self, file: PathBuf, seen: FileVersion, is_complete: bool) {
        let now = Instant::now();
        let due = match is_complete {
            true => now + STEADY_WHEN_CLOSED,
            // It has been waited for already.
            false => match self.0.get(&file) {
                Some(before) if before.seen == seen => before.due,
                _ => now + STEADY,
            },
        };
        self.0.insert(file, Candidate { seen, due });
    }

    /// When the next one is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.0.values().map(|one| one.due).min()
    }

    /// Takes out those that are complete, and those that are gone. Reads the first bytes of files whose
    /// name says nothing. Blocks.
    pub(super) fn take_complete(&mut self) -> Complete {
        let now = Instant::now();
        let mut complete = Complete::default();
        self.0.retain(|file, one| {
            if one.due > now {
                return true;
            }
            let Some(current) = version_of(file) else {
                return false;
            };
            if current != one.seen || is_being_written(file) {
                (one.seen, one.due) = (current, now + STEADY);
                return true;
            }
            match looks_like_a_picture(file) {
                Ok(true) => complete.pictures.push((file.clone(), current)),
                Ok(false) => complete.others.push((file.clone(), current)),
                // An unreadable file is queued, and its upload reports that.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    complete.pictures.push((file.clone(), current));
                }
                Err(_) => {}
            }
            false
        });
        // The order in which they go out.
        complete.pictures.sort_by(|(one, before), (other, after)| {
            (before.changed, one).cmp(&(after.changed, other))
        });
        complete
    }
}

/// The version of a file that counts: not gone, empty, a link, a pipe, hidden or in a cloud.
pub(super) fn version_of(file: &Path) -> Option<FileVersion> {
    // Of a link itself, not of what it points to.
    let about = fs::symlink_metadata(file).ok()?;
    let counts = about.is_file() && about.len() > 0 && !is_left_alone(&about);
    counts.then(|| FileVersion::of(&about))
}

fn looks_like_a_picture(file: &Path) -> io::Result<bool> {
    Ok(kind::by_name(file).is_some() || kind::by_first_bytes(file)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is complete of this one file once it is due.
    fn taken(candidates: &mut Candidates) -> Complete {
        let due = candidates.next_due().expect("a candidate");
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        candidates.take_complete()
    }

    #[test]
    fn a_file_is_complete_when_it_has_stayed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        fs::write(&file, "12345").expect("a file");
        let version = version_of(&file).expect("a file");
        let mut candidates = Candidates::default();
        candidates.add(file.clone(), version, false);
        assert_eq!(candidates.take_complete(), Complete::default(), "too early");
        let first = candidates.next_due();
        candidates.add(file.clone(), version, false);
        assert_eq!(candidates.next_due(), first, "a walk does not put it off");
        fs::write(&file, "123456").expect("a file");
        assert_eq!(taken(&mut candidates), Complete::default(), "it changed");
        let version = version_of(&file).expect("a file");
        assert_eq!(taken(&mut candidates).pictures, [(file.clone(), version)]);
        assert_eq!(candidates.len(), 0);
        candidates.add(file.clone(), version, true);
        fs::remove_file(&file).expect("our file");
        assert_eq!(taken(&mut candidates), Complete::default(), "it is gone");
        assert_eq!(candidates.len(), 0);
    }

    #[test]
    fn files_that_are_no_images_and_other_entries_are_distinguished() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("notes.txt"), "some words").expect("a file");
        fs::write(at("no-ending"), b"\x89PNG\r\n\x1a\n...").expect("a file");
        fs::write(at("empty.png"), "").expect("a file");
        fs::create_dir(at("folder.png")).expect("a folder");
        assert!(!looks_like_a_picture(&at("notes.txt")).expect("a file"));
        assert!(looks_like_a_picture(&at("no-ending")).expect("a file"));
        for name in ["empty.png", "folder.png", "gone.png"] {
            assert_eq!(version_of(&at(name)), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::NamedTempFile::new().expect("a file");
        fs::write(elsewhere.path(), "12345").expect("a file");
        let link = folder.path().join("link.png");
        std::os::unix::fs::symlink(elsewhere.path(), &link).expect("a link");
        assert_eq!(version_of(&link), None);
    }

    /// Copies of Explorer have their size from the start, and a slow program pauses.
    #[cfg(any(windows, target_os = "linux"))]
    #[test]
    fn a_file_that_is_open_for_writing_is_not_complete() {
        use std::io::Write as _;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        let mut writer = fs::File::create(&file).expect("a file");
        writer.set_len(20).expect("its size");
        writer.write_all(&[1; 10]).expect("a piece");
        let mut candidates = Candidates::default();
        let version = version_of(&file).expect("a file");
        candidates.add(file.clone(), version, true);
        assert_eq!(taken(&mut candidates), Complete::default());
        drop(writer);
        assert_eq!(taken(&mut candidates).pictures, [(file, version)]);
    }

    #[cfg(windows)]
    #[test]
    fn a_file_that_is_being_written_is_not_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        let _writer = fs::File::create(&file).expect("a file");
        let opened = crate::uploads::opened::Opened::inside(folder.path(), Path::new("a.png"));
        let error = opened.expect_err("it is being written");
        assert!(crate::files::is_shared_wrongly(&error), "{error}");
    }
}
