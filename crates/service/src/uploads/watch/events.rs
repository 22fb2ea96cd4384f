//! File events of a folder, reduced to what matters here, and kept until they
//! are taken. The callback does no work: the system's queue would overflow.

use std::collections::HashMap;
use std::path::PathBuf;

use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RenameMode};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Above this the folder is scanned instead.
const MOST: usize = 50_000;

/// Whether the system reports that a file was closed after writing.
pub(super) const REPORTS_CLOSING: bool = cfg!(target_os = "linux");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEvent {
    /// It is there, perhaps empty yet.
    Made,
    Written,
    /// It was closed after writing, or moved here.
    Complete,
    Gone,
}

/// A file system event, reduced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FolderEvent {
    Files(FileEvent, Vec<PathBuf>),
    /// A folder was made.
    Folder(Vec<PathBuf>),
    /// Something was missed.
    Missed,
    Nothing,
}

pub(super) fn read(event: notify::Result<notify::Event>) -> FolderEvent {
    let Ok(event) = event else {
        return FolderEvent::Missed;
    };
    if event.need_rescan() {
        return FolderEvent::Missed;
    }
    let change = match event.kind {
        EventKind::Create(CreateKind::Folder) => return FolderEvent::Folder(event.paths),
        EventKind::Create(_) => FileEvent::Made,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => FileEvent::Complete,
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) | EventKind::Remove(_) => {
            FileEvent::Gone
        }
        // Each half comes as a separate event, too.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return FolderEvent::Nothing,
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => FileEvent::Complete,
        // Unknown whether it came or went.
        EventKind::Modify(ModifyKind::Name(_)) => FileEvent::Made,
        EventKind::Modify(ModifyKind::Data(_)) => FileEvent::Written,
        EventKind::Modify(ModifyKind::Any) | EventKind::Any if !REPORTS_CLOSING => {
            FileEvent::Written
        }
        _ => return FolderEvent::Nothing,
    };
    FolderEvent::Files(change, event.paths)
}

/// Events that were not taken yet; of each file the last one.
#[derive(Debug, Default)]
pub(super) struct FileEvents {
    kept: Mutex<HashMap<PathBuf, (usize, FileEvent)>>,
    some: Notify,
}

impl FileEvents {
    /// Keeps an event of a file in the folder of this number. `false` when
    /// there are too many: the folder must be scanned instead.
    pub(super) fn keep(&self, folder: usize, file: PathBuf, event: FileEvent) -> bool {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST && !kept.contains_key(&file) {
            return false;
        }
        kept.insert(file, (folder, event));
        drop(kept);
        self.some.notify_one();
        true
    }

    /// Completes when there may be some.
    pub(super) async fn some(&self) {
        self.some.notified().await;
    }

    pub(super) fn take(&self) -> HashMap<PathBuf, (usize, FileEvent)> {
        std::mem::take(&mut *self.kept.lock())
    }
}

#[cfg(test)]
mod tests {
    use notify::Event;
    use notify::event::{DataChange, Flag, MetadataKind};

    use super::*;

    fn reduced(kind: EventKind) -> FolderEvent {
        read(Ok(Event::new(kind).add_path(PathBuf::from("/p/a.png"))))
    }

    #[test]
    fn closing_and_moving_in_complete_a_file_and_reading_does_not() {
        let files = |event| FolderEvent::Files(event, vec![PathBuf::from("/p/a.png")]);
        let name = |mode| EventKind::Modify(ModifyKind::Name(mode));
        for (kind, expected) in [
            (EventKind::Create(CreateKind::File), files(FileEvent::Made)),
            (
                EventKind::Modify(ModifyKind::Data(DataChange::Any)),
                files(FileEvent::Written),
            ),
            (
                EventKind::Access(AccessKind::Close(AccessMode::Write)),
                files(FileEvent::Complete),
            ),
            (name(RenameMode::To), files(FileEvent::Complete)),
            (name(RenameMode::From), files(FileEvent::Gone)),
            (name(RenameMode::Both), FolderEvent::Nothing),
            (
                EventKind::Access(AccessKind::Open(AccessMode::Any)),
                FolderEvent::Nothing,
            ),
            (
                EventKind::Access(AccessKind::Close(AccessMode::Read)),
                FolderEvent::Nothing,
            ),
            (
                EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
                FolderEvent::Nothing,
            ),
            (
                EventKind::Create(CreateKind::Folder),
                FolderEvent::Folder(vec![PathBuf::from("/p/a.png")]),
            ),
        ] {
            assert_eq!(reduced(kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn an_overflow_or_a_failure_means_that_something_was_missed() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(read(Ok(overflow)), FolderEvent::Missed);
        assert_eq!(
            read(Err(notify::Error::generic("broken"))),
            FolderEvent::Missed
        );
    }

    #[test]
    fn the_last_event_counts_and_there_is_a_limit() {
        let events = FileEvents::default();
        let file = |number: usize| PathBuf::from(format!("/p/{number}.png"));
        assert!(events.keep(0, file(0), FileEvent::Written));
        assert!(events.keep(0, file(0), FileEvent::Complete));
        assert_eq!(
            events.take().remove(&file(0)),
            Some((0, FileEvent::Complete))
        );
        for number in 0..MOST {
            assert!(events.keep(0, file(number), FileEvent::Made));
        }
        assert!(!events.keep(0, file(MOST), FileEvent::Made));
        assert!(events.keep(0, file(0), FileEvent::Complete));
    }
}
