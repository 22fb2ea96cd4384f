//! The settings file as somebody edits it by hand while the program runs. What
//! is right counts as if it had been changed in the window; while something is
//! wrong, the settings from before stay in force, and what it is is told.

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

/// An editor has saved when nothing was told for this long. Some empty a file
/// and write it anew, some take it away and put another in its place.
const SETTLED: Duration = Duration::from_millis(300);
/// Where the system does not tell of changes, the file is read this often.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Follows the settings file until the host stops.
pub fn follow(store: &Arc<SettingsStore>, stop: CancellationToken) {
    let told = Arc::new(Notify::new());
    let mut listening = Listening::to(&store.layers().file, &told);
    let store = Arc::downgrade(store);
    let follow = async move {
        // What was edited before anybody listened is found at the first look.
        while let Some(store) = Weak::upgrade(&store) {
            store.reload().await;
            drop(store);
            if let Some(heard) = &mut listening {
                heard.follow_the_link();
                told.notified().await;
                while timeout(SETTLED, told.notified()).await.is_ok() {}
            } else {
                sleep(LOOK_EVERY).await;
            }
        }
    };
    tokio::spawn(async move { stop.run_until_cancelled(follow).await });
}

/// Hears of changes of the file: where it is, and where it leads to.
struct Listening {
    file: PathBuf,
    watcher: RecommendedWatcher,
    files: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Listening {
    /// `None` when the system does not tell of changes; why is in the log.
    fn to(file: &Path, told: &Arc<Notify>) -> Option<Self> {
        let files = Arc::new(Mutex::new(BTreeSet::new()));
        let hear = {
            let (told, files) = (Arc::clone(told), Arc::clone(&files));
            move |event: notify::Result<Event>| {
                if matters(event, &files.lock()) {
                    told.notify_one();
                }
            }
        };
        let listening = std::path::absolute(file)
            .map_err(notify::Error::io)
            .and_then(|file| {
                let watcher = RecommendedWatcher::new(hear, Config::default())?;
                let mut listening = Self {
                    file,
                    watcher,
                    files,
                };
                listening.hear_of(listening.file.clone())?;
                Ok(listening)
            });
        listening
            .inspect_err(|error| {
                tracing::warn!(%error, "the system does not tell when the settings file is edited");
            })
            .ok()
    }

    /// Hears of the file that the settings file is a link to, too.
    fn follow_the_link(&mut self) {
        let Ok(real) = self.file.canonicalize() else {
            return;
        };
        if let Err(error) = self.hear_of(real) {
            tracing::warn!(%error, "the system does not tell when the settings file is edited");
        }
    }

    /// The folder is what is listened to: editors put new files in the old one's place.
    fn hear_of(&mut self, file: PathBuf) -> notify::Result<()> {
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

/// Whether one of these files may have another content now. That it was read,
/// also by this process, says nothing.
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
