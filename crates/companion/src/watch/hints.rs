//! What the system tells of a folder, brought down to what matters here, and
//! kept until somebody looks. Nothing is done where it is told: the system's
//! queue would overflow.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RenameMode};
use tokio::sync::Notify;

/// More than this is looked for in the folder rather than kept here.
const MOST: usize = 50_000;

/// Whether the system says when a file was closed after writing.
pub(super) const TELLS_OF_CLOSING: bool = cfg!(target_os = "linux");

/// What is known of a file by hearsay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// It is there, perhaps empty yet.
    Made,
    /// It is being written.
    Written,
    /// It was closed after writing, or moved here.
    Complete,
    /// It is gone from here.
    Gone,
}

/// What one event says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Of files, the last word first.
    Files(Hint, Vec<PathBuf>),
    /// A folder was made.
    Folder(Vec<PathBuf>),
    /// Something was missed.
    Missed,
    /// Nothing that matters.
    Nothing,
}

/// Reads an event.
pub(super) fn read(event: notify::Result<notify::Event>) -> Told {
    let Ok(event) = event else {
        return Told::Missed;
    };
    if event.need_rescan() {
        return Told::Missed;
    }
    let hint = match event.kind {
        EventKind::Create(CreateKind::Folder) => return Told::Folder(event.paths),
        EventKind::Create(_) => Hint::Made,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Hint::Complete,
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) | EventKind::Remove(_) => Hint::Gone,
        // Each half was told by itself, too.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return Told::Nothing,
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => Hint::Complete,
        // Not said whether it came or went.
        EventKind::Modify(ModifyKind::Name(_)) => Hint::Made,
        EventKind::Modify(ModifyKind::Data(_)) => Hint::Written,
        EventKind::Modify(ModifyKind::Any) | EventKind::Any if !TELLS_OF_CLOSING => Hint::Written,
        _ => return Told::Nothing,
    };
    Told::Files(hint, event.paths)
}

/// Hints that nobody has looked at yet; of each file the last one.
#[derive(Debug, Default)]
pub(super) struct Hints {
    kept: Mutex<HashMap<PathBuf, (usize, Hint)>>,
    some: Notify,
}

impl Hints {
    /// Keeps a hint of a file in the folder of this number. `false` when there
    /// are too many: the folder must be looked through instead.
    pub(super) fn keep(&self, folder: usize, file: PathBuf, hint: Hint) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST && !kept.contains_key(&file) {
            return false;
        }
        kept.insert(file, (folder, hint));
        drop(kept);
        self.some.notify_one();
        true
    }

    /// Done when there may be some.
    pub(super) async fn some(&self) {
        self.some.notified().await;
    }

    /// Takes all of them.
    pub(super) fn take(&self) -> HashMap<PathBuf, (usize, Hint)> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use notify::Event;
    use notify::event::{DataChange, Flag, MetadataKind};

    use super::*;

    fn told(kind: EventKind) -> Told {
        read(Ok(Event::new(kind).add_path(PathBuf::from("/p/a.png"))))
    }

    #[test]
    fn closing_and_moving_in_complete_a_file_and_reading_says_nothing() {
        let files = |hint| Told::Files(hint, vec![PathBuf::from("/p/a.png")]);
        let name = |mode| EventKind::Modify(ModifyKind::Name(mode));
        for (kind, expected) in [
            (EventKind::Create(CreateKind::File), files(Hint::Made)),
            (
                EventKind::Modify(ModifyKind::Data(DataChange::Any)),
                files(Hint::Written),
            ),
            (
                EventKind::Access(AccessKind::Close(AccessMode::Write)),
                files(Hint::Complete),
            ),
            (name(RenameMode::To), files(Hint::Complete)),
            (name(RenameMode::From), files(Hint::Gone)),
            (name(RenameMode::Both), Told::Nothing),
            (
                EventKind::Access(AccessKind::Open(AccessMode::Any)),
                Told::Nothing,
            ),
            (
                EventKind::Access(AccessKind::Close(AccessMode::Read)),
                Told::Nothing,
            ),
            (
                EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
                Told::Nothing,
            ),
            (
                EventKind::Create(CreateKind::Folder),
                Told::Folder(vec![PathBuf::from("/p/a.png")]),
            ),
        ] {
            assert_eq!(told(kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn an_overflow_or_a_failure_means_that_something_was_missed() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(read(Ok(overflow)), Told::Missed);
        assert_eq!(read(Err(notify::Error::generic("broken"))), Told::Missed);
    }

    #[test]
    fn the_last_word_counts_and_there_is_a_limit() {
        let hints = Hints::default();
        let file = |number: usize| PathBuf::from(format!("/p/{number}.png"));
        assert!(hints.keep(0, file(0), Hint::Written));
        assert!(hints.keep(0, file(0), Hint::Complete));
        assert_eq!(hints.take().remove(&file(0)), Some((0, Hint::Complete)));
        for number in 0..MOST {
            assert!(hints.keep(0, file(number), Hint::Made));
        }
        assert!(!hints.keep(0, file(MOST), Hint::Made));
        assert!(hints.keep(0, file(0), Hint::Complete));
    }
}
