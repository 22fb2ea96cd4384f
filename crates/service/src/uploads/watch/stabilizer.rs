//! Debounces new files until their size and time stop changing: when to check
//! each, and the result of a check.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::attributes::is_left_alone;
use super::events::{FileEvent, REPORTS_CLOSING};
use crate::uploads::kind;
use crate::uploads::opened::{FileVersion, is_being_written};

/// After it was closed or moved here: programs that close and open again do so
/// at once.
const AFTER_CLOSING: Duration = Duration::from_millis(100);
/// A file is stable when it is the same after this long.
const STEADY: Duration = Duration::from_secs(1);
/// A file that was made by linking is complete, and one that is only made gets
/// written at once.
const AFTER_MAKING: Duration = Duration::from_millis(250);
/// A file being written is waited for no longer than this without an event.
const LONGEST_SILENCE: Duration = Duration::from_secs(600);

/// The files that are not complete yet.
#[derive(Debug, Default)]
pub(super) struct Stabilizer(HashMap<PathBuf, Candidate>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    folder: usize,
    step: Step,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Until the system reports that it was closed.
    Writing { since: Instant },
    /// Checked then; complete when it is unchanged.
    Steady {
        at: Instant,
        before: Option<FileVersion>,
    },
    /// Checked then; the system reported it as complete.
    Complete { at: Instant },
}

/// A file to be checked now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) file: PathBuf,
    /// The system reported it as complete.
    sure: bool,
    before: Option<FileVersion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checked {
    /// A complete image, or what looks like one.
    Picture(FileVersion),
    /// Complete, and no image.
    Other(FileVersion),
    Unsteady(FileVersion),
    /// A folder, which is to be scanned.
    Folder,
    /// Nothing to upload: gone, empty, a link, a pipe, or unreadable.
    Nothing,
}

impl Stabilizer {
    /// How many files are waited for.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn file_event(
        &mut self,
        folder: usize,
        file: PathBuf,
        event: FileEvent,
        now: Instant,
    ) {
        let step = match event {
            FileEvent::Gone => {
                self.0.remove(&file);
                return;
            }
            FileEvent::Complete => Step::Complete {
                at: now + AFTER_CLOSING,
            },
            FileEvent::Written if REPORTS_CLOSING => Step::Writing { since: now },
            FileEvent::Made | FileEvent::Written => Step::Steady {
                at: now + AFTER_MAKING,
                before: None,
            },
        };
        self.0.insert(file, Candidate { folder, step });
    }

    /// A scan found a file whose version is not known.
    pub(super) fn find(
        &mut self,
        folder: usize,
        file: PathBuf,
        file_version: FileVersion,
        now: Instant,
    ) {
        match self.0.get(&file).map(|candidate| candidate.step) {
            Some(Step::Writing { since }) if now - since < LONGEST_SILENCE => return,
            Some(Step::Steady { .. } | Step::Complete { .. }) => return,
            _ => {}
        }
        let step = Step::Steady {
            at: now + STEADY,
            before: Some(file_version),
        };
        self.0.insert(file, Candidate { folder, step });
    }

    /// It was not stable: it is checked again, unless there is a newer event.
    pub(super) fn again(
        &mut self,
        folder: usize,
        file: PathBuf,
        file_version: FileVersion,
        now: Instant,
    ) {
        self.0.entry(file).or_insert(Candidate {
            folder,
            step: Step::Steady {
                at: now + STEADY,
                before: Some(file_version),
            },
        });
    }

    /// Whether a newer event of a file came since it was taken out.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.0.contains_key(file)
    }

    pub(super) fn next_look(&self) -> Option<Instant> {
        self.0.values().filter_map(|one| one.step.due()).min()
    }

    /// Takes out the files to check now, by folder.
    pub(super) fn due(&mut self, now: Instant) -> BTreeMap<usize, Vec<Check>> {
        let mut due: BTreeMap<usize, Vec<Check>> = BTreeMap::new();
        let taken = self
            .0
            .extract_if(|_, one| one.step.due().is_some_and(|at| at <= now));
        for (file, Candidate { folder, step }) in taken {
            let (sure, before) = match step {
                Step::Steady { before, .. } => (false, before),
                Step::Complete { .. } | Step::Writing { .. } => (true, None),
            };
            due.entry(folder)
                .or_default()
                .push(Check { file, sure, before });
        }
        due
    }

    /// Events of a folder were missed: earlier ones no longer count.
    pub(super) fn distrust(&mut self, folder: usize) {
        self.0
            .retain(|_, one| one.folder != folder || !matches!(one.step, Step::Writing { .. }));
    }
}

impl Step {
    fn due(self) -> Option<Instant> {
        match self {
            Self::Writing { .. } => None,
            Self::Steady { at, .. } | Self::Complete { at } => Some(at),
        }
    }
}

/// Checks a file. Blocks.
pub(super) fn check(check: &Check) -> Checked {
    let file = &check.file;
    // Of the link itself, not of what it points to.
    let Ok(about) = fs::symlink_metadata(file) else {
        return Checked::Nothing;
    };
    if about.is_dir() {
        return Checked::Folder;
    }
    if !about.is_file() || about.len() == 0 || is_left_alone(&about) {
        return Checked::Nothing;
    }
    let file_version = FileVersion::of(&about);
    if !check.sure && check.before != Some(file_version) {
        return Checked::Unsteady(file_version);
    }
    if is_being_written(file) {
        return Checked::Unsteady(file_version);
    }
    match looks_like_a_picture(file) {
        Ok(true) => Checked::Picture(file_version),
        Ok(false) => Checked::Other(file_version),
        // An unreadable file is queued, and its upload reports that.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Checked::Picture(file_version)
        }
        Err(_) => Checked::Nothing,
    }
}

