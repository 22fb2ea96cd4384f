//! Files that are there and perhaps not complete: when each is to be looked at,
//! and what a look says.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::hints::{Hint, TELLS_OF_CLOSING};
use crate::stamp::Stamp;
use crate::upload::kind;

/// After it was closed or moved here: programs that close and open again do so
/// at once.
const AFTER_CLOSING: Duration = Duration::from_millis(100);
/// A file is steady when it is the same after this long.
const STEADY: Duration = Duration::from_secs(1);
/// A file that was made by linking is complete, and one that is only made gets
/// written at once.
const AFTER_MAKING: Duration = Duration::from_millis(250);
/// What is being written is waited for no longer than this without a word.
const LONGEST_SILENCE: Duration = Duration::from_secs(600);

/// The files that are waited for.
#[derive(Debug, Default)]
pub(super) struct Settling(HashMap<PathBuf, Candidate>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    folder: usize,
    step: Step,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Until the system says that it was closed.
    Writing { since: Instant },
    /// Looked at then; complete when it is as it was before.
    Steady { at: Instant, before: Option<Stamp> },
    /// Looked at then; the system said that it is complete.
    Complete { at: Instant },
}

/// A file to be looked at now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) file: PathBuf,
    /// The system said that it is complete.
    sure: bool,
    before: Option<Stamp>,
}

/// What a look said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// A complete picture, or what looks like one.
    Picture(Stamp),
    /// Complete, and no picture.
    Other(Stamp),
    /// Not steady yet.
    Unsteady(Stamp),
    /// A folder, which is to be looked through.
    Folder,
    /// Nothing to be taken: gone, empty, a link, a pipe, closed to us.
    Nothing,
}

impl Settling {
    /// How many files are waited for.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The system said something of a file.
    pub(super) fn hear(&mut self, folder: usize, file: PathBuf, hint: Hint, now: Instant) {
        let step = match hint {
            Hint::Gone => {
                self.0.remove(&file);
                return;
            }
            Hint::Complete => Step::Complete {
                at: now + AFTER_CLOSING,
            },
            Hint::Written if TELLS_OF_CLOSING => Step::Writing { since: now },
            Hint::Made | Hint::Written => Step::Steady {
                at: now + AFTER_MAKING,
                before: None,
            },
        };
        self.0.insert(file, Candidate { folder, step });
    }

    /// A look through the folder found a file that is not known in this
    /// version.
    pub(super) fn find(&mut self, folder: usize, file: PathBuf, stamp: Stamp, now: Instant) {
        match self.0.get(&file).map(|candidate| candidate.step) {
            Some(Step::Writing { since }) if now - since < LONGEST_SILENCE => return,
            Some(Step::Steady { .. } | Step::Complete { .. }) => return,
            _ => {}
        }
        let step = Step::Steady {
            at: now + STEADY,
            before: Some(stamp),
        };
        self.0.insert(file, Candidate { folder, step });
    }

    /// It was looked at and was not steady: it is looked at again, unless
    /// something newer was heard.
    pub(super) fn again(&mut self, folder: usize, file: PathBuf, stamp: Stamp, now: Instant) {
        self.0.entry(file).or_insert(Candidate {
            folder,
            step: Step::Steady {
                at: now + STEADY,
                before: Some(stamp),
            },
        });
    }

    /// Whether something newer was heard of a file since it was taken out.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.0.contains_key(file)
    }

    /// When the next look is due.
    pub(super) fn next_look(&self) -> Option<Instant> {
        self.0.values().filter_map(|one| one.step.due()).min()
    }

    /// Takes out what is to be looked at now, by folder.
    pub(super) fn due(&mut self, now: Instant) -> BTreeMap<usize, Vec<Look>> {
        let mut due: BTreeMap<usize, Vec<Look>> = BTreeMap::new();
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
                .push(Look { file, sure, before });
        }
        due
    }

    /// Something was missed in a folder: what was said before no longer counts.
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

/// Looks at a file. Blocks.
pub(super) fn look(look: &Look) -> Seen {
    let file = &look.file;
    // Of the link itself, not of what it points to.
    let Ok(about) = fs::symlink_metadata(file) else {
        return Seen::Nothing;
    };
    if about.is_dir() {
        return Seen::Folder;
    }
    if !about.is_file() || about.len() == 0 || is_hidden_by_the_system(&about) {
        return Seen::Nothing;
    }
    let stamp = Stamp::of(&about);
    if !look.sure && look.before != Some(stamp) {
        return Seen::Unsteady(stamp);
    }
    match looks_like_a_picture(file) {
        Ok(true) => Seen::Picture(stamp),
        Ok(false) => Seen::Other(stamp),
        // What cannot be read gets its turn, which says so.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Seen::Picture(stamp),
        Err(_) => Seen::Nothing,
    }
}

