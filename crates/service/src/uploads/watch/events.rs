//! The system's events of a folder, debounced. They only make it faster: what they miss, a walk finds.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher as _};
use notify_debouncer_full::{
    DebounceEventResult, DebouncedEvent, Debouncer, NoCache, new_debouncer_opt,
};

use super::ignored::Scope;

/// How old an event is when it comes.
const DEBOUNCED: Duration = Duration::from_millis(100);
/// How often it is looked for older ones.
const TICK: Duration = Duration::from_millis(100);
/// How many batches wait; where there are more, the folder is walked instead.
const BATCHES: usize = 64;

/// Whether the system watches subfolders by itself, and misses none.
pub(super) const ARE_RECURSIVE: bool = !cfg!(target_os = "linux");

/// Whether events that are too many for the system's buffer are lost in silence. `notify` 8.2 for Windows
/// reports neither a flag nor an error then. At least one event came before those that were lost, so a
/// walk follows each event.
pub(super) const ARE_LOST_IN_SILENCE: bool = cfg!(windows);

/// A path that is new or has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) path: PathBuf,
    /// A program has closed it after writing, or it was moved here.
    pub(super) is_complete: bool,
}

/// The sender of events, for the watchers of a folder one after another.
#[derive(Debug, Clone)]
pub(super) struct Events {
    batches: SyncSender<Vec<Changed>>,
    missed: Arc<AtomicBool>,
}

/// A watcher of the system; none is left when it is dropped.
pub(super) type Watcher = Debouncer<RecommendedWatcher, NoCache>;

impl Events {
    pub(super) fn new() -> (Self, Receiver<Vec<Changed>>) {
        let (batches, receiver) = sync_channel(BATCHES);
        let missed = Arc::default();
        (Self { batches, missed }, receiver)
    }

    /// Watches the folder of this scope from now on.
    ///
    /// # Errors
    /// When the system reports no events of it.
    pub(super) fn watch(&self, scope: &Scope) -> notify::Result<Watcher> {
        let (events, below) = (self.clone(), scope.clone());
        let handle = move |result: DebounceEventResult| match result {
            Ok(batch) => {
                let missed = batch.iter().any(|event| event.need_rescan());
                let changed = batch.into_iter().flat_map(read);
                let changed = changed.filter(|changed| below.holds(&changed.path));
                events.send(changed.collect(), missed);
            }
            Err(_) => events.send(Vec::new(), true),
        };
        let config = Config::default().with_follow_symlinks(false);
        // The debouncer would leave its thread behind where the system refuses the watcher.
        drop(RecommendedWatcher::new(|_| {}, config)?);
        let mut watcher = new_debouncer_opt(DEBOUNCED, Some(TICK), handle, NoCache, config)?;
        let mode = match ARE_RECURSIVE && scope.recursive {
            true => RecursiveMode::Recursive,
            false => RecursiveMode::NonRecursive,
        };
        watcher.watch(&scope.root, mode)?;
        Ok(watcher)
    }

    fn send(&self, changed: Vec<Changed>, missed: bool) {
        if missed {
            self.missed.store(true, Ordering::Release);
        }
        if (missed || !changed.is_empty()) && self.batches.try_send(changed).is_err() {
            self.missed.store(true, Ordering::Release);
        }
    }

    /// Whether something was missed since the last call.
    pub(super) fn take_missed(&self) -> bool {
        self.missed.swap(false, Ordering::AcqRel)
    }
}

/// The paths of an event after which there may be something new. Its last path is the one that is there
/// now.
fn read(mut event: DebouncedEvent) -> Option<Changed> {
    let is_complete = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Name(_)) => true,
        EventKind::Create(_)
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any)
        | EventKind::Any => false,
        _ => return None,
    };
    let path = event.event.paths.pop()?;
    Some(Changed { path, is_complete })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use notify::Event;
    use notify::event::{CreateKind, DataChange, MetadataKind, RemoveKind, RenameMode};

    use super::*;

    #[test]
    fn closing_and_moving_in_complete_a_file_and_reading_does_not() {
        let name = |mode| EventKind::Modify(ModifyKind::Name(mode));
        for (kind, expected) in [
            (EventKind::Create(CreateKind::File), Some(false)),
            (EventKind::Create(CreateKind::Folder), Some(false)),
            (
                EventKind::Modify(ModifyKind::Data(DataChange::Any)),
                Some(false),
            ),
            (
                EventKind::Access(AccessKind::Close(AccessMode::Write)),
                Some(true),
            ),
            (name(RenameMode::To), Some(true)),
            (name(RenameMode::Both), Some(true)),
            (EventKind::Access(AccessKind::Open(AccessMode::Any)), None),
            (EventKind::Access(AccessKind::Close(AccessMode::Read)), None),
            (
                EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
                None,
            ),
            (EventKind::Remove(RemoveKind::Any), None),
        ] {
            let event = Event::new(kind)
                .add_path("/p/before.png".into())
                .add_path("/p/a.png".into());
            let changed = read(DebouncedEvent::new(event, Instant::now()));
            let expected = expected.map(|is_complete| Changed {
                path: "/p/a.png".into(),
                is_complete,
            });
            assert_eq!(changed, expected, "{kind:?}");
        }
    }

    #[test]
    fn more_batches_than_there_is_room_for_mean_that_something_was_missed() {
        let (events, received) = Events::new();
        let changed = Changed {
            path: "/p/a.png".into(),
            is_complete: true,
        };
        for _ in 0..BATCHES {
            events.send(vec![changed.clone()], false);
        }
        assert!(!events.take_missed());
        events.send(vec![changed], false);
        assert!(events.take_missed() && !events.take_missed());
        assert_eq!(received.try_iter().count(), BATCHES);
        events.send(Vec::new(), true);
        assert!(events.take_missed());
        assert_eq!(received.try_iter().count(), 1, "the receiver is woken");
    }
}
