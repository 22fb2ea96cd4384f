//! Collects events and scan results of all watched folders, stabilizes them,
//! and writes them to the queue.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use rusqlite::Transaction;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::events::FileEvents;
use super::scanner::{Command, ScanEvent};
use super::stabilizer::{Check, Checked, Stabilizer, check};
use crate::db::DatabaseError;
use crate::uploads::Uploads;
use crate::uploads::opened::FileVersion;
use crate::uploads::table::{self, Version};

/// While this many files stabilize, no more are listed.
const MOST: usize = 10_000;
/// Before a queue that could not be written is tried again.
const QUEUE_PAUSE: Duration = Duration::from_secs(5);

/// A watched folder and the thread that looks after it.
pub(super) struct Watched {
    pub(super) folder: PathBuf,
    pub(super) commands: Sender<Command>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Stop);
    }
}

/// Brings what is complete to the queue.
pub(super) struct Folders {
    pub(super) watched: Vec<Watched>,
    pub(super) events: Arc<FileEvents>,
    pub(super) found: mpsc::Receiver<ScanEvent>,
    pub(super) uploads: Uploads,
    pub(super) stop: CancellationToken,
}

/// The checks of files of one folder, and their results.
type Looked = (usize, Vec<(PathBuf, Checked)>);

impl Folders {
    pub(super) async fn run(mut self) {
        let mut stabilizer = Stabilizer::default();
        let mut looks: JoinSet<Looked> = JoinSet::new();
        loop {
            let next_look = stabilizer.next_look();
            let has_room = stabilizer.len() < MOST;
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = self.events.some() => {
                    let now = Instant::now();
                    for (file, (folder, event)) in self.events.take() {
                        tracing::debug!(file = %file.display(), ?event, "a file event");
                        stabilizer.file_event(folder, file, event, now);
                    }
                }
                Some(found) = self.found.recv(), if has_room => {
                    self.find(&mut stabilizer, found).await;
                }
                () = until(next_look), if next_look.is_some() => {
                    for (folder, due) in stabilizer.due(Instant::now()) {
                        looks.spawn_blocking(move || (folder, look_at(due)));
                    }
                }
                Some(looked) = looks.join_next(), if !looks.is_empty() => {
                    match looked {
                        Ok(looked) => self.looked(&mut stabilizer, looked).await,
                        Err(error) => tracing::error!(%error, "a check of files failed"),
                    }
                }
            }
        }
    }

    async fn find(&self, stabilizer: &mut Stabilizer, found: ScanEvent) {
        match found {
            ScanEvent::Distrust { folder } => stabilizer.distrust(folder),
            ScanEvent::FirstScanDone { folder } => {
                let place = self.watched[folder].folder.clone();
                self.write(move |change| table::know_folder(change, &place).map(drop))
                    .await;
            }
            ScanEvent::Files {
                folder,
                files,
                unwanted,
            } => {
                let unseen = loop {
                    let files = files.clone();
                    match self.uploads.read(|look| table::unseen(look, files)).await {
                        Ok(unseen) => break unseen,
                        Err(error) if self.may_try_again(&error).await => {}
                        Err(_) => return,
                    }
                };
                if unwanted {
                    let others = unseen
                        .into_iter()
                        .map(|(file, file_version)| self.version(folder, file, file_version));
                    self.put(Vec::new(), others.collect()).await;
                    return;
                }
                let now = Instant::now();
                for (file, file_version) in unseen {
                    stabilizer.find(folder, file, file_version, now);
                }
            }
        }
    }

    async fn looked(&self, stabilizer: &mut Stabilizer, (folder, seen): Looked) {
        let (mut pictures, mut others) = (Vec::new(), Vec::new());
        for (file, seen) in seen {
            // A newer event came in between, which takes precedence.
            if stabilizer.has(&file) {
                continue;
            }
            tracing::debug!(file = %file.display(), ?seen, "a file was checked");
            match seen {
                Checked::Picture(file_version) => {
                    pictures.push(self.version(folder, file, file_version))
                }
                Checked::Other(file_version) => {
                    others.push(self.version(folder, file, file_version))
                }
                Checked::Unsteady(file_version) => {
                    stabilizer.again(folder, file, file_version, Instant::now())
                }
                Checked::Folder => {
                    let _ = self.watched[folder].commands.send(Command::Folder(file));
                }
                Checked::Nothing => {}
            }
        }
        if pictures.is_empty() && others.is_empty() {
            return;
        }
        // The order in which they go out.
        pictures.sort_by(|one, other| {
            (one.file_version.changed, &one.file).cmp(&(other.file_version.changed, &other.file))
        });
        self.put(pictures, others).await;
        self.uploads.0.work.notify_one();
    }

    fn version(&self, folder: usize, file: PathBuf, file_version: FileVersion) -> Version {
        Version {
            folder: self.watched[folder].folder.clone(),
            file,
            file_version,
        }
    }

    async fn put(&self, pictures: Vec<Version>, others: Vec<Version>) {
        self.write(move |change| table::put(change, &pictures, &others))
            .await;
    }

    /// Writes until the queue has it: what is not written down would be forgotten.
    async fn write(
        &self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<()> + Clone + Send + 'static,
    ) {
        while let Err(error) = self.uploads.write(work.clone()).await {
            if !self.may_try_again(&error).await {
                return;
            }
        }
    }

    /// Waits a while after the queue failed; `false` when everything stops.
    async fn may_try_again(&self, error: &DatabaseError) -> bool {
        self.uploads.trouble(Some(error.into()));
        tokio::select! {
            () = self.stop.cancelled() => false,
            () = tokio::time::sleep(QUEUE_PAUSE) => true,
        }
    }
}

fn look_at(due: Vec<Check>) -> Vec<(PathBuf, Checked)> {
    due.into_iter()
        .map(|due| (due.file.clone(), check(&due)))
        .collect()
}

async fn until(moment: Option<Instant>) {
    if let Some(moment) = moment {
        tokio::time::sleep_until(moment.into()).await;
    }
}