fn looks_like_a_picture(file: &Path) -> io::Result<bool> {
    Ok(kind::by_name(file).is_some() || kind::by_first_bytes(file)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/p/a.png";

    fn file_version(bytes: u64) -> FileVersion {
        FileVersion { bytes, changed: 1 }
    }

    #[cfg(target_os = "linux")]
    fn files(due: BTreeMap<usize, Vec<Check>>) -> Vec<Check> {
        due.into_values().flatten().collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_being_written_waits_for_its_close() {
        let mut stabilizer = Stabilizer::default();
        let start = Instant::now();
        stabilizer.file_event(0, FILE.into(), FileEvent::Made, start);
        stabilizer.file_event(0, FILE.into(), FileEvent::Written, start);
        assert_eq!(stabilizer.next_look(), None);
        // A scan of the folder does not change that.
        let later = start + Duration::from_secs(300);
        stabilizer.find(0, FILE.into(), file_version(5), later);
        assert_eq!(stabilizer.next_look(), None);
        stabilizer.file_event(0, FILE.into(), FileEvent::Complete, later);
        assert!(stabilizer.due(later).is_empty(), "it may be opened again");
        let due = files(stabilizer.due(later + AFTER_CLOSING));
        assert!(due[0].sure);
        assert_eq!(stabilizer.len(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_scan_makes_up_for_a_missed_close() {
        let mut stabilizer = Stabilizer::default();
        let start = Instant::now();
        stabilizer.file_event(0, FILE.into(), FileEvent::Written, start);
        stabilizer.file_event(1, "/q/b.png".into(), FileEvent::Written, start);
        stabilizer.distrust(0);
        stabilizer.find(0, FILE.into(), file_version(5), start);
        stabilizer.find(1, "/q/b.png".into(), file_version(5), start);
        let due = files(stabilizer.due(start + STEADY));
        assert_eq!(due.len(), 1);
        assert_eq!(due[0].file, Path::new(FILE));
    }

    #[test]
    fn a_removed_file_is_not_checked() {
        let mut stabilizer = Stabilizer::default();
        let start = Instant::now();
        stabilizer.file_event(0, FILE.into(), FileEvent::Complete, start);
        stabilizer.file_event(0, FILE.into(), FileEvent::Gone, start);
        assert_eq!(stabilizer.next_look(), None);
    }

    #[test]
    fn a_file_is_stable_when_two_checks_agree() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        fs::write(&file, "12345").expect("a file");
        let seen = |before| {
            check(&Check {
                file: file.clone(),
                sure: false,
                before,
            })
        };
        let Checked::Unsteady(first) = seen(None) else {
            panic!("one check is not enough");
        };
        assert_eq!(seen(Some(first)), Checked::Picture(first));
        assert!(matches!(seen(Some(file_version(4))), Checked::Unsteady(_)));
    }

    #[test]
    fn files_that_are_no_images_and_other_entries_are_distinguished() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("notes.txt"), "some words").expect("a file");
        fs::write(at("no-ending"), b"\x89PNG\r\n\x1a\n...").expect("a file");
        fs::write(at("empty.png"), "").expect("a file");
        fs::create_dir(at("folder.png")).expect("a folder");
        let seen = |name: &str| {
            check(&Check {
                file: at(name),
                sure: true,
                before: None,
            })
        };
        assert!(matches!(seen("notes.txt"), Checked::Other(_)));
        assert!(matches!(seen("no-ending"), Checked::Picture(_)));
        assert_eq!(seen("empty.png"), Checked::Nothing);
        assert_eq!(seen("folder.png"), Checked::Folder);
        assert_eq!(seen("gone.png"), Checked::Nothing);
    }

    #[cfg(windows)]
    #[test]
    fn a_copy_of_preset_size_is_complete_when_its_writer_closes_it() {
        use std::io::Write as _;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        let mut writer = fs::File::create(&file).expect("a file");
        writer.set_len(20).expect("its size");
        for _ in 0..2 {
            writer.write_all(&[1; 10]).expect("a piece");
            writer.flush().expect("written");
            let about = fs::symlink_metadata(&file).expect("a file");
            let looked = Check {
                file: file.clone(),
                sure: false,
                before: Some(FileVersion::of(&about)),
            };
            assert!(matches!(check(&looked), Checked::Unsteady(_)));
            let opened = crate::uploads::opened::Opened::inside(folder.path(), Path::new("a.png"));
            let error = opened.expect_err("it is being written");
            assert!(crate::files::is_shared_wrongly(&error), "{error}");
        }
        drop(writer);
        let before = Some(FileVersion::now(&file).expect("a file"));
        let (sure, file) = (false, file);
        assert!(matches!(
            check(&Check { file, sure, before }),
            Checked::Picture(_)
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::NamedTempFile::new().expect("a file");
        fs::write(elsewhere.path(), "12345").expect("a file");
        let link = folder.path().join("link.png");
        std::os::unix::fs::symlink(elsewhere.path(), &link).expect("a link");
        let seen = check(&Check {
            file: link,
            sure: true,
            before: None,
        });
        assert_eq!(seen, Checked::Nothing);
    }
}