fn looks_like_a_picture(file: &Path) -> io::Result<bool> {
    Ok(kind::by_name(file).is_some() || kind::by_beginning(file)?.is_some())
}

/// Where the system hides files by an attribute, and not by their names.
#[cfg(windows)]
pub(super) fn is_hidden_by_the_system(about: &fs::Metadata) -> bool {
    /// `FILE_ATTRIBUTE_HIDDEN`, of the Windows API.
    const HIDDEN: u32 = 0x2;
    std::os::windows::fs::MetadataExt::file_attributes(about) & HIDDEN != 0
}

/// Where the system hides files by an attribute, and not by their names.
#[cfg(not(windows))]
pub(super) fn is_hidden_by_the_system(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/p/a.png";

    fn stamp(bytes: u64) -> Stamp {
        Stamp { bytes, changed: 1 }
    }

    fn files(due: BTreeMap<usize, Vec<Look>>) -> Vec<Look> {
        due.into_values().flatten().collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_being_written_waits_for_its_close_however_long_that_takes() {
        let mut settling = Settling::default();
        let start = Instant::now();
        settling.hear(0, FILE.into(), Hint::Made, start);
        settling.hear(0, FILE.into(), Hint::Written, start);
        assert_eq!(settling.next_look(), None);
        // A look through the folder changes nothing of that.
        let later = start + Duration::from_secs(300);
        settling.find(0, FILE.into(), stamp(5), later);
        assert_eq!(settling.next_look(), None);
        settling.hear(0, FILE.into(), Hint::Complete, later);
        assert!(settling.due(later).is_empty(), "it may be opened again");
        let due = files(settling.due(later + AFTER_CLOSING));
        assert!(due[0].sure);
        assert_eq!(settling.len(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_close_that_was_missed_is_made_up_for_by_a_look() {
        let mut settling = Settling::default();
        let start = Instant::now();
        settling.hear(0, FILE.into(), Hint::Written, start);
        settling.hear(1, "/q/b.png".into(), Hint::Written, start);
        settling.distrust(0);
        settling.find(0, FILE.into(), stamp(5), start);
        settling.find(1, "/q/b.png".into(), stamp(5), start);
        let due = files(settling.due(start + STEADY));
        assert_eq!(due.len(), 1);
        assert_eq!(due[0].file, Path::new(FILE));
    }

    #[test]
    fn a_file_that_goes_is_not_looked_at() {
        let mut settling = Settling::default();
        let start = Instant::now();
        settling.hear(0, FILE.into(), Hint::Complete, start);
        settling.hear(0, FILE.into(), Hint::Gone, start);
        assert_eq!(settling.next_look(), None);
    }

    #[test]
    fn a_file_is_steady_when_two_looks_say_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.png");
        fs::write(&file, "12345").expect("a file");
        let seen = |before| {
            look(&Look {
                file: file.clone(),
                sure: false,
                before,
            })
        };
        let Seen::Unsteady(first) = seen(None) else {
            panic!("one look says nothing");
        };
        assert_eq!(seen(Some(first)), Seen::Picture(first));
        assert!(matches!(seen(Some(stamp(4))), Seen::Unsteady(_)));
    }

    #[test]
    fn what_is_no_picture_and_what_is_no_file_is_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("notes.txt"), "some words").expect("a file");
        fs::write(at("no-ending"), b"\x89PNG\r\n\x1a\n...").expect("a file");
        fs::write(at("empty.png"), "").expect("a file");
        fs::create_dir(at("folder.png")).expect("a folder");
        let seen = |name: &str| {
            look(&Look {
                file: at(name),
                sure: true,
                before: None,
            })
        };
        assert!(matches!(seen("notes.txt"), Seen::Other(_)));
        assert!(matches!(seen("no-ending"), Seen::Picture(_)));
        assert_eq!(seen("empty.png"), Seen::Nothing);
        assert_eq!(seen("folder.png"), Seen::Folder);
        assert_eq!(seen("gone.png"), Seen::Nothing);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::NamedTempFile::new().expect("a file");
        fs::write(elsewhere.path(), "12345").expect("a file");
        let link = folder.path().join("link.png");
        std::os::unix::fs::symlink(elsewhere.path(), &link).expect("a link");
        let seen = look(&Look {
            file: link,
            sure: true,
            before: None,
        });
        assert_eq!(seen, Seen::Nothing);
    }
}
