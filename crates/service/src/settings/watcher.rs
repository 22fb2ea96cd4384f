//! Watches the settings file, which can be edited by hand while the program runs. A valid file is
//! applied like a change in the window; while it is invalid, the settings from before stay in force,
//! and the problem is reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::store::SettingsStore;
use crate::files;

/// An editor has finished when no event came for this long. Some truncate a file
/// and write it again, some remove it and put another in its place.
const SETTLED: Duration = Duration::from_millis(300);
/// Where the system does not report changes, the file is read this often.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Follows the settings file until the host stops.
pub fn follow(store: &Arc<SettingsStore>, stop: CancellationToken) {
    let changed = Arc::new(Notify::new());
    let mut events = FileEvents::of(&store.layers().file, &changed);
    let store = Arc::downgrade(store);
    let follow = async move {
        // The first read finds what was edited before events were received.
        while let Some(store) = Weak::upgrade(&store) {
            // The next edit is read also while parts follow this one.
            tokio::spawn(async move { store.reload().await });
            if let Some(events) = &mut events {
                events.follow_the_link();
                changed.notified().await;
                while timeout(SETTLED, changed.notified()).await.is_ok() {}
            } else {
                sleep(LOOK_EVERY).await;
            }
        }
    };
    tokio::spawn(async move { stop.run_until_cancelled(follow).await });
}

/// Receives events of the file: where it is, and where it links to.
struct FileEvents {
    file: PathBuf,
    watcher: RecommendedWatcher,
    files: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl FileEvents {
    /// `None` when the system does not report changes; why is in the log.
    fn of(file: &Path, changed: &Arc<Notify>) -> Option<Self> {
        let files = Arc::new(Mutex::new(BTreeSet::new()));
        let on_event = {
            let (changed, files) = (Arc::clone(changed), Arc::clone(&files));
            move |event: notify::Result<Event>| {
                if matters(event, &files.lock()) {
                    changed.notify_one();
                }
            }
        };
        let events = std::path::absolute(file)
            .map_err(notify::Error::io)
            .and_then(|file| {
                let watcher = RecommendedWatcher::new(on_event, Config::default())?;
                let mut events = Self {
                    file,
                    watcher,
                    files,
                };
                events.watch(events.file.clone())?;
                Ok(events)
            });
        events
            .inspect_err(|error| {
                tracing::warn!(%error, "the system does not report when the settings file is edited");
            })
            .ok()
    }

    /// Watches the file that the settings file is a link to, too.
    fn follow_the_link(&mut self) {
        let Ok(real) = files::full_path(&self.file) else {
            return;
        };
        if let Err(error) = self.watch(real) {
            tracing::warn!(%error, "the system does not report when the settings file is edited");
        }
    }

    /// The folder is what is watched: editors put new files in the old one's place.
    fn watch(&mut self, file: PathBuf) -> notify::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let known = {
            let mut files = self.files.lock();
            let known = files.iter().any(|known| known.parent() == Some(&folder));
            files.insert(file);
            known
        };
        if known {
            return Ok(());
        }
        self.watcher.watch(&folder, RecursiveMode::NonRecursive)
    }
}

/// Whether one of these files may have another content now. Reads, also by this process, do not
/// count.
fn matters(event: notify::Result<Event>, files: &BTreeSet<PathBuf>) -> bool {
    let Ok(event) = event else {
        return true;
    };
    let was_read = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        _ => false,
    };
    event.need_rescan() || !was_read && event.paths.iter().any(|path| files.contains(path))
}

#[cfg(test)]
mod tests;
